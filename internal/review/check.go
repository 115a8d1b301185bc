package review

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// A check reads the files themselves, not the index: it finds what keeps a file from being read
// as much as what is wrong with what it says. Each file is looked at alone, several at a time; what they
// say of each other is compared when all have been read. The same files give the same report, but for facts whose time
// comes to its end.

// Options say what is checked.
type Options struct {
	Paths   []string // limit the report to these files and folders; none is everything
	WorkDir string   // the folder that Paths are relative to; "" is the process's own
	Fix     bool     // mend what can be mended without changing a meaning
}

// Report is what a check found.
type Report struct {
	Findings []Finding `json:"findings"` // by file, line, rule
	Checked  int       `json:"checked"`  // files looked at
	Fixed    []Fixed   `json:"fixed"`

	// base is the path of the store's root below the top of the work tree, "" when it is the
	// top. Other programs want paths from there.
	base string
}

// Finding is one thing to mend.
type Finding struct {
	File        string   `json:"file"` // relative to the store's root, with slashes
	Line        int      `json:"line"`
	Column      int      `json:"column"` // in characters
	Rule        string   `json:"rule"`   // one of Rules
	Severity    Severity `json:"severity"`
	Message     string   `json:"message"`
	Fix         string   `json:"fix"`         // what to do, "" when the message says it
	Fingerprint string   `json:"fingerprint"` // the same wherever in the file it stands; of a secret the one to allow
}

// Fixed is one thing that was mended.
type Fixed struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// Errors counts the findings that are errors.
func (r Report) Errors() int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == Error {
			n++
		}
	}
	return n
}

// Check looks at every record and at config.yaml. With Fix it first mends what it can, one save a
// file; those are in the journal, so that undo takes them back. A path that does not exist is a
// NotFound fault. Where there is no store there is nothing to find.
func Check(ctx context.Context, st *store.Store, ix *index.Index, o Options) (Report, error) {
	c := newChecker(st)
	wanted, err := c.selection(o)
	if err != nil {
		return Report{}, err
	}
	var paths []string
	if err := st.Scan(ctx, func(path string, _ store.Stat) error {
		paths = append(paths, path)
		return nil
	}); err != nil {
		return Report{}, err
	}
	irregular, err := st.Irregular(ctx)
	if err != nil {
		return Report{}, err
	}
	paths = append(paths, irregular...)
	slices.Sort(paths)
	pages, err := c.inspectAll(ctx, paths)
	if err != nil {
		return Report{}, err
	}
	report := Report{Fixed: []Fixed{}, base: c.base()}
	if o.Fix {
		if report.Fixed, err = c.fixAll(ctx, ix, pages, wanted); err != nil {
			return Report{}, err
		}
	}
	if p := c.configPage(); p != nil {
		pages = append(pages, p)
	}
	if p := c.openSpecPage(); p != nil {
		pages = append(pages, p)
	}
	if p := c.ignoredPage(ctx); p != nil {
		pages = append(pages, p)
	}
	c.compare(pages, paths)
	report.collect(pages, wanted)
	return report, nil
}

// collect takes the findings of the pages that are wanted.
func (r *Report) collect(pages []*page, wanted func(path string) bool) {
	r.Findings = []Finding{}
	for _, p := range pages {
		if wanted != nil && !wanted(p.path) {
			continue
		}
		r.Checked++
		r.Findings = append(r.Findings, p.report()...)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.Rule, b.Rule), a.Column-b.Column,
			strings.Compare(a.Message, b.Message))
	})
}

// checker is what all files of a check share. It is safe for concurrent use.
type checker struct {
	st       *store.Store
	root     string // holds .sdd
	top      string // of the work tree, root where there is none
	defaults record.Defaults
	now      time.Time         // by which facts expire
	allowed  []string          // fingerprints of secrets that are none
	tracked  map[string]string // when a commit is checked: every file of .sdd in it
	files    map[string][]byte // those of them that it changes
	disk     disk

	elsewhere sync.Once
	records   map[string]bool // names of decisions outside of the store
}

