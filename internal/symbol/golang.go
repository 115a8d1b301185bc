package symbol

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	gotoken "go/token"
	"slices"
)

// readGo reads Go with the standard library's parser. A file with errors has the declarations that the parser could read.
func readGo(f *File, src []byte) {
	set := gotoken.NewFileSet()
	tree, _ := parser.ParseFile(set, "", src, parser.SkipObjectResolution)
	offsets := f.scanGo(src)
	if tree == nil {
		f.bare = f.toks
		return
	}
	within := func(from, to gotoken.Pos) (toks []token, first, last int) {
		a, b := set.Position(from), set.Position(to)
		i, _ := slices.BinarySearch(offsets, a.Offset)
		j, _ := slices.BinarySearch(offsets, b.Offset)
		return f.toks[i:max(i, j)], a.Line, set.Position(to - 1).Line
	}
	skip := 0 // tokens before the first declaration that is no import
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) > 0 {
				if t := receiver(d.Recv.List[0].Type); t != "" {
					name = t + "." + name
				}
			}
			toks, first, last := within(d.Pos(), d.End())
			f.add(name, Func, first, last, toks)
		case *ast.GenDecl:
			if d.Tok == gotoken.IMPORT {
				skip, _ = slices.BinarySearch(offsets, set.Position(d.End()).Offset)
				continue
			}
			for _, spec := range d.Specs {
				from := spec.Pos()
				if !d.Lparen.IsValid() {
					from = d.Pos()
				}
				toks, first, last := within(from, spec.End())
				switch s := spec.(type) {
				case *ast.TypeSpec:
					f.add(s.Name.Name, Type, first, last, toks)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.Name != "_" {
							f.add(n.Name, Value, first, last, toks)
						}
					}
				}
			}
		}
	}
	f.bare = f.toks[skip:]
}

// scanGo fills the tokens and returns their offsets. Line ends that end statements are no tokens, nor are commas and
// semicolons before a closing bracket, so that one line and several lines are the same.
func (f *File) scanGo(src []byte) (offsets []int) {
	set := gotoken.NewFileSet()
	file := set.AddFile("", set.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, tok, text := s.Scan()
		if tok == gotoken.EOF {
			return offsets
		}
		if tok == gotoken.SEMICOLON {
			text = ";"
		} else if text == "" || tok.IsOperator() {
			text = tok.String()
		}
		if tok == gotoken.RPAREN || tok == gotoken.RBRACE || tok == gotoken.RBRACK {
			if n := len(f.toks); n > 0 && (f.toks[n-1].text == "," || f.toks[n-1].text == ";") {
				f.toks, offsets = f.toks[:n-1], offsets[:n-1]
			}
		}
		f.toks = append(f.toks, token{text, set.Position(pos).Line})
		offsets = append(offsets, file.Offset(pos))
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return ""
}
