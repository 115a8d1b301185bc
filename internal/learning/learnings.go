// Package learning implements ideas, above all learnings: what agents find out while they work. It stores each once,
// ranks and injects them, moves them through their life, and reports those that a commit, a contradiction or a finished
// parent makes doubtful.
//
// Only the files below .sdd/ideas are the source of truth. Without the data below .sdd/.local the answers are the same, except for metrics,
// past events, and two times that are more exact there than in the files (head.go).
package learning

import (
	"sync"
	"sync/atomic"
	"time"

	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Learnings are the ideas of one store. They are safe for concurrent use, by any number of processes.
type Learnings struct {
	st  *store.Store
	ix  *index.Index
	now func() time.Time

	cache  cache
	views  later        // writes the views shortly after a change
	kept   atomic.Int32 // calls of Keep that go on
	events events

	taken struct { // the last answer of takenBack, which nothing changes
		sync.Mutex
		all   []*Idea
		match string
		out   map[*Idea]*Verdict
	}

	step func(point string) error // a hook for tests
}

// New returns the ideas of st. It reads nothing; ix is the index of st.
func New(st *store.Store, ix *index.Index) *Learnings {
	l := &Learnings{st: st, ix: ix, now: time.Now}
	l.cache.l, l.events.l = l, l
	l.views.pause, l.views.do = viewDelay, l.keepViews
	l.cache.Kind = records.New(st, ix, records.About[Idea]{
		Kind: record.Idea, Noun: "idea", Hint: "list the ideas: sdd idea list", Read: read,
		ID: func(i *Idea) string { return i.ID }, Etag: func(i *Idea) string { return i.Etag }, File: func(i *Idea) string { return i.File },
	})
	return l
}

// Close writes the pending views and caches. Call it before closing the index.
func (l *Learnings) Close() {
	l.views.flush()
	l.cache.close()
}
