package editors

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"sdd/cmd/sdd/sddtest"
	"sdd/internal/setup"
)

// extension unpacks the extension for VS Code beside a stub of VS Code's API, and returns its folder.
func extension(t *testing.T, program string) string {
	t.Helper()
	need(t, "node")
	data, err := setup.Extension("v1.2.3", program, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "extension")
	stub := filepath.Join(folder, "node_modules", "vscode")
	if err := os.MkdirAll(stub, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(stub, "index.js"), read(t, "testdata/vscode.js"))
	return folder
}

// need skips a test where a program is missing.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(p + " is not here")
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// write writes a file and makes its folder.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// node runs a script of testdata, which says done when everything held.
func node(t *testing.T, script string, args ...string) {
	t.Helper()
	path := filepath.Join("testdata", script)
	read(t, path) // go test runs this again when the script changed
	out, err := exec.CommandContext(t.Context(), "node", append([]string{path}, args...)...).CombinedOutput()
	if err != nil || !bytes.HasSuffix(bytes.TrimSpace(out), []byte("done")) {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// TestVSCodeExtension drives every provider of the extension against a server of the test, which also dies and sends garbage.
func TestVSCodeExtension(t *testing.T) {
	t.Parallel()
	folder, project := extension(t, "sdd"), t.TempDir()
	write(t, filepath.Join(project, ".sdd", "config.yaml"), "")
	write(t, filepath.Join(project, "below", "main.go"), "package main\n")
	write(t, filepath.Join(project, "lsp"), read(t, "testdata/server.js"))
	node(t, "fake.js", folder, project)
}

// served is a project with records that concern main.go. It skips a test while the program has no language server.
func served(t *testing.T) (project, program string) {
	t.Helper()
	program = sddtest.Program(t)
	if exec.Command(program, "lsp", "--help").Run() != nil {
		t.Skip("this program has no sdd lsp")
	}
	project = t.TempDir()
	write(t, filepath.Join(project, "main.go"), "package main\n\nfunc main() {\n\tprintln(1)\n}\n")
	write(t, filepath.Join(project, ".sdd", "decisions", "use-go.md"), `---
title: Use Go
status: accepted
supersedes: [decision/use-c]
code_ref: main.go#main
created: 2026-01-02
---

## Context and Problem Statement

We need a language.

## Decision Outcome

We use Go.
`)
	write(t, filepath.Join(project, ".sdd", "decisions", "use-c.md"),
		"---\ntitle: Use C\nstatus: superseded\ncreated: 2026-01-01\n---\n\n## Decision Outcome\n\nC it is.\n")
	return project, program
}

// TestVSCodeWithServer drives the extension against the real server.
func TestVSCodeWithServer(t *testing.T) {
	folder := extension(t, "sdd")
	project, program := served(t)
	t.Setenv("HOME", t.TempDir())
	node(t, "real.js", folder, project, program)
}
