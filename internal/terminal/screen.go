package terminal

import (
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"

	"sdd/internal/fault"
	"sdd/internal/tty"
)

// screen is the terminal in the view's mode: alternate screen, raw keys, the mouse, no wrapping.
type screen struct {
	in, out *os.File
	color   bool
	state   *term.State
	restore func() // undoes prepareConsole
	shown   []string
}

const (
	enterScreen = "\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[?1000h\x1b[?1006h\x1b[2J"
	leaveScreen = "\x1b[0m\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l"
)

func (s *screen) open() error {
	state, err := term.MakeRaw(int(s.in.Fd()))
	if err != nil {
		return fault.New(fault.Unavailable, "the terminal cannot be used for the view: %v", err).With("sdd --plain prints lists")
	}
	s.state, s.restore = state, prepareConsole(s.out)
	s.shown = nil
	_, err = io.WriteString(s.out, enterScreen)
	return err
}

// close restores the terminal. Further calls do nothing.
func (s *screen) close() {
	if s.state == nil {
		return
	}
	_, _ = io.WriteString(s.out, leaveScreen)
	s.restore()
	_ = term.Restore(int(s.in.Fd()), s.state)
	s.state = nil
}

// size is the size of the terminal, 80 x 24 when unknown.
func (s *screen) size() (width, height int) {
	width, height, err := term.GetSize(int(s.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

func (s *screen) forget() { s.shown = nil }

func (s *screen) draw(f frame) error {
	var b strings.Builder
	b.WriteString("\x1b[?25l")
	whole := len(s.shown) != len(f.lines)
	if whole {
		b.WriteString("\x1b[2J")
	}
	now := make([]string, len(f.lines))
	for n, l := range f.lines {
		if now[n] = l.encode(s.color); whole || now[n] != s.shown[n] {
			b.WriteString(at(0, n) + "\x1b[K" + now[n]) // erase first: after a full line, erasing would remove its last cell
		}
	}
	s.shown = now
	b.WriteString(at(f.x, f.y))
	if f.showCursor {
		b.WriteString("\x1b[?25h")
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}

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

type line []span

func text(s style, words string) line { return line{{s, words}} }

func (l line) String() string { return l.encode(false) }

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

const tabStop = 4

// runeWidth is the number of cells of a character, by its East Asian width; ambiguous ones have one cell, as in terminals.
func runeWidth(r rune) int {
	switch {
	case r >= ' ' && r < 0x7f, r == 0xad:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), r >= 0x1160 && r <= 0x11ff: // combining characters
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

func textWidth(s string) (n int) {
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// cut returns the start of s that fits into most cells, with an ellipsis when something is left out.
func cut(s string, most int) string {
	if most <= 0 {
		return ""
	}
	n, end := 0, 0 // end is where an ellipsis fits
	for at, r := range s {
		w := runeWidth(r)
		if n+w > most {
			return s[:end] + "…"
		}
		if n += w; n < most {
			end = at + len(string(r))
		}
	}
	return s
}

// fit is cut, padded with blanks.
func fit(s string, cells int) string {
	s = cut(s, cells)
	return s + strings.Repeat(" ", max(0, cells-textWidth(s)))
}

// oneLine returns stored text as one line that is safe to show.
func oneLine(s string) string { return tty.Safe(strings.Join(strings.Fields(s), " ")) }

// wrap breaks a text into lines of at most that many cells. The rest of a list item or indented line is indented like its text.
func wrap(text string, cells int) (lines []string) {
	cells = max(cells, 1)
	for l := range strings.SplitSeq(strings.TrimRight(tty.Safe(text), "\n"), "\n") {
		lines = append(lines, wrapLine(strings.TrimRight(untab(l), " "), cells)...)
	}
	return lines
}

// untab replaces tabs by blanks up to the next stop.
func untab(l string) string {
	if !strings.Contains(l, "\t") {
		return l
	}
	var b strings.Builder
	n := 0
	for _, r := range l {
		if r == '\t' {
			w := tabStop - n%tabStop
			b.WriteString(strings.Repeat(" ", w))
			n += w
			continue
		}
		b.WriteRune(r)
		n += runeWidth(r)
	}
	return b.String()
}

func wrapLine(l string, cells int) (lines []string) {
	hang := hanging(l)
	if hang > cells/2 || hang > cells-2 { // a wide character needs two
		hang = 0
	}
	indent := strings.Repeat(" ", hang)
	for prefix := ""; ; prefix = indent {
		room := cells - len(prefix)
		end, next := breakAt(l, room)
		lines = append(lines, prefix+strings.TrimRight(l[:end], " "))
		if next >= len(l) {
			return lines
		}
		l = l[next:]
	}
}

// breakAt returns where a line that has room cells ends and where the next one begins.
func breakAt(l string, room int) (end, next int) {
	n, space, inText := 0, -1, false // space is the last possible line end
	var before rune
	for at, r := range l {
		w := runeWidth(r)
		if inText && at > 0 && w > 0 && (r == ' ' || runeWidth(before) == 2 || w == 2 && before != ' ') {
			space = at
		}
		if n+w > room && at > 0 && w > 0 {
			if r == ' ' || space < 0 {
				space = at
			}
			next = space + len(l[space:]) - len(strings.TrimLeft(l[space:], " "))
			return space, next
		}
		n, before, inText = n+w, r, inText || r != ' '
	}
	return len(l), len(l)
}

// hanging is the column where the text of a line begins, after its indentation and list marker.
func hanging(l string) int {
	text := strings.TrimLeft(l, " ")
	n := len(l) - len(text)
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	switch {
	case strings.HasPrefix(text, "- "), strings.HasPrefix(text, "* "), strings.HasPrefix(text, "+ "), strings.HasPrefix(text, "> "):
		n += 2
	case digits > 0 && digits < 4 && len(text) > digits+1 && (text[digits] == '.' || text[digits] == ')') && text[digits+1] == ' ':
		n += digits + 2
	}
	return n
}
