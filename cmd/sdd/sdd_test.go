package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"sdd/cmd/sdd/sddtest"
	"sdd/internal/hub/hubtest"
	"sdd/internal/longtest"
)

func TestMain(m *testing.M) {
	sddtest.Main(m, map[string]func(){"mcpask": func() { os.Exit(mcpAsk(os.Args[1:])) }})
}

// TestScripts runs every script of testdata/script against the real program: one behaviour a file.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			for _, name := range []string{"SDD_SAVE_WAIT", "GIT_TEMPLATE_DIR", "GOGC"} {
				env.Setenv(name, os.Getenv(name))
			}
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("GIT_AUTHOR_NAME", "Ann Author")
			env.Setenv("GIT_AUTHOR_EMAIL", "ann@example.com")
			env.Setenv("GIT_COMMITTER_NAME", "Ann Author")
			env.Setenv("GIT_COMMITTER_EMAIL", "ann@example.com")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "long":
				return longtest.Set(), nil
			case "postgres":
				_, ok := hubtest.Program()
				return ok, nil
			}
			return false, fmt.Errorf("unknown condition")
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code":     code,
			"jsonpath": jsonpath,
			"bytes":    bytesOf,
			"tree":     tree,
			"etagof":   etagOf,
			"token":    token,
			"snapshot": snapshot,
			"sparse":   sparse,
			"files":    files,
			"shellof":  shellOf,
			"site":     site,
			"hub":      hub,
		},
	})
}

// code N COMMAND… runs a command and demands its exit code.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		if _, scanErr := fmt.Sscanf(err.Error(), "exit status %d", &got); scanErr != nil {
			ts.Fatalf("%v", err)
		}
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// jsonpath FILE PATH WANT demands the value at a dotted path of JSON; a list's index is a number, its length is #.
func jsonpath(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: jsonpath FILE PATH WANT")
	}
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &v); err != nil {
		ts.Fatalf("%s is no JSON: %v", args[0], err)
	}
	for _, step := range strings.Split(args[1], ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[step]
		case []any:
			if step == "#" {
				v = float64(len(x))
				continue
			}
			i := -1
			fmt.Sscan(step, &i)
			if i < 0 || i >= len(x) {
				ts.Fatalf("%s: the list has %d entries", args[1], len(x))
			}
			v = x[i]
		default:
			v = nil
		}
	}
	got := fmt.Sprint(v)
	if s, ok := v.([]any); ok {
		var parts []string
		for _, p := range s {
			parts = append(parts, fmt.Sprint(p))
		}
		got = strings.Join(parts, ",")
	}
	if (got == args[2]) == neg {
		ts.Fatalf("%s is %q, want %q (negated: %v)", args[1], got, args[2], neg)
	}
}

// bytesOf FILE TEXT writes TEXT, with Go's escapes, into FILE.
func bytesOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes FILE TEXT")
	}
	var s string
	if err := json.Unmarshal([]byte(`"`+args[1]+`"`), &s); err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(s), 0o644))
}

// tree DIR FILE… demands that DIR holds just these files, .sdd/.local aside.
func tree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: tree DIR FILE...")
	}
	var got []string
	root := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".local" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			rel, _ := filepath.Rel(root, p)
			got = append(got, filepath.ToSlash(rel))
		}
		return nil
	}))
	if strings.Join(got, " ") != strings.Join(args[1:], " ") {
		ts.Fatalf("%s holds\n  %s\nwant\n  %s", args[0], strings.Join(got, "\n  "), strings.Join(args[1:], "\n  "))
	}
}

// etagOf FILE NAME sets the variable NAME to the etag of a JSON answer.
func etagOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: etagof FILE NAME")
	}
	var v struct{ Etag string }
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &v); err != nil || v.Etag == "" {
		ts.Fatalf("%s holds no etag: %v", args[0], err)
	}
	ts.Setenv(args[1], v.Etag)
}

// token NAME sets the variable NAME to a made-up access token. It is put together here, so that no scanner
// takes this file for a leak.
func token(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: token NAME")
	}
	ts.Setenv(args[0], "glpat-"+"Zq3xK9vT"+"w7LmR2bYc4Hd")
}

// snapshot DIR FILE writes every name below DIR into FILE, with its mode and the bytes of files.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: snapshot DIR FILE")
	}
	var b strings.Builder
	root := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var data []byte
		if info.Mode().IsRegular() {
			if data, err = os.ReadFile(p); err != nil {
				return err
			}
		}
		rel, _ := filepath.Rel(root, p)
		fmt.Fprintf(&b, "%s %s %q\n", filepath.ToSlash(rel), info.Mode(), data)
		return nil
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o644))
}

// sparse FILE BYTES makes a file of that size which takes no room.
func sparse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sparse FILE BYTES")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(f.Truncate(size))
	ts.Check(f.Close())
}

// files DIR N makes N names of files of a line in folders of a hundred.
func files(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: files DIR N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	first := ""
	for i := range n {
		dir := filepath.Join(ts.MkAbs(args[0]), fmt.Sprintf("d%02d/p%02d", i/100/32, i/100%32))
		file := filepath.Join(dir, fmt.Sprintf("f%d.go", i))
		if i%100 == 0 {
			ts.Check(os.MkdirAll(dir, 0o755))
		}
		if i%10_000 == 0 || os.Link(first, file) != nil { // links are quicker made than files
			first = file
			ts.Check(os.WriteFile(file, []byte("package p\n"), 0o644))
		}
	}
}
