package discovery

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"sdd/internal/fault"
)

// content returns the sentence of a key, "" for none.
func content(r Report, key string) string {
	for _, f := range r.Facts {
		if f.Key == key {
			return f.Content
		}
	}
	return ""
}

func wantHas(t *testing.T, r Report, key, part string) {
	t.Helper()
	if got := content(r, key); !strings.Contains(got, part) {
		t.Errorf("%s says %q, not %q", key, got, part)
	}
}

// repository makes a git repository with a Go module and one commit.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/x\n")
	write(t, root, "a/a.go", "// Package a does it.\npackage a\n")
	runGit(t, root, "init", "-q", "-b", "main")
	runGit(t, root, "add", "-A")
	runGit(t, root, "commit", "-q", "-m", "first")
	return root
}

func TestUnbornBranch(t *testing.T) {
	root := t.TempDir()
	runGit(t, root, "init", "-q", "-b", "trunk")
	write(t, root, "go.mod", "module example.com/x\n")
	r := discover(t, root)
	wantHas(t, r, "test:go", "go test")
}

func TestSubmodule(t *testing.T) {
	inner, root := repository(t), repository(t)
	runGit(t, root, "submodule", "--quiet", "add", inner, "libs/inner")
	r := discover(t, root)
	if slices.ContainsFunc(r.Facts, func(f Found) bool { return strings.HasPrefix(f.Source, "libs/") }) {
		t.Error("facts come from the submodule's files")
	}
	wantHas(t, discover(t, filepath.Join(root, "libs", "inner")), "test:go", "go test")
}

// Without the command, the files come from a walk and everything else is as ever.
func TestNoGit(t *testing.T) {
	root := repository(t)
	write(t, root, "node_modules/x/package.json", `{"name": "x"}`)
	write(t, root, "target/x.rs", "")
	write(t, root, ".gitignore", "target\n")
	with := discover(t, root)
	t.Setenv("PATH", t.TempDir())
	r := discover(t, root)
	if content(r, "languages") != content(with, "languages") || !slices.Equal(r.Domains, with.Domains) {
		t.Errorf("%q %q", content(r, "languages"), r.Domains)
	}
	if content(r, "module:node_modules/x") != "" {
		t.Error(reportText(r))
	}
}

// A folder that the repository around it ignores is walked: it has files all the same.
func TestIgnoredFolderInARepository(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "/tmp\n")
	write(t, root, "tmp/x/Cargo.toml", "[package]\nname = \"x\"\n")
	wantHas(t, discover(t, filepath.Join(root, "tmp", "x")), "test:rust", "cargo test")
}

func TestIgnoredFilesAreNotThere(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "gen/\n")
	write(t, root, "gen/package.json", `{"description": "gen"}`)
	write(t, root, "new/package.json", `{"description": "new"}`)
	r := discover(t, root)
	if content(r, "module:gen") != "" || content(r, "module:new") == "" {
		t.Error(reportText(r))
	}
}

func TestLinks(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "package.json", `{"description": "outside"}`)
	for _, inGit := range []bool{false, true} {
		root := t.TempDir()
		if inGit {
			runGit(t, root, "init", "-q", "-b", "main")
		}
		write(t, root, "AGENTS.md", "## Rules\n")
		for link, to := range map[string]string{"loop": ".", "a/up": "..", "CLAUDE.md": "AGENTS.md", "dead": "nowhere", "package.json": filepath.Join(outside, "package.json"), "self": "self"} {
			write(t, root, "a/x.py", "x = 1\n")
			if err := os.Symlink(to, filepath.Join(root, filepath.FromSlash(link))); err != nil {
				t.Skip("no symbolic links here:", err)
			}
		}
		r := discover(t, root)
		wantHas(t, r, "rules:CLAUDE.md", "Rules")
		if content(r, "purpose") != "" || len(r.Warnings) > 0 {
			t.Errorf("a link leads out of the folder, or is a fault: %s", reportText(r))
		}
	}
}

