// Package learning is the use case of ideas, above all of learnings: what agents find out while they
// work. It stores them once, ranks and injects them, moves them through their life, and reports
// when a commit, a contradiction or a finished parent has overtaken one.
//
// Only the files below .sdd/ideas are truth. What this package keeps in memory and below
// .sdd/.local (the cache of ideas, the events, the heads, the counts) is derived or local: without it the answers are the same,
// but for metrics and events of the past and for the two times that are finer there than in the files (head.go).
package learning

import (
	"context"
	"time"

	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Learnings are the ideas of one store. They are safe for concurrent use, by any number of processes.
type Learnings struct {
	st  *store.Store
	ix  *index.Index
	now func() time.Time

	cache  cache
	views  keeper
	events events
	hooks  hooks

	step func(point string) error // of tests
}

// New returns the ideas of st. It reads nothing; ix is the index of st.
func New(st *store.Store, ix *index.Index) *Learnings {
	l := &Learnings{st: st, ix: ix, now: time.Now}
	l.cache.l, l.events.l, l.hooks.l = l, l, l
	l.hooks.limit, l.hooks.later.pause, l.hooks.later.do = hookLimit, hookPause, l.hooks.run
	l.views.pause, l.views.do = viewDelay, l.keepViews
	l.cache.files = index.NewView(ix, st, record.Idea, parse, func(i *Idea) string { return i.Etag })
	return l
}

// Close writes the views and caches that are due. It comes before the index is closed.
func (l *Learnings) Close() {
	l.views.flush()
	l.hooks.flush()
	l.cache.close()
}

// at stops a call at a point, in tests.
func (l *Learnings) at(point string) error {
	if l.step == nil {
		return nil
	}
	return l.step(point)
}

// save makes one durable change of the idea with that id and puts it into the index.
func (l *Learnings) save(ctx context.Context, e store.Edit) (store.Saved, error) {
	e.Lock = record.LockOf(e.Record)
	e.Merge = merged
	done, err := l.st.Save(ctx, e)
	if err == nil && !done.Unchanged {
		l.ix.Put(done.Path, done.After)
		l.cache.wrote(done.Path, done.After)
		l.views.due()
	}
	return done, err
}
