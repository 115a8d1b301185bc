package index

import (
	"context"
	"fmt"

	"sdd/internal/fault"
	"sdd/internal/memory"
	"sdd/internal/record"
	"sdd/internal/store"
)

// settings are what the meaning of records depends on beside their files.
type settings struct{ record.Defaults }

// key differs between settings and between versions of the analysis.
func (s settings) key() string {
	return fmt.Sprintf("%d %q %d", analyzer, s.Project, s.Limits)
}

func (ix *Index) settings() settings {
	conf, _ := ix.st.Config()
	return settings{record.Defaults{Project: ix.st.Project(), Limits: record.Limits{
		Title: conf.Limits.Title, Section: conf.Limits.Section, File: conf.Limits.File,
	}}}
}

// Refresh makes the index show every file as it is now or was since the call began. The first
// one reads the cache and what changed since, or everything.
func (ix *Index) Refresh(ctx context.Context) error { return ix.refresh(ctx, false) }

// refresh is Refresh; of namesOnly, files that changed are identified and read later.
func (ix *Index) refresh(ctx context.Context, namesOnly bool) error {
	arrived := ix.clock.Add(1)
	if err := ix.take(ctx); err != nil {
		return err
	}
	if ix.refreshed > arrived {
		<-ix.turn // one that started after this call has come to an end
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
	// The first load goes on when its caller gives up: the next one needs it too.
	done := make(chan error, 1)
	go func() { done <- run(ix.ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take waits for the turn.
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

// Ready returns after the first load, and after the refresh that is under way. Who takes a lock calls it before, so that
// no other process waits for the lock while many files are read.
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

// apply reads files again because their bytes are not those that were indexed.
func (ix *Index) apply(ctx context.Context, paths []string) error {
	if err := ix.take(ctx); err != nil {
		return err
	}
	defer func() { <-ix.turn }()
	return ix.read(ctx, jobsOf(paths))
}

// update brings the index up to date. It is called by who has the turn.
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
	jobs, err := ix.due(ctx, rescan)
	if err != nil {
		return err
	}
	if namesOnly && len(jobs) <= mostUnread {
		for i, j := range jobs {
			if err := ix.identify(j.path); err != nil {
				ix.wait(pathsOf(jobs[i:]))
				return err
			}
		}
		ix.behind = false
		ix.soon()
		return nil
	}
	return ix.catch(ctx, jobs)
}

// due returns the files that may have changed, each once: those that wait, and of a rescan those that differ from what is known.
func (ix *Index) due(ctx context.Context, rescan bool) (jobs []job, err error) {
	if rescan || ix.behind {
		ix.behind = true
		if jobs, err = ix.compare(ctx); err != nil {
			return nil, err
		}
		unread, _ := ix.waitingUnread() // which may be gone
		jobs = with(jobs, unread)
	}
	return with(jobs, ix.waiting()), nil
}

// with adds files to jobs that are not among them.
func with(jobs []job, paths []string) []job {
	if len(paths) == 0 {
		return jobs
	}
	there := make(map[string]bool, len(jobs))
	for _, j := range jobs {
		there[j.path] = true
	}
	for _, p := range paths {
		if !there[p] {
			jobs = append(jobs, job{path: p})
		}
	}
	return jobs
}

// sync returns which files changed since the last sync, or that all have to be compared.
func (ix *Index) sync(ctx context.Context) (changed []string, rescan bool, err error) {
	if ix.watcher == nil {
		return nil, true, ctx.Err()
	}
	changed, rescan, err = ix.watcher.Sync(ctx)
	if ctx.Err() != nil {
		return nil, true, ctx.Err()
	}
	return changed, rescan || err != nil, nil
}

// catch reads what is due, and what waits to be read.
func (ix *Index) catch(ctx context.Context, jobs []job) error {
	unread, done := ix.waitingUnread()
	jobs = with(jobs, unread)
	if len(jobs) > largeLoad {
		memory.ReleaseProgram() // what the start needed, before the files take their part
	}
	if len(jobs) > 0 {
		if err := ix.read(ctx, jobs); err != nil {
			return err
		}
	}
	done()
	ix.behind = false
	return nil
}

// compare returns the files that are new, changed or gone.
func (ix *Index) compare(ctx context.Context) ([]job, error) {
	ix.merges <- struct{}{} // places stay what they are
	defer func() { <-ix.merges }()
	var jobs []job
	seen := map[uint32]*bitmap{}
	err := ix.st.Scan(ctx, func(path string, st store.Stat) error {
		ix.mu.RLock()
		defer ix.mu.RUnlock()
		at, ok := ix.contents.find(path)
		if !ok {
			jobs = append(jobs, job{path, st})
			return nil
		}
		l := ix.contents.segs[at.seg]
		b := seen[at.seg]
		if b == nil {
			b = new(bitmap)
			seen[at.seg] = b
		}
		b.add(int(at.doc), l.seg.len())
		if l.stats[at.doc] != st {
			jobs = append(jobs, job{path, st})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	for _, id := range ix.contents.order {
		l := ix.contents.segs[id]
		for doc := range l.seg.len() {
			if !l.dead.has(doc) && (seen[id] == nil || !seen[id].has(doc)) {
				jobs = append(jobs, job{path: string(l.seg.path(doc))})
			}
		}
	}
	return jobs, nil
}
