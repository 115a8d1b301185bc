package discovery

import (
	"path"
	"slices"
	"strings"
)

// sayDocs tells where to read on, and where the tests are.
func (s *survey) sayDocs() {
	for _, dir := range []string{"docs", "doc", "documentation", "Documentation", "website/docs"} {
		f := s.folders[dir]
		if f == nil {
			continue
		}
		var pages []string
		for _, base := range f.files {
			switch strings.ToLower(path.Ext(base)) {
			case ".md", ".mdx", ".rst", ".adoc", ".txt", ".org":
				pages = append(pages, base)
			}
		}
		for _, name := range f.dirs {
			if !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_") {
				pages = append(pages, name+"/")
			}
		}
		if len(pages) == 0 {
			continue
		}
		text := "Documentation is in " + dir + " (" + listing(pages, 10) + ")"
		for _, builder := range [][2]string{{"mkdocs.yml", "MkDocs"}, {dir + "/conf.py", "Sphinx"}, {"docs/source/conf.py", "Sphinx"}, {"docusaurus.config.js", "Docusaurus"},
			{"docusaurus.config.ts", "Docusaurus"}, {"website/docusaurus.config.js", "Docusaurus"}, {"book.toml", "mdBook"}, {dir + "/book.toml", "mdBook"}, {"antora.yml", "Antora"}} {
			if s.has(builder[0]) {
				text += ", built with " + builder[1]
				break
			}
		}
		s.project("docs", 0.95, dir, "%s.", text)
		break
	}
	for _, known := range [][3]string{{"architecture", "ARCHITECTURE.md", "The architecture is described in %s."}, {"architecture", "DESIGN.md", "The design is described in %s."},
		{"changelog", "CHANGELOG.md", "Changes are noted in %s."}, {"changelog", "CHANGES.md", "Changes are noted in %s."}, {"changelog", "CHANGES.rst", "Changes are noted in %s."},
		{"roadmap", "ROADMAP.md", "Plans are in %s."}} {
		if file := s.topFile(known[1]); file != "" {
			s.project(known[0], 0.95, file, known[2], file)
		}
	}
	s.sayTests()
}

// testNames are how test files are called; each is told once.
var testNames = []struct {
	says string
	is   func(base, dir string) bool
}{
	{"*_test.go", func(b, _ string) bool { return strings.HasSuffix(b, "_test.go") }},
	{"test_*.py", func(b, _ string) bool { return strings.HasPrefix(b, "test_") && strings.HasSuffix(b, ".py") }},
	{"*_test.py", func(b, _ string) bool { return strings.HasSuffix(b, "_test.py") }},
	{"*.test.*", func(b, _ string) bool { return scriptEnd(b, ".test") }},
	{"*.spec.*", func(b, _ string) bool { return scriptEnd(b, ".spec") }},
	{"*Test.java or *Test.kt", func(b, _ string) bool {
		return strings.HasSuffix(b, "Test.java") || strings.HasSuffix(b, "Tests.java") || strings.HasSuffix(b, "Test.kt")
	}},
	{"*Tests.cs", func(b, _ string) bool { return strings.HasSuffix(b, "Tests.cs") || strings.HasSuffix(b, "Test.cs") }},
	{"*_spec.rb", func(b, _ string) bool { return strings.HasSuffix(b, "_spec.rb") }},
	{"*_test.rb", func(b, _ string) bool { return strings.HasSuffix(b, "_test.rb") }},
	{"*Test.php", func(b, _ string) bool { return strings.HasSuffix(b, "Test.php") }},
	{"tests/*.rs", func(b, d string) bool { return path.Base(d) == "tests" && strings.HasSuffix(b, ".rs") }},
	{"*_test.cpp", func(b, _ string) bool {
		ext := path.Ext(b)
		stem := strings.ToLower(strings.TrimSuffix(b, ext))
		return (languages[ext] == "C" || languages[ext] == "C++") && (strings.HasSuffix(stem, "_test") || strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "test"))
	}},
	{"*_test.exs", func(b, _ string) bool { return strings.HasSuffix(b, "_test.exs") }},
	{"*_test.dart", func(b, _ string) bool { return strings.HasSuffix(b, "_test.dart") }},
	{"*Tests.swift", func(b, _ string) bool { return strings.HasSuffix(b, "Tests.swift") }},
}

func scriptEnd(base, mark string) bool {
	ext := path.Ext(base)
	return slices.Contains([]string{".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts"}, ext) && strings.HasSuffix(strings.TrimSuffix(base, ext), mark)
}

// sayTests tells how test files are called and in which top folders they are.
func (s *survey) sayTests() {
	var names, places []string
	beside := false
	seen := make([]bool, len(testNames))
	for _, f := range s.sorted {
		if within(f.path+"/", aside()) {
			continue
		}
		for _, base := range f.files {
			for i, t := range testNames {
				if !t.is(base, f.path) {
					continue
				}
				seen[i] = true
				top, ok := testFolder(f.path)
				beside = beside || !ok
				if ok && !slices.Contains(places, top) {
					places = append(places, top)
				}
			}
		}
	}
	for i, t := range testNames {
		if seen[i] {
			names = append(names, t.says)
		}
	}
	if len(names) == 0 {
		for _, f := range s.sorted {
			if top, ok := testFolder(f.path); ok && len(f.code) > 0 && !slices.Contains(places, top) && !within(f.path+"/", aside()) {
				places = append(places, top)
			}
		}
		if len(places) > 0 {
			s.project("tests", 0.85, places[0], "Tests are in %s.", listing(places, 5))
		}
		return
	}
	source := "."
	if len(places) > 0 {
		source = places[0]
	}
	if beside {
		places = append([]string{"beside the code"}, places...)
	}
	s.project("tests", 0.95, source, "Tests are %s, in files named %s.", inAll(places), listing(names, 6))
}

// inAll is a list of places, of which "beside the code" comes first.
func inAll(places []string) string {
	if places[0] != "beside the code" {
		return "in " + listing(places, 5)
	}
	if len(places) == 1 {
		return places[0]
	}
	return places[0] + " and in " + listing(places[1:], 5)
}

// testFolder returns the outermost folder for tests on the way to dir.
func testFolder(dir string) (string, bool) {
	parts := strings.Split(dir, "/")
	for i, p := range parts {
		if setTests()[p] && p != "spec" && p != "it" || p == "spec" && i == 0 {
			return strings.Join(parts[:i+1], "/"), true
		}
	}
	return "", false
}
