package setup

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHookBlock: the block's place; a second install changes nothing; removing the block restores every byte.
func TestHookBlock(t *testing.T) {
	const block = "[block]"
	lines := hookLines("pre-commit", "sdd")
	text := hookMarks.text("", lines)
	for name, c := range map[string]struct{ src, want string }{
		"empty":                    {"", block + "\n"},
		"script":                   {"#!/bin/sh\necho hi\n", "#!/bin/sh\n" + block + "\necho hi\n"},
		"exit first":               {"#!/bin/sh\nexit 0\necho never\n", "#!/bin/sh\n" + block + "\nexit 0\necho never\n"},
		"exit in line one":         {"exit 0\n", block + "\nexit 0\n"},
		"no interpreter":           {"# checks\nmake lint || exit 1\n", block + "\n# checks\nmake lint || exit 1\n"},
		"no line end":              {"#!/bin/sh\nexec make lint", "#!/bin/sh\n" + block + "\nexec make lint"},
		"one line without end":     {"#!/bin/sh", "#!/bin/sh\n" + block},
		"one line with CR, no end": {"#!/bin/sh\r", "#!/bin/sh\r\n" + block},
		"one line":                 {"#!/bin/sh\n", "#!/bin/sh\n" + block + "\n"},
		"CRLF":                     {"#!/bin/sh\r\necho hi\r\n", "#!/bin/sh\r\n" + block + "\necho hi\r\n"},
		"CRLF without end":         {"#!/bin/sh\r\necho hi", "#!/bin/sh\r\n" + block + "\necho hi"},
		"blank lines at the end":   {"#!/usr/bin/env bash\n\n\n", "#!/usr/bin/env bash\n" + block + "\n\n\n"},
		"no line end, no #!":       {"x", block + "\nx"},
	} {
		t.Run(name, func(t *testing.T) {
			got := mustBlock(t, c.src, lines)
			want := strings.Replace(c.want, block, strings.TrimSuffix(text, "\n"), 1)
			if got != want {
				t.Errorf("with the block:\n%q\nwant\n%q", got, want)
			}
			if again := mustBlock(t, got, lines); again != got {
				t.Errorf("again:\n%q", again)
			}
			if back := mustBeWithout(t, got); back != c.src {
				t.Errorf("back: %q, was %q", back, c.src)
			}
		})
	}
}

func TestHookBlockThatIsThere(t *testing.T) {
	lines := hookLines("pre-commit", "sdd")
	with := mustBlock(t, "#!/bin/sh\nmake lint || exit 1\n", lines)

	older := strings.Replace(with, "check --staged", "check --old", 1)
	if got := mustBlock(t, older, lines); got != with {
		t.Errorf("from an older one:\n%s", got)
	}
	if got := mustBlock(t, mustBlock(t, with, hookLines("pre-commit", "'/opt/s dd/sdd'")), lines); got != with {
		t.Errorf("from one that calls another program:\n%s", got)
	}
	// The user moved it: it stays in the new place.
	moved := "#!/bin/sh\nset -e\n" + hookMarks.text("", lines) + "make lint\n"
	if got := mustBlock(t, strings.Replace(moved, "--staged", "--old", 1), lines); got != moved {
		t.Errorf("moved:\n%s", got)
	}
	// Line ends that git changed are no difference, and the block is found by them.
	crlf := strings.ReplaceAll(with, "\n", "\r\n")
	if got := mustBlock(t, crlf, lines); got != crlf {
		t.Errorf("CRLF:\n%q", got)
	}
	if got := mustBeWithout(t, crlf); got != "#!/bin/sh\r\nmake lint || exit 1\r\n" {
		t.Errorf("without it, CRLF: %q", got)
	}
	// Two, of a merge of two hooks, become one, and none.
	two := with + hookMarks.text("", lines) + "exit 0\n"
	if got, want := mustBlock(t, two, lines), with+"exit 0\n"; got != want {
		t.Errorf("from two:\n%s", got)
	}
	if got := mustBeWithout(t, two); got != "#!/bin/sh\nmake lint || exit 1\nexit 0\n" {
		t.Errorf("without two:\n%s", got)
	}
	// One that has no end, or begins twice, is not guessed at.
	for _, bad := range []string{strings.Replace(with, hookMarks.last, "", 1), strings.Replace(with, hookMarks.first+"\n", hookMarks.first+"\n"+hookMarks.first+"\n", 1)} {
		if got, err := hookMarks.atTop([]byte(bad), "", lines); err == nil || !strings.Contains(err.Error(), "line 2 has no end") {
			t.Errorf("%v:\n%s", err, got)
		}
		if got, err := hookMarks.find([]byte(bad)); err == nil {
			t.Errorf("found:\n%v", got)
		}
	}
	for _, program := range []string{"sdd", "'/opt/s dd/sdd'", `'/it'\''s/sdd'`} {
		src := []byte(mustBlock(t, "", hookLines("post-merge", program)))
		blocks, err := hookMarks.find(src)
		if err != nil || len(blocks) != 1 || programOf(src, blocks[0]) != program {
			t.Errorf("%s: %v %+v", program, err, blocks)
		}
	}
}