func TestLargeFilesAreNotReadWhole(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"package.json", "README.md", "dump.sql", "main.go", "LICENSE"} {
		write(t, root, name, "")
		if err := os.Truncate(filepath.Join(root, name), 1<<30); err != nil {
			t.Skip("no sparse files here:", err)
		}
	}
	write(t, root, "go.mod", "module example.com/x\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := discover(t, root)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("%d MB were allocated", used>>20)
	}
	wantHas(t, r, "test:go", "go test")
	big := t.TempDir()
	write(t, big, "package.json", `{"name": "x", "description": "`+strings.Repeat("x", manifestLimit)+`"}`)
	if r := discover(t, big); len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "package.json: larger") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

func TestBytesThatAreNoText(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a-folder-of-somebody")
	write(t, root, "README.md", "# Caf\xe9\n\nServes \xff\xfe coffee \x1b[31mand\u202e tea to those who ask.\n")
	write(t, root, "pkg/__init__.py", "\"\"\"Caf\xe9s of the town.\"\"\"\n")
	write(t, root, "other/x.py", "\x00\x01\x02")
	write(t, root, "go.mod", "\x00\x00")
	write(t, root, "Cargo.toml", "\xff\xfe[\x00")
	if err := os.WriteFile(filepath.Join(root, "bad\xffname.py"), nil, 0o666); err == nil {
		write(t, root, "line\nbreak.py", "")
	}
	r := discover(t, root)
	wantHas(t, r, "purpose", "Serves coffee [31mand tea to those who ask.")
	lawful(t, root, r)
}

func TestNotAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, filepath.Dir(file), "file", "")
	for _, root := range []string{file, filepath.Join(filepath.Dir(file), "nothing")} {
		if _, err := Discover(t.Context(), root); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", root, err)
		}
		if ADRs(root) != nil || Changed(root, map[string]string{"a": "b"}) != nil {
			t.Errorf("%s has something", root)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, root := range []string{repository(t), t.TempDir()} {
		if _, err := Discover(ctx, root); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}

// Of more files than the limit those near the top count, and the report is marked, with and without git.
func TestTruncated(t *testing.T) {
	defer func(files, manifests int) { maxFiles, maxManifests = files, manifests }(maxFiles, maxManifests)
	maxFiles, maxManifests = 20, 3
	for _, inGit := range []bool{false, true} {
		root := t.TempDir()
		write(t, root, "go.mod", "module example.com/x\n")
		for i := range 40 {
			write(t, root, fmt.Sprintf("a/b/c%02d/x.py", i), "")
		}
		write(t, root, "z/z.go", "package z\n")
		if inGit {
			runGit(t, root, "init", "-q", "-b", "main")
		}
		r, err := Discover(t.Context(), root)
		if err != nil || !r.Truncated || r.Files != 20 {
			t.Fatalf("%v %v %d", err, r.Truncated, r.Files)
		}
		wantHas(t, r, "test:go", "go test")
		wantHas(t, r, "layout", "z (Go)")
		if content(r, "absent:tests") != "" {
			t.Error("of files that were not looked at nothing can be said")
		}
	}
	root := t.TempDir()
	for i := range 10 {
		write(t, root, fmt.Sprintf("p%d/package.json", i), fmt.Sprintf(`{"name": "n%d"}`, i))
	}
	if r, err := Discover(t.Context(), root); err != nil || !r.Truncated || len(r.Manifests) != 3 || len(r.Warnings) != 1 {
		t.Errorf("%v %v %v", err, r.Manifests, r.Warnings)
	}
}

func TestChanged(t *testing.T) {
	root := repository(t)
	write(t, root, ".gitignore", "/Makefile\n")
	write(t, root, "Makefile", "x:\n")
	write(t, root, "README.rst", "A second one.\n")
	write(t, root, "Dockerfile", "FROM x\n")
	write(t, root, "README.md", "# X\n"+strings.Repeat("long\n", headLimit))
	old := discover(t, root).Manifests
	if got := Changed(root, old); got != nil {
		t.Fatalf("nothing changed, but %q", got)
	}
	write(t, root, "a/a.go", "package a // not a manifest\n")
	if got := Changed(root, old); got != nil {
		t.Errorf("nothing changed, but %q", got)
	}
	write(t, root, "go.mod", "module example.com/longer\n")
	write(t, root, "Makefile", "test:\n\ttrue\n")
	write(t, root, "package.json", "{}")
	if err := os.Remove(filepath.Join(root, "README.md")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Makefile", "README.md", "go.mod", "package.json"}, Changed(root, old)); diff != "" {
		t.Error(diff)
	}
}

// lawful checks what holds of every report.
func lawful(t *testing.T, root string, r Report) {
	t.Helper()
	keys := map[string]bool{}
	levels := 0
	for _, f := range r.Facts {
		if keys[f.Key] {
			t.Errorf("the key %s stands twice", f.Key)
		}
		keys[f.Key] = true
		if f.Level < levels || f.Level > Module {
			t.Errorf("%s: level %d after %d", f.Key, f.Level, levels)
		}
		levels = f.Level
		if f.Content == "" || f.Content != OneLine(f.Content) || f.Confidence <= 0 || f.Confidence > 1 {
			t.Errorf("%s: %q, %v", f.Key, f.Content, f.Confidence)
		}
		if (f.Level == Module) != (f.Module != "") || f.Level == Domain && f.Domain == "" || f.Level == Project && f.Domain != "" {
			t.Errorf("%s: domain %q, module %q", f.Key, f.Domain, f.Module)
		}
		if strings.Contains(f.Content, root) || strings.Contains(f.Content, filepath.Base(root)) {
			t.Errorf("%s names the folder: %s", f.Key, f.Content)
		}
		source, _, _ := strings.Cut(f.Source, "#")
		if filepath.IsAbs(source) || source == "" {
			t.Errorf("%s: source %q", f.Key, f.Source)
		}
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(source))); err != nil {
			t.Errorf("%s: there is no source %s", f.Key, source)
		}
	}
	if !slices.IsSorted(r.Domains) {
		t.Errorf("domains %q", r.Domains)
	}
	for _, d := range r.Domains {
		if called(d, "generic") {
			t.Errorf("domain %q", d)
		}
	}
	for _, w := range r.Warnings {
		if strings.Contains(w, root) {
			t.Errorf("warning %q names the folder", w)
		}
	}
}

