package index

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"

	"sdd/internal/memory"
	"sdd/internal/store"
)

const (
	saveChanged = 50   // changed records after which a load writes the cache
	largeLoad   = 2000 // after a load of more files the index gives memory back
	loadGC      = 40   // percent

	journalFolder = ".local/journal"
)

// forget makes the next update read everything, as a first load does.
func (ix *Index) forget() {
	ix.merges <- struct{}{} // a merge reads segments without the lock
	defer func() { <-ix.merges }()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.empty()
	ix.dirty = 0
	ix.behind = false
	ix.loaded.Store(false)
	ix.waiting()
}

func (ix *Index) load(ctx context.Context) error {
	entries, _ := os.ReadDir(filepath.Join(ix.st.Dir(), store.Folder, journalFolder))
	ix.journaled = len(entries) > 0
	cached := make(chan *contents)
	go func() {
		c, _ := ix.cache.load(ix.own)
		cached <- c
	}()
	// The watch begins before the files are read, so that it misses no change.
	changed, _, err := ix.sync(ctx)
	c := <-cached
	if c != nil {
		ix.mu.Lock()
		ix.contents = c
		ix.mu.Unlock()
	}
	if err != nil {
		ix.forget()
		return err
	}
	ix.wait(changed)
	ix.heap.Store(0)
	paths, err := ix.due(ctx, true)
	if len(paths) > saveChanged {
		defer memory.Grow(loadGC)() // a load makes much garbage
	}
	if err == nil {
		err = ix.catch(ctx, paths)
	}
	if err != nil {
		ix.forget()
		return err
	}
	indexed := ix.dirty
	ix.loaded.Store(true)
	switch {
	case ix.part:
	case indexed > saveChanged:
		ix.saveBehind(indexed > largeLoad)
	default:
		ix.mergeDue()
	}
	return nil
}

// saveBehind writes the cache while the first answer is given. After a large load it frees memory before and after the merge.
func (ix *Index) saveBehind(large bool) {
	ix.inBackground(func() {
		ix.merges <- struct{}{}
		if large {
			defer memory.Grow(loadGC)()
			debug.FreeOSMemory()
			defer debug.FreeOSMemory()
		}
		ix.save()
		<-ix.merges
		ix.mergeDue()
	})
}
