package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// parseGo reads Go with the standard library's parser. Positions and comments are not in the dumps.
func parseGo(src []byte) *tree {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", src, parser.SkipObjectResolution)
	if err != nil {
		return &tree{Broken: true}
	}
	t := &tree{}
	whole := []string{file.Name.Name}
	add := func(name, kind string, from, to token.Pos, parts []string) {
		own := strings.Split(name, ".")
		slices.Reverse(own)
		t.Decls = append(t.Decls, decl{Name: name, Kind: kind, First: set.Position(from).Line, Last: set.Position(to - 1).Line,
			Dump: digest(parts, nil), Neutral: digest(parts, own), Size: names(parts)})
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) > 0 {
				name = base(d.Recv.List[0].Type) + "." + name
			}
			parts := dump(nil, reflect.ValueOf(d))
			whole = append(whole, parts...)
			add(name, "func", d.Pos(), d.End(), parts)
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			for _, spec := range d.Specs {
				parts := dump([]string{d.Tok.String()}, reflect.ValueOf(spec))
				whole = append(whole, parts...)
				from := spec.Pos()
				if !d.Lparen.IsValid() {
					from = d.Pos()
				}
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(s.Name.Name, "type", from, s.End(), parts)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.Name != "_" {
							add(n.Name, "value", from, s.End(), parts)
						}
					}
				}
			}
		}
	}
	t.Whole = digest(whole, nil)
	return t
}

func base(e ast.Expr) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// dump appends the types of nodes and their values; names and literals have a quote before them.
func dump(out []string, v reflect.Value) []string {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return append(out, "nil")
		}
		switch v.Interface().(type) {
		case *ast.CommentGroup, *ast.EmptyStmt:
			return out
		}
		return dump(out, v.Elem())
	case reflect.Slice:
		out = append(out, "[")
		for i := range v.Len() {
			out = dump(out, v.Index(i))
		}
		return append(out, "]")
	case reflect.Struct:
		out = append(out, v.Type().Name()+"(")
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if pos, ok := v.Field(i).Interface().(token.Pos); ok {
				if name == "Ellipsis" || name == "Assign" {
					out = append(out, strconv.FormatBool(pos.IsValid()))
				}
				continue
			}
			out = dump(out, v.Field(i))
		}
		return append(out, ")")
	case reflect.String:
		return append(out, `"`+v.String())
	}
	return append(out, fmt.Sprint(v.Interface()))
}

// names counts the names and literals of a dump.
func names(parts []string) (n int) {
	for _, p := range parts {
		if p[0] == '"' {
			n++
		}
	}
	return n
}

// digest hashes the parts of a dump; the names in own count as their place in it.
func digest(parts, own []string) string {
	h := sha256.New()
	for _, p := range parts {
		if i := slices.Index(own, strings.TrimPrefix(p, `"`)); i >= 0 && p[0] == '"' {
			p = strconv.Itoa(i)
		}
		h.Write([]byte(p + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
