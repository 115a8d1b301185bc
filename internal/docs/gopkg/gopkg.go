// Package gopkg reads the documentation of Go packages from their source.
package gopkg

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/docs/inventory"
)

// Limits of a package.
const (
	maxFiles = 2000
	maxBytes = 64 << 20 // of all files of a package
)

var (
	ErrNoPackage = errors.New("no Go package")
	ErrTooLarge  = errors.New("the package is too large")
)

// Package is the documentation of a package's exported names. It is immutable.
type Package struct {
	Inventory *inventory.Inventory
	items     map[string]Item // by name
}

// Item is the documentation of one name.
type Item struct {
	Signature   string
	Description string // Markdown
	Members     []string
	File        string // absolute
	Line        int
}

// Item returns the documentation of a name in the inventory.
func (p *Package) Item(name string) (Item, bool) { i, ok := p.items[name]; return i, ok }

// Stamp returns a text that changes when the package in dir changes. The error is ErrNoPackage if it has no Go file.
func Stamp(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	n, size, newest := 0, int64(0), int64(0)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		st, err := e.Info()
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		n++
		size += st.Size()
		newest = max(newest, st.ModTime().UnixNano())
	}
	switch {
	case n == 0:
		return "", ErrNoPackage
	case n > maxFiles || size > maxBytes:
		return "", ErrTooLarge
	}
	return fmt.Sprintf("%d %d %d", n, size, newest), nil
}

// Read reads the package in dir with the build constraints of this system. version is its module's.
func Read(dir, importPath, version string) (*Package, error) {
	found, err := build.Default.ImportDir(dir, build.IgnoreVendor)
	var several *build.MultiplePackageError
	if _, none := errors.AsType[*build.NoGoError](err); none {
		return nil, ErrNoPackage
	} else if err != nil && !errors.As(err, &several) && len(found.GoFiles) == 0 {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range append(slices.Clone(found.GoFiles), found.CgoFiles...) {
		file := filepath.Join(dir, name)
		if st, err := os.Lstat(file); err != nil || !st.Mode().IsRegular() {
			continue
		}
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if f == nil || err != nil && f.Name == nil {
			continue
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, ErrNoPackage
	}
	pkg, err := doc.NewFromFiles(fset, files, importPath)
	if err != nil {
		return nil, err
	}
	r := reader{pkg: pkg, fset: fset, path: importPath, out: &Package{items: map[string]Item{}}}
	r.all(files[0])
	r.out.Inventory = inventory.Of(importPath, version, r.objects)
	return r.out, nil
}

type reader struct {
	pkg     *doc.Package
	fset    *token.FileSet
	path    string
	objects []inventory.Object
	out     *Package
}

func (r *reader) all(first *ast.File) {
	var members []string
	for _, f := range r.pkg.Funcs {
		members = append(members, f.Name)
	}
	for _, t := range r.pkg.Types {
		members = append(members, t.Name)
	}
	r.put(r.path, "package", "package "+r.pkg.Name, r.pkg.Doc, first.Package, members)
	r.values("const", r.pkg.Consts)
	r.values("var", r.pkg.Vars)
	for _, f := range r.pkg.Funcs {
		r.function(r.path+"."+f.Name, "function", f)
	}
	for _, t := range r.pkg.Types {
		name := r.path + "." + t.Name
		var members []string
		for _, f := range t.Funcs {
			members = append(members, f.Name)
		}
		for _, m := range t.Methods {
			members = append(members, t.Name+"."+m.Name)
		}
		r.put(name, "type", r.source(t.Decl), t.Doc, t.Decl.Pos(), members)
		r.values("const", t.Consts)
		r.values("var", t.Vars)
		for _, f := range t.Funcs {
			r.function(r.path+"."+f.Name, "function", f)
		}
		for _, m := range t.Methods {
			r.function(name+"."+m.Name, "method", m)
		}
	}
}

func (r *reader) values(role string, values []*doc.Value) {
	for _, v := range values {
		source := r.source(v.Decl)
		for _, name := range v.Names {
			if ast.IsExported(name) {
				r.put(r.path+"."+name, role, source, v.Doc, v.Decl.Pos(), nil)
			}
		}
	}
}

func (r *reader) function(name, role string, f *doc.Func) {
	decl := *f.Decl
	decl.Doc, decl.Body = nil, nil
	r.put(name, role, r.source(&decl), f.Doc, f.Decl.Pos(), nil)
}

func (r *reader) put(name, role, signature, text string, pos token.Pos, members []string) {
	if _, taken := r.out.items[name]; taken {
		return
	}
	at := r.fset.Position(pos)
	// Links to other packages lead to pkg.go.dev; the reader requests nothing from it.
	p := r.pkg.Printer()
	p.HeadingLevel = 2
	p.HeadingID = func(*comment.Heading) string { return "" }
	p.DocLinkURL = func(l *comment.DocLink) string {
		to := *l
		to.ImportPath = cmp.Or(to.ImportPath, r.path)
		return to.DefaultURL("https://pkg.go.dev")
	}
	r.out.items[name] = Item{
		Signature: signature, Description: strings.TrimSpace(string(p.Markdown(r.pkg.Parser().Parse(text)))),
		Members: members, File: at.Filename, Line: at.Line,
	}
	uri := strings.Replace(strings.TrimPrefix(name, r.path), ".", "#", 1)
	r.objects = append(r.objects, inventory.Object{Name: name, Domain: "go", Role: role, Priority: 1, URI: uri})
}

// maxSource limits the source of a declaration, in bytes.
const maxSource = 2000

// source prints a declaration with its comments; without them if it is long, and cut after a line if it still is.
func (r *reader) source(decl ast.Decl) string {
	text := r.print(decl)
	if len(text) > maxSource {
		text = r.print(withoutComments(decl))
	}
	if len(text) > maxSource {
		text = text[:strings.LastIndexByte(text[:maxSource], '\n')+1] + "\t// …"
	}
	return text
}

func (r *reader) print(decl ast.Decl) string {
	if g, ok := decl.(*ast.GenDecl); ok {
		bare := *g
		bare.Doc = nil
		decl = &bare
	}
	var b bytes.Buffer
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 4}
	if err := config.Fprint(&b, r.fset, decl); err != nil {
		return ""
	}
	return b.String()
}

// withoutComments removes the comments of a declaration, which the caller must not print again.
func withoutComments(decl ast.Decl) ast.Decl {
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
	return decl
}
