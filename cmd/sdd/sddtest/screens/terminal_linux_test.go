package screens

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"sdd/cmd/sdd/sddtest"
)

// nasty is a text that takes over a terminal which obeys it: it clears the screen, sets the title, writes a link and the clipboard,
// asks for an answer, in seven and eight bits, rubs out and turns letters around.
const nasty = "nasty \x1b[2J\x1b]0;title\x07\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\ \x1b]52;c;AAAA\x07\x1b[6n\x1bP+q\x1b\\ \u009b31m\u009d8;;x\u009c \x08\x08\x7f\x00\x0e \u202egnp.exe\u2066x\u2069 \u200e end"

// inYAML is nasty as a double-quoted scalar.
var inYAML = func() string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range nasty {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r < ' ' || r >= 0x7f:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}()

// nastyStore is a repository with records of every kind that are nasty wherever a text can stand, and with commits,
// a branch and file names that are.
func nastyStore(t *testing.T, bin string) (dir string, run func(name string, args ...string)) {
	t.Helper()
	dir = t.TempDir()
	run = func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, ".sdd", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("git", "init", "-q", "-b", "main")
	run("git", "config", "user.name", "Nasty \u009b31m\u202eName")
	run("git", "config", "user.email", "nasty@example.org")
	run(bin, "init")
	body := "- " + nasty + "\n- \x9b31m raw \xff\n"
	write("config.yaml", "project: "+inYAML+"\n")
	write("explore/plain.md", "---\ntitle: "+inYAML+"\nsession_id: "+inYAML+"\nother: "+inYAML+"\n---\n\n"+body+"\n## Goals\n\n"+body+"\n## "+nasty+"\n\n"+body+"\n## Decisions\n\n"+body)
	write("explore/bad \x1b[31m name.md", "# "+nasty+"\n\n## Goals\n\n"+body)
	write("explore/broken.md", "---\ntitle: ["+inYAML+"\n---\n\n## Goals\n\n"+body)
	write("explore/marked.md", "---\ntitle: Marked\n---\n\n## Goals\n\n<<<<<<< "+nasty+"\n- a\n=======\n- b\n>>>>>>> "+nasty+"\n")
	for i, color := range []string{"yellow", "green", "red"} {
		write(fmt.Sprintf("ideas/idea-00000000000%d-x.md", i), fmt.Sprintf("---\nid: idea-00000000000%d\ncolor: %s\nstatus: active\nscope: global\nparent: %s\nagents: [%s]\nimpact: high\ncategory: %s\ncreated: 2026-11-20T09:14:00Z\n---\n\n%s", i, color, inYAML, inYAML, inYAML, body))
	}
	write("facts/fact-000000000001-x.md", "---\nid: fact-000000000001\nlevel: 1\ndomain: "+inYAML+"\nmodule: "+inYAML+"\nstatus: active\nsource: "+inYAML+"\ncode_ref: "+inYAML+"\ncreated: 2026-11-20T09:14:00Z\n---\n\n"+body+"\n## Evidence\n\n"+body)
	write("decisions/use-nasty.md", "---\ntitle: "+inYAML+"\nstatus: accepted\ndate: 2026-11-20\nsource: "+inYAML+"\nrelates_to: ["+inYAML+"]\ndepends_on: [decision/"+"other]\n---\n\n## Context and Problem Statement\n\n"+body+"\n## Considered Options\n\n"+body+"\n## Decision Outcome\n\nChosen option: "+body+"\n### Consequences\n\n"+body)
	write("inbox/fact-000000000002-x.md", "---\nid: fact-000000000002\nkind: fact\nconfidence: 0.6\nstatus: pending\nlevel: 1\ndomain: "+inYAML+"\nsource: "+inYAML+"\n---\n\n"+body+"\n## Evidence\n\n"+body)
	run("git", "add", "-A")
	run("git", "commit", "-q", "-m", "Subject "+strings.ReplaceAll(nasty, "\x00", ""))
	run("git", "switch", "-q", "-c", "side-\u009b31m-\u202ex")
	write("explore/plain.md", "---\ntitle: "+inYAML+"\n---\n\n## Goals\n\n"+body+"- more "+nasty+"\n\n## "+nasty+"\n\n- other\n")
	run("git", "commit", "-q", "-a", "-m", "Change "+strings.ReplaceAll(nasty, "\x00", ""))
	write("decisions/use-nasty.md", "---\ntitle: "+inYAML+"\nstatus: "+inYAML+"\n---\n\n## Decision Outcome\n\n"+body)
	return dir, run
}

// onTerminal runs the program on a terminal of its own and returns what that is sent.
func onTerminal(t *testing.T, bin, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "NO_COLOR=1", "TERM=xterm", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	return sentBy(t, cmd)
}

