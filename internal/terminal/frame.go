package terminal

import "strings"

// style is what a piece of text is. Without colour all look alike, so none says anything that the words do not.
type style byte

const (
	plain style = iota
	strong
	faint
	head
	chosen // the line of the selection
	good
	bad
	warn
)

var codes = [...]string{plain: "", strong: "1", faint: "2", head: "1;36", chosen: "7", good: "32", bad: "31", warn: "33"}

// span is a piece of a line. Its text has been made safe.
type span struct {
	style style
	text  string
}

// line is a line of the screen.
type line []span

func text(s style, words string) line { return line{{s, words}} }

// String is the line without styles.
func (l line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// encode is the line as a terminal takes it.
func (l line) encode(color bool) string {
	if !color {
		return l.String()
	}
	var b strings.Builder
	for _, s := range l {
		if s.style == plain || s.text == "" {
			b.WriteString(s.text)
			continue
		}
		b.WriteString("\x1b[" + codes[s.style] + "m" + s.text + "\x1b[0m")
	}
	return b.String()
}

// within is the line cut and filled up to cells cells.
func (l line) within(cells int) line {
	var out line
	for _, s := range l {
		w := textWidth(s.text)
		if w > cells {
			return append(out, span{s.style, fit(s.text, cells)})
		}
		out, cells = append(out, s), cells-w
	}
	return append(out, span{plain, strings.Repeat(" ", cells)})
}

// frame is what the screen shows. The cursor stands where the attention is, shown or not: screen readers follow it.
type frame struct {
	lines      []line
	x, y       int
	showCursor bool
}