// TestHookBlockLaws: for any hook, installing twice is installing once, nothing is above the block but its
// first line, and uninstalling gives back the bytes.
func TestHookBlockLaws(t *testing.T) {
	pieces := []string{"#!/bin/sh", "#!/usr/bin/env bash", "#!", "#", "exit 0", "exit", "echo hi", "\n", "\n", "\n", "\r\n", "\r", "", " ", "\t", "\ufeff", "\x00",
		"\xff", "if true; then", "fi", "cat <<E", "E", "# >>> sdd", hookMarks.last, hookMarks.last + "\n", "# >>> husky", "sdd check --staged", "'", `"`}
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		src := b.String()
		name := HookNames[r.IntN(3)]
		first, second := hookLines(name, "sdd"), hookLines(name, "'/a b/sdd'")
		one := mustBlock(t, src, first)
		if two := mustBlock(t, one, first); two != one {
			t.Fatalf("seed %d: twice\n%q\nonce\n%q", seed, two, one)
		}
		above, _, _ := strings.Cut(one, hookMarks.first)
		if strings.Count(above, "\n") > 1 || above != "" && !strings.HasPrefix(above, "#!") {
			t.Fatalf("seed %d: above the block stands %q", seed, above)
		}
		if back := mustBeWithout(t, one); back != src {
			t.Fatalf("seed %d: back\n%q\nwas\n%q", seed, back, src)
		}
		if back := mustBeWithout(t, mustBlock(t, mustBlock(t, one, second), first)); back != src {
			t.Fatalf("seed %d: back after a change of the program\n%q\nwas\n%q", seed, back, src)
		}
	}
}

func TestNewHook(t *testing.T) {
	for folders := range 3 {
		src, err := hookMarks.atTop([]byte(hookShell), madeWith(folders), hookLines("post-merge", "sdd"))
		if err != nil {
			t.Fatal(err)
		}
		if made, n := madeFor(src); !made || n != folders {
			t.Errorf("%d folders: %v %d", folders, made, n)
		}
		if got := mustBlock(t, string(src), hookLines("post-merge", "sdd")); got != string(src) {
			t.Errorf("again:\n%s", got)
		}
		newer, err := hookMarks.atTop(src, "", hookLines("post-merge", "'/x/sdd'"))
		if made, n := madeFor(newer); err != nil || !made || n != folders {
			t.Errorf("after a change %d folders: %v %d %v", folders, made, n, err)
		}
		if made, _ := madeFor(append(src, "echo mine\n"...)); made {
			t.Error("a hook that somebody wrote into counts as made for the block")
		}
	}
}