// Of every fixture: the laws hold, and another folder with the same files, made in another order, gives the same.
func TestLaws(t *testing.T) {
	fixtures(t, func(t *testing.T, _ string, a *txtar.Archive) {
		root := lay(t, a)
		r := discover(t, root)
		lawful(t, root, r)
		slices.Reverse(a.Files)
		again := discover(t, lay(t, a))
		for path := range r.Manifests { // sizes and times
			if _, ok := again.Manifests[path]; !ok {
				t.Errorf("%s is no manifest the second time", path)
			}
		}
		again.Manifests = r.Manifests
		if diff := cmp.Diff(r, again); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSecretsStayOut(t *testing.T) {
	root := t.TempDir()
	random, token := rand.New(rand.NewPCG(1, 2)), "ghp_"
	for range 36 {
		token += string("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[random.IntN(62)])
	}
	write(t, root, "package.json", `{"name": "x", "description": "Log in with `+token+` please"}`)
	r := discover(t, root)
	if content(r, "purpose") != "" || len(r.Warnings) != 1 || strings.Contains(r.Warnings[0], "ghp_") {
		t.Error(reportText(r))
	}
}

// TestTakenForOthers: a README that begins with something else, a target that installs the program and a package of the tests.
func TestTakenForOthers(t *testing.T) {
	root := t.TempDir()
	write(t, root, "README.md", "# Shop\n\nMoney moves the world, and more of it moves more.\n")
	write(t, root, "package.json", `{"name": "shop", "description": "Sells things", "main": "src/index.js"}`)
	write(t, root, "src/index.js", "go()\n")
	write(t, root, "test/bundler/package.json", `{"name": "bundled", "main": "src/index.js"}`)
	write(t, root, "test/bundler/src/index.js", "go()\n")
	write(t, root, "Makefile", "install:\n\tcp shop /usr/bin\n")
	r := discover(t, root)
	wantHas(t, r, "purpose", "Sells things")
	wantHas(t, r, "entry", "The program begins in src/index.js.")
	if got := content(r, "install:make"); got != "" {
		t.Error(got)
	}
	write(t, root, "README.md", "# Shop\n\nShop is where things are sold.\n")
	write(t, root, "Makefile", "install:\n\tpip install -e .\n")
	r = discover(t, root)
	wantHas(t, r, "purpose", "Shop is where things are sold.")
	wantHas(t, r, "install:make", "which runs `pip install -e .`")
}
