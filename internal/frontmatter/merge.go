package frontmatter

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Rules decide keys that both sides changed, by key: given the three values as String
// returns them ("" for a missing key), they return the merged one, or false to leave the
// key to the usual merge. A rule must not care which side is which.
type Rules map[string]func(base, ours, theirs string) (string, bool)

// Labels name the sides in conflict markers.
type Labels struct {
	Ours, Theirs string // "ours" and "theirs" if empty
	MarkerSize   int    // 7 if 0
}

// Conflict is a key that both sides changed differently, or that one changed and the other
// removed. Key is "" if the block as a whole could not be merged by key.
type Conflict struct {
	Key                string
	Base, Ours, Theirs string // the values as written, "" where the key is missing
	Line               int    // of the opening marker in the merged block
}

// Merge merges the front matter of three whole files and returns the text before the merged
// body: byte order mark, delimiter lines and YAML, or nothing.
//
// Merge merges each key separately, with its comments. It takes a key that one side changed as
// that side wrote it, with its position and the comment above. If only one side changed the
// block, it returns that side's bytes. It takes the same change on both sides once. It merges lists
// of scalars as sets: with the additions of both sides, without the items that either removed. Comments
// do not conflict. Every other change of both sides is a conflict, with markers around only
// that key's lines.
//
// Without conflicts, swapping ours and theirs gives the same bytes. A block that does not
// parse, or whose result would not have the merged values, is a conflict as a whole, unless
// one side left it alone.
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
	if b := &m.sides[0]; b.err != nil {
		b.names, b.entries, b.tail = nil, nil, ""
	}
	out, conflicts = m.merge()
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

