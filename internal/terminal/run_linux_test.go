package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/explore"
	"sdd/internal/index"
	"sdd/internal/store"
	"sdd/internal/terminal/terminaltest"
	"sdd/internal/tty"
)

const candidate = "---\nid: fact-00000000000a\nlevel: 1\ndomain: auth\nkind: fact\nconfidence: 0.7\nstatus: pending\n---\n\nTokens live for 15 minutes.\n"

// shop is a store outside git with a candidate, and its workspace.
func shop(t *testing.T) (*app.App, func(name string) string) {
	t.Helper()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, ".sdd", filepath.FromSlash(name)) }
	for name, text := range map[string]string{
		"config.yaml": "project: shop\n", "inbox/fact-00000000000a-t.md": candidate,
		"../docs/adr/0001-use-rest.md": "# 1. Use REST\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n\n## Decision\n\nBrowsers speak it.\n",
		"explore/auth.md":              "---\ntitle: User auth\ncreated: 2026-01-02\n---\n\n## Goals\n\n- Log in\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(store.Options{Dir: dir, Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	w := app.New(st, ix, app.Options{})
	t.Cleanup(func() { w.Close(); ix.Close(); st.Close() })
	return w, path
}

// show starts the view; done is closed when it has ended.
func show(t *testing.T, ctx context.Context, w *app.App, p *terminaltest.Terminal, edit func(string) error) (done chan error) {
	done = make(chan error, 1)
	go func() { done <- Run(ctx, w, Options{In: p.TTY, Out: p.TTY, Color: true, Now: at10(21), Edit: edit}) }()
	return done
}

// givenBack holds a terminal to being as it was before.
func givenBack(t *testing.T, p *terminaltest.Terminal, before any) {
	t.Helper()
	if now := p.Modes(); now != before {
		t.Errorf("the terminal has other modes: %+v, it had %+v", now, before)
	}
	p.Await(leaveScreen)
}

func TestApproveRejectUndo(t *testing.T) {
	w, path := shop(t)
	p := terminaltest.Open(t, 80, 24)
	before := p.Modes()
	done := show(t, t.Context(), w, p, nil)
	p.Await("> pending")
	if p.Modes() == before {
		t.Error("keys are read by lines")
	}
	p.Press("2a")
	p.Await("approved: Tokens live", "2 Review\x1b[0m  none")
	fact := path("facts/fact-00000000000a-t.md")
	if b, err := os.ReadFile(fact); err != nil || !strings.Contains(string(b), "Tokens live for 15 minutes.") {
		t.Errorf("the fact: %v\n%s", err, b)
	}
	p.Press("u")
	p.Await("taken back: Tokens live", "2 Review\x1b[0m  1") // it is listed again, from what the files say, before or after that is told
	if b, err := os.ReadFile(path("inbox/fact-00000000000a-t.md")); err != nil || string(b) != candidate {
		t.Errorf("the candidate: %v\n%s", err, b)
	}
	if _, err := os.Stat(fact); err == nil {
		t.Error("the fact is still there")
	}
	p.Press("ronly tried\r")
	p.Await("rejected: Tokens live")
	if b, err := os.ReadFile(path("inbox/fact-00000000000a-t.md")); err != nil || !strings.Contains(string(b), "status: rejected") || !strings.Contains(string(b), "only tried") {
		t.Errorf("the candidate: %v\n%s", err, b)
	}
	p.Press("q")
	if err := <-done; err != nil {
		t.Error(err)
	}
	givenBack(t, p, before)
}

