package main

import (
	"os"
	"path/filepath"
	"strings"

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
