package index

import (
	"context"
	"maps"
	"slices"
	"sync"

	"sdd/internal/record"
)

// Follower tells which files of one kind changed, for those who keep what stands in them: the index finds records, and
// what else a list of them needs to know is in their files. It is safe for concurrent use.
type Follower struct {
	ix   *Index
	kind record.Kind

	turn   sync.Mutex // held by the call of Changed or Close that is under way
	known  bool       // all files were told once
	cancel func()

	mu      sync.Mutex
	changed map[string]bool
}

// Follow returns a follower of the records of that kind. It costs nothing before Changed is called.
func (ix *Index) Follow(kind record.Kind) *Follower {
	return &Follower{ix: ix, kind: kind, changed: map[string]bool{}}
}

// Changed brings the index up to date and returns the files, relative to .sdd and sorted, that changed since the call
// before: all there are at the first one, of which all tells, and those that are gone too later on. What failed is told
// again by the next call.
func (f *Follower) Changed(ctx context.Context) (paths []string, all bool, err error) {
	f.turn.Lock()
	defer f.turn.Unlock()
	if f.cancel == nil {
		f.cancel = f.ix.Listen(f.told)
	}
	if err := f.ix.Refresh(ctx); err != nil {
		return nil, false, err
	}
	var there []Entry
	if all = !f.known; all {
		there = f.ix.Entries(f.kind)
		f.known = true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range there {
		f.changed[e.Path] = true
	}
	paths = slices.Sorted(maps.Keys(f.changed))
	clear(f.changed)
	return paths, all, nil
}

// Wrote notes a file that this process has just written, so that the next call tells it in any case.
func (f *Follower) Wrote(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changed[path] = true
}

func (f *Follower) told(changes []Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range changes {
		if c.Kind == f.kind {
			f.changed[c.Path] = true
		}
	}
}

// Close stops following; the next call of Changed begins again with all files. It comes before the index is closed.
func (f *Follower) Close() {
	f.turn.Lock()
	defer f.turn.Unlock()
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
	f.known = false
	f.mu.Lock()
	clear(f.changed)
	f.mu.Unlock()
}