// TestShowsADRs opens a decision record in a folder of the project's own.
func TestShowsADRs(t *testing.T) {
	w, _ := shop(t)
	p := terminaltest.Open(t, 80, 24)
	done := show(t, t.Context(), w, p, nil)
	p.Await("Use REST")
	p.Press("4j\r")
	p.Await("Browsers speak it.")
	p.Press("q")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestFollowsTheFiles saves by hand while the view is open.
func TestFollowsTheFiles(t *testing.T) {
	w, path := shop(t)
	p := terminaltest.Open(t, 80, 24)
	done := show(t, t.Context(), w, p, nil)
	p.Await("User auth")
	if err := os.WriteFile(path("explore/cart.md"), []byte("---\ntitle: Shopping cart\ncreated: 2026-02-02\n---\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.Await("Shopping cart")
	if err := os.WriteFile(path("explore/cart.md"), []byte("---\ntitle: Shopping cart\n---\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.Await("markers")
	p.Press("\x03")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestTakeSides resolves conflicts one by one in an open record, and undoes the last.
func TestTakeSides(t *testing.T) {
	w, path := shop(t)
	file := path("explore/auth.md")
	const before = "---\ntitle: User auth\n---\n\n## Goals\n\n<<<<<<< HEAD\n- mail\n||||||| 1a2b3c4\n- old\n=======\n- badge\n>>>>>>> topic\n" +
		"- stays\n<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> topic\n"
	if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	p := terminaltest.Open(t, 80, 24)
	done := show(t, t.Context(), w, p, nil)
	holds := func(said, end string) {
		t.Helper()
		p.Await(said)
		if b, err := os.ReadFile(file); err != nil || !strings.HasSuffix(string(b), end) {
			t.Errorf("%v\n%s", err, b)
		}
	}
	p.Await("1 Conflicts\x1b[0m  1/1")
	p.Press("1\r")
	p.Await("> Conflict 1 of 2, line 7", "1 ours · HEAD", "2 base · 1a2b3c4", "3 theirs · topic", "2 base   3 theirs")
	p.Press("\t")
	p.Await("1 ours   3 theirs")
	p.Press("2")
	holds("shows no base", before[len("---\n"):])
	p.Press("4")
	holds("took both in line 15", "topic\n- stays\n- one\n- two\n")
	p.Await("> Conflict 1 of 1, line 7")
	p.Press("2")
	holds("took base in line 7", "## Goals\n\n- old\n- stays\n- one\n- two\n")
	p.Press("u")
	holds("taken back", "topic\n- stays\n- one\n- two\n")
	p.Press("q")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestEditorGetsTheTerminal(t *testing.T) {
	w, _ := shop(t)
	p := terminaltest.Open(t, 80, 24)
	before := p.Modes()
	done := show(t, t.Context(), w, p, func(file string) error {
		if file != ".sdd/explore/auth.md" {
			t.Errorf("the file is %q", file)
		}
		givenBack(t, p, before)
		p.Press("typed into the editor\n")
		buf := make([]byte, 100)
		n, err := p.TTY.Read(buf) // nobody else reads
		if err != nil || string(buf[:n]) != "typed into the editor\n" {
			t.Errorf("%q, %v", buf[:n], err)
		}
		return errors.New("the editor broke")
	})
	p.Await("pending")
	p.Press("4e")
	p.Await(enterScreen)
	p.Await("the editor broke")
	p.Press("q")
	if err := <-done; err != nil {
		t.Error(err)
	}
	givenBack(t, p, before)
}

// TestGivesBackTheTerminal ends the view in every way.
func TestGivesBackTheTerminal(t *testing.T) {
	w, _ := shop(t)
	for name, end := range map[string]func(p *terminaltest.Terminal, stop func()){
		"q":           func(p *terminaltest.Terminal, _ func()) { p.Press("q") },
		"q in record": func(p *terminaltest.Terminal, _ func()) { p.Press("4\rq") },
		"interrupt":   func(p *terminaltest.Terminal, _ func()) { p.Press("/x\x03") },
		"end of time": func(_ *terminaltest.Terminal, stop func()) { stop() }, // as a signal to end does it
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			p := terminaltest.Open(t, 40, 10)
			before := p.Modes()
			done := show(t, ctx, w, p, nil)
			p.Await("User auth")
			end(p, stop)
			if err := <-done; err != nil {
				t.Error(err)
			}
			givenBack(t, p, before)
		})
	}
}

// TestGivesBackTheTerminalAfterAPanic has work beside the loop panic, and the loop itself.
func TestGivesBackTheTerminalAfterAPanic(t *testing.T) {
	for _, beside := range []bool{true, false} {
		w, _ := shop(t)
		p := terminaltest.Open(t, 80, 24)
		before := p.Modes()
		panicked := make(chan any, 1)
		go func() {
			defer func() { panicked <- recover() }()
			now := at10(21)
			_ = Run(t.Context(), w, Options{In: p.TTY, Out: p.TTY, Now: now, started: func(r *runner) {
				fail := func() func() { panic("on purpose") }
				if beside {
					r.spawn(t.Context(), fail)
				} else {
					r.send(t.Context(), fail())
				}
			}})
		}()
		if got := fmt.Sprint(<-panicked); !strings.HasPrefix(got, "on purpose") {
			t.Errorf("the panic was %q", got)
		}
		givenBack(t, p, before)
	}
}

func TestNoTerminal(t *testing.T) {
	w, _ := shop(t)
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if tty.Is(f) || tty.Is("no file") || !tty.Is(terminaltest.Open(t, 80, 24).TTY) {
		t.Error("what is a terminal?")
	}
	if err := Run(t.Context(), w, Options{In: f, Out: f}); err == nil || !strings.Contains(err.Error(), "terminal") {
		t.Errorf("%v", err)
	}
}

// TestAffirm: a record whose code changed waits for review, its document says so, and one key vouches for it.
func TestAffirm(t *testing.T) {
	w, path := shop(t)
	for name, text := range map[string]string{
		"../auth.go": "package auth\n\nfunc Sign() int { return 1 }\n",
		"facts/fact-00000000000b-s.md": "---\nid: fact-00000000000b\nlevel: 0\nstatus: active\ncode_ref: auth.go#Sign\n" +
			"seen: auth.go#Sign symbol:9:0123456789ab\n---\n\nSign returns one.\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := terminaltest.Open(t, 80, 24)
	done := show(t, t.Context(), w, p, nil)
	p.Await("drifted")
	p.Press("2j\r")
	p.Await("Code: auth.go#Sign", "auth.go#Sign changed", "a affirm")
	p.Press("a")
	p.Await("auth.go#Sign affirmed")
	if b, err := os.ReadFile(path("facts/fact-00000000000b-s.md")); err != nil || strings.Contains(string(b), "0123456789ab") {
		t.Errorf("the fact: %v\n%s", err, b)
	}
	p.Press("q")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestUndoNamesTheAction: where the user did nothing in the view, u names the last action of the store before it takes it back.
func TestUndoNamesTheAction(t *testing.T) {
	w, path := shop(t)
	p := terminaltest.Open(t, 80, 24)
	done := show(t, t.Context(), w, p, nil)
	p.Await("> pending")
	p.Press("u")
	p.Await("there is no save to undo")
	if _, err := explore.Save(t.Context(), w.Store, w.Index, explore.Input{Title: "Cart", Fields: explore.Fields{Goals: "- Log in twice"}, Tool: "test"}); err != nil {
		t.Fatal(err)
	}
	p.Press("\x1b[Du")
	p.Await("undo ", "explore/cart.md made? (y, n)")
	p.Press("y")
	p.Await("taken back: ")
	if _, err := os.Stat(path("explore/cart.md")); err == nil {
		t.Error("the record is still there")
	}
	p.Press("q")
	if err := <-done; err != nil {
		t.Error(err)
	}
}
