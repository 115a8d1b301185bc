// Package markdown knows the block structure of Markdown bytes: where sections begin and end, how to change one without touching any other
// byte, how two versions differ and how three merge. It is the only importer of goldmark.
package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"sdd/internal/lines"
)

// Span is a half-open range of byte offsets.
type Span struct{ Start, End int }

// Heading is a heading that is a direct child of the document.
type Heading struct {
	Level int
	Text  string // raw text without markers, closing hashes and attributes, trimmed
	Span  Span   // its whole lines with their ends (setext: text lines and underline)
	Line  int    // 1-based line of its first line, counted from the start of Doc.Src
}

// Section is a level-2 heading (or a level-3 heading in a known parent) with all text up to the next heading of its level or above.
type Section struct {
	Name    string // the heading's text
	Heading Span
	Body    Span // from the end of the heading's lines to the start of the next heading, or the end
	Line    int  // line of the heading
}

// Doc is a parsed body. Offsets are absolute in Src.
type Doc struct {
	Src      []byte
	From     int // where the body starts: Parse does not read the bytes before
	Headings []Heading
	Sections []Section // of level 2, in order
}

// Known names one section of a record kind. Under is the level-2 section that contains a level-3 section, "" for a level-2 section.
type Known struct{ Name, Under string }

// Duplicate is a name that several sections have.
type Duplicate struct {
	Name  string // in the spelling of the first section
	Lines []int  // of every heading with that name
}

var bom = []byte("\xef\xbb\xbf")

// Parse finds the headings and sections of src[from:]. It skips a byte order mark at the start of src, and parses only blocks, in time
// linear in the size. It fails (with a *fault.Error that is Broken and names the line) only for text past the limits in blocks.go.
func Parse(src []byte, from int) (*Doc, error) {
	if from == 0 && bytes.HasPrefix(src, bom) {
		from = len(bom)
	}
	return parse(src, from)
}

// parse is Parse for text that is not the start of a file.
func parse(src []byte, from int) (*Doc, error) {
	d := &Doc{Src: src, From: from}
	root, err := d.blocks()
	if err != nil {
		return nil, err
	}
	d.index(root)
	return d, nil
}

// At returns the Doc of a file that has the body of d at offset from, after other front matter.
func (d *Doc) At(src []byte, from int) *Doc {
	moved := &Doc{Src: src, From: from, Headings: slices.Clone(d.Headings)}
	for i := range moved.Headings {
		span := &moved.Headings[i].Span
		span.Start, span.End = span.Start+from-d.From, span.End+from-d.From
	}
	moved.arrange()
	return moved
}

// index fills Headings and Sections from the document node.
func (d *Doc) index(root ast.Node) {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if node, ok := n.(*ast.Heading); ok {
			d.Headings = append(d.Headings, d.heading(node))
		}
	}
	d.arrange()
}

// arrange numbers the lines of the headings and makes sections of them.
func (d *Doc) arrange() {
	line, counted := 1, 0
	for i := range d.Headings {
		h := &d.Headings[i]
		line += bytes.Count(d.Src[counted:h.Span.Start], []byte("\n"))
		counted = h.Span.Start
		h.Line = line
	}
	for i, h := range d.Headings {
		if h.Level == 2 {
			d.Sections = append(d.Sections, d.section(i))
		}
	}
}

// heading reads one heading node. Its position is that of its first character, not of its line.
func (d *Doc) heading(node *ast.Heading) Heading {
	pos := d.From + node.Pos()
	h := Heading{Level: node.Level}
	h.Span.Start = d.From + bytes.LastIndexByte(d.Src[d.From:pos], '\n') + 1
	segments := node.Lines()
	if segments.Len() < 2 { // not setext: that has at least two lines, of which the last is the underline
		h.Span.End = lines.End(d.Src, pos)
		h.Text = atxText(d.Src[pos:h.Span.End])
		return h
	}
	last := segments.Len() - 1
	h.Span.End = lines.End(d.Src, d.From+segments.At(last).Start)
	var text []string
	for _, seg := range segments.Sliced(0, last) {
		text = append(text, string(bytes.Trim(d.Src[d.From+seg.Start:d.From+seg.Stop], blank)))
	}
	text[last-1] = cutAttributes(text[last-1])
	h.Text = strings.TrimRight(strings.Join(text, " "), blank)
	return h
}

