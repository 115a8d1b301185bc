package screens

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"sdd/internal/terminal/terminaltest"
)

// look starts sdd without a command on a terminal of its own.
func look(t *testing.T, c *clone, env ...string) (*terminaltest.Terminal, *exec.Cmd) {
	t.Helper()
	p := terminaltest.Open(t, 80, 24)
	cmd := c.With(append(env, "TERM=xterm-256color")...).Command("sdd")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.TTY, p.TTY, p.TTY
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return p, cmd
}

// TestView approves a candidate on a terminal, edits a record, and has the terminal back afterwards.
func TestView(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	c.Write(tokens, candidateFile("fact-00000000000a", "pending", "Tokens live for 15 minutes.\n\nHostile \x1b]0;x\a\x1b[2J."))
	c.Write(logs, candidateFile("fact-00000000000b", "pending", "Logs are JSON."))
	p, cmd := look(t, c, "EDITOR=sed -i s/mail/letter/")
	before := p.Modes()
	p.Await("2 Review\x1b[0m  1/2")
	p.Press("\r")
	p.Await("Evidence")
	p.Press("\x1b[D/json\r")
	p.Await("Logs are JSON.")
	p.Press("a")
	p.Await("approved: Logs are JSON.")
	if fact := c.Read(".sdd/facts/fact-00000000000b-logs.md"); !strings.Contains(fact, "status: active\n---\n\nLogs are JSON.\n") {
		t.Errorf("the fact:\n%s", fact)
	}
	p.Press("\x1b") // ends the filter
	p.Await("2 Review\x1b[0m  1")
	p.Press("/topic\r")
	p.Await("/topic")
	p.Press("3ge")
	p.Await("Topic")
	p.Await("reworded")
	if text := c.Read(topic); !strings.Contains(text, "log in by letter") {
		t.Errorf("the editor's save:\n%s", text)
	}
	p.Press("\x03")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	p.Await("\x1b[?1049l")
	if p.Modes() != before {
		t.Errorf("the terminal has other modes: %+v, it had %+v", p.Modes(), before)
	}
	for _, hostile := range []string{"\x1b]0;", "\a"} {
		if strings.Contains(p.Shown(), hostile) {
			t.Errorf("%q of a stored text reached the terminal", hostile)
		}
	}
}

// TestViewIsEndedBySignals has the terminal back after them, too.
func TestViewIsEndedBySignals(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		p, cmd := look(t, c)
		before := p.Modes()
		p.Await("Topic")
		p.Resize(40, 10) // which a signal tells, too
		p.Await("/ search\x1b[0m")
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", sig, err)
		}
		p.Await("\x1b[?1049l")
		if p.Modes() != before {
			t.Errorf("%v: the terminal has other modes", sig)
		}
	}
}

// TestNoView prints lists on terminals that can show no view, and where they are asked for.
func TestNoView(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	c.Write(tokens, candidateFile("fact-00000000000a", "pending", "Hostile \x1b[2J\u202etext."))
	p, cmd := look(t, c, "NO_COLOR=1")
	p.Await("> ")
	p.Press("q")
	if err := cmd.Wait(); err != nil || strings.Contains(p.Shown(), "\x1b[1m") || strings.Contains(p.Shown(), "\x1b[7m") {
		t.Errorf("with NO_COLOR: %v\n%q", err, p.Shown())
	}
	p = terminaltest.Open(t, 80, 24)
	for _, run := range []struct {
		term string
		args []string
	}{{"dumb", nil}, {"", nil}, {"xterm", []string{"--plain"}}} {
		cmd := exec.Command("sdd", run.args...)
		cmd.Dir, cmd.Env = c.Dir, append(c.With().Env, "TERM="+run.term)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = p.TTY, p.TTY, p.TTY
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
		p.Await("Conflicts\r\n  none\r\n")
		p.Await("Waits for review")
		p.Await("sdd review approve fact-00000000000a")
	}
	if strings.ContainsAny(p.Shown(), "\x1b\u202e") {
		t.Errorf("escapes in lists: %q", p.Shown())
	}
}
