package index

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// View keeps every file of one kind parsed in memory and reads a file again only when it changed. The index finds the
// files; the package of the kind needs more of them than the index has. One goroutine at a time may call Updates, which
// reads All. Only Apply changes All, so the owner can guard All and its own derived data with one lock.
type View[T any] struct {
	All map[string]*T // by path, relative to .sdd

	ix    *Index
	st    *store.Store
	kind  record.Kind
	parse func(path string, src []byte) *T
	etag  func(*T) string

	turn      sync.Mutex // held by the call of Updates or Close that is under way
	cancel    func()     // nil without a subscription to the index
	following bool       // changed has every file that changed since the last comparison of All with the index

	mu      sync.Mutex
	changed map[string]bool
}

// Update is one changed file. Was is nil for a new file, Now for a deleted one.
type Update[T any] struct {
	Path     string
	Was, Now *T
}

// updatesPerWorker is the least number of files for each goroutine that reads them.
const updatesPerWorker = 64

// NewView returns an empty view; it reads nothing before Updates is called.
func NewView[T any](ix *Index, st *store.Store, kind record.Kind, parse func(path string, src []byte) *T, etag func(*T) string) *View[T] {
	return &View[T]{All: map[string]*T{}, ix: ix, st: st, kind: kind, parse: parse, etag: etag, changed: map[string]bool{}}
}

// Updates brings the index up to date and returns the differences between the files and All, by path. A file that cannot
// be read keeps its last version.
func (v *View[T]) Updates(ctx context.Context) ([]Update[T], error) {
	paths, err := v.stale(ctx)
	if err != nil {
		return nil, err
	}
	updates := make([]Update[T], len(paths))
	divide(len(paths), len(paths)/updatesPerWorker+1, func(numbers iter.Seq[int]) {
		for i := range numbers {
			updates[i] = v.update(paths[i])
		}
	})
	return slices.DeleteFunc(updates, func(u Update[T]) bool { return u.Was == nil && u.Now == nil }), nil
}

// stale returns the files that may differ from All, sorted. The first call compares etags, because All may be older.
func (v *View[T]) stale(ctx context.Context) ([]string, error) {
	v.turn.Lock()
	defer v.turn.Unlock()
	if v.cancel == nil {
		v.cancel = v.ix.Listen(v.note)
	}
	if err := v.ix.Refresh(ctx); err != nil {
		return nil, err
	}
	var differ []string
	if !v.following {
		current := map[string]string{}
		for _, e := range v.ix.Entries(v.kind) {
			if current[e.Path] = e.Etag; v.All[e.Path] == nil {
				differ = append(differ, e.Path)
			}
		}
		for path, known := range v.All {
			if v.etag(known) != current[path] {
				differ = append(differ, path)
			}
		}
		v.following = true
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	paths := slices.AppendSeq(differ, maps.Keys(v.changed))
	clear(v.changed)
	return sorted(paths), nil
}

// update reads one file. It returns an empty Update when the file does not differ from All.
func (v *View[T]) update(path string) Update[T] {
	was := v.All[path]
	f, err := v.st.Read(path)
	switch {
	case fault.Is(err, fault.NotFound):
		return Update[T]{path, was, nil}
	case err != nil, was != nil && v.etag(was) == record.Etag(f.Bytes):
		return Update[T]{}
	}
	return Update[T]{path, was, v.parse(path, f.Bytes)}
}

// Apply puts updates into All.
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
func (v *View[T]) Wrote(path string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.changed[path] = true
}

func (v *View[T]) note(changes []Change) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range changes {
		if c.Kind == v.kind {
			v.changed[c.Path] = true
		}
	}
}

// Close ends the subscription to the index. Call it before closing the index. The next call of Updates compares every file.
func (v *View[T]) Close() {
	v.turn.Lock()
	defer v.turn.Unlock()
	if v.cancel != nil {
		v.cancel()
		v.cancel = nil
	}
	v.following = false
	v.mu.Lock()
	clear(v.changed)
	v.mu.Unlock()
}
