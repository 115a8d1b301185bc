package check

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// CheckStaged checks the records and config.yaml files that the next commit changes, in every store of the work tree, as git's index has
// them; only files outside of .sdd are looked up on disk. Code that changed, moved or is gone refuses no commit: the disk may be ahead. It
// starts three git commands, or one when no record is staged. Files in the report count from the top of the work tree.
func CheckStaged(ctx context.Context, stage *git.Stage) (report Report, err error) {
	defer fault.Caught(&err)
	report = Report{Findings: []Finding{}, Fixed: []Fixed{}}
	stores := map[string]*staged{}
	for _, f := range fault.Must(stage.Changes(ctx)) {
		root, name, ok := InStore(f.Path)
		if _, isRecord := record.KindOf(name); !ok || !isRecord && name != config.Name {
			continue
		}
		if stores[root] == nil {
			stores[root] = &staged{root: root, ids: map[string]string{}}
		}
		stores[root].changes = append(stores[root].changes, git.StagedFile{Path: name, ID: f.ID, Was: f.Was, Unmerged: f.Unmerged})
	}
	if len(stores) == 0 {
		return report, nil
	}
	roots := slices.Sorted(maps.Keys(stores))
	var folders []string
	for _, root := range roots {
		folders = append(folders, path.Join(root, store.Folder))
	}
	for _, f := range fault.Must(stage.Files(ctx, folders...)) {
		if root, name, ok := InStore(f.Path); ok && stores[root] != nil {
			stores[root].ids[name] = f.ID
		}
	}
	objects := stage.Objects(ctx)
	defer objects.Close()
	for _, root := range roots {
		one := stores[root].check(ctx, stage.Top, objects)
		report.Checked += one.Checked
		for _, f := range one.Findings {
			f.File = path.Join(one.base, f.File)
			report.Findings = append(report.Findings, f)
		}
	}
	slices.SortStableFunc(report.Findings, func(a, b Finding) int { return cmp.Compare(a.File, b.File) })
	return report, nil
}

// InStore splits a path of the work tree into the root of its store, "" for the top, and the path in .sdd.
func InStore(file string) (root, name string, ok bool) {
	at := strings.LastIndex("/"+file, "/"+store.Folder+"/")
	if at < 0 {
		return "", "", false
	}
	return strings.TrimSuffix(file[:at], "/"), file[at+len(store.Folder)+1:], true
}

// staged is one store in git's index. Paths are relative to .sdd.
type staged struct {
	root    string // below the top of the work tree, "" when it is the top
	changes []git.StagedFile
	ids     map[string]string // the object of every file
}

// check inspects the files that change.
func (s *staged) check(ctx context.Context, top string, objects *git.Objects) Report {
	read := func(name string) ([]byte, error) { return objects.Read(s.ids[name]) }
	c := s.checker(top, read)
	var pages []*page
	for _, f := range s.changes {
		switch {
		case f.Unmerged:
			p := &page{path: f.Path}
			p.add(ruleConflict, place{}, "unmerged", "the file is in conflict, none of its versions is staged", "sdd resolve it, then git add it")
			pages = append(pages, p)
			continue
		case f.ID == "":
			continue
		}
		src, err := objects.Read(f.ID)
		if fault.Is(err, fault.Broken) { // larger than git's objects are read
			pages = append(pages, unreadable(f.Path, fault.Of(err).Message, "split the file"))
			continue
		}
		fault.Check(err)
		if f.Path == config.Name {
			pages = append(pages, c.inspectConfig(src))
		} else {
			p := c.inspect(f.Path, src)
			newMarkers(p, src, func() ([]byte, error) { return objects.Read(f.Was) })
			pages = append(pages, p)
		}
		c.files[f.Path] = src
	}
	records := slices.DeleteFunc(slices.Sorted(maps.Keys(s.ids)), func(name string) bool {
		_, ok := record.KindOf(name)
		return !ok
	})
	c.compare(ctx, pages, records, read)
	c.tree = anchor.New(c.root)
	defer c.tree.Close()
	c.judge(ctx, pages)
	maps.DeleteFunc(c.severities, func(_ string, s Severity) bool { return s == Error })
	report := Report{base: s.root}
	report.collect(pages, nil, c.severities)
	fault.Check(ctx.Err())
	return report
}

// newMarkers finds conflict markers in a fence that the last commit lacks: to git a conflict staged with its markers is resolved.
func newMarkers(p *page, src []byte, before func() ([]byte, error)) {
	var was []byte
	for i, e := range record.Fenced(src) {
		if i == 0 {
			was, _ = before()
		}
		if text := src[e.At[0]:e.At[1]]; e.Labelled() && !bytes.Contains(was, text) {
			p.add(ruleFenced, place{line: e.Line}, string(text),
				fmt.Sprintf("conflict markers in a code fence begin in line %d, which the last commit does not have", e.Line),
				"if a merge left them, keep one side or both and remove the markers; if they are an example, commit them")
		}
	}
}

// checker returns a checker with the staged settings, else with those on disk.
func (s *staged) checker(top string, read func(string) ([]byte, error)) *checker {
	root := filepath.Join(top, filepath.FromSlash(s.root))
	st, err := store.Open(store.Options{Dir: root})
	gone := fault.Is(err, fault.NotFound)
	if gone { // the store is in the index, but not on disk
		st, err = store.Open(store.Options{Dir: top})
	}
	fault.Check(err)
	c := newChecker(st)
	if gone {
		c.root = filepath.Join(st.Dir(), filepath.FromSlash(s.root))
		c.configure(config.Default())
	}
	c.files, c.tracked = map[string][]byte{}, s.ids
	if s.ids[config.Name] != "" {
		if src, err := read(config.Name); err == nil {
			if cfg, err := config.Parse(src); err == nil { // a broken one is a finding when it changes
				c.configure(cfg)
				c.defaults.Project = cmp.Or(cfg.Project, c.defaults.Project)
			}
		}
	}
	return c
}
