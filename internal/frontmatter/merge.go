package frontmatter

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"sdd/internal/lines"
)

// Rules decide keys that both sides changed, by key: given the three values as String returns them ("" for a missing key), they return the
// merged one, or false to leave the key to the usual merge. A rule must not care which side is which.
type Rules map[string]func(base, ours, theirs string) (string, bool)

// Labels name the sides in conflict markers.
type Labels struct {
	Ours, Theirs string // "ours" and "theirs" if empty
	MarkerSize   int    // 7 if 0
}

// Conflict is a key that both sides changed differently. Key is "" if the block as a whole could not be merged by key.
type Conflict struct {
	Key                string
	Base, Ours, Theirs string // the values as written, "" where the key is missing
	Line               int    // of the opening marker in the merged block
}

// Merge merges the front matter of three whole files and returns the text before the merged body, or nothing.
//
// A key that one side changed is as that side wrote it, with its position; if only one side changed the block, it is that side's bytes.
// Lists of scalars are merged as sets: with the additions of both sides, without the items that either removed; so are comments and blank
// lines. Every other change of both sides is a conflict, with markers around only that key's lines. Without conflicts, swapping ours and
// theirs gives the same bytes. A block that does not parse, or would not have the merged values, is a conflict as a whole.
func Merge(base, ours, theirs []byte, rules Rules, labels Labels) (out []byte, conflicts []Conflict) {
	heads := [3][]byte{head(base), head(ours), head(theirs)}
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(heads[2], heads[0]):
		return heads[1], nil
	case bytes.Equal(heads[1], heads[0]):
		return heads[2], nil
	}
	m := merger{rules: rules, labels: labels, newline: sameNewlines(&heads)}
	for i, h := range heads {
		m.sides[i] = readSide(h)
	}
	if out, conflicts = m.byKey(); out == nil {
		out, conflicts = m.whole()
	}
	if m.newline == "\r\n" {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out, conflicts
}

// head returns the bytes before the body.
func head(src []byte) []byte {
	d, _ := Parse(src)
	return src[:d.Body]
}

// sameNewlines makes the line ends of the three heads LF if they differ, and returns the line end of the merged head then.
func sameNewlines(heads *[3][]byte) (newline string) {
	var ends [3]string // "" where there is no line
	for i, h := range heads {
		if bytes.IndexByte(h, '\n') >= 0 {
			ends[i] = lines.Newline(h)
		}
	}
	ends[1], ends[2] = cmp.Or(ends[1], ends[2]), cmp.Or(ends[2], ends[1])
	if ends[1] == ends[2] && (ends[0] == ends[1] || ends[0] == "") {
		return ""
	}
	for i, h := range heads {
		heads[i] = bytes.ReplaceAll(h, []byte("\r\n"), []byte("\n"))
	}
	newline, ok := three(ends[0], ends[1], ends[2])
	if !ok {
		newline = "\n"
	}
	return newline
}

// side is one version of the head, cut into entries.
type side struct {
	doc         *Doc
	err         error
	bom         string
	open, close string // the delimiter lines
	units       []unit
	entries     map[string]*sideEntry
}

type sideEntry struct {
	entry
	doc  *Doc
	text string // the entry's lines
}

func readSide(head []byte) side {
	s := side{entries: map[string]*sideEntry{}}
	s.doc, s.err = Parse(head)
	at := 0
	if s.doc.BOM {
		s.bom, at = string(bom), len(bom)
	}
	if !s.doc.Present || s.err != nil {
		return s
	}
	s.open, s.close = string(head[at:s.doc.YAML.Start]), string(head[s.doc.YAML.End:])
	at = s.doc.YAML.Start
	for i, k := range s.doc.Keys {
		e, ok := s.doc.entry(i)
		if !ok {
			s.err, s.units, s.entries = s.doc.damaged(k.Name, nil), nil, nil
			return s
		}
		s.units = append(append(s.units, linesOf(string(head[at:k.Span.Start]))...), unit{text: k.Name})
		s.entries[k.Name] = &sideEntry{entry: e, doc: s.doc, text: string(head[k.Span.Start:k.Span.End])}
		at = k.Span.End
	}
	s.units = numbered(append(s.units, linesOf(string(head[at:s.doc.YAML.End]))...))
	return s
}

