package grep

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

const wholeGroup = 25 // lines up to which a group of declarations stays together

// goUnits are the declarations of a Go file with their comments. A file that does not parse gives those that do.
func goUnits(src []byte) []unit {
	files := token.NewFileSet()
	f, _ := parser.ParseFile(files, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil {
		return nil
	}
	lineOf := func(p token.Pos) int { return files.PositionFor(p, false).Line - 1 }
	var units []unit
	add := func(doc *ast.CommentGroup, from, to token.Pos) {
		if !from.IsValid() || !to.IsValid() {
			return
		}
		u := unit{lineOf(from), lineOf(to)}
		if doc != nil {
			u.start = lineOf(doc.Pos())
		}
		if u.start >= 0 && u.start <= u.end {
			units = append(units, u)
		}
	}
	if f.Doc != nil {
		add(f.Doc, f.Package, f.Package)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Doc, d.Pos(), d.End())
		case *ast.GenDecl:
			if !d.Lparen.IsValid() || lineOf(d.End())-lineOf(d.Pos()) < wholeGroup {
				add(d.Doc, d.Pos(), d.End())
				continue
			}
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Doc, s.Pos(), s.End())
				case *ast.ValueSpec:
					add(s.Doc, s.Pos(), s.End())
				default:
					add(nil, s.Pos(), s.End())
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
	return apart
}
