// Package check finds what is wrong with records and with config.yaml. It reads the files, not the index, to find unreadable ones too.
package check

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

	"golang.org/x/sync/errgroup"

	"sdd/internal/anchor"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/sealed"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// Options choose what is checked.
type Options struct {
	Paths   []string // limit the report to these files and folders; none is everything
	WorkDir string   // the folder that Paths are relative to; "" is the process's own
	Fix     bool     // correct what has only one possible correction
}

// Report is what a check found.
type Report struct {
	Findings []Finding `json:"findings"` // by file, line, rule
	Checked  int       `json:"checked"`  // files looked at
	Fixed    []Fixed   `json:"fixed"`

	outside []string // the paths that were asked for and are not in .sdd
	base    string   // the store's root relative to the top of the work tree, "" when it is the top: SARIF and workflows count from there
}

// Finding is one problem in a file.
type Finding struct {
	File        string   `json:"file"` // relative to the store's root, with slashes
	Line        int      `json:"line"`
	Column      int      `json:"column"` // in characters
	Rule        string   `json:"rule"`   // the ID of a Rule
	Severity    Severity `json:"severity"`
	Message     string   `json:"message"`
	Fix         string   `json:"fix"`         // what to do, "" when the message is enough
	Fingerprint string   `json:"fingerprint"` // does not depend on the line; for a secret, the one that secrets.allow takes
}

// Fixed is one problem that --fix corrected.
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

// Check inspects every record and config.yaml. With Fix it first corrects what it can, with one save per file, which undo
// reverts. A path that does not exist is a NotFound fault. Without a store the report is empty.
func Check(ctx context.Context, st *store.Store, ix *index.Index, o Options) (_ Report, err error) {
	defer fault.Caught(&err)
	c := newChecker(st)
	wanted, outside := c.selection(o)
	var paths []string
	fault.Check(st.Scan(ctx, func(path string, _ store.Stat) error {
		paths = append(paths, path)
		return nil
	}))
	paths = append(paths, fault.Must(st.Irregular(ctx))...)
	slices.Sort(paths)
	pages := c.inspectAll(ctx, paths)
	c.tree = anchor.New(c.root)
	defer c.tree.Close()
	c.judge(ctx, pages)
	report := Report{Fixed: []Fixed{}, outside: outside, base: c.base()}
	if o.Fix {
		report.Fixed = c.fixAll(ctx, ix, pages, wanted)
	}
	pages = append(pages, c.configPage(), c.openSpecPage(), c.ignoredPage(ctx))
	pages = slices.DeleteFunc(pages, func(p *page) bool { return p == nil })
	pages = append(pages, c.privatePages()...)
	c.compare(ctx, pages, paths, c.readPlain) // every file has a page, unless it went meanwhile
	report.collect(pages, wanted, c.severities)
	return report, nil
}

// privatePages returns the private files that cannot be read though they are no stranger's, or that are not encrypted.
func (c *checker) privatePages() (pages []*page) {
	cfg, _ := c.st.Config()
	e := fault.Must(c.st.ReadEncrypted(func() *sealed.Keys { return sealed.Open(cfg, store.Local(c.root)) }))
	for _, d := range e.Damaged {
		f := fault.Of(d)
		pages = append(pages, unreadable(strings.TrimPrefix(f.File, store.Folder+"/"), f.Message, f.Hint))
	}
	return pages
}

// collect adds the findings of the wanted pages, sorted, with the severities that config.yaml sets. It hides the values of secrets: a
// message may quote text that contains one.
func (r *Report) collect(pages []*page, wanted func(path string) bool, set map[string]Severity) {
	r.Findings = []Finding{}
	for _, p := range pages {
		if wanted != nil && !wanted(p.path) {
			continue
		}
		r.Checked++
		for _, f := range p.found {
			for _, value := range p.secrets {
				f.Message, f.Fix = strings.ReplaceAll(f.Message, value, "***"), strings.ReplaceAll(f.Fix, value, "***")
			}
			if severity, ok := set[f.Rule]; ok {
				f.Severity = severity
			}
			if f.Severity != "" {
				r.Findings = append(r.Findings, f)
			}
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.Rule, b.Rule), a.Column-b.Column,
			strings.Compare(a.Message, b.Message))
	})
}

// checker holds what all files of a check share. Several goroutines may inspect files; one compares them.
type checker struct {
	st       *store.Store
	root     string // holds .sdd
	top      string // of the work tree; root when there is no work tree
	defaults record.Defaults
	now      time.Time    // for expired facts
	allowed  []string     // fingerprints of false secrets
	tree     *anchor.Tree // the code that records name

	severities map[string]Severity // that config.yaml sets
	tracked    map[string]string   // when a commit is checked: every file of .sdd in it
	files      map[string][]byte   // the tracked files that the commit changes
	counts     map[string]int      // lines of the files outside of .sdd that links name

	outsideDecisions func() map[string]bool // names of decision records that the project keeps outside of the store
}

func newChecker(st *store.Store) *checker {
	c := &checker{st: st, root: st.Dir(), top: st.Dir(), now: time.Now(), counts: map[string]int{}}
	c.outsideDecisions = sync.OnceValue(c.findOutsideDecisions)
	if top, _, _, ok := git.Top(c.root); ok && top != "" {
		if rel, err := filepath.Rel(top, c.root); err == nil && filepath.IsLocal(rel) {
			c.top = top
		}
	}
	c.defaults.Project = st.Project()
	cfg, _ := st.Config() // its errors are findings
	c.configure(cfg)
	return c
}