type merger struct {
	sides   [3]side // base, ours, theirs
	rules   Rules
	labels  Labels
	newline string
}

type merged struct {
	text     string
	conflict *Conflict
	inResult func(*Doc) bool // whether a merged block has the merged value
}

// byKey merges each key by itself. It returns nil if that is impossible.
func (m *merger) byKey() ([]byte, []Conflict) {
	base, ours, theirs := &m.sides[0], &m.sides[1], &m.sides[2]
	if ours.err != nil || theirs.err != nil || len(ours.units)+len(theirs.units) > maxMerged {
		return nil, nil
	}
	result := map[string]merged{}
	units := mergeUnits(base.units, ours.units, theirs.units, func(name string) (kept bool) {
		result[name], kept = m.key(name, base.entries[name], ours.entries[name], theirs.entries[name])
		return kept
	})
	edge := func(part func(*side) string) string {
		s, _ := three(part(base), part(ours), part(theirs))
		return s
	}
	mark := edge(func(s *side) string { return s.bom })
	isEmpty := !slices.ContainsFunc(units, func(u unit) bool { return !u.isLine || strings.TrimSpace(u.text) != "" })
	if isEmpty && base.doc.Present && (!ours.doc.Present || !theirs.doc.Present) {
		return []byte(mark), nil // one side removed the block
	}
	var out bytes.Buffer
	out.WriteString(mark + cmp.Or(edge(func(s *side) string { return s.open }), max(ours.open, theirs.open)))
	var conflicts []Conflict
	var keys []string
	for _, u := range units {
		r := result[u.text]
		if u.isLine {
			out.WriteString(u.text)
			continue
		}
		keys = append(keys, u.text)
		if out.WriteString(r.text); r.conflict != nil {
			r.conflict.Line = 1 + bytes.Count(out.Bytes(), []byte("\n"))
			conflicts = append(conflicts, *r.conflict)
			m.markers(&out, ours.entries[u.text].source(), theirs.entries[u.text].source())
		}
	}
	out.WriteString(cmp.Or(edge(func(s *side) string { return s.close }), max(ours.close, theirs.close)))
	if d, err := Parse(out.Bytes()); len(conflicts) == 0 && (err != nil || !d.hasMerged(keys, result)) {
		return nil, nil
	}
	return out.Bytes(), conflicts
}

// hasMerged reports whether the head has just these keys, with their merged values.
func (d *Doc) hasMerged(keys []string, result map[string]merged) bool {
	return d.Body == len(d.Src) && slices.EqualFunc(d.Keys, keys, func(k Key, name string) bool {
		return k.Name == name && result[name].inResult(d)
	})
}

func (e *sideEntry) source() string {
	if e == nil {
		return ""
	}
	return e.text
}

// whole gives both blocks between markers.
func (m *merger) whole() ([]byte, []Conflict) {
	var blocks [3]string
	open, end := "---\n", "---\n"
	for _, i := range []int{0, 2, 1} { // the delimiter lines of ours, if it has some
		if s := &m.sides[i]; s.doc.Present {
			blocks[i] = string(s.doc.Src[s.doc.YAML.Start:s.doc.YAML.End])
			if i > 0 {
				open, end = string(s.doc.Src[:s.doc.YAML.Start]), string(s.doc.Src[s.doc.YAML.End:])
			}
		}
	}
	out := bytes.NewBufferString(open)
	c := Conflict{Base: blocks[0], Ours: blocks[1], Theirs: blocks[2], Line: 1 + strings.Count(open, "\n")}
	m.markers(out, c.Ours, c.Theirs)
	out.WriteString(end)
	return out.Bytes(), []Conflict{c}
}

func (m *merger) markers(out *bytes.Buffer, ours, theirs string) {
	newline := "\n"
	if m.newline == "" && strings.HasSuffix(ours+theirs, "\r\n") {
		newline = "\r\n"
	}
	mark := func(c, label string) string {
		return strings.TrimRight(strings.Repeat(c, cmp.Or(m.labels.MarkerSize, 7))+" "+label, " ") + newline
	}
	out.WriteString(mark("<", cmp.Or(m.labels.Ours, "ours")) + ours + mark("=", "") + theirs + mark(">", cmp.Or(m.labels.Theirs, "theirs")))
}
