package terminal

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"sdd/internal/fault"
)

// screen is the terminal while the view has it: its own screen, keys as they are pressed, no wrapping.
type screen struct {
	in, out *os.File
	color   bool
	state   *term.State
	restore func() // of what else the system needs
	shown   []string
}

const (
	enterScreen = "\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[2J"
	leaveScreen = "\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// open takes the terminal.
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

// close gives the terminal back as it was. It may be called again.
func (s *screen) close() {
	if s.state == nil {
		return
	}
	_, _ = io.WriteString(s.out, leaveScreen)
	s.restore()
	_ = term.Restore(int(s.in.Fd()), s.state)
	s.state = nil
}

// size is what a terminal shows, 80 x 24 where it does not say.
func (s *screen) size() (width, height int) {
	width, height, err := term.GetSize(int(s.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// forget has everything drawn anew.
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
		b.WriteString(at(0, n) + "\x1b[K" + now[n]) // erased first: behind the last cell there is nowhere to go
	}
	s.shown = now
	b.WriteString(at(f.x, f.y))
	if f.showCursor {
		b.WriteString("\x1b[?25h")
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}
