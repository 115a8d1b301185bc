package grep

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parsed are the declarations of a Go file as its syntax tree has them.
func parsed(src []byte) ([]unit, bool) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	lineOf := func(p token.Pos) int { return files.PositionFor(p, false).Line - 1 }
	var units []unit
	add := func(doc *ast.CommentGroup, from, to token.Pos) {
		u := unit{lineOf(from), lineOf(to - 1)}
		if doc != nil {
			u.start = lineOf(doc.Pos())
		}
		units = append(units, u)
	}
	if f.Doc != nil {
		add(f.Doc, f.Package, f.Name.End())
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Doc, d.Pos(), d.End())
		case *ast.GenDecl:
			if !d.Lparen.IsValid() || lineOf(d.End()-1)-lineOf(d.Pos()) < wholeGroup {
				add(d.Doc, d.Pos(), d.End())
				continue
			}
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Doc, s.Pos(), s.End())
				case *ast.ValueSpec:
					add(s.Doc, s.Pos(), s.End())
				case *ast.ImportSpec:
					add(s.Doc, s.Pos(), s.End())
				}
			}
		}
	}
	slices.SortFunc(units, func(a, b unit) int { return a.start - b.start })
	apart := units[:0]
	for _, u := range units {
		if n := len(apart); n == 0 || u.start > apart[n-1].end {
			apart = append(apart, u)
		}
	}
	return apart, true
}

// TestGoUnitsAsParsed reads some of Go's own sources: the tokens tell what the parser tells.
func TestGoUnitsAsParsed(t *testing.T) {
	root := goRoot()
	if root == "" {
		t.Skip("no go command")
	}
	files, all, same := 0, 0, 0
	for _, dir := range []string{"go", "net", "syscall", "text", "unicode"} {
		err := filepath.WalkDir(filepath.Join(root, "src", dir), func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(p, ".go") {
				return err
			}
			src, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			want, ok := parsed(src)
			if !ok || len(src) == 0 {
				return nil
			}
			files++
			got := outlineOf("x.go", src).units
			for _, u := range want {
				all++
				if slices.Contains(got, u) {
					same++
				} else if testing.Verbose() {
					t.Logf("%s: %v", p, u)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 500 || same < all*99/100 {
		t.Errorf("%d files, %d of %d declarations", files, same, all)
	}
}

func TestGoUnits(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want []unit
	}{
		"empty":               {"\n", nil},
		"comments":            {"// Package x is.\npackage x\n\n// far\n\n// F does.\n// It does.\nfunc F() {\n}\n", []unit{{0, 1}, {5, 8}}},
		"behind the last one": {"package x\n\nvar a = 1 // one\nvar b = 2\n", []unit{{2, 2}, {3, 3}}},
		"a short group":       {"package x\n\nconst (\n\t// A is.\n\tA = iota\n\tB\n)\n", []unit{{2, 6}}},
		"a long group":        {"package x\n\nvar (\n\t// A is.\n\tA = `1\n2`\n" + strings.Repeat("\n", 25) + "\tB, C = func() int {\n\t\treturn 1\n\t}, (2)\n)\n", []unit{{3, 5}, {31, 33}}},
		"not closed":          {"package x\n\nfunc f() {\n\tif a {\n\nfunc g() {\n}\n", []unit{{2, 3}, {5, 6}}},
		"closed too often":    {"package x\n\nfunc f() {\n}}\n\ntype t struct{}\n", []unit{{2, 3}, {5, 5}}},
		"a line of its own":   {"//line y.go:100\npackage x\n\n//line z.go:7\nfunc f() {\n}\n", []unit{{0, 1}, {3, 5}}},
		"no newline":          {"package x\nfunc f() {}", []unit{{1, 1}}},
		"CRLF":                {"package x\r\n\r\n// f\r\nfunc f() {\r\n}\r\n", []unit{{2, 4}}},
	} {
		if diff := cmp.Diff(c.want, outlineOf("x.go", []byte(c.src)).units, cmp.AllowUnexported(unit{})); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestCalledIsNamed(t *testing.T) {
	dir := plant(t, map[string]string{
		"a.go": "package a\n\nfunc flushSpool() {\n\tdrain(1)\n\tprintln()\n}\n",
		"b.go": "package a\n\n// flush is used.\nvar flush int\n\n// drain empties it.\nfunc drain(n int) error {\n\treturn nil\n}\n",
	})
	var got []string
	for _, h := range search(t, dir, Query{Query: "flush spool"}).Rest {
		got = append(got, fmt.Sprintf("%s:%d %s", h.Path, h.Start, h.Text))
	}
	if want := []string{"b.go:7 func drain(n int) error {"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