// TestHookLinesRun runs what a hook gets, by every shell that is here, as strict as they can be set.
func TestHookLinesRun(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "s dd")
	for _, shell := range []string{"sh", "dash", "bash", "zsh", "ksh", "busybox"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		args := []string{"-eu"}
		if shell == "busybox" {
			args = []string{"sh", "-eu"}
		}
		for code, want := range map[string]int{"0": 0, "1": 0, "2": 0, "5": 1, "127": 0, "none": 0} {
			os.Remove(program)
			if code != "none" {
				if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\"\nexit "+code+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range HookNames {
				for form, text := range map[string]string{
					"lines": strings.Join(hookLines(name, shellQuote(program)), "\n"), "line": hookLine(name, shellQuote(program)),
				} {
					cmd := exec.Command(path, append(args, "-c", text+"\necho on\n", "hook", "argument")...)
					out, _ := cmd.CombinedOutput()
					got, wantCode := string(out), 0
					if name == "pre-commit" {
						wantCode = want
					}
					if cmd.ProcessState.ExitCode() != wantCode || (wantCode == 0) != strings.HasSuffix(got, "on\n") {
						t.Errorf("%s, %s of %s, exit code %s: %d\n%s", shell, form, name, code, cmd.ProcessState.ExitCode(), got)
					}
					if name != "pre-commit" && form == "lines" && got != "on\n" {
						t.Errorf("%s says %q", name, got)
					}
					if name == "pre-commit" && form == "lines" && code == "none" && strings.Count(got, "\n") != 2 {
						t.Errorf("without the program %s says %q", name, got)
					}
				}
			}
		}
	}
}

func TestInterpreter(t *testing.T) {
	for src, want := range map[string]bool{
		"":                                    true,
		"echo hi":                             true,
		"#!/bin/sh":                           true,
		"#! /bin/sh -e\nx":                    true,
		"#!/usr/bin/env bash\n":               true,
		"#!/usr/bin/env -S A=b bash -eu\n":    true,
		"#!/bin/busybox sh\n":                 true,
		"#!C:\\Program\\sh.exe\r\n":           true,
		"#!/usr/bin/zsh\n":                    true,
		"#!/usr/bin/env python3\n":            false,
		"#!/usr/bin/python\n":                 false,
		"#!/usr/bin/env -S deno run\n":        false,
		"#!/usr/bin/fish\n":                   false,
		"#!/bin/csh\n":                        false,
		"#!/usr/bin/env\n":                    false,
		"#!\n":                                false,
		"\x7fELF\x02\x01\x01\x00\x00\x00\x00": false,
		"#!/bin/sh\n\x00":                     false,
		"\ufeff#!/bin/sh\n":                   false,
	} {
		if by, got := interpreter([]byte(src)); got != want || by == "" {
			t.Errorf("%q: %v by %q", src, got, by)
		}
	}
}

func TestCallsHook(t *testing.T) {
	for src, want := range map[string]bool{
		"sdd check --staged\n":                                  true,
		"  '/usr/local/bin/sdd' check --staged || exit 1\r\n":   true,
		`subprocess.run(["sdd", "check", "--staged"])`:          true,
		"      run: if command -v sdd; then sdd check --staged": true,
		hookLine("pre-commit", "sdd"):                           true,
		"# sdd check --staged\n":                                false,
		"sdd check\n":                                           false,
		"eslint check --staged\n":                               false,
		"sdd hook post-commit\n":                                false,
	} {
		if got := callsHook([]byte(src), "pre-commit"); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
	for _, name := range HookNames {
		for _, other := range HookNames {
			if got := callsHook([]byte(fmt.Sprintln(hookLine(name, "sdd"))), other); got != (name == other) {
				t.Errorf("the line of %s is taken for %s: %v", name, other, got)
			}
		}
	}
}

func mustBlock(t *testing.T, src string, lines []string) string {
	t.Helper()
	out, err := hookMarks.atTop([]byte(src), "", lines)
	if err != nil {
		t.Fatalf("%v\n%q", err, src)
	}
	return string(out)
}

func mustBeWithout(t *testing.T, src string) string {
	t.Helper()
	blocks, err := hookMarks.find([]byte(src))
	if err != nil {
		t.Fatalf("%v\n%q", err, src)
	}
	return string(withoutTop([]byte(src), blocks))
}