// sentBy runs a command on a terminal of its own and returns what that is sent.
func sentBy(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals here: ", err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals here: ", err)
	}
	cmd.Stdout, cmd.Stderr = slave, slave
	err = cmd.Start()
	slave.Close()
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(master)
	if err != nil && !errors.Is(err, syscall.EIO) { // which is how a terminal ends
		t.Fatal(err)
	}
	_ = cmd.Wait() // findings are no failure here
	return out
}

// obeyed returns the first thing in a text that a terminal would do more than show.
func obeyed(out []byte) string {
	for i := 0; i < len(out); {
		r, n := utf8.DecodeRune(out[i:])
		switch {
		case r == utf8.RuneError && n == 1,
			unicode.IsControl(r) && r != '\n' && r != '\t' && !(r == '\r' && bytes.HasPrefix(out[i:], []byte("\r\n"))),
			unicode.Is(unicode.Bidi_Control, r) && r != '\u200e': // a mark only, which Arabic and Hebrew need
			return fmt.Sprintf("%q in %q", out[i:i+n], out[max(0, i-60):min(len(out), i+40)])
		}
		i += n
	}
	return ""
}

// TestTerminalShowsAndDoesNotObey prints nasty records with every command that reads.
func TestTerminalShowsAndDoesNotObey(t *testing.T) {
	t.Parallel()
	bin := sddtest.Program(t)
	dir, _ := nastyStore(t, bin)
	commands := [][]string{
		{"search"}, {"search", "nasty"}, {"search", nasty[:20]}, {"search", "--type", "decision"},
		{"show", "plain"}, {"show", "explore/marked"}, {"show", "explore/broken"}, {"show", "decision/use-nasty"}, {"show", "fact-000000000001"},
		{"show", "plain", "--section", "goals"}, {"show", "plain", "--section", "nowhere\x1b[2J"}, {"show", "nothing \x1b[2J \u202e"},
		{"context", "nasty"}, {"context", "--mode", "route", "why nasty"}, {"context", "--mode", "discovery", "nasty"},
		{"learn", "--inject", "--agent", "ed-001"}, {"learn", "--inject", "--agent", "ed-001", "--query", "nasty"},
		{"idea", "list"}, {"idea", "list", "--color", "green"}, {"idea", "show", "idea-000000000000"}, {"idea", "log"}, {"idea", "check"}, {"idea", "events"},
		{"decide", "list"}, {"decide", "show", "nasty"}, {"decide", "show", "use-nasty"}, {"decide", "graph"}, {"decide", "graph", "--mermaid"},
		{"fact", "list"}, {"fact", "show", "fact-000000000001"}, {"fact", "gc"}, {"fact", "discover"},
		{"review", "list"}, {"review", "list", "--kind", "fact"}, {"review", "list", "--kind", "candidate"}, {"review", "validate", "idea-000000000009"},
		{"check"}, {"check", "--github"}, {"check", "--sarif"}, {"check", "--json"},
		{"diff"}, {"diff", "main"}, {"diff", "main", "--markdown"}, {"diff", "main", "--sarif"},
		{"log", "plain"}, {"log", "explore/marked"}, {"why", "plain"}, {"why", "decision/use-nasty"},
		{"review-pr", "--base", "main"}, {"review-pr", "--base", "main", "--sarif"},
		{"status"}, {"status", "--learnings"}, {"doctor"}, {"hooks", "status"}, {"trust", "--list"}, {"resolve"},
		{"export", "--format", "ideas-jsonl"}, {"handoff", "plain", "--to", "openspec", "--dry-run"}, {"handoff", "plain", "--to", "github-issue"}, {"handoff", "decision/use-nasty", "--to", "adr", "--dry-run"},
		{"code", "nasty"}, {"docs", "nasty \x1b[2J", "x"}, {"textconv", ".sdd/explore/plain.md"}, {"extract", "--dry-run"},
		{"search", "nasty", "--json"}, {"show", "plain", "--json"}, {"diff", "main", "--json"}, {"log", "plain", "--json"}, {"why", "plain", "--json"}, {"show", "no\u009b", "--json"},
		{"nocommand\x1b[2J"}, {"show", "--no-such\x1b[2J"}, {"diff", "no-such\x1b[2J"}, {"handoff", "plain", "--to", "x\x1b[2J"}, {"undo", "--dry-run"},
		{"merge", "no\x1b[2Jbranch"}, {"setup", "no\x1b[2Jclient", "--dry-run"}, {"import", "no\x1b[2Jfile", "--format", "x\u202e"}, {"help", "x\x1b[2J"},
	}
	said := 0
	for _, args := range commands {
		out := onTerminal(t, bin, dir, args...)
		if bad := obeyed(out); bad != "" {
			t.Errorf("sdd %q: the terminal is sent %s", args, bad)
		}
		if bytes.Contains(out, []byte("nasty")) {
			said++
		}
	}
	if said < len(commands)/2 {
		t.Errorf("only %d of %d commands print the nasty text: they prove nothing", said, len(commands))
	}
}
