package editors

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// neovim opens a record of a project in Neovim, with the file that sdd setup writes, and runs check.lua. program replaces sdd in that
// file, "" for none. The server has a finding for the record and a lens for main.go.
func neovim(t *testing.T, project, record, program string) {
	t.Helper()
	home, outside := t.TempDir(), filepath.Join(t.TempDir(), "b.md")
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home,
		"XDG_CACHE_HOME="+home, "NVIM_APPNAME=", "OTHER="+filepath.Join(project, "main.go"), "OUTSIDE="+outside)
	write(t, outside, "# Elsewhere\n")
	setup := exec.Command("sdd", "setup", "--editor", "neovim")
	setup.Dir, setup.Env = project, env
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(home, ".config", "nvim", "plugin", "sdd.lua")
	if program != "" {
		text := regexp.MustCompile(`"[^"]*", "lsp"`).ReplaceAllLiteralString(read(t, file), strconv.Quote(program)+`, "lsp"`)
		write(t, file, text)
	}
	check, err := filepath.Abs("testdata/check.lua")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "nvim", "--headless", filepath.Join(project, ".sdd", record), "-c", "luafile "+check)
	cmd.Dir, cmd.Env = project, env
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("done")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestNeovim: with the file in place a record has the server of its project, code has the same one and its lenses, other files none.
func TestNeovim(t *testing.T) {
	need(t, "nvim", "node")
	project := t.TempDir()
	write(t, filepath.Join(project, ".sdd", "facts", "a.md"), "# Top\nbelow\n")
	write(t, filepath.Join(project, "main.go"), "package main\n\nfunc main() {}\n")
	write(t, filepath.Join(project, "lsp"), read(t, "testdata/server.js"))
	neovim(t, project, "facts/a.md", "node")
}

func TestNeovimWithServer(t *testing.T) {
	need(t, "nvim")
	project, _ := served(t)
	write(t, filepath.Join(project, ".sdd", "decisions", "broken.md"),
		"---\ntitle: Broken\nstatus: accepted\ncreated: 2026-01-02\n---\n\n## Decision Outcome\n\nSee [it](nowhere.md).\n")
	neovim(t, project, "decisions/broken.md", "")
}
