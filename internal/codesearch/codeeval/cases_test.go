// Package codeeval measures code search against labelled questions about real libraries, and against the naive way:
// grep every word of the question and read the files.
package codeeval

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

//go:embed cases.txt
var casesText string

// modules are the libraries that the questions are about. They are modules that this one depends on, so that
// their sources are at hand in the version of go.mod.
var modules = map[string]string{
	"cobra":    "github.com/spf13/cobra",
	"goldmark": "github.com/yuin/goldmark",
	"mcp-go":   "github.com/mark3labs/mcp-go",
}

// question is one case.
type question struct {
	repo  string
	text  string
	wants []string // file#Symbol
	held  bool
}

// span is a range of lines of a file.
type span struct {
	file       string
	start, end int
}

// questions reads the cases. Those that begin a third case are held.
func questions() ([]question, error) {
	var out []question
	var open *question
	body := []string{}
	closeCase := func() {
		if open != nil {
			open.text = strings.TrimSpace(strings.Join(body, "\n"))
			out = append(out, *open)
		}
		open, body = nil, nil
	}
	for line := range strings.Lines(casesText) {
		line = strings.TrimRight(line, "\n")
		if repo, places, ok := strings.Cut(line, ": "); ok && modules[repo] != "" && strings.Contains(places, "#") {
			closeCase()
			open = &question{repo: repo, wants: strings.Fields(places), held: len(out)%3 == 2}
			continue
		}
		if open != nil {
			body = append(body, line)
		}
	}
	closeCase()
	for _, q := range out {
		if q.text == "" {
			return nil, fmt.Errorf("case %v has no question", q.wants)
		}
	}
	return out, nil
}

// answer finds the range of a place file#Symbol or file#Type.Method, with its comment.
func answer(root, place string) (span, error) {
	file, symbol, ok := strings.Cut(place, "#")
	if !ok {
		return span{}, fmt.Errorf("%q is no place", place)
	}
	src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return span{}, err
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return span{}, err
	}
	typ, name, method := strings.Cut(symbol, ".")
	if !method {
		name = symbol
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == name && (receiver(d) == typ && method || d.Recv == nil && !method) {
				return span{file, files.Position(d.Pos()).Line, files.Position(d.End()).Line}, nil
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && !method && t.Name.Name == name {
					return span{file, files.Position(t.Pos()).Line, files.Position(t.End()).Line}, nil
				}
			}
		}
	}
	return span{}, fmt.Errorf("%s defines no %s", file, symbol)
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
