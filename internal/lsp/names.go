package lsp

import (
	"bytes"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/symbol"
)

const scheme = "sdd://"

// name is a text in a record that may name another record, a file or a place in the code.
type name struct {
	start, end int    // offsets
	text       string // plain
	by         namedBy
}

type namedBy int

const (
	byKey  namedBy = iota // a value of one of record.LinkKeys
	byRef                 // a value of code_ref
	byLink                // the destination of a link, or an sdd:// address
	bySpan                // a code span
)

func namesIn(src []byte) (all []name) {
	fm, _ := frontmatter.Parse(src) // without keys for a fault
	for _, k := range fm.Keys {
		by := byKey
		if k.Name == anchor.RefKey {
			by = byRef
		} else if !slices.Contains(record.LinkKeys, k.Name) {
			continue
		}
		at := k.Span.Start + len(k.Name)
		for _, v := range anchor.Strings(fm.Value(k.Name)) {
			i := bytes.Index(src[min(at, k.Span.End):k.Span.End], []byte(v))
			if i < 0 {
				continue // spelled with escapes
			}
			all = append(all, name{at + i, at + i + len(v), v, by})
			at += i + len(v)
		}
	}
	for _, l := range markdown.Links(src, fm.Body) {
		all = append(all, name{l.Start, l.End, l.Plain(), byLink})
	}
	for _, l := range markdown.CodeSpans(src, fm.Body) {
		all = append(all, name{l.Start, l.End, strings.TrimSpace(l.Raw), bySpan})
	}
	slices.SortStableFunc(all, func(a, b name) int { return a.start - b.start })
	return all
}

func nameAt(src []byte, offset int) (name, bool) {
	for _, n := range namesIn(src) {
		if n.start <= offset && offset <= n.end {
			return n, true
		}
	}
	return name{}, false
}

// target is what a name means: a record, a place in the code, or neither.
type target struct {
	record *index.Entry
	place  anchor.Ref
	file   string // of place
}

// target finds what a name in the record at from means.
func (j job) target(from string, n name) (t target) {
	text := n.text
	switch {
	case strings.HasPrefix(text, scheme):
		text, _, _ = strings.Cut(strings.TrimPrefix(text, scheme), "#")
		if plain, err := url.PathUnescape(text); err == nil {
			text = plain
		}
		t.record = j.named(strings.TrimSuffix(text, "/"))
	case n.by == byLink:
		if strings.Contains(text, "://") || strings.HasPrefix(text, "#") {
			return t
		}
		file, fragment, _ := strings.Cut(text, "#")
		if plain, err := url.PathUnescape(file); err == nil {
			file = plain
		}
		file = path.Join(store.Folder, path.Dir(from), file)
		if in, ok := strings.CutPrefix(file, store.Folder+"/"); ok {
			if t.record = j.atPath(in); t.record != nil {
				return t
			}
		}
		if fragment != "" {
			file += "#" + fragment
		}
		j.place(&t, file)
	case n.by == byRef:
		j.place(&t, text)
	case n.by == byKey:
		t.record = j.named(text)
	case record.IsHexID(text) || strings.Contains(text, "/") && !strings.Contains(text, "#"):
		if t.record = j.named(text); t.record == nil {
			j.place(&t, text)
		}
	default:
		j.place(&t, text)
	}
	return t
}

// place sets the place in the code that a text names.
func (j job) place(t *target, text string) {
	r, err := anchor.ParseRef(text)
	if err != nil {
		return
	}
	if file := j.file(r.Path); file != "" {
		t.place, t.file = r, file
	}
}

