package index

import (
	"slices"

	"sdd/internal/record"
	"sdd/internal/store"
)

// known returns what the index has at that path.
func (ix *Index) known(path string) (bool, Entry) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	at, ok := ix.contents.find(path)
	if !ok {
		return false, Entry{}
	}
	e, _ := ix.contents.segs[at.seg].seg.entry(int(at.doc))
	return true, e
}

// Put indexes a record that this process has just written. It does not wait for a refresh that
// is under way; which bytes are right is decided by the next one, which reads the file again.
func (ix *Index) Put(path string, src []byte, st store.Stat) {
	if !ix.loaded.Load() {
		return // the first load will find it
	}
	ix.mu.RLock()
	own := ix.own
	ix.mu.RUnlock()
	known, was := ix.known(path)
	ix.wait([]string{path})
	if known && was.Etag == record.Etag(src) {
		return
	}
	doc := parse(path, src, st, own.Defaults)
	ix.single.Lock()
	ix.small.add(doc)
	stats := slices.Clone(ix.small.stats)
	l := &live{seg: ix.small.finish(), stats: stats}
	ix.single.Unlock()
	ix.mu.Lock()
	ix.contents.add(l)
	ix.dirty++
	ix.mu.Unlock()
	ix.mergeDue()
	what := Added
	if known {
		what = Changed
	}
	ix.feed.publish([]Change{{doc.Path, doc.ID, doc.Kind, what}})
}

// Drop removes a record whose file this process has just deleted.
func (ix *Index) Drop(path string) {
	known, was := ix.known(path)
	ix.wait([]string{path})
	if !known {
		return
	}
	ix.mu.Lock()
	ix.contents.remove(path)
	ix.dirty++
	ix.mu.Unlock()
	ix.feed.publish([]Change{{was.Path, was.ID, was.Kind, Removed}})
}

// wait notes paths that the next update has to read.
func (ix *Index) wait(paths []string) {
	if len(paths) == 0 {
		return
	}
	ix.pendingMu.Lock()
	defer ix.pendingMu.Unlock()
	for _, p := range paths {
		ix.pending[p] = true
	}
}

// waiting returns the paths that wait, in order, and forgets them.
func (ix *Index) waiting() []string {
	ix.pendingMu.Lock()
	defer ix.pendingMu.Unlock()
	paths := make([]string, 0, len(ix.pending))
	for p := range ix.pending {
		paths = append(paths, p)
	}
	clear(ix.pending)
	slices.Sort(paths)
	return paths
}
