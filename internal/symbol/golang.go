package symbol

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	gotoken "go/token"
	"slices"
	"strings"

	"sdd/internal/markdown"
)

// readGo reads Go with the standard library's parser. A file with errors has the declarations that the parser could read.
func readGo(f *File, text string) (imports [][2]int) {
	src := []byte(text)
	starts := lineStarts(text)
	set := gotoken.NewFileSet()
	tree, err := parser.ParseFile(set, "", src, parser.SkipObjectResolution)
	offsets := f.scanGo(src, starts)
	offset := func(p gotoken.Pos) int { return min(max(int(p-tree.FileStart), 0), len(src)) }
	within := func(from, to gotoken.Pos) (toks []token, first, last int) {
		a, b := offset(from), offset(to)
		i, _ := slices.BinarySearch(offsets, a)
		j, _ := slices.BinarySearch(offsets, b)
		return f.toks[i:max(i, j)], lineOf(starts, a), lineOf(starts, b-1)
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
			if end := offset(d.End()); err != nil && first != last && (end < 2 || text[end-2:end] != "\n}") {
				continue // where the function ends is not certain
			}
			f.add(name, Func, first, last, toks)
		case *ast.GenDecl:
			if d.Tok == gotoken.IMPORT {
				skip, _ = slices.BinarySearch(offsets, offset(d.End()))
				continue
			}
			for _, spec := range d.Specs {
				from := spec.Pos()
				if !d.Lparen.IsValid() {
					from = d.Pos()
				}
				toks, _, last := within(spec.Pos(), spec.End())
				first := lineOf(starts, offset(from))
				toks = append([]token{{d.Tok.String(), int32(first), word}}, toks...) // alone and in a group the same
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
	return [][2]int{{0, skip}}
}

// scanGo fills the tokens and returns their offsets, without the line ends, commas and semicolons that depend on the layout.
func (f *File) scanGo(src []byte, starts []int32) (offsets []int) {
	set := gotoken.NewFileSet()
	file := set.AddFile("", set.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == gotoken.EOF {
			return offsets
		}
		at := file.Offset(pos)
		if tok == gotoken.COMMENT {
			f.aside = append(f.aside, [2]int{at, at + len(text)})
			continue
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
		line := min(lineOf(starts, at), f.Lines) // a text that does not end has its ";" past the last line
		f.toks = append(f.toks, token{text, int32(line), word})
		offsets = append(offsets, at)
	}
}

func lineOf(starts []int32, offset int) int {
	i, found := slices.BinarySearch(starts, int32(offset))
	if found {
		i++
	}
	return max(i, 1)
}

func receiver(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return ""
}

// readMarkdown makes a symbol of each heading: it reaches to the next heading of its level or above.
func readMarkdown(f *File, src string) (imports [][2]int) {
	readText(f, src)
	d, err := markdown.Parse([]byte(src), 0)
	if err != nil {
		return nil
	}
	for i, h := range d.Headings {
		last := f.Lines
		for _, next := range d.Headings[i+1:] {
			if next.Level <= h.Level {
				last = next.Line - 1
				break
			}
		}
		if name := strings.TrimSpace(h.Text); name != "" {
			f.add(name, Heading, h.Line, last, f.between(h.Line, last))
		}
	}
	return nil
}
