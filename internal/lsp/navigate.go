package lsp

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/symbol"
)

// definition returns the place of what the name at the cursor means.
func (j job) definition(p place, _ params) ([]location, error) {
	n, ok := nameAt(p.src, p.offset)
	if !ok {
		return nil, nil
	}
	switch t := j.target(p.record, n); {
	case t.record != nil:
		return []location{j.titleOf(t.record)}, nil
	case t.file != "":
		return []location{j.code(p.document, n, t)}, nil
	}
	return nil, nil
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

// titleIn returns the place of a title: the value of the key, else the first heading of level 1. Without either it is the start of
// the text, and ok is false.
func titleIn(src []byte) (start, end int, ok bool) {
	fm, err := frontmatter.Parse(src)
	if err == nil {
		for _, k := range fm.Keys {
			title := fm.String("title")
			if i := bytes.Index(src[k.Span.Start:k.Span.End], []byte(title)); k.Name == "title" && title != "" && i >= 0 {
				return k.Span.Start + i, k.Span.Start + i + len(title), true
			}
		}
	}
	if fm == nil {
		return 0, 0, false
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

// references lists what names the record or the code at the cursor. In a record it is what the name there means, else the record
// itself; in code the function or type.
func (j job) references(p place, q params) ([]location, error) {
	if p.record == "" {
		return j.recordsOf(p), nil
	}
	e := j.atPath(p.record)
	if n, ok := nameAt(p.src, p.offset); ok {
		switch t := j.target(p.record, n); {
		case t.record != nil:
			e = t.record
		case t.file != "":
			all, err := j.app.Concerning(j, t.place)
			return j.anchorPlaces(all), err
		}
	}
	if e == nil {
		return nil, nil
	}
	var all []location
	if q.Context.Declaration {
		all = append(all, j.titleOf(e))
	}
	err := j.naming(e, func(from *index.Entry, t *text, n name) {
		all = append(all, location{j.uri(from), t.span(n.start, n.end)})
	})
	return all, err
}

// recordsOf lists the places where records name the code around the cursor.
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

// naming calls visit for each name of a record in the others and in itself, by path. Only texts that contain a part of one of its
// names are parsed.
func (j job) naming(e *index.Entry, visit func(from *index.Entry, t *text, n name)) error {
	var parts [][]byte
	for _, s := range []string{e.ID, e.Slug, e.Title, strings.TrimSuffix(path.Base(e.Path), ".md")} {
		if s != "" {
			parts = append(parts, bytes.ToLower([]byte(s)))
		}
	}
	for _, from := range j.app.Index.Entries() {
		if j.Err() != nil {
			return j.Err()
		}
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
	return nil
}

// recordPath returns the path of a record's file relative to another one's folder, for a link.
func recordPath(from string, e *index.Entry) string {
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(e.Path))
	if err != nil {
		return e.Path
	}
	return filepath.ToSlash(rel)
}
