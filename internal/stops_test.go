package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStopsAreCaught finds goroutines that call fault.Check or fault.Must without fault.Caught: their errors would end the program.
func TestStopsAreCaught(t *testing.T) {
	goroutines := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var started ast.Expr
			switch n := n.(type) {
			case *ast.GoStmt:
				started = n.Call.Fun
			case *ast.CallExpr: // of a sync.WaitGroup
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" && len(n.Args) == 1 {
					started = n.Args[0]
				}
			}
			if f, ok := started.(*ast.FuncLit); ok {
				goroutines++
				if calls := faultCalls(f.Body); len(calls) > 0 && !slices.Contains(calls, "Caught") {
					t.Errorf("%s: a goroutine ends by fault.%s, and nothing catches it", set.Position(f.Pos()), calls[0])
				}
			}
			return true
		})
		return nil
	})
	if err != nil || goroutines < 30 {
		t.Fatalf("%d goroutines were looked at: %v", goroutines, err)
	}
}

// faultCalls lists the functions Check, Must and Caught of package fault that a function calls, without those in it.
func faultCalls(body ast.Node) (names []string) {
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"Check", "Must", "Caught"}, s.Sel.Name) {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "fault" {
				names = append(names, s.Sel.Name)
			}
		}
		return true
	})
	return names
}
