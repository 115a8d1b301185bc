package index

import (
	"context"
	"fmt"
	"math"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/memory"
	"sdd/internal/record"
	"sdd/internal/store"
)

// settings are the inputs beside the files that decide what a record means.
type settings struct{ record.Defaults }

// key differs between settings and between versions of the analysis.
func (s settings) key() string {
	return fmt.Sprintf("%d %q %d", AnalysisVersion, s.Project, s.Limits)
}

func (ix *Index) settings() settings {
	conf, _ := ix.st.Config()
	project := conf.Project
	if project == "" {
		project = ix.st.Project()
	}
	return settings{record.Defaults{Project: project, Limits: record.Limits{
		Title: conf.Limits.Title, Section: conf.Limits.Section, File: conf.Limits.File,
	}}}
}

// Refresh brings the index up to date with every file as it was at the start of the call or later. The first call reads
// the cache and the files that changed since, or all files.
func (ix *Index) Refresh(ctx context.Context) error { return ix.refresh(ctx, false) }

// callKey is the key of the start of a call, by ix.clock, in its context.
type callKey struct{ ix *Index }

// Call returns a context in which only the first Refresh reads what changed up to this moment, and the work tree is looked for once.
func (ix *Index) Call(ctx context.Context) context.Context {
	return context.WithValue(git.Once(ctx), callKey{ix}, ix.clock.Add(1))
}

// refresh is Refresh. With namesOnly it only identifies the records in changed files and leaves their words for later.
func (ix *Index) refresh(ctx context.Context, namesOnly bool) error {
	arrived, ok := ctx.Value(callKey{ix}).(uint64)
	if !ok {
		arrived = ix.clock.Add(1)
	}
	if err := ix.take(ctx); err != nil {
		return err
	}
	if ix.refreshed > arrived {
		<-ix.turn // a refresh that started after this call has ended
		return nil
	}
	started := ix.clock.Add(1)
	run := func(ctx context.Context) error {
		defer func() { <-ix.turn }()
		err := ix.update(ctx, namesOnly)
		if err == nil && !namesOnly {
			ix.refreshed = started
		}
		return err
	}
	if ix.loaded.Load() {
		return run(ctx)
	}
	// The first load continues when its caller gives up: the next caller needs it too.
	done := make(chan error, 1)
	go func() { done <- run(ix.ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (ix *Index) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case ix.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if ix.closed {
		<-ix.turn
		return fault.New(fault.Unavailable, "the index is closed")
	}
	return nil
}

// ready makes sure that the first load has happened.
func (ix *Index) ready(ctx context.Context) error {
	if ix.loaded.Load() {
		return ctx.Err()
	}
	return ix.Refresh(ctx)
}

// Ready returns after the first load and the refresh under way. Call it before taking a lock, for which others wait.
func (ix *Index) Ready(ctx context.Context) error {
	if err := ix.ready(ctx); err != nil {
		return err
	}
	if err := ix.take(ctx); err != nil {
		return err
	}
	<-ix.turn
	return nil
}

// apply reads files again whose bytes differ from the indexed ones.
func (ix *Index) apply(ctx context.Context, paths []string) error {
	if err := ix.take(ctx); err != nil {
		return err
	}
	defer func() { <-ix.turn }()
	return ix.read(ctx, paths)
}

// update brings the index up to date. The caller has the turn.
func (ix *Index) update(ctx context.Context, namesOnly bool) error {
	if !ix.st.Exists() {
		ix.forget()
		return nil
	}
	if own := ix.settings(); own != ix.own {
		ix.forget()
		ix.mu.Lock()
		ix.own = own
		ix.mu.Unlock()
	}
	if !ix.loaded.Load() {
		return ix.load(ctx)
	}
	changed, rescan, err := ix.sync(ctx)
	if err != nil {
		return err
	}
	ix.wait(changed)
	paths, err := ix.due(ctx, rescan)
	if err != nil {
		return err
	}
	if namesOnly && len(paths) <= mostUnread {
		for i, path := range paths {
			if err := ix.identify(path); err != nil {
				ix.wait(paths[i:])
				return err
			}
		}
		ix.behind = false
		ix.soon()
		return nil
	}
	return ix.catch(ctx, paths)
}

// due returns the files that may have changed, each once: the pending ones and, on a rescan, those that differ from the index.
func (ix *Index) due(ctx context.Context, rescan bool) (paths []string, err error) {
	if rescan || ix.behind {
		ix.behind = true
		if paths, err = ix.compare(ctx); err != nil {
			return nil, err
		}
		unread, _, _ := ix.waitingUnread(math.MaxInt) // which may be gone
		paths = append(paths, unread...)
	}
	return sorted(append(paths, ix.waiting()...)), nil
}

// sorted sorts paths and drops those that come twice.
func sorted(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}

// sync returns the files that changed since the last sync, or asks for a rescan of all.
func (ix *Index) sync(ctx context.Context) (changed []string, rescan bool, err error) {
	if ix.watcher == nil {
		return nil, true, ctx.Err()
	}
	if changed, rescan, err = ix.watcher.Sync(ctx); err != nil {
		return nil, true, ctx.Err()
	}
	return changed, rescan, nil // also when ctx has ended by now: the watcher returns each change once
}

// catch reads the files at those paths, and the files that wait for their words to be indexed.
func (ix *Index) catch(ctx context.Context, paths []string) error {
	unread, _, done := ix.waitingUnread(math.MaxInt)
	paths = sorted(append(paths, unread...))
	if len(paths) > largeLoad {
		memory.ReleaseProgram() // free the memory of the start before the files need theirs
	}
	if len(paths) > 0 {
		if err := ix.read(ctx, paths); err != nil {
			return err
		}
	}
	done()
	ix.behind = false
	return nil
}

// compare returns the files that are new, changed or gone.
func (ix *Index) compare(ctx context.Context) ([]string, error) {
	ix.merges <- struct{}{} // no merge may move records meanwhile
	defer func() { <-ix.merges }()
	var paths []string
	seen := map[*live]bitmap{}
	err := ix.st.Scan(ctx, func(path string, st store.Stat) error {
		ix.mu.RLock()
		defer ix.mu.RUnlock()
		at, ok := ix.contents.find(path)
		if !ok {
			paths = append(paths, path)
			return nil
		}
		b := seen[at.live]
		b.add(int(at.doc), at.seg.len())
		seen[at.live] = b
		if at.stats[at.doc] != st {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	ix.contents.each(func(l *live, doc int) bool {
		if !seen[l].has(doc) {
			paths = append(paths, string(l.seg.path(doc)))
		}
		return true
	})
	return paths, nil
}
