package index

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// View keeps every file of one kind parsed in memory and reads a file again only when it changed: the index finds records,
// and what else their package needs of them is in their files. One goroutine at a time may call Updates; it reads All, and
// only Apply changes All, so that the owner can guard both with the lock of what it derives from them.
type View[T any] struct {
	All map[string]*T // by path, relative to .sdd

	files *Follower
	st    *store.Store
	parse func(path string, src []byte) *T
	etag  func(*T) string
}

// Update is one file whose content differs. Was is nil for a new file, Now for one that is gone.
type Update[T any] struct {
	Path     string
	Was, Now *T
}

// NewView returns an empty view; it reads nothing before Updates is called.
func NewView[T any](ix *Index, st *store.Store, kind record.Kind, parse func(path string, src []byte) *T, etag func(*T) string) *View[T] {
	return &View[T]{All: map[string]*T{}, files: ix.Follow(kind), st: st, parse: parse, etag: etag}
}

// Updates brings the index up to date and returns what differs between the files and All, by path. A file that cannot be
// read stays as it was read last.
func (v *View[T]) Updates(ctx context.Context) ([]Update[T], error) {
	paths, all, err := v.files.Changed(ctx)
	if err != nil {
		return nil, err
	}
	if all { // All may come from an earlier process
		paths = slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(paths, maps.Keys(v.All)))))
		current := map[string]string{}
		for _, e := range v.files.ix.Entries(v.files.kind) {
			current[e.Path] = e.Etag
		}
		paths = slices.DeleteFunc(paths, func(path string) bool { return v.All[path] != nil && v.etag(v.All[path]) == current[path] })
	}
	updates := make([]Update[T], len(paths))
	differs := make([]bool, len(paths))
	workers := min(runtime.GOMAXPROCS(0), len(paths)/64+1)
	var work sync.WaitGroup
	for w := range workers {
		work.Go(func() {
			for i := w; i < len(paths); i += workers {
				updates[i], differs[i] = v.update(paths[i])
			}
		})
	}
	work.Wait()
	kept := updates[:0]
	for i, u := range updates {
		if differs[i] {
			kept = append(kept, u)
		}
	}
	return kept, nil
}

// update reads one file and reports whether it differs from All.
func (v *View[T]) update(path string) (Update[T], bool) {
	was := v.All[path]
	f, err := v.st.Read(path)
	switch {
	case fault.Is(err, fault.NotFound):
		return Update[T]{path, was, nil}, was != nil
	case err != nil, was != nil && v.etag(was) == record.Etag(f.Bytes):
		return Update[T]{}, false
	}
	return Update[T]{path, was, v.parse(path, f.Bytes)}, true
}

// Apply takes updates into All.
func (v *View[T]) Apply(updates []Update[T]) {
	for _, u := range updates {
		if u.Now == nil {
			delete(v.All, u.Path)
		} else {
			v.All[u.Path] = u.Now
		}
	}
}

// Wrote makes the next call of Updates read a file that this process has just written.
func (v *View[T]) Wrote(path string) { v.files.Wrote(path) }

// Close ends the subscription to the index; it comes before the index is closed.
func (v *View[T]) Close() { v.files.Close() }