// section returns the section that the i-th heading begins.
func (d *Doc) section(i int) Section {
	h := d.Headings[i]
	s := Section{Name: h.Text, Heading: h.Span, Body: Span{h.Span.End, len(d.Src)}, Line: h.Line}
	for _, next := range d.Headings[i+1:] {
		if next.Level <= h.Level {
			s.Body.End = next.Span.Start
			break
		}
	}
	return s
}

// Title returns the text of the first level-1 heading, "" if there is none.
func (d *Doc) Title() string {
	for _, h := range d.Headings {
		if h.Level == 1 {
			return h.Text
		}
	}
	return ""
}

// Find returns every section with that name, in order. Names match without case.
func (d *Doc) Find(k Known) (found []Section) {
	inside := k.Under == ""
	for i, h := range d.Headings {
		switch {
		case inside && h.Level == k.limit() && sameName(h.Text, k.Name):
			found = append(found, d.section(i))
		case h.Level <= 2:
			inside = k.Under == "" || h.Level == 2 && sameName(h.Text, k.Under)
		}
	}
	return found
}

// Text returns the section's body without blank lines at its start and end, and without the last line's end. All other bytes are unchanged.
func (d *Doc) Text(s Section) string {
	body := d.Src[s.Body.Start:s.Body.End]
	return string(body[textStart(body):textEnd(body)])
}

// Duplicates lists the names that more than one section has.
func (d *Doc) Duplicates() []Duplicate {
	lines := make(map[string][]int, len(d.Sections))
	for _, s := range d.Sections {
		lines[nameKey(s.Name)] = append(lines[nameKey(s.Name)], s.Line)
	}
	var out []Duplicate
	for _, s := range d.Sections {
		if at := lines[nameKey(s.Name)]; len(at) > 1 && at[0] == s.Line {
			out = append(out, Duplicate{Name: s.Name, Lines: at})
		}
	}
	return out
}

// Preamble returns the span of the text before the first section, including a title.
func (d *Doc) Preamble() Span {
	if len(d.Sections) == 0 {
		return Span{d.From, len(d.Src)}
	}
	return Span{d.From, d.Sections[0].Heading.Start}
}

func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// nameKey returns equal keys for two names exactly if sameName is true for them.
func nameKey(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, strings.TrimSpace(s))
}

// blank lists the characters of blank lines, as goldmark defines them.
const blank = " \t\r\n"

// textStart returns the start of the first line of b that is not blank, or len(b).
func textStart(b []byte) int {
	first := len(b) - len(bytes.TrimLeft(b, blank))
	if first == len(b) {
		return first
	}
	return bytes.LastIndexByte(b[:first], '\n') + 1
}

// textEnd returns the end of the last line of b that is not blank, without its line end, or len(b).
func textEnd(b []byte) int {
	last := len(bytes.TrimRight(b, blank))
	if last == 0 {
		return len(b)
	}
	end := lines.End(b, last)
	return last + len(bytes.TrimRight(b[last:end], "\r\n"))
}

// atxText returns the heading's text of an ATX heading's line, which begins at its first hash.
func atxText(line []byte) string {
	s := strings.Trim(strings.TrimLeft(string(line), "#"), blank)
	s = cutAttributes(s)
	open := strings.TrimRight(s, "#")
	if open == "" {
		return ""
	}
	if open != s && strings.ContainsRune(blank, rune(open[len(open)-1])) {
		s = strings.TrimRight(open, blank)
	}
	return s
}

// Limits on attributes, because goldmark reads each brace to its end and braces may nest.
const (
	maxAttributes = 512 // bytes
	maxBraces     = 4
)

// cutAttributes removes heading attributes ({#id .class key=value}) from the end of a heading's text.
func cutAttributes(s string) string {
	if !strings.HasSuffix(s, "}") {
		return s
	}
	tried := 0
	for i := max(0, len(s)-maxAttributes); i < len(s) && tried < maxBraces; i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		if s[i] != '{' {
			continue
		}
		tried++
		r := text.NewReader([]byte(s[i:]))
		if _, ok := parser.ParseAttributes(r); !ok {
			continue
		}
		if rest, _ := r.PeekLine(); len(bytes.Trim(rest, blank)) == 0 {
			return strings.TrimRight(s[:i], blank)
		}
	}
	return s
}