// configure applies the settings of config.yaml that concern checks.
func (c *checker) configure(cfg config.Config) {
	c.defaults.Limits = record.Limits(cfg.Limits)
	c.allowed = secrets.Allowed(cfg.Sections["secrets"])
	c.severities = severities(cfg.Sections["check"])
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
	path       string // relative to .sdd; files outside of it begin with ../
	found      []Finding
	secrets    []string // values that no message may show
	id         string   // this and the following fields are empty when the file was not read
	kind       record.Kind
	status     string
	statusLine int      // of the key in the front matter
	names      []string // by which other records may refer to it
	refs       []recordRef
	links      []markdown.Link
	anchors    []anchor.Anchor
	refLine    int  // of code_ref in the front matter
	fixes      bool // --fix can correct some finding
}

type place struct{ line, column int }

// add adds a finding. The fingerprint depends on subject, which must differ for different findings of one rule in a file.
func (p *page) add(rule string, at place, subject, message, fix string) *Finding {
	sum := sha256.Sum256([]byte(rule + "\x00" + p.path + "\x00" + subject))
	p.found = append(p.found, Finding{
		File: path.Join(store.Folder, p.path), Line: max(1, at.line), Column: max(1, at.column), Rule: rule, Severity: severityOf(rule),
		Message: message, Fix: fix, Fingerprint: hex.EncodeToString(sum[:6]),
	})
	return &p.found[len(p.found)-1]
}

// unreadable is a page whose file cannot be read.
func unreadable(path, message, fix string) *page {
	p := &page{path: path}
	p.add(ruleUnreadable, place{}, "", message, fix)
	return p
}

func (c *checker) inspectAll(ctx context.Context, paths []string) []*page {
	pages := make([]*page, len(paths))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, path := range paths {
		if ctx.Err() != nil {
			break
		}
		work.Go(func() error {
			pages[i] = c.inspectFile(ctx, path)
			return nil
		})
	}
	_ = work.Wait()
	if err := ctx.Err(); err != nil {
		fault.Check(fault.New(fault.Unavailable, "the check was cancelled").From(err))
	}
	return slices.DeleteFunc(pages, func(p *page) bool { return p == nil })
}

// inspectFile inspects a file on disk; nil when it is gone.
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
	// A file over the size limit may still contain a secret or a conflict.
	if src, err := c.readPlain(path); err == nil && len(src) > c.defaults.Limits.File {
		return c.inspect(path, src)
	}
	return unreadable(path, fault.Of(err).Message, fault.Of(err).Hint)
}

const mostRead = 64 << 20 // bytes of a file over the size limit

// readPlain reads a regular file of the store. It refuses pipes, and links that lead out of the store.
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

// mostLinked is how many decisions Text reads to compare their links.
const mostLinked = 64

// Text checks a text that an editor has not saved, as the record in path, against the index and the decisions that its links lead to. tree
// has the code that records name, nil for none; git is started only for places that are gone, for tree.Patience at most.
func Text(ctx context.Context, st *store.Store, ix *index.Index, tree *anchor.Tree, path string, src []byte) []Finding {
	c := newChecker(st)
	p := c.inspect(path, src)
	if c.tree = tree; tree != nil {
		soon, stop := tree.Soon(ctx)
		c.judge(soon, []*page{p})
		stop()
	}
	own := names{}
	own.add([]*page{p})
	c.resolve(p, func(name string) bool { return own.has(name) || len(named(ix, name)) > 0 })
	twins := []*page{p}
	for _, e := range ix.Lookup(index.Ref{ID: p.id}) {
		if e.Path != path {
			twins = append(twins, &page{path: e.Path, id: e.ID, kind: e.Kind})
		}
	}
	duplicates(twins)
	if p.kind == record.Decision {
		decisions(c.linked(ctx, ix, p), []*page{p})
	}
	r := Report{}
	r.collect([]*page{p}, nil, c.severities)
	return r.Findings
}

// named returns the records by a name that references may use.
func named(ix *index.Index, name string) []index.Entry {
	all := ix.Lookup(index.Ref{ID: name})
	if base := path.Base(name); len(all) == 0 && record.IsHexID(base) {
		all = ix.Lookup(index.Ref{ID: base})
	}
	return all
}

// linked returns a decision with those that its links lead to, and those that name it.
func (c *checker) linked(ctx context.Context, ix *index.Index, p *page) []*page {
	all := []*page{p}
	seen := map[string]bool{p.path: true}
	add := func(entries []index.Entry) {
		for _, e := range entries {
			if e.Kind != record.Decision || seen[e.Path] || len(all) > mostLinked || ctx.Err() != nil {
				continue
			}
			seen[e.Path] = true
			if f, err := c.st.Read(e.Path); err == nil {
				all = append(all, c.inspect(e.Path, f.Bytes))
			}
		}
	}
	add(ix.Linking(p.names...))
	for i := 0; i < len(all); i++ {
		for _, r := range all[i].refs {
			if r.key == supersedesKey || r.key == dependsOnKey {
				add(named(ix, r.value))
			}
		}
	}
	return all
}

// Mend returns a text with everything corrected that --fix would correct, and what was corrected.
func Mend(st *store.Store, path string, src []byte) ([]byte, []Fixed) {
	return newChecker(st).mend(path, src)
}
