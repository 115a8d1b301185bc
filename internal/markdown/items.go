package markdown

import (
	"cmp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"sdd/internal/fault"
)

// outlineOf reads a body as a tree of units: sections, their blocks, and items with all blocks under them; lists are none, so that an item
// keeps its identity when a list is split or joined. All gaps (of blank lines) and units in order give the text again.

type unitKind uint8

const (
	wholeUnit     unitKind = iota // the document
	sectionUnit                   // a heading of level 1 or 2 with its content; the preamble has level 0
	headingUnit                   // a deeper heading, or one in an item, with the blocks below it
	itemUnit                      // a list item; its own lines end with its first paragraph
	proseUnit                     // a paragraph
	quoteUnit                     // a block quote, whose blocks are no units
	ruleUnit                      // a thematic break
	fenceUnit                     // a fenced code block
	codeUnit                      // an indented code block
	htmlUnit                      // an HTML block or comment
	tableUnit                     // a paragraph whose second line is a table's delimiter row
	referenceUnit                 // a link reference definition
)

// version is one of the compared texts.
type version uint8

const (
	inBase version = iota
	inOurs
	inTheirs
)

type unit struct {
	kind  unitKind
	of    version
	level int    // of a section's or deeper heading
	name  string // of a section
	gap   string // the blank lines before it
	own   string // its own lines, line ends included
	line  int    // 1-based line of its first line

	parent *unit
	kids   []*unit
	index  int // among the parent's kids
	place  int // in outline.all
	after  int // the place after its last descendant

	mates [3]*unit // the same unit in another version
	weak  [3]*unit // for a unit without a mate: the unit in its place in another version
	is    *joined  // the merged unit; nil outside a merge

	contentCache *string
	itemHead     *head // cache of item
	itemBody     string
}

type outline struct {
	root *unit
	all  []*unit // in order, the root first
	tail string  // the blank lines at the end
}

// outlineOf reads a text that ends with a line end. It fails where Parse does, and for text before the first block.
func outlineOf(text string, of version) (*outline, error) {
	d := &Doc{Src: []byte(text)}
	root, err := d.blocks()
	if err != nil {
		return nil, err
	}
	d.index(root)
	o := &outliner{text: text, of: of, starts: lineStarts(text)}
	o.document(root, d.Headings)
	if strings.Trim(text[:o.startOf(2)], blank) != "" {
		return nil, fault.New(fault.Broken, "the text begins with something that is no Markdown block").At("", 1)
	}
	return o.finish(), nil
}

func lineStarts(text string) []int {
	starts := make([]int, 1, 1+len(text)/40)
	for i := range len(text) - 1 {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// outliner collects units in order. Until finish, unit.line is 0-based.
type outliner struct {
	text   string
	of     version
	starts []int
	cursor int // the result of the last lineOf: positions only grow
	out    outline
}

func (o *outliner) document(root ast.Node, headings []Heading) {
	o.out.root = &unit{kind: wholeUnit, of: o.of}
	o.out.all = append(o.out.all, o.out.root)
	in := o.open(&unit{kind: sectionUnit}, o.out.root, 0)
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if _, ok := n.(*ast.Heading); !ok {
			o.add(n, in)
			continue
		}
		h := headings[0]
		headings = headings[1:]
		line := o.lineOf(h.Span.Start)
		if h.Level <= 2 {
			in = o.open(&unit{kind: sectionUnit, level: h.Level, name: h.Text}, o.out.root, line)
		} else {
			in = o.heading(h.Level, in, line)
		}
	}
}

// heading adds a heading after the blocks of a unit, and returns the unit of the blocks that follow.
func (o *outliner) heading(level int, in *unit, line int) *unit {
	for in.kind == headingUnit && in.level >= level {
		in = in.parent
	}
	if u := (&unit{kind: headingUnit, level: level}); o.open(u, in, line) == u {
		return u
	}
	return in
}

// open appends a unit that starts on a line. One that does not start after the unit before it (without a position) becomes part of that.
func (o *outliner) open(u, parent *unit, line int) *unit {
	last := o.out.all[len(o.out.all)-1]
	if line < 0 || len(o.out.all) > 2 && line <= last.line {
		return last
	}
	u.of, u.parent, u.line, u.index, u.place = o.of, parent, line, len(parent.kids), len(o.out.all)
	parent.kids = append(parent.kids, u)
	o.out.all = append(o.out.all, u)
	return u
}

func (o *outliner) lineOf(pos int) int {
	for o.cursor+1 < len(o.starts) && o.starts[o.cursor+1] <= pos {
		o.cursor++
	}
	return o.cursor
}

var unitKinds = map[ast.NodeKind]unitKind{
	ast.KindBlockquote: quoteUnit, ast.KindThematicBreak: ruleUnit, ast.KindFencedCodeBlock: fenceUnit, ast.KindCodeBlock: codeUnit,
	ast.KindHTMLBlock: htmlUnit, ast.KindLinkReferenceDefinition: referenceUnit,
}

func (o *outliner) add(n ast.Node, parent *unit) {
	if n.Kind() == ast.KindList {
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			o.item(item, parent)
		}
		return
	}
	u := &unit{kind: cmp.Or(unitKinds[n.Kind()], proseUnit)}
	if u.kind == proseUnit && isTable(o.text, n) {
		u.kind = tableUnit
	}
	if pos := n.Pos(); pos >= 0 {
		o.open(u, parent, o.lineOf(pos))
	}
}

