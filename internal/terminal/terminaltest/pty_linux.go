// Package terminaltest makes pseudo-terminals for tests, to press keys and read the output and the settings.
package terminaltest

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

type Terminal struct {
	TTY *os.File // the program's side

	t       testing.TB
	control *os.File
	mu      sync.Mutex
	more    *sync.Cond
	shown   []byte
	seen    int // of shown
	closed  bool
}

// Open makes a terminal of that size. The test's cleanup closes it.
func Open(t testing.TB, width, height int) *Terminal {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	fd := int(control.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	term := &Terminal{TTY: tty, t: t, control: control}
	term.more = sync.NewCond(&term.mu)
	term.Resize(width, height)
	go term.read()
	t.Cleanup(func() { tty.Close(); control.Close() })
	return term
}

func (p *Terminal) read() {
	buf := make([]byte, 1<<16)
	for {
		n, err := p.control.Read(buf)
		p.mu.Lock()
		p.shown = append(p.shown, buf[:n]...)
		p.closed = err != nil
		p.more.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (p *Terminal) Resize(width, height int) {
	p.t.Helper()
	if err := unix.IoctlSetWinsize(int(p.control.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(height), Col: uint16(width)}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *Terminal) Press(keys string) {
	p.t.Helper()
	if _, err := p.control.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// Await waits until the program has written the texts, in any order, after those of the last call.
func (p *Terminal) Await(texts ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		end, missing := 0, ""
		for _, text := range texts {
			at := strings.Index(string(p.shown[p.seen:]), text)
			if at < 0 {
				missing = text
				break
			}
			end = max(end, at+len(text))
		}
		if missing == "" {
			p.seen += end
			return
		}
		if p.closed {
			p.t.Fatalf("%q was not shown, but\n%q", missing, p.shown[p.seen:])
		}
		p.more.Wait()
	}
}

func (p *Terminal) Shown() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.shown)
}

func (p *Terminal) Modes() unix.Termios {
	p.t.Helper()
	modes, err := unix.IoctlGetTermios(int(p.TTY.Fd()), unix.TCGETS)
	if err != nil {
		p.t.Fatal(err)
	}
	return *modes
}
