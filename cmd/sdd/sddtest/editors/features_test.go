package editors

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

const project = `
-- main.go --
package main

func main() {
	println("hello")
}
-- .sdd/decisions/use-go.md --
---
title: Use Go
status: Accepted
relates_to:
  - explore/languages
---

## Context and Problem Statement

See sdd://explore/languages, 😀 in main.go.

## Decision Outcome

Go it is, as ` + "`main.go#main`" + ` shows.
-- .sdd/explore/languages.md --
---
title: Languages
---

## Goals

- Short builds
`

// newProject writes the project and returns its folder.
func newProject(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(project)).Files {
		file := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	if got, want = strings.TrimSpace(got), strings.TrimSpace(want); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestNeovimFeatures drives every feature through Neovim's own client.
func TestNeovimFeatures(t *testing.T) {
	t.Parallel()
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("there is no nvim: apt-get install neovim")
	}
	script, err := filepath.Abs("testdata/drive.lua")
	if err != nil {
		t.Fatal(err)
	}
	root, result := newProject(t), filepath.Join(t.TempDir(), "result")
	cmd := exec.Command(nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile "+script)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "SDD_RESULT="+result, "HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(result)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	compare(t, string(got), `
encoding utf-16
diagnostic ["bad-value",2,1]
action Set status to accepted
action Affirm: still true of main.go#main
action Supersede with a new decision
corrected status: accepted
hover **Languages**
definition [".sdd/explore/languages.md:1"]
references [".sdd/explore/languages.md:1",".sdd/decisions/use-go.md:4",".sdd/decisions/use-go.md:9"]
definition ["main.go:2"]
symbols ["Context and Problem Statement","Decision Outcome"]
folds 3
completion ["explore/languages"]
renamed Languages
title title: Which languages
link   - explore/which-languages
lens ["1 decision",2]
shown 1 decision: 1
hover **Use Go**
references [".sdd/decisions/use-go.md:13"]
superseded status: superseded
successor   - decision/use-go
stopped yes
`)
}

// TestProtocolFeatures drives every feature through the library of VS Code's client.
func TestProtocolFeatures(t *testing.T) {
	t.Parallel()
	check := exec.Command("node", "-e", "require.resolve('vscode-languageserver-protocol/node')")
	if err := check.Run(); err != nil {
		t.Skip("node finds no vscode-languageclient here: npm install it somewhere and set NODE_PATH to its node_modules")
	}
	script, err := filepath.Abs("testdata/drive.js")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", script)
	cmd.Dir = newProject(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	compare(t, string(out), `
encoding utf-16
diagnostic ["bad-value",2,1]
action Set status to accepted
action Affirm: still true of main.go#main
action Supersede with a new decision
corrected []
hover **Languages**
definition [".sdd/explore/languages.md:1"]
references [".sdd/explore/languages.md:1",".sdd/decisions/use-go.md:4",".sdd/decisions/use-go.md:9"]
definition ["main.go:2"]
symbols ["Context and Problem Statement","Decision Outcome"]
folds 3
completion ["explore/languages"]
renamed Languages
rename [[".sdd/decisions/use-go.md",["explore/which-languages","sdd://explore/which-languages"]],[".sdd/explore/languages.md",["title: Which l"]]]
lens ["1 decision",2]
shown decision/use-go: Use Go
unknown -32601
stopped 0
`)
}
