package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// shellOf writes the shell blocks of a page of this repository into a file: shellof PAGE FILE.
func shellOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: shellof PAGE FILE")
	}
	src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(args[0])))
	ts.Check(err)
	var out strings.Builder
	for n, block := range strings.Split(string(src), "```") {
		if lines, ok := strings.CutPrefix(block, "sh\n"); ok && n%2 == 1 {
			out.WriteString(lines)
		}
	}
	if out.Len() == 0 {
		ts.Fatalf("%s has no shell block", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o644))
}

// root is the top of this repository.
var root = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}()

// TestPagesAreRun: a script names every page of the documentation that has shell lines.
func TestPagesAreRun(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, ".docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	scripts := ""
	for _, name := range []string{"docs-shell", "hub"} {
		src, err := os.ReadFile(filepath.Join("testdata", "script", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		scripts += string(src)
	}
	for _, page := range pages {
		src, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(src), "```sh\n") && !strings.Contains(scripts, ".docs/"+filepath.Base(page)) {
			t.Errorf("no script runs the shell lines of %s", filepath.Base(page))
		}
	}
}
