package index

import (
	"slices"
	"sync"

	"sdd/internal/record"
)

// Change says what happened to a record.
type Change struct {
	Path string // relative to .sdd
	ID   string
	Kind record.Kind
	What What
}

// What happened to a record.
type What string

const (
	Added   What = "added"
	Changed What = "changed"
	Removed What = "removed"
)

// feed tells subscribers about changes, one batch after the other.
type feed struct {
	mu   sync.Mutex
	subs []*func([]Change)
	tell sync.Mutex // held while a batch is told
	pump sync.Once
}

// Subscribe calls f with each batch of changes that reaches the index, by this process or by
// others, in order; not with what the first load finds. f must not block, and must not call the
// index or cancel. Nothing is told after cancel has returned.
func (ix *Index) Subscribe(f func([]Change)) (cancel func()) {
	sub := &f
	ix.feed.mu.Lock()
	defer ix.feed.mu.Unlock()
	ix.feed.subs = append(ix.feed.subs, sub)
	ix.feed.pump.Do(func() { go ix.pump() })
	return func() {
		ix.feed.tell.Lock()
		defer ix.feed.tell.Unlock()
		ix.feed.mu.Lock()
		defer ix.feed.mu.Unlock()
		ix.feed.subs = slices.DeleteFunc(ix.feed.subs, func(s *func([]Change)) bool { return s == sub })
	}
}

// pump brings the index up to date as files change, until Close.
func (ix *Index) pump() {
	if ix.watcher == nil {
		return
	}
	ix.Refresh(ix.ctx)
	for range ix.watcher.Events() {
		ix.Refresh(ix.ctx)
	}
}

// heard reports whether anybody is told.
func (f *feed) heard() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.subs) > 0
}

func (f *feed) publish(changes []Change) {
	if len(changes) == 0 {
		return
	}
	f.tell.Lock()
	defer f.tell.Unlock()
	f.mu.Lock()
	subs := slices.Clone(f.subs)
	f.mu.Unlock()
	for _, sub := range subs {
		(*sub)(changes)
	}
}
