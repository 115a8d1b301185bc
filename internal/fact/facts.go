// Package fact implements facts: statements about the project (level 0), a domain (1), a module (2) or a place in the
// code (3). It stores each once, supersedes and expires them, finds the first ones by discovery, and makes facts of
// learnings.
//
// Only the files below .sdd/facts and .sdd/personal/facts are the source of truth. The data in memory, and the state of
// discovery in .sdd/.local, is derived or local to this machine.
package fact

import (
	"context"
	"sync"
	"time"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/markdown"
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
	f.cache.files = index.NewView(ix, st, record.Fact, parse, func(f *Fact) string { return f.Etag })
	return f
}

// Close ends the subscription to the index. Call it before closing the index.
func (f *Facts) Close() { f.cache.files.Close() }

// save makes one durable change of the fact with that id and updates the index.
func (f *Facts) save(ctx context.Context, e store.Edit) (store.Saved, error) {
	e.Lock = record.LockOf(e.Record)
	e.Merge = merged
	done, err := f.st.Save(ctx, e)
	if err == nil && !done.Unchanged {
		f.ix.Put(done.Path, done.After)
		f.cache.files.Wrote(done.Path)
	}
	return done, err
}

// merged merges the text that an editor saved with a tool's change of the same base.
func merged(base, ours, theirs []byte) ([]byte, error) {
	m := record.Merge(record.Fact, base, ours, theirs, markdown.MergeLabels{Ours: "stored", Theirs: "yours"})
	if len(m.Conflicts) > 0 {
		return nil, fault.New(fault.Conflict, "the fact was changed on both sides, nothing was written").With("read it again and repeat the call")
	}
	return m.Out, nil
}
