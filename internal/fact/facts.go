// Package fact implements facts: statements about the project (level 0), a domain (1), a module (2) or a place in the
// code (3). It stores each once, supersedes and expires them, finds the first ones by discovery, and makes facts of
// learnings.
//
// Only the files below .sdd/facts and .sdd/personal/facts are the source of truth. The data in memory, and the state of
// discovery in .sdd/.local, is derived or local to this machine.
package fact

import (
	"sync"
	"time"

	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Facts are the facts of one store. They are safe for concurrent use, by any number of processes.
type Facts struct {
	st  *store.Store
	ix  *index.Index
	now func() time.Time

	cache cache
	tree  watched
	head  declared

	discovering sync.Mutex      // held by the discovery that is under way
	unkept      *discoveryState // the last one, where its file could not be written; guarded by discovering

	disputed struct { // the last answer of Contradictions
		sync.Mutex
		of  *Fact // the first fact of its list
		out []Contradiction
	}
}

// New returns the facts of st. It reads nothing; ix is the index of st.
func New(st *store.Store, ix *index.Index) *Facts {
	f := &Facts{st: st, ix: ix, now: time.Now}
	f.cache.f = f
	f.cache.Kind = records.New(st, ix, records.About[Fact]{
		Kind: record.Fact, Noun: "fact", Hint: "list the facts: sdd fact list", Read: read,
		ID: func(f *Fact) string { return f.ID }, Etag: func(f *Fact) string { return f.Etag }, File: func(f *Fact) string { return f.File },
	})
	return f
}

// Close ends the subscription to the index. Call it before closing the index.
func (f *Facts) Close() { f.cache.Close() }
