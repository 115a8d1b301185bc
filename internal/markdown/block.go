package markdown

import (
	"fmt"
	"strconv"
	"strings"
)

// BlockKind is the kind of a Block.
type BlockKind int

const (
	Other     BlockKind = iota // a quote, code, HTML, a table, a thematic break or a link definition
	Paragraph                  // on one line or several
	Title                      // a heading of any level
	Item                       // of a list, with everything in it
)

// Block is one block at the top level of a text. Each item of a list is a block.
type Block struct {
	Kind  BlockKind
	Level int // of a heading
	// Text has no marks of a heading, marker or indentation of an item, no blank line at its ends, and LF line ends.
	Text   string
	Marker string // of an item: the characters before its text on its first line, such as "- "
	Span   Span   // its whole lines in the text, including the last line end
}

// Blocks lists the blocks of a text in order. It fails where Parse does. It returns an item that ItemLines wrote as ItemText gave it.
func Blocks(text string) ([]Block, error) {
	given := len(text)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	o, err := outlineOf(text, inBase)
	if err != nil {
		return nil, err
	}
	var list []Block
	for i, at := 2, 0; i < len(o.all); { // behind the root and the text before the first section
		u := o.all[i]
		after := i + 1
		if u.kind > headingUnit {
			after = u.after
		}
		start := at + len(u.gap)
		for ; i < after; i++ {
			at += len(o.all[i].gap) + len(o.all[i].own)
		}
		list = append(list, u.block(text, Span{start, min(given, at)}))
	}
	return list, nil
}

// block returns the Block of u, which is at a place in the text.
func (u *unit) block(text string, at Span) Block {
	b := Block{Span: at}
	lines := text[at.Start:at.End]
	switch u.kind {
	case proseUnit:
		b.Kind, b.Text = Paragraph, dedented(strings.TrimRight(lines, blank), 0)
	case sectionUnit, headingUnit:
		b.Kind, b.Level, b.Text = Title, u.level, strings.Trim(lines, "# \t\r\n")
		if d, err := parse([]byte(lines), 0); err == nil && len(d.Headings) == 1 {
			b.Level, b.Text = d.Headings[0].Level, d.Headings[0].Text
		}
	case itemUnit:
		h, _ := cutHead(lines)
		b.Kind, b.Marker = Item, h.marker()
		first, rest, _ := strings.Cut(lines[len(b.Marker):], "\n")
		b.Text = strings.Trim(strings.TrimRight(first, "\r")+"\n"+dedented(rest, h.column(strings.Trim(first, blank) == "")), blank)
	default:
		b.Text = strings.TrimRight(dedented(lines, 0), blank)
	}
	return b
}

// ItemLines returns the lines of a list item with a marker and text. It ends with a line end, and empties blank lines.
func ItemLines(marker, text string) string {
	var b strings.Builder
	b.WriteString(marker)
	inner := strings.Repeat(" ", columns(marker, 0))
	for i, line := range strings.Split(text, "\n") {
		if strings.Trim(line, blank) == "" {
			line = ""
		} else if i > 0 {
			b.WriteString(inner)
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// ItemText makes text read back as one list item: trimmed, else with a backslash in front, else on one line; changed: not only trimmed.
func ItemText(text string) (contained string, changed bool) {
	lines := strings.Split(plain(strings.Trim(text, blank)), "\n")
	for i, l := range lines {
		if strings.Trim(l, blank) == "" {
			lines[i] = ""
		}
	}
	text = strings.Trim(strings.Join(lines, "\n"), blank)
	for i, form := range []string{text, `\` + text, joinWords(text), `\` + joinWords(text)} {
		if isItem(form) {
			return form, i > 0
		}
	}
	return strings.Trim(text, "- \t\n"), true
}

// isItem reports whether text reads back as one item between two others.
func isItem(text string) bool {
	blocks, err := Blocks(ItemLines("- ", "x") + ItemLines("- ", text) + ItemLines("- ", "x"))
	if err != nil || len(blocks) != 3 {
		return false
	}
	for i, want := range []string{"x", text, "x"} {
		if blocks[i].Kind != Item || blocks[i].Text != want {
			return false
		}
	}
	return true
}

// NextMarker returns the marker of the next item in the list. In a numbered list it has the next number.
func NextMarker(marker string) string {
	h, _ := cutHead(marker)
	if h.number == "" {
		return marker
	}
	n, _ := strconv.Atoi(h.number)
	if next := fmt.Sprintf("%0*d", len(h.number), n+1); len(next) <= 9 { // the longest number that begins an item
		h.number = next
	}
	return h.marker()
}
