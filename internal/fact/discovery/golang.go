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

// modLine is a line of a go.mod or go.work file with its verb, which in a block stands before the block.
type modLine struct {
	verb  string
	words []string
	line  int
}

// modLines reads the form that go.mod and go.work share: `verb words…` or `verb ( lines )`, with strings and comments.
func modLines(src []byte) (out []modLine) {
	verb := ""
	var words []string
	for _, t := range append(modSyntax.lex(src), lexed{kind: lineToken}) {
		switch {
		case t.kind == markToken && t.text == "(" && len(words) == 1:
			verb, words = words[0], nil
		case t.kind == markToken && t.text == ")":
			verb, words = "", nil
		case t.kind != lineToken:
			words = append(words, t.text)
		case len(words) > 0 && verb != "":
			out = append(out, modLine{verb, words, t.line})
			words = nil
		case len(words) > 1:
			out = append(out, modLine{words[0], words[1:], t.line})
			words = nil
		default:
			words = nil
		}
	}
	return out
}

func (s *survey) readGoMod(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	m := s.moduleAt(path.Dir(file), "go", "Go", file)
	indirect := indirectLines(src)
	for _, l := range modLines(src) {
		switch l.verb {
		case "module":
			m.name = l.words[0]
		case "go":
			m.runtime = "Go " + l.words[0]
		case "require":
			if len(l.words) >= 2 && !indirect[l.line] {
				m.needs(l.words[0], tagged(l.words[1]), false)
			}
		case "tool":
			m.needs(l.words[0], "", true)
		}
	}
	if m.name == "" {
		return errors.New("no line `module`")
	}
	m.command("build", "go", "go build ./...", file, 0.9)
	m.command("test", "go", "go test ./...", file, 0.9)
	s.enterGo(m)
	return nil
}

// tagged returns a version, "" for one that only names a commit (v0.0.0-20240101120000-0123456789ab).
func tagged(version string) string {
	parts := strings.Split(version, "-")
	last := parts[len(parts)-1]
	if len(parts) > 2 && len(last) == 12 && strings.Trim(last, "0123456789abcdef") == "" {
		return ""
	}
	return version
}

// indirectLines returns the numbers of the lines that end with the comment `// indirect`.
func indirectLines(src []byte) map[int]bool {
	lines := map[int]bool{}
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		if _, comment, ok := strings.Cut(line, "//"); ok {
			words := strings.FieldsFunc(comment, func(r rune) bool { return r == ' ' || r == '\t' || r == ';' || r == '\n' || r == '\r' })
			lines[n] = len(words) > 0 && words[0] == "indirect"
		}
	}
	return lines
}

func (s *survey) readGoWork(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	w := workspace{tool: "Go", source: file}
	for _, l := range modLines(src) {
		if l.verb == "use" && len(l.words) > 0 {
			w.patterns = append(w.patterns, path.Clean(l.words[0]))
		}
	}
	if len(w.patterns) > 0 {
		s.work = append(s.work, w)
	}
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
		program := path.Base(f.path)
		if f.path == m.dir {
			program = path.Base(m.name)
		}
		m.enter(file, "the program "+program, file)
	}
	if len(m.entries) == 1 {
		to := strings.TrimPrefix(strings.TrimPrefix(path.Dir(m.entries[0].path), m.dir), "/")
		line := "go run ./" + to
		if path.Dir(m.entries[0].path) == m.dir || to == "." {
			line = "go run ."
		}
		if line == "go run ." || strings.HasPrefix(to, "cmd") {
			m.command("run", "go", line, m.entries[0].path, 0.85)
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
