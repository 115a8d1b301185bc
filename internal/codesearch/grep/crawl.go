package grep

import (
	"cmp"
	"context"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"sdd/internal/git"
)

// In a git work tree the search covers the files that git tracks and those that it does not ignore. It does not wait for
// git's list: it begins with the files that the tree's ignore files allow. If no other ignore settings apply, it asks git
// for the tracked files, and only after an ignore file has excluded a file, since git may track that file. Otherwise it asks
// git for all files. With the complete list it drops the files not listed, and reads the listed files that it has not read.

// crawl is one pass over the tree by several goroutines.
type crawl struct {
	tree      *Tree
	where     places
	workers   []*worker
	listedAll atomic.Bool // git has listed all files, so the workers need not list folders
	ignores   func()      // called when an ignore file excludes a file
}

// job is a folder to search.
type job struct {
	dir   string   // "" the top
	stack []rules  // ignore rules that apply in it
	files []string // the only files to search; nil means all files, and the folders below
}

// seen is a file that a worker visited.
type seen struct {
	path  string
	size  int // -1 for a file that was not searched
	named bool
}

// scan reads every file once and returns the stats of those that match a part of the query, sorted by path. It adds the
// files that it did not search to f.
func (t *Tree) scan(ctx context.Context, want *wanted, where places, f *Found) ([]stat, total, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &crawl{tree: t, where: where}
	for range min(runtime.GOMAXPROCS(0), 8) {
		c.workers = append(c.workers, &worker{scanner: newScanner(ctx, want), crawl: c})
	}
	top := t.position()
	ignores, walked := make(chan struct{}), make(chan struct{})
	c.ignores = sync.OnceFunc(func() { close(ignores) })
	type answer struct {
		listed
		err error
	}
	answered := make(chan answer, 1)
	ask := func() (a answer) {
		plain := top.ok && git.PlainIgnores(top.own, top.common)
		if plain {
			select {
			case <-ignores:
			case <-walked:
			}
			select {
			case <-ignores:
			default:
				return a
			}
		}
		if top.ok {
			a.listed, a.err = t.fromGit(ctx, !plain, where)
		}
		c.listedAll.Store(a.all)
		return a
	}
	go func() { answered <- ask() }()
	c.run(ctx, []job{{stack: t.outer(top)}})
	close(walked)
	git := <-answered
	if git.err != nil && ctx.Err() == nil {
		return nil, total{}, git.err
	}
	if git.paths != nil {
		c.run(ctx, c.correct(git.paths))
	}
	if err := cancelled(ctx); err != nil {
		return nil, total{}, err
	}
	for _, w := range c.workers {
		f.Unread, f.Long = append(f.Unread, w.unread...), append(f.Long, w.long...)
	}
	stats, read := c.result(git.all)
	return stats, read, nil
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

// over reports whether a job needs no more work.
func (c *crawl) over(ctx context.Context, j job) bool {
	return ctx.Err() != nil || j.files == nil && c.listedAll.Load()
}

// correct marks the files that were seen and that git lists, and returns jobs for the other files that git lists.
func (c *crawl) correct(paths []string) []job {
	at := map[string]*seen{}
	for _, w := range c.workers {
		for i := range w.seen {
			at[w.seen[i].path] = &w.seen[i]
		}
	}
	var rest []string
	for _, p := range paths {
		if s, ok := at[p]; ok {
			s.named = true
		} else if c.where.includes(p) && !c.where.skipped(p) {
			rest = append(rest, p)
		}
	}
	slices.Sort(rest)
	rest = slices.Compact(rest) // git lists a file in conflict more than once
	byDir := map[string]int{}
	var jobs []job
	for _, p := range rest {
		dir := path.Dir(p)
		if dir == "." {
			dir = ""
		}
		i, ok := byDir[dir]
		if !ok {
			i = len(jobs)
			byDir[dir] = i
			jobs = append(jobs, job{dir: dir})
		}
		jobs[i].files = append(jobs[i].files, path.Base(p))
	}
	return jobs
}

// result adds up the workers' results for all visited files, or for those that git lists.
func (c *crawl) result(onlyNamed bool) ([]stat, total) {
	var out []stat
	var read total
	for _, w := range c.workers {
		drop := map[string]bool{}
		for _, s := range w.seen {
			switch {
			case onlyNamed && !s.named:
				drop[s.path] = true
			case s.size >= 0:
				read.files++
				read.bytes += s.size
			}
		}
		for _, s := range w.found {
			if len(drop) == 0 || !drop[s.path] {
				out = append(out, s)
			}
		}
	}
	slices.SortFunc(out, func(a, b stat) int { return cmp.Compare(a.path, b.path) })
	return out, read
}
