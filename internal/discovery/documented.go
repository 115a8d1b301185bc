package discovery

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// maxFacts is the number of facts from which on further modules get none.
const maxFacts = 220

// addParts adds a fact with the documentation of each folder without a fact.
func (s *survey) addParts() {
	folders := slices.Clone(s.sorted)
	slices.SortStableFunc(folders, func(a, b *folder) int { return depth(a.path) - depth(b.path) })
	for _, f := range folders {
		ours := f.path != "." && len(f.code) > 0 && len(f.files) > 0 && !within(f.path+"/", "aside") && !within(f.path+"/", "tests")
		if !ours || len(s.report.Facts) > maxFacts || s.ctx.Err() != nil {
			continue
		}
		if doc, from := s.documented(f.path); doc != "" && !s.documentedIn[from] {
			s.add(Found{Level: Module, Domain: s.domainOf(f.path), Module: f.path, Key: "module:" + f.path, Source: from, Confidence: 0.9,
				Content: f.path + " (" + f.code.main() + ") is documented as " + quoted(doc) + "."})
		}
	}
}

var readmeEnds = pattern.Words(`.md .markdown .rst .adoc .txt`)

// documented returns the first sentence of a folder's documentation and its file: of the package, else the manifest, else a README.
func (s *survey) documented(dir string) (doc, file string) {
	f := s.folders[dir]
	if f == nil {
		return "", ""
	}
	if doc, file := s.goDoc(f); doc != "" {
		return doc, file
	}
	for _, base := range []string{"__init__.py", "src/lib.rs", "mod.rs", "lib.rs"} {
		read := rustDoc
		if base == "__init__.py" {
			read = pythonDoc
		}
		if doc := read(s.headOf(path.Join(dir, base))); doc != "" {
			return doc, path.Join(dir, base)
		}
	}
	if i := slices.IndexFunc(s.modules, func(m *module) bool { return m.dir == dir && m.about != "" }); i >= 0 {
		return sentence(s.modules[i].about, 200), s.modules[i].manifest
	}
	for _, base := range f.files {
		if isReadme(base) && readmeEnds()[strings.ToLower(path.Ext(base))] && dir != "." {
			file := path.Join(dir, base)
			if r := readmeOf(file, s.headOf(file)); r.purpose != "" {
				return sentence(r.purpose, 200), file
			}
		}
	}
	return "", ""
}

// headOf returns the head of a file, empty for a missing one.
func (s *survey) headOf(file string) []byte {
	if !s.has(file) {
		return nil
	}
	if h := s.read(file, headLimit, false); h.ok {
		return h.text[:min(len(h.text), headLimit)]
	}
	return nil
}

// goDoc returns the documentation of the package in a folder. It ignores a program that is beside another package, for
// the build.
func (s *survey) goDoc(f *folder) (doc, file string) {
	program := ""
	for _, path := range goFiles(f) {
		switch name, text := s.goPackage(path); {
		case name == "main" && doc == "":
			program, doc, file = path, text, path
		case name != "" && name != "main" && text != "":
			return text, path
		case name != "" && name != "main" && program != "":
			program, doc, file = "", "", ""
		}
	}
	return doc, file
}

// maxGoFiles is the most files of a package that are searched for its documentation.
const maxGoFiles = 40

// goFiles returns the Go files of a folder without tests, first those that usually document a package.
func goFiles(f *folder) (files []string) {
	usual := []string{"doc.go", path.Base(f.path) + ".go", "main.go"}
	for _, base := range append(usual, f.files...) {
		file := path.Join(f.path, base)
		isGo := languageOf(base, false) == "Go" && !strings.HasSuffix(base, "_test.go")
		if isGo && slices.Contains(f.files, base) && !slices.Contains(files, file) && len(files) < maxGoFiles {
			files = append(files, file)
		}
	}
	return files
}

// goPackage returns a Go file's package and the first sentence of its documentation, if the file parses up to its package clause.
func (s *survey) goPackage(file string) (name, doc string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", s.headOf(file), parser.PackageClauseOnly|parser.ParseComments)
	if f == nil || err != nil && f.Name == nil {
		return "", ""
	}
	if ast.IsGenerated(f) && f.Doc == nil {
		return f.Name.Name, ""
	}
	return f.Name.Name, docSentence(f.Doc.Text())
}

var legal = pattern.Late(`^(?i)\s*(?:copyright|licensed|spdx|\(c\)|this file is part of)`)

// docstring matches the documentation string at the start of a Python module, in one of its four forms.
var docstring = pattern.Late(`^(?:\s|#.*(?:\n|$))*(?:r?"""((?s:.*?))"""|'''((?s:.*?))'''|"([^"]*)"|'([^']*)')`)

func pythonDoc(src []byte) string {
	m := docstring().FindStringSubmatch(strings.ReplaceAll(string(src), "\r\n", "\n"))
	if m == nil {
		return ""
	}
	paragraph, _, _ := strings.Cut(strings.TrimSpace(cmp.Or(m[1:]...)), "\n\n")
	return docSentence(paragraph)
}

// docSentence returns the first sentence of a documentation, "" for a licence.
func docSentence(doc string) string {
	if legal().MatchString(doc) {
		return ""
	}
	return sentence(doc, 200)
}

// rustDoc returns the first sentence of a file's `//!` documentation.
func rustDoc(src []byte) string {
	var doc []string
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		text, ok := strings.CutPrefix(line, "//!")
		text = strings.TrimSpace(text)
		if ok && text != "" && text[0] != '#' {
			doc = append(doc, text)
		} else if ok && text == "" && len(doc) > 0 || !ok && line != "" && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "#![") {
			break
		}
	}
	return sentence(strings.Join(doc, " "), 200)
}

var goModule = pattern.Late(`(?m)^module\s+"?([^\s"]+)`)

func (s *survey) readGoMod(m *module, text []byte) error {
	name := goModule().FindSubmatch(text)
	if name == nil {
		return errors.New("no line `module`")
	}
	m.name = OneLine(string(name[1]))
	s.enterGo(m)
	return nil
}

const maxPrograms = 200

// enterGo finds the programs: main packages at the top of the module, in cmd, and beside any main.go.
func (s *survey) enterGo(m *module) {
	looked := 0
	for _, f := range s.under(m.dir) {
		files, base := goFiles(f), path.Base(f.path)
		if len(files) == 0 || within(f.path+"/", "aside") || within(f.path+"/", "inner") || looked >= maxPrograms {
			continue
		}
		file := files[0]
		if main := path.Join(f.path, "main.go"); slices.Contains(files, main) {
			file = main
		} else if f.path != m.dir && base != "cmd" && path.Base(path.Dir(f.path)) != "cmd" {
			continue
		}
		looked++
		if name, _ := s.goPackage(file); name == "main" && s.nearest(f.path, m) {
			m.entries = append(m.entries, file)
		}
	}
	if len(m.entries) != 1 {
		return
	}
	switch to := strings.TrimPrefix(strings.TrimPrefix(path.Dir(m.entries[0]), m.dir), "/"); {
	case to == "" || to == ".":
		m.command("run", "go", "go run .", m.entries[0], 0.85)
	case strings.HasPrefix(to, "cmd"):
		m.command("run", "go", "go run ./"+to, m.entries[0], 0.85)
	}
}

func (s *survey) nearest(dir string, m *module) bool {
	for ; dir != m.dir && dir != "."; dir = path.Dir(dir) {
		if s.has(path.Join(dir, "go.mod")) {
			return false
		}
	}
	return true
}
