package grep

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

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

// scan reads every file once and returns the stats of those that match, sorted by path; f gets the files that it did not search.
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

// correct adds the seen files that git does not list to drop, and returns jobs for those that it lists and that were not seen.
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

// run does the jobs, and the jobs that result from them: in goroutines of their own as long as there are workers for these.
func (c *crawl) run(ctx context.Context, jobs []job) {
	free := make(chan *worker, len(c.workers))
	for _, w := range c.workers {
		free <- w
	}
	var group errgroup.Group
	group.SetLimit(len(c.workers))
	var do func(jobs []job)
	do = func(jobs []job) {
		for _, j := range jobs {
			one := func() error {
				w := <-free
				below := w.folder(ctx, j)
				free <- w
				do(below)
				return nil
			}
			if !group.TryGo(one) {
				_ = one()
			}
		}
	}
	do(jobs)
	_ = group.Wait()
}

// job is a folder to search.
type job struct {
	dir   string   // "" the top
	files []string // the files to search; nil means all files, and the folders below
}

// listed returns the files below dir that git tracks or does not ignore, also in inner repositories; nil without the git command.
func (t *Tree) listed(ctx context.Context, dir string) []string {
	raw, err := git.Run(ctx, filepath.Join(t.dir, filepath.FromSlash(dir)), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil
	}
	out := []string{}
	submodules := bytes.Contains(raw, []byte(".gitmodules\x00"))
	for p := range strings.SplitSeq(string(raw), "\x00") {
		name, repository := strings.CutSuffix(p, "/")
		if name == "" || name == "." {
			continue
		}
		name = inside(dir, name)
		if submodules && !repository {
			st, err := t.root.Lstat(filepath.FromSlash(name))
			repository = err == nil && st.IsDir()
		}
		if repository {
			out = append(out, t.listed(ctx, name)...)
		} else {
			out = append(out, name)
		}
	}
	return out
}

// mayIgnore reports whether git may ignore files that no ignore file of the work tree names.
func mayIgnore(own, common string) bool {
	config := os.Getenv("XDG_CONFIG_HOME")
	if home, err := os.UserHomeDir(); err == nil && config == "" {
		config = filepath.Join(home, ".config")
	}
	for _, file := range []string{filepath.Join(common, "info", "exclude"), filepath.Join(config, "git", "ignore")} {
		src, _ := os.ReadFile(file) // mostly there is none
		for line := range strings.Lines(string(src)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				return true
			}
		}
	}
	return !git.PlainIgnores(own, common)
}

// look returns the names of a folder's files to search, and the folders in it, without vendored ones that the query does not name.
func (c *crawl) look(d dir, in string) (names []string, folders []job) {
	where := c.where
	list, _ := d.entries() // use the entries before an error
	for _, e := range list {
		if e.name == ".gitignore" {
			c.ignores()
		}
		p := inside(in, e.name)
		switch {
		case e.folder && (e.name == ".git" || vendored()[e.name] && !where.named(p) || !where.mayContain(p)):
		case e.folder:
			folders = append(folders, job{dir: p})
		case where.includes(p) && !where.skippedName(p, e.name):
			names = append(names, e.name)
		}
	}
	return names, folders
}

// inside returns the path of a name in a folder, "" for the top.
func inside(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
