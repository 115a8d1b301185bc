package editors

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// neovim opens a record of a project in Neovim, with the file that sdd setup writes, and runs check.lua. program replaces sdd in that
// file, "" for none. The server has a finding for the record and a lens for main.go.
func neovim(t *testing.T, project, record, program string) {
	t.Helper()
	env, outside := configured(t, project, program)
	env = append(env, "OTHER="+filepath.Join(project, "main.go"), "OUTSIDE="+outside)
	check, err := filepath.Abs("testdata/check.lua")
	if err != nil {
		t.Fatal(err)
	}
	read(t, check) // go test runs this again when the script changed
	cmd := exec.CommandContext(t.Context(), "nvim", "--headless", filepath.Join(project, ".sdd", record), "-c", "luafile "+check)
	cmd.Dir, cmd.Env = project, env
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("done")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// configured runs sdd setup for Neovim in a new home folder. It returns the environment, and a file outside of all projects.
func configured(t *testing.T, project, program string) (env []string, outside string) {
	t.Helper()
	home, outside := t.TempDir(), filepath.Join(t.TempDir(), "b.md")
	env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_DATA_HOME="+home,
		"XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home, "NVIM_APPNAME=")
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
	return env, outside
}

// TestNeovim: with the file in place a record has the server of its project, code has the same one and its lenses, other files none.
func TestNeovim(t *testing.T) {
	t.Parallel()
	need(t, "nvim", "node")
	project := t.TempDir()
	write(t, filepath.Join(project, ".sdd", "facts", "a.md"), "# Top\nbelow\n")
	write(t, filepath.Join(project, "main.go"), "package main\n\nfunc main() {}\n")
	write(t, filepath.Join(project, "lsp"), read(t, "testdata/server.js"))
	neovim(t, project, "facts/a.md", "node")
}

func TestNeovimWithServer(t *testing.T) {
	t.Parallel()
	need(t, "nvim")
	project, _ := served(t)
	write(t, filepath.Join(project, ".sdd", "decisions", "broken.md"),
		"---\ntitle: Broken\nstatus: accepted\ncreated: 2026-01-02\n---\n\n## Decision Outcome\n\nSee [it](nowhere.md).\n")
	neovim(t, project, "decisions/broken.md", "")
}

// TestNeovimEnable: where Neovim has vim.lsp.enable, which came with 0.11, the file uses it, and only for files of a project. Two
// functions of the test stand for Neovim's, so that an older one can run this.
func TestNeovimEnable(t *testing.T) {
	t.Parallel()
	need(t, "nvim")
	project := t.TempDir()
	record := filepath.Join(project, ".sdd", "facts", "a.md")
	write(t, record, "# Top\n")
	env, outside := configured(t, project, "node")
	const before = `lua made = {}
		vim.lsp.config = function(name, c) made[name] = c end
		vim.lsp.enable = function(name) made.enabled = name end`
	const check = `lua
		local c, folders = made.sdd, {}
		for _, name in ipairs({ vim.env.RECORD, vim.env.OUTSIDE }) do
			vim.cmd("edit " .. vim.fn.fnameescape(name))
			c.root_dir(vim.api.nvim_get_current_buf(), function(folder) table.insert(folders, folder) end)
		end
		assert(made.enabled == "sdd" and c.cmd[2] == "lsp" and vim.tbl_contains(c.filetypes, "markdown") and c.on_attach)
		assert(#folders == 1 and folders[1] == vim.env.PROJECT, vim.inspect(folders))
		io.stdout:write("done\\n")`
	lines := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	cmd := exec.CommandContext(t.Context(), "nvim", "--headless", "--cmd", lines(before), "-c", lines(check), "-c", "qall!")
	cmd.Env = append(env, "RECORD="+record, "OUTSIDE="+outside, "PROJECT="+project)
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("done")) {
		t.Fatalf("%v\n%s", err, out)
	}
}
