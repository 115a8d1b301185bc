package index

import (
	"slices"
	"sync"

	"sdd/internal/record"
)

// Change is one change of a record.
type Change struct {
	Path string // relative to .sdd
	ID   string
	Kind record.Kind
	What What
}

// What is the kind of a change.
type What string

const (
	Added   What = "added"
	Changed What = "changed"
	Removed What = "removed"
)

// feed sends changes to subscribers, one batch after the other.
type feed struct {
	mu   sync.Mutex
	subs []*subscriber
	tell sync.Mutex // held while a batch is sent
	pump sync.Once
}

type subscriber struct {
	tell  func([]Change)
	waits bool // the subscriber waits for changes as they happen
}

// Subscribe calls f with each batch of changes that reaches the index, from this process or another, in order. The
// records of the first load are not changes. From now on the index follows the files. f must not block, and must not
// call the index or cancel. f is not called after cancel has returned.
func (ix *Index) Subscribe(f func([]Change)) (cancel func()) {
	cancel = ix.feed.add(&subscriber{f, true})
	ix.feed.pump.Do(func() { go ix.pump() })
	return cancel
}

// Listen is Subscribe for a caller that calls Refresh itself: the index reads no file for it, so savers do not index others' saves.
func (ix *Index) Listen(f func([]Change)) (cancel func()) { return ix.feed.add(&subscriber{f, false}) }

func (f *feed) add(sub *subscriber) (cancel func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs = append(f.subs, sub)
	return func() {
		f.tell.Lock()
		defer f.tell.Unlock()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.subs = slices.DeleteFunc(f.subs, func(s *subscriber) bool { return s == sub })
	}
}

// pump brings the index up to date as files change, while a subscriber waits for changes, until Close.
func (ix *Index) pump() {
	if ix.watcher == nil {
		return
	}
	ix.Refresh(ix.ctx)
	for range ix.watcher.Events() {
		if ix.feed.awaited() {
			ix.Refresh(ix.ctx)
		}
	}
}

// awaited reports whether a subscriber waits for changes.
func (f *feed) awaited() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.subs, func(s *subscriber) bool { return s.waits })
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
		sub.tell(changes)
	}
}