func (o *outliner) item(n ast.Node, parent *unit) {
	if n.Pos() < 0 {
		return
	}
	u := o.open(&unit{kind: itemUnit}, parent, o.lineOf(n.Pos()))
	rest := n.FirstChild()
	if rest == nil {
		return
	}
	if list, ok := rest.(*ast.List); ok {
		if first := list.FirstChild(); first != nil && o.lineOf(first.Pos()) <= u.line {
			return // a list that begins on the item's line is part of its text
		}
	} else {
		rest = rest.NextSibling()
	}
	for in := u; rest != nil; rest = rest.NextSibling() {
		if h, ok := rest.(*ast.Heading); !ok {
			o.add(rest, in)
		} else if pos := h.Pos(); pos >= 0 {
			in = o.heading(h.Level, in, o.lineOf(pos))
		}
	}
}

// finish gives every line to a unit or a gap.
func (o *outliner) finish() *outline {
	all := o.out.all
	gap := o.text[:o.startOf(2)]
	for i := 2; i < len(all); i++ {
		u := all[i]
		u.gap = gap
		u.own, gap = cutBlank(o.text[o.startOf(i):o.startOf(i+1)])
	}
	for _, u := range all[2:] {
		u.line++
	}
	all[1].line = 1
	o.out.tail = gap
	for i := len(all) - 1; i >= 0; i-- {
		u := all[i]
		u.after = i + 1
		if n := len(u.kids); n > 0 {
			u.after = u.kids[n-1].after
		}
	}
	return &o.out
}

// startOf returns the offset of the i-th unit, or the end of the text.
func (o *outliner) startOf(i int) int {
	if i >= len(o.out.all) || o.out.all[i].line >= len(o.starts) {
		return len(o.text)
	}
	return o.starts[o.out.all[i].line]
}

// cutBlank splits the blank lines off the end.
func cutBlank(lines string) (text, gap string) {
	end := len(strings.TrimRight(lines, blank))
	if n := strings.IndexByte(lines[end:], '\n'); n >= 0 {
		end += n + 1
	} else {
		end = len(lines)
	}
	return lines[:end], lines[end:]
}

// section returns the section that contains u.
func (u *unit) section() *unit {
	for u.kind != sectionUnit && u.parent != nil {
		u = u.parent
	}
	return u
}

// under returns the descendants of u in order.
func (o *outline) under(u *unit) []*unit { return o.all[u.place+1 : u.after] }

// raw returns the text of u with all its descendants.
func (o *outline) raw(u *unit) string {
	if u.after == u.place+1 {
		return u.own
	}
	var b strings.Builder
	b.WriteString(u.own)
	for i, d := range o.under(u) {
		if i > 0 || u.own != "" {
			b.WriteString(d.gap)
		}
		b.WriteString(d.own)
	}
	return b.String()
}

// isTable reports whether a paragraph is a table: its second line has only the characters of a delimiter row.
func isTable(text string, n ast.Node) bool {
	if n.Type() != ast.TypeBlock || n.Lines() == nil || n.Lines().Len() < 2 {
		return false
	}
	head, rule := n.Lines().At(0), n.Lines().At(1)
	row := strings.Trim(text[rule.Start:rule.Stop], blank)
	return strings.Contains(text[head.Start:head.Stop], "|") && strings.ContainsRune(row, '-') && strings.Trim(row, "|:- \t") == ""
}