// sameNewlines makes the line ends of the three heads LF if they differ, and returns the line
// end of the merged head then.
func sameNewlines(heads *[3][]byte) (newline string) {
	var ends [3]string // "" where there is no line
	for i, h := range heads {
		if bytes.IndexByte(h, '\n') >= 0 {
			ends[i] = commonNewline(h)
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
	doc     *Doc
	err     error
	bom     string
	open    string // opening line
	names   []string
	entries map[string]*sideEntry
	tail    string // below the last entry
	close   string // closing line
}

type sideEntry struct {
	entry
	doc  *Doc
	lead string // comments and blank lines above
	text string // the entry's lines
}

func readSide(head []byte) side {
	s := side{entries: map[string]*sideEntry{}}
	s.doc, s.err = Parse(head)
	rest, marked := bytes.CutPrefix(head, bom)
	if marked {
		s.bom = string(bom)
	}
	if !s.doc.Present || s.err != nil {
		return s
	}
	at := s.doc.YAML.Start
	s.open, s.close = string(rest[:at-len(s.bom)]), string(head[s.doc.YAML.End:])
	for i, k := range s.doc.Keys {
		e, ok := s.doc.entry(i)
		if !ok {
			s.err = s.doc.damaged(k.Name, nil)
			return s
		}
		s.names = append(s.names, k.Name)
		s.entries[k.Name] = &sideEntry{entry: e, doc: s.doc,
			lead: string(head[at:k.Span.Start]), text: string(head[k.Span.Start:k.Span.End])}
		at = k.Span.End
	}
	s.tail = string(head[at:s.doc.YAML.End])
	return s
}

type merger struct {
	sides   [3]side // base, ours, theirs
	rules   Rules
	labels  Labels
	newline string
}

// merged is the result for one key.
type merged struct {
	lead, text string
	conflict   *Conflict
	inResult   func(*Doc) bool // whether a merged block has the merged value
}

func (m *merger) merge() ([]byte, []Conflict) {
	base, ours, theirs := &m.sides[0], &m.sides[1], &m.sides[2]
	if ours.err != nil || theirs.err != nil || len(ours.names)+len(theirs.names) > maxMerged {
		return m.whole()
	}
	result := map[string]merged{}
	keep := map[string]bool{}
	for _, name := range slices.Concat(ours.names, theirs.names) {
		if _, done := result[name]; done {
			continue
		}
		b, o, t := base.entries[name], ours.entries[name], theirs.entries[name]
		r, kept := m.key(name, b, o, t)
		if kept {
			r.lead = mergeLead(b, o, t)
		}
		result[name] = r
		if kept {
			keep[name] = true
		}
	}
	edge := func(part func(*side) string) string {
		s, _ := three(part(base), part(ours), part(theirs))
		return s
	}
	mark := edge(func(s *side) string { return s.bom })
	open := cmp.Or(edge(func(s *side) string { return s.open }), max(ours.open, theirs.open))
	closing := cmp.Or(edge(func(s *side) string { return s.close }), max(ours.close, theirs.close))
	tail := mergeLines(base.tail, ours.tail, theirs.tail)
	order := mergeOrder(base.names, ours.names, theirs.names, keep)
	if len(keep) == 0 && strings.TrimSpace(tail) == "" && base.doc.Present && (!ours.doc.Present || !theirs.doc.Present) {
		return []byte(mark), nil // one side removed the block
	}
	leads := make([]string, len(order)+1)
	for i, name := range order {
		leads[i] = result[name].lead
	}
	leads[len(order)] = tail
	m.dropRepeated(leads)

	var out bytes.Buffer
	out.WriteString(mark + open)
	var conflicts []Conflict
	for i, name := range order {
		out.WriteString(leads[i])
		r := result[name]
		if r.conflict == nil {
			out.WriteString(r.text)
			continue
		}
		r.conflict.Line = 1 + bytes.Count(out.Bytes(), []byte("\n"))
		conflicts = append(conflicts, *r.conflict)
		m.markers(&out, ours.text(name), theirs.text(name))
	}
	out.WriteString(leads[len(order)])
	out.WriteString(closing)
	if len(conflicts) == 0 && !m.right(out.Bytes(), order, result) {
		return m.whole()
	}
	return out.Bytes(), conflicts
}

func (s *side) text(name string) string {
	if e := s.entries[name]; e != nil {
		return e.text
	}
	return ""
}

// mergeLead merges the comments above a key that is kept.
func mergeLead(b, o, t *sideEntry) string {
	var lead [3]string
	for i, e := range []*sideEntry{b, o, t} {
		if e != nil {
			lead[i] = e.lead
		}
	}
	if o == nil || t == nil {
		return lead[1] + lead[2]
	}
	return mergeLines(lead[0], lead[1], lead[2])
}

// dropRepeated removes comment lines of base that the result has more often than every side. Such
// lines repeat if both sides put a new key between a comment and the key below it.
func (m *merger) dropRepeated(leads []string) {
	count := func(leads []string) map[string]int {
		n := map[string]int{}
		for _, lead := range leads {
			for line := range strings.Lines(lead) {
				n[line]++
			}
		}
		return n
	}
	var most map[string]int
	for i := range m.sides {
		s := &m.sides[i]
		var leads []string
		for _, e := range s.entries {
			leads = append(leads, e.lead)
		}
		lines := count(append(leads, s.tail))
		if i == 0 {
			most = lines
		}
		for line, n := range most {
			most[line] = max(n, lines[line])
		}
	}
	now := count(leads)
	for i := len(leads) - 1; i >= 0; i-- {
		var kept strings.Builder
		for line := range strings.Lines(leads[i]) {
			if n, old := most[line]; old && now[line] > n && strings.TrimSpace(line) != "" {
				now[line]--
				continue
			}
			kept.WriteString(line)
		}
		leads[i] = kept.String()
	}
}

// right reads the result and checks that each key has the merged value.
func (m *merger) right(out []byte, order []string, result map[string]merged) bool {
	d, err := Parse(out)
	if err != nil || d.Body != len(out) || len(d.Keys) != len(order) {
		return false
	}
	for i, k := range d.Keys {
		if k.Name != order[i] || !result[k.Name].inResult(d) {
			return false
		}
	}
	return true
}

// whole gives both blocks between markers.
func (m *merger) whole() ([]byte, []Conflict) {
	block := func(s *side) string {
		if s.doc.Present {
			return string(s.doc.Src[s.doc.YAML.Start:s.doc.YAML.End])
		}
		return ""
	}
	edge := func(s *side, at Span, fallback string) string {
		if s.doc.Present {
			return string(s.doc.Src[at.Start:at.End])
		}
		return fallback
	}
	base, ours, theirs := &m.sides[0], &m.sides[1], &m.sides[2]
	from := ours
	if !from.doc.Present {
		from = theirs
	}
	var out bytes.Buffer
	out.WriteString(edge(from, Span{0, from.doc.YAML.Start}, "---\n"))
	c := Conflict{Base: block(base), Ours: block(ours), Theirs: block(theirs),
		Line: 1 + bytes.Count(out.Bytes(), []byte("\n"))}
	m.markers(&out, c.Ours, c.Theirs)
	out.WriteString(edge(from, Span{from.doc.YAML.End, from.doc.Body}, "---\n"))
	return out.Bytes(), []Conflict{c}
}

func (m *merger) markers(out *bytes.Buffer, ours, theirs string) {
	size := cmp.Or(m.labels.MarkerSize, 7)
	newline := "\n"
	if m.newline == "" && strings.HasSuffix(ours+theirs, "\r\n") {
		newline = "\r\n"
	}
	mark := func(c, label string) {
		out.WriteString(strings.TrimRight(strings.Repeat(c, size)+" "+label, " ") + newline)
	}
	mark("<", cmp.Or(m.labels.Ours, "ours"))
	out.WriteString(ours)
	mark("=", "")
	out.WriteString(theirs)
	mark(">", cmp.Or(m.labels.Theirs, "theirs"))
}
