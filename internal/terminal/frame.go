package terminal

import "strings"

// style is the style of a text. Without colour all styles look the same, so a style must not carry information of its own.
type style byte

const (
	plain style = iota
	strong
	faint
	head
	selected // the line of the chosen item
	good
	bad
	warn
)

var codes = [...]string{plain: "", strong: "1", faint: "2", head: "1;36", selected: "7", good: "32", bad: "31", warn: "33"}

// span is a piece of a line. Its text has been made safe.
type span struct {
	style style
	text  string
}

// line is a line of the screen.
type line []span

func text(s style, words string) line { return line{{s, words}} }

// String is the line without styles.
func (l line) String() string { return l.encode(false) }

// encode is the line with escape sequences.
func (l line) encode(color bool) string {
	var b strings.Builder
	for _, s := range l {
		if color && s.style != plain && s.text != "" {
			s.text = "\x1b[" + codes[s.style] + "m" + s.text + "\x1b[0m"
		}
		b.WriteString(s.text)
	}
	return b.String()
}

// within is the line cut or padded to a width.
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

// frame is the content of the screen. The cursor is at the chosen row or the input, even when hidden, since screen readers follow it.
type frame struct {
	lines      []line
	x, y       int
	showCursor bool
}
