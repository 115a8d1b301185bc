package transport

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// feed queues the notifications of changed resources for one client, in order, so that whoever reports a change never waits for a
// client. pump sends them.
type feed struct {
	mu      sync.Mutex
	queue   []note
	waiting map[noteKey]bool // of the notes in queue
	closed  bool
	wake    chan struct{} // has one element after a change
}

// note is a notification of a subscription. The feed queues a note with a key once.
type note struct {
	noteKey
	line []byte
}

type noteKey struct {
	sub *subscription
	key string
}

func newFeed() *feed { return &feed{waiting: map[noteKey]bool{}, wake: make(chan struct{}, 1)} }

func (f *feed) put(n note) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || n.key != "" && f.waiting[n.noteKey] {
		return
	}
	f.waiting[n.noteKey] = true
	f.queue = append(f.queue, n)
	f.changed()
}

// drop removes the notes of sub.
func (f *feed) drop(sub *subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = slices.DeleteFunc(f.queue, func(n note) bool { return n.sub == sub })
	maps.DeleteFunc(f.waiting, func(k noteKey, _ bool) bool { return k.sub == sub })
}

// close ends the pumps once they have sent everything.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.changed()
}

// changed wakes a pump. The caller holds mu.
func (f *feed) changed() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// pump sends the notes to out until close, or until ctx ends.
func (f *feed) pump(ctx context.Context, out sink) {
	for {
		f.mu.Lock()
		notes, closed := f.queue, f.closed
		f.queue = nil
		clear(f.waiting)
		f.mu.Unlock()
		for _, n := range notes {
			out.write(n.line)
		}
		if closed {
			return
		}
		select {
		case <-f.wake:
		case <-ctx.Done():
			return
		}
	}
}
