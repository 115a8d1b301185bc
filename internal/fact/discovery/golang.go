package discovery

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

var goModule = pattern.Late(`(?m)^module\s+"?([^\s"]+)`)

func (s *survey) readGoMod(m *module, text []byte) error {
	name := goModule().FindSubmatch(text)
	if name == nil {
		return errors.New("no line `module`")
	}
	m.name = oneLine(string(name[1]))
	s.enterGo(m)
	return nil
}

const maxPrograms = 200

// inner are the folders whose programs only serve the build.
var inner = pattern.Words(`internal gen generate generator`)

// enterGo finds the programs: packages main at the top of the module, in cmd, and wherever a main.go is.
func (s *survey) enterGo(m *module) {
	looked := 0
	for _, f := range s.under(m.dir) {
		if within(f.path+"/", aside()) || within(f.path+"/", inner()) || looked >= maxPrograms {
			continue
		}
		file := programFile(f)
		if file == "" || !(f.path == m.dir || slices.Contains(f.files, "main.go") || path.Base(path.Dir(f.path)) == "cmd" || path.Base(f.path) == "cmd") {
			continue
		}
		looked++
		if name, _ := s.goPackage(file); name != "main" || !s.nearest(f.path, m) {
			continue
		}
		m.entries = append(m.entries, file)
	}
	if len(m.entries) == 1 {
		to := strings.TrimPrefix(strings.TrimPrefix(path.Dir(m.entries[0]), m.dir), "/")
		line := "go run ./" + to
		if path.Dir(m.entries[0]) == m.dir || to == "." {
			line = "go run ."
		}
		if line == "go run ." || strings.HasPrefix(to, "cmd") {
			m.command("run", "go", line, m.entries[0], 0.85)
		}
	}
}

// nearest reports whether m is the innermost module of its kind around dir.
func (s *survey) nearest(dir string, m *module) bool {
	for at := dir; at != m.dir && at != "."; at = path.Dir(at) {
		name := "go.mod"
		if s.has(path.Join(at, name)) {
			return false
		}
	}
	return true
}

// maxGoFiles is how many files of a package are asked for its documentation.
const maxGoFiles = 40

// goFiles returns the Go files of a folder without tests, those first that usually document a package.
func goFiles(f *folder) (files []string) {
	usual := []string{"doc.go", path.Base(f.path) + ".go", "main.go"}
	for _, base := range append(usual, f.files...) {
		file := path.Join(f.path, base)
		if slices.Contains(f.files, base) && !slices.Contains(files, file) && len(files) < maxGoFiles &&
			languageOf(base, false) == "Go" && !strings.HasSuffix(base, "_test.go") {
			files = append(files, file)
		}
	}
	return files
}

// programFile returns the file that a program in the folder would begin with, "" if there is no Go.
func programFile(f *folder) string {
	files := goFiles(f)
	if main := path.Join(f.path, "main.go"); slices.Contains(files, main) {
		return main
	}
	if len(files) == 0 {
		return ""
	}
	return files[0]
}

// goPackage returns a Go file's package and the first sentence of its documentation. A file that does not parse up
// to its package clause has neither.
func (s *survey) goPackage(file string) (name, doc string) {
	src, ok := s.head(file)
	if !ok {
		return "", ""
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.PackageClauseOnly|parser.ParseComments)
	if f == nil || err != nil && f.Name == nil {
		return "", ""
	}
	if ast.IsGenerated(f) && f.Doc == nil {
		return f.Name.Name, ""
	}
	return f.Name.Name, sentence(notLegal(f.Doc.Text()), 200)
}

// notLegal returns documentation, "" for a licence that stands in its place.
func notLegal(doc string) string {
	for _, word := range []string{"copyright", "licensed", "spdx", "(c)", "this file is part of"} {
		if start := strings.ToLower(strings.TrimSpace(doc)); strings.HasPrefix(start, word) {
			return ""
		}
	}
	return doc
}
