package decision

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/discovery"
	"sdd/internal/index"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

// A project may keep decision records in folders of its own (docs/adr and the like). They are read where they are, and never
// written to. The whole tree is searched for such folders once; afterwards size and time of the files in them, and of the
// usual folders, are compared.

// usualFolders are the likely places of a project's first record.
var usualFolders = strings.Fields(`adr adrs decisions doc/adr doc/adrs doc/decisions doc/architecture/decisions docs/adr docs/adrs
	docs/decisions
	docs/architecture/decisions docs/architecture/adr docs/architectural-decisions architecture/decisions .adr-dir`)

const mostInPlace = 1 << 20 // bytes of a file that is read in place

type inPlace struct {
	searched bool
	folders  []string
	state    string
	found    []Decision // without an id
}

// HandoffMark begins the last line of a hand-off file. The id of its record and a hash of the text before the line follow.
const HandoffMark = "<!-- sdd handoff: "

// refresh reads the records again when a file changed, and reports whether one did.
func (p *inPlace) refresh(root string) bool {
	if p.searched && p.stateOf(root) == p.state {
		return false
	}
	had := len(p.found)
	p.found, p.folders = nil, nil
	for _, a := range discovery.ADRs(root) {
		p.folders = record.Union(p.folders, path.Dir(a.Path))
		if d, ok := readInPlace(root, a); ok {
			p.found = append(p.found, d)
		}
	}
	first := !p.searched
	p.searched, p.state = true, p.stateOf(root)
	return first || had > 0 || len(p.found) > 0
}

// stateOf lists the names, modes and times of the folders and of the files in them.
func (p *inPlace) stateOf(root string) string {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return ""
	}
	defer dir.Close()
	var b strings.Builder
	see := func(name string, info fs.FileInfo, err error) {
		if err == nil {
			fmt.Fprintln(&b, name, info.ModTime().UnixNano(), info.Mode())
		}
	}
	above, there := "", true
	for _, folder := range slices.Concat(usualFolders, p.folders) {
		if top, _, _ := strings.Cut(folder, "/"); top != above { // each search comes here, and most projects have none of them
			_, err := dir.Lstat(top)
			above, there = top, err == nil
		}
		if !there {
			continue
		}
		info, err := dir.Stat(filepath.FromSlash(folder))
		see(folder, info, err)
	}
	for _, folder := range p.folders {
		entries, _ := fs.ReadDir(dir.FS(), folder)
		for _, e := range entries {
			info, err := e.Info()
			see(e.Name(), info, err)
		}
	}
	return b.String()
}

var (
	supersededForm = pattern.Late(`(?i)(?:super[sc]eded|replaced)\s+(?:by|with)[^0-9]{0,80}?0*([0-9]{1,6})`)
	supersedesForm = pattern.Late(`(?i)(?:super[sc]edes|replaces)[^0-9]{0,80}?0*([0-9]{1,6})`)
	fileNumber     = pattern.Late(`^(?i:adr)?[-_ ]?0*([0-9]{1,6})`)
)

func textInPlace(root, file string) ([]byte, error) {
	f, err := os.OpenInRoot(root, filepath.FromSlash(file))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostInPlace))
}

// InPlace reads the record that has that id, slug, title or file in a folder of the project's own. Its File is relative to .sdd.
// Such records are of scope project: another scope than that or "" has none.
func (d *Decisions) InPlace(ctx context.Context, ref, scope string) (r record.Record, src []byte, ok bool) {
	if scope != "" && scope != record.Project {
		return r, nil, false
	}
	one, err := d.Get(ctx, ref)
	if err != nil || !one.InPlace {
		return r, nil, false
	}
	r, src, err = d.recordInPlace(&one)
	return r, src, err == nil
}

func (d *Decisions) recordInPlace(one *Decision) (r record.Record, src []byte, err error) {
	src, err = textInPlace(d.cache.root, one.File)
	r = record.Parse("decisions/x.md", src, record.Defaults{Project: d.st.Project()})
	r.ID, r.Slug, r.Title, r.Status, r.File, r.Problems = one.ID, path.Base(one.ID), one.Title, one.Effective(), "../"+one.File, nil
	return r, src, err
}