func newChecker(st *store.Store) *checker {
	c := &checker{st: st, root: st.Dir(), top: st.Dir(), now: time.Now()}
	if top, _, _, ok := git.Top(c.root); ok && top != "" {
		if rel, err := filepath.Rel(top, c.root); err == nil && filepath.IsLocal(rel) {
			c.top = top
		}
	}
	c.defaults.Project = st.Project()
	cfg, _ := st.Config() // what is wrong with it is a finding
	c.configure(cfg)
	return c
}

// configure takes over what config.yaml says of checks.
func (c *checker) configure(cfg config.Config) {
	c.defaults.Limits = record.Limits(cfg.Limits)
	c.allowed = secrets.Allowed(cfg.Sections["secrets"])
}

// base is the store's root relative to the top of the work tree.
func (c *checker) base() string {
	rel, err := filepath.Rel(c.top, c.root)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

// page is one file of a check.
type page struct {
	path       string // relative to .sdd; that of openspec/config.yaml leads out of it
	found      []Finding
	secrets    []string // values that no message may show
	readable   bool     // it was read, and the following are known
	id         string
	kind       record.Kind
	status     string
	statusLine int      // of the key in the front matter
	names      []string // by which other records may refer to it
	refs       []recordRef
	links      []textLink
	fixes      bool // some finding can be mended
}

// place is where in a file something stands.
type place struct{ line, column int }

// add notes a finding of a rule. subject is what tells it from others of the rule in the file.
func (p *page) add(rule string, at place, subject, message, fix string) {
	p.found = append(p.found, Finding{
		File: path.Join(store.Folder, p.path), Line: max(1, at.line), Column: max(1, at.column), Rule: rule, Severity: severityOf(rule),
		Message: message, Fix: fix, Fingerprint: fingerprintOf(rule, p.path, subject),
	})
}

func fingerprintOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// report returns the findings without the values of secrets: a message may quote the text that holds one.
func (p *page) report() []Finding {
	for i := range p.found {
		f := &p.found[i]
		for _, value := range p.secrets {
			f.Message = strings.ReplaceAll(f.Message, value, hiddenValue)
			f.Fix = strings.ReplaceAll(f.Fix, value, hiddenValue)
		}
	}
	return p.found
}

const hiddenValue = "***"

// inspectAll looks at the files on disk.
func (c *checker) inspectAll(ctx context.Context, paths []string) ([]*page, error) {
	pages := make([]*page, len(paths))
	next := make(chan int)
	var work sync.WaitGroup
	for range min(len(paths), runtime.GOMAXPROCS(0)) {
		work.Go(func() {
			for i := range next {
				pages[i] = c.inspectFile(ctx, paths[i])
			}
		})
	}
	for i := range paths {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	work.Wait()
	if err := ctx.Err(); err != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Message: "the check was cancelled", Cause: err}
	}
	return slices.DeleteFunc(pages, func(p *page) bool { return p == nil }), nil
}

// inspectFile looks at one file on disk; nil when it is gone.
func (c *checker) inspectFile(ctx context.Context, path string) *page {
	f, err := c.st.Read(path)
	if err == nil {
		p := c.inspect(path, f.Bytes)
		c.unmerged(ctx, p, f.Bytes)
		return p
	}
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	// What is too large for the program may still hold a secret or a conflict.
	if src, ok := c.oversized(path); ok {
		return c.inspect(path, src)
	}
	p := &page{path: path}
	e := fault.Of(err)
	p.add(ruleUnreadable, place{}, "", e.Message, e.Hint)
	return p
}

const mostRead = 64 << 20 // bytes of a file that is over its limit

// oversized reads a record that is over its limit.
func (c *checker) oversized(path string) ([]byte, bool) {
	src, err := c.readPlain(path)
	return src, err == nil && len(src) > c.defaults.Limits.File
}

// readPlain reads a regular file of the store. It waits for no pipe and follows no link out of it.
func (c *checker) readPlain(path string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Join(c.root, store.Folder))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.FromSlash(path)
	fi, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > mostRead {
		return nil, fs.ErrInvalid
	}
	return root.ReadFile(name)
}