// file returns the file at a path of an anchor, "" for none: paths begin at the store's folder, or at the top of the work tree.
func (s *server) file(p string) string {
	for _, dir := range []string{s.root, s.top} {
		file := filepath.Join(dir, filepath.FromSlash(p))
		if fi, err := os.Stat(file); err == nil && fi.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// named returns the record with a name that references use, nil without one or with several.
func (j job) named(name string) *index.Entry {
	all := j.app.Index.Lookup(index.Ref{ID: name})
	if base := path.Base(name); len(all) == 0 && record.IsHexID(base) {
		all = j.app.Index.Lookup(index.Ref{ID: base})
	}
	if len(all) != 1 {
		return nil
	}
	return &all[0]
}

// atPath returns the record in a file, relative to .sdd.
func (j job) atPath(file string) *index.Entry {
	for _, e := range j.app.Index.Lookup(index.Ref{ID: file}) {
		if e.Path == file {
			return &e
		}
	}
	return nil
}

func (s *server) uri(e *index.Entry) string {
	return uriOf(filepath.Join(s.root, filepath.FromSlash(e.File)))
}

// read returns the text of a file: of the open document, else of the disk; nil when it cannot be read.
func (j job) read(file string) *text {
	uri := uriOf(file)
	for _, d := range j.docs {
		if d.uri == uri || pathOf(d.uri) == file {
			return d.text
		}
	}
	if fi, err := os.Stat(file); err != nil || !fi.Mode().IsRegular() || fi.Size() > anchor.MaxFile {
		return nil
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return newText(src, j.client.utf8)
}

func (j job) readRecord(e *index.Entry) *text {
	return j.read(filepath.Join(j.root, filepath.FromSlash(e.File)))
}

func (j job) parsed(d *document) record.Record {
	return record.Parse(d.record, d.src, record.Defaults{Project: j.app.Store.Project()})
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

func (j job) definition(p place, _ params) []location {
	n, ok := nameAt(p.src, p.offset)
	if !ok {
		return nil
	}
	switch t := j.target(p.record, n); {
	case t.record != nil:
		return []location{j.titleOf(t.record)}
	case t.file != "":
		return []location{j.code(p.document, n, t)}
	}
	return nil
}

// titleOf returns the place of a record's title, in its file or the open document.
func (j job) titleOf(e *index.Entry) location {
	l := location{URI: j.uri(e)}
	if t := j.readRecord(e); t != nil {
		start, end, _ := titleIn(t.src)
		l.Range = t.span(start, end)
	}
	return l
}

// titleIn returns the place of a title: the value of the key, else the first heading of level 1.
func titleIn(src []byte) (start, end int, ok bool) {
	fm, _ := frontmatter.Parse(src) // without keys for a fault
	title := fm.String("title")
	for _, k := range fm.Keys {
		if i := bytes.Index(src[k.Span.Start:k.Span.End], []byte(title)); k.Name == "title" && title != "" && i >= 0 {
			return k.Span.Start + i, k.Span.Start + i + len(title), true
		}
	}
	if start, end, ok := headingIn(src, fm.Body, ""); ok {
		return start, end, true
	}
	return fm.Body, fm.Body, false
}

// headingIn returns the place of the first heading of level 1 with that text, of any text for "".
func headingIn(src []byte, from int, text string) (start, end int, ok bool) {
	doc, err := markdown.Parse(src, from)
	if err != nil {
		return 0, 0, false
	}
	for _, h := range doc.Headings {
		if h.Level != 1 || h.Text == "" || text != "" && h.Text != text {
			continue
		}
		if i := bytes.Index(src[h.Span.Start:h.Span.End], []byte(h.Text)); i >= 0 {
			return h.Span.Start + i, h.Span.Start + i + len(h.Text), true
		}
	}
	return 0, 0, false
}

// code returns the place in the code that a name means: in the open text where the code is open, and the new place of what moved.
func (j job) code(d *document, n name, t target) location {
	l := location{URI: uriOf(t.file)}
	now := j.read(t.file)
	if now == nil {
		return l
	}
	if t.place.Symbol != "" {
		if found := symbol.Parse(path.Base(t.file), now.src).Find(t.place.Symbol); len(found) > 0 {
			l.Range = now.whole(found[0].First - 1)
			return l
		}
	}
	v := j.judge(d, n, t)
	if file := j.file(v.Now.Path); file != "" && file != t.file {
		if other := j.read(file); other != nil {
			l.URI, now = uriOf(file), other
		}
	}
	if v.Lines[0] > 0 {
		l.Range = span{now.whole(v.Lines[0] - 1).Start, now.whole(v.Lines[1] - 1).End}
		if v.Now.First == 0 { // a symbol or a file: its first line
			l.Range = now.whole(v.Lines[0] - 1)
		}
	}
	return l
}

// references lists what names what is at the cursor: the target of the name there, else the record; in code the symbol.
func (j job) references(p place, q params) []location {
	if p.record == "" {
		return j.recordsOf(p)
	}
	e := j.atPath(p.record)
	if n, ok := nameAt(p.src, p.offset); ok {
		switch t := j.target(p.record, n); {
		case t.record != nil:
			e = t.record
		case t.file != "":
			return j.anchorPlaces(fault.Must(j.app.Concerning(j, t.place)))
		}
	}
	if e == nil {
		return nil
	}
	var all []location
	if q.Context.Declaration {
		all = append(all, j.titleOf(e))
	}
	j.naming(e, func(from *index.Entry, t *text, n name) {
		all = append(all, location{j.uri(from), t.span(n.start, n.end)})
	})
	return all
}

func (j job) recordsOf(p place) []location {
	line := p.position(p.offset).Line
	inside, _ := symbol.Parse(path.Base(p.path), p.src).At(line + 1)
	var all []location
	for _, c := range j.concerning(p.document) {
		if c.line == line || c.name != "" && c.name == inside.Name {
			all = append(all, j.anchorPlaces(c.records)...)
		}
	}
	return all
}

// anchorPlaces returns the places in records of their anchors.
func (j job) anchorPlaces(all []app.Anchored) (list []location) {
	for _, a := range all {
		t := j.readRecord(&a.Entry)
		if t == nil {
			continue
		}
		l := location{URI: j.uri(&a.Entry)}
		for _, n := range namesIn(t.src) {
			if r, err := anchor.ParseRef(n.text); err == nil && (n.by == byRef || n.by == bySpan) && r == a.Verdict.Ref {
				l.Range = t.span(n.start, n.end)
				break
			}
		}
		list = append(list, l)
	}
	return list
}

// naming calls visit for each name of a record. Only texts that contain a part of one of its names are parsed.
func (j job) naming(e *index.Entry, visit func(from *index.Entry, t *text, n name)) {
	var parts [][]byte
	for _, s := range []string{e.ID, e.Slug, e.Title, strings.TrimSuffix(path.Base(e.Path), ".md")} {
		if s != "" {
			parts = append(parts, bytes.ToLower([]byte(s)))
		}
	}
	for _, from := range j.app.Index.Entries() {
		fault.Check(j.Err())
		t := j.readRecord(&from)
		if t == nil {
			continue
		}
		low := bytes.ToLower(t.src)
		if !slices.ContainsFunc(parts, func(part []byte) bool { return bytes.Contains(low, part) }) {
			continue
		}
		for _, n := range namesIn(t.src) {
			if to := j.target(from.Path, n); to.record != nil && to.record.Path == e.Path {
				visit(&from, t, n)
			}
		}
	}
}

// recordPath returns the path of a record's file relative to another one's folder, for a link.
func recordPath(from string, e *index.Entry) string {
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(e.Path))
	if err != nil {
		return e.Path
	}
	return filepath.ToSlash(rel)
}