// Elsewhere returns these records for a search, nil when there are none.
func (d *Decisions) Elsewhere(ctx context.Context) (*index.Elsewhere, error) {
	n, err := d.cache.sync(ctx)
	if err != nil {
		return nil, err
	}
	n.indexed.Do(func() {
		var list []record.Record
		var sources [][]byte
		for i := range n.list {
			if one := &n.list[i]; one.InPlace {
				if r, src, err := d.recordInPlace(one); err == nil {
					r.Created = one.Created
					list, sources = append(list, r), append(sources, src)
				}
			}
		}
		n.elsewhere = index.NewElsewhere(list, sources)
	})
	return n.elsewhere, nil
}

func readInPlace(root string, a discovery.ADR) (Decision, bool) {
	src, err := textInPlace(root, a.Path)
	if err != nil {
		return Decision{}, false
	}
	copied := func(scope string) bool { return bytes.Contains(src, []byte(HandoffMark+record.DecisionID("", scope))) }
	if slices.ContainsFunc(record.ScopesOf(record.Decision), copied) {
		return Decision{}, false // of a decision here; an exploration has no decision besides its ADR
	}
	d := read("decisions/"+path.Base(a.Path), src)
	r := record.Parse("decisions/x.md", src, record.Defaults{})
	d.status = text(r.FrontMatter["status"]) + "\n"
	if d.status == "\n" {
		d.status += r.Preamble
	}
	for _, s := range r.Sections {
		if strings.EqualFold(s.Name, "status") {
			d.status += s.Text
		}
	}
	d.Title, d.Date, d.Created, d.Status = a.Title, a.Date, a.Date, accepted
	if a.Status == "deprecated" {
		d.Status = superseded
	} else if slices.Contains(record.StatusesOf(record.Decision, ""), a.Status) {
		d.Status = a.Status
	}
	d.File, d.Source, d.InPlace, d.path, d.Scope = a.Path, a.Path, true, "", record.Project
	if d.Chosen == d.Title {
		d.Chosen = ""
	}
	return *d, true
}

// decisions returns the records with ids that no other decision has, and adds them to those that are taken.
func (p *inPlace) decisions(taken map[string]bool) []Decision {
	out := slices.Clone(p.found)
	for i := range out {
		d := &out[i]
		stem := record.Slug(strings.TrimSuffix(path.Base(d.File), path.Ext(d.File)))
		for _, slug := range []string{record.Slug(d.Title), stem, stem + "-" + record.Etag([]byte(d.File))[:6]} {
			d.ID = record.DecisionID(slug, record.Project)
			if !taken[d.ID] {
				break
			}
		}
		taken[d.ID] = true
	}
	return out
}

// supersede links records in place as their numbers do: "Superseded by ADR-0005".
func (p *inPlace) supersede(n *snapshot) {
	type key struct{ dir, number string }
	byNumber := map[key]int{}
	for i := range n.list {
		if m := fileNumber().FindStringSubmatch(path.Base(n.list[i].File)); n.list[i].InPlace && m != nil {
			byNumber[key{path.Dir(n.list[i].File), m[1]}] = i
		}
	}
	add := func(from, to int) {
		if from == to || slices.ContainsFunc(n.out[from], func(e edge) bool { return e.to == to }) {
			return
		}
		e := edge{from, to, supersedesLink}
		n.out[from], n.in[to] = append(n.out[from], e), append(n.in[to], e)
		n.list[from].Supersedes = append(slices.Clone(n.list[from].Supersedes), n.list[to].ID)
		n.list[to].SupersededBy = cmp.Or(n.list[to].SupersededBy, n.list[from].ID)
	}
	for i := range n.list {
		linked := func(form func() *regexp.Regexp) (at int, ok bool) {
			if m := form().FindStringSubmatch(n.list[i].status); m != nil {
				at, ok = byNumber[key{path.Dir(n.list[i].File), m[1]}]
			}
			return at, ok
		}
		if by, ok := linked(supersededForm); ok {
			add(by, i)
		}
		if old, ok := linked(supersedesForm); ok {
			add(i, old)
		}
	}
}
