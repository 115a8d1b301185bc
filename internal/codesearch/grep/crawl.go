package grep

import (
	"cmp"
	"context"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"sdd/internal/git"
)

// In a git work tree the search covers the files that git lists. It does not wait for the list: it begins with all files, then
// drops those that are not listed and reads the listed ones that it has not read. It asks for the list only where git may ignore
// something. Elsewhere it covers all files.

// crawl is one pass over the tree by several goroutines.
type crawl struct {
	tree    *Tree
	where   places
	workers []*worker
	listed  atomic.Bool // by git, so that the workers need not look into folders
	ignores func()      // called when a folder has an ignore file
}

// seen is a file that a worker visited.
type seen struct {
	path string
	size int // 0 for a file that was not searched
}

// scan reads every file once and returns the stats of those that match a part of the query, sorted by path. It adds the
// files that it did not search to f.
func (t *Tree) scan(ctx context.Context, want *wanted, where places, f *Found) (out []stat, read total, err error) {
	c := &crawl{tree: t, where: where}
	for range min(runtime.GOMAXPROCS(0), 8) {
		c.workers = append(c.workers, &worker{scanner: newScanner(ctx, want), crawl: c})
	}
	var asked atomic.Bool
	answer := make(chan []string, 1)
	c.ignores = sync.OnceFunc(func() {
		asked.Store(true)
		go func() {
			list := t.listed(ctx, "")
			c.listed.Store(list != nil)
			answer <- list
		}()
	})
	if top, own, common, ok := git.Top(t.dir); !ok {
		c.ignores = func() {}
	} else if top != t.dir || mayIgnore(own, common) {
		c.ignores()
	}
	c.run(ctx, []job{{}})
	drop := map[string]bool{}
	if asked.Load() {
		if list := <-answer; list != nil {
			c.run(ctx, c.correct(list, drop))
		}
	}
	if err := cancelled(ctx); err != nil {
		return nil, total{}, err
	}
	for _, w := range c.workers {
		f.Unread, f.Long = append(f.Unread, w.unread...), append(f.Long, w.long...)
		for _, s := range w.seen {
			if s.size > 0 && !drop[s.path] {
				read.files, read.bytes = read.files+1, read.bytes+s.size
			}
		}
		out = append(out, w.found...)
	}
	out = slices.DeleteFunc(out, func(s stat) bool { return drop[s.path] })
	slices.SortFunc(out, func(a, b stat) int { return cmp.Compare(a.path, b.path) })
	return out, read, nil
}

// correct adds the files that were seen and that git does not list to drop, and returns jobs for the files that git lists and that
// were not seen.
func (c *crawl) correct(list []string, drop map[string]bool) (jobs []job) {
	rest := map[string]bool{}
	for _, p := range list {
		rest[p] = true
	}
	for _, w := range c.workers {
		for _, s := range w.seen {
			drop[s.path] = !rest[s.path]
			delete(rest, s.path)
		}
	}
	byDir := map[string][]string{}
	for p := range rest {
		if c.where.includes(p) && !c.where.skipped(p) {
			dir := strings.TrimSuffix(path.Dir(p), ".")
			byDir[dir] = append(byDir[dir], path.Base(p))
		}
	}
	for dir, files := range byDir {
		jobs = append(jobs, job{dir, files})
	}
	return jobs
}

// run does the jobs, and the jobs that result from them.
func (c *crawl) run(ctx context.Context, jobs []job) {
	var mu sync.Mutex
	wake := sync.NewCond(&mu)
	running := 0
	next := func() (j job, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		for len(jobs) == 0 && running > 0 {
			wake.Wait()
		}
		if len(jobs) == 0 {
			return job{}, false
		}
		j = jobs[len(jobs)-1]
		jobs = jobs[:len(jobs)-1]
		running++
		return j, true
	}
	done := func(more []job) {
		mu.Lock()
		defer mu.Unlock()
		jobs = append(jobs, more...)
		running--
		if len(more) > 1 || running == 0 {
			wake.Broadcast()
		}
	}
	var group sync.WaitGroup
	for _, w := range c.workers {
		group.Go(func() {
			for j, ok := next(); ok; j, ok = next() {
				done(w.folder(ctx, j))
			}
		})
	}
	group.Wait()
}
