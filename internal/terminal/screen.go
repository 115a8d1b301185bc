package terminal

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"sdd/internal/fault"
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

// open sets the view's mode.
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

// forget makes the next draw write all lines.
func (s *screen) forget() { s.shown = nil }

// draw shows a frame, writing the lines that changed.
func (s *screen) draw(f frame) error {
	var b strings.Builder
	b.WriteString("\x1b[?25l")
	whole := len(s.shown) != len(f.lines)
	if whole {
		b.WriteString("\x1b[2J")
	}
	now := make([]string, len(f.lines))
	for n, l := range f.lines {
		now[n] = l.encode(s.color)
		if !whole && now[n] == s.shown[n] {
			continue
		}
		b.WriteString(at(0, n) + "\x1b[K" + now[n]) // erase first: after a full line, erasing would remove its last cell
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
