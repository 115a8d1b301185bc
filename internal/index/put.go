package index

import (
	"maps"
	"slices"

	"sdd/internal/store"
)

func (ix *Index) known(path string) (bool, Entry) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	at, ok := ix.contents.find(path)
	if !ok {
		return false, Entry{}
	}
	e, _ := at.seg.entry(int(at.doc))
	return true, e
}

// Put indexes a record that this process has written, without waiting. The next Refresh reads the file, whose bytes decide.
func (ix *Index) Put(saved store.Saved) {
	if !ix.loaded.Load() {
		return // the first load will find it
	}
	ix.mu.RLock()
	own := ix.own
	ix.mu.RUnlock()
	u := newUnread(saved.Path, saved.After, own.Defaults)
	u.stat = saved.Stat
	ix.mu.Lock()
	ix.unread[u.path] = u
	ix.mu.Unlock()
	ix.soon()
}

// wait adds paths for the next update to read.
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

// waiting returns the pending paths, and clears them.
func (ix *Index) waiting() []string {
	ix.pendingMu.Lock()
	defer ix.pendingMu.Unlock()
	paths := slices.Collect(maps.Keys(ix.pending))
	clear(ix.pending)
	return paths
}
