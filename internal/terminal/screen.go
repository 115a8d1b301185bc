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
