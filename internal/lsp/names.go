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
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// linkKeys are the front-matter keys that name records.
var linkKeys = []string{"supersedes", "superseded_by", "depends_on", "relates_to", "parent"}

const scheme = "sdd://"

// name is a text in a record that may name another record, a file or a place in the code.
type name struct {
	start, end int    // offsets
	text       string // plain
	by         namedBy
}

type namedBy int

const (
	byKey  namedBy = iota // a value of one of linkKeys
	byRef                 // a value of code_ref
	byLink                // the destination of a link, or an sdd:// address
	bySpan                // a code span
)

// namesIn lists the names in a record, by their offset.
func namesIn(src []byte) (all []name) {
	fm, err := frontmatter.Parse(src)
	if err == nil {
		for _, k := range fm.Keys {
			by := byKey
			if k.Name == anchor.RefKey {
				by = byRef
			} else if !slices.Contains(linkKeys, k.Name) {
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
	}
	from := 0
	if fm != nil {
		from = fm.Body
	}
	for _, l := range markdown.Links(src, from) {
		all = append(all, name{l.Start, l.End, l.Plain(), byLink})
	}
	for _, l := range markdown.CodeSpans(src, from) {
		all = append(all, name{l.Start, l.End, strings.TrimSpace(l.Raw), bySpan})
	}
	slices.SortStableFunc(all, func(a, b name) int { return a.start - b.start })
	return all
}

// nameAt returns the name at an offset of a record.
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

// uri returns the URI of a record's file.
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

// readRecord returns the text of a record, as read does.
func (j job) readRecord(e *index.Entry) *text {
	return j.read(filepath.Join(j.root, filepath.FromSlash(e.File)))
}

// parsed returns the open record as it would be saved.
func (j job) parsed(d *document) record.Record {
	return record.Parse(d.record, d.src, record.Defaults{Project: j.app.Store.Project()})
}

// location is a range of a file.
type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}
