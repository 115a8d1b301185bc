package web

import (
	"context"
	"slices"
	"sync"

	"sdd/internal/learning"
)

// recent is the end of the list of events. The core lists them from the oldest on, so recent keeps those it has
// read.
type recent struct {
	mu     sync.Mutex
	cursor string
	last   []learning.Event // the oldest first
}

const eventsAtOnce = 500

// events returns the latest ones, the newest first.
func (r *recent) events(ctx context.Context, l *learning.Learnings) ([]learning.Event, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		more, next, err := l.Events(ctx, r.cursor, eventsAtOnce)
		if err != nil {
			return nil, err
		}
		r.cursor = next
		r.last = append(r.last, more...)
		r.last = slices.Clone(r.last[max(0, len(r.last)-recentEvents):])
		if len(more) < eventsAtOnce {
			break
		}
	}
	newest := slices.Clone(r.last)
	slices.Reverse(newest)
	return newest, nil
}
