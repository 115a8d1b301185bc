package discovery

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// languages are the programming languages by the ends of their files' names. Endings that several languages share
// (.m, .pl of Prolog) are left out; .h is decided by languageOf.
var languages = map[string]string{
	".go": "Go", ".py": "Python", ".pyi": "Python", ".pyx": "Cython", ".ipynb": "Jupyter Notebook",
	".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript",
	".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript",
	".vue": "Vue", ".svelte": "Svelte", ".astro": "Astro",
	".rs": "Rust", ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".groovy": "Groovy",
	".clj": "Clojure", ".cljs": "Clojure", ".cljc": "Clojure",
	".cs": "C#", ".fs": "F#", ".vb": "Visual Basic", ".razor": "C#", ".cshtml": "C#",
	".c": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hh": "C++", ".hpp": "C++", ".hxx": "C++",
	".cu": "CUDA", ".mm": "Objective-C", ".swift": "Swift", ".zig": "Zig", ".nim": "Nim", ".d": "D",
	".rb": "Ruby", ".erb": "Ruby", ".rake": "Ruby", ".php": "PHP", ".lua": "Lua", ".pm": "Perl", ".r": "R", ".R": "R", ".jl": "Julia",
	".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".mli": "OCaml",
	".dart": "Dart", ".sol": "Solidity", ".tf": "Terraform", ".sh": "Shell", ".bash": "Shell", ".zsh": "Shell",
	".ps1": "PowerShell", ".sql": "SQL", ".proto": "Protocol Buffers", ".graphql": "GraphQL",
	".f90": "Fortran", ".f": "Fortran", ".cob": "COBOL", ".cbl": "COBOL", ".asm": "Assembly", ".s": "Assembly", ".S": "Assembly",
	".html": "HTML", ".css": "CSS", ".scss": "CSS", ".less": "CSS",
}

// supporting are the languages that give no program its name: they count only where there is nothing else.
var supporting = pattern.Words(`HTML CSS SQL Shell Terraform PowerShell GraphQL`)

// generated are the ends of files that tools write.
var generated = []string{".pb.go", "_pb2.py", "_pb2_grpc.py", ".min.js", ".min.css", ".bundle.js", ".g.dart", ".freezed.dart",
	".designer.cs", ".d.ts", "_generated.go", ".gen.go", "zz_generated.deepcopy.go"}

// languageOf returns the language of a file by its name, "" for none. Headers are C++ where there is C++.
func languageOf(base string, plus bool) string {
	for _, end := range generated {
		if strings.HasSuffix(base, end) {
			return ""
		}
	}
	ext := path.Ext(base)
	if ext == ".h" {
		if plus {
			return "C++"
		}
		return "C"
	}
	return languages[ext]
}

// counts are source files by language.
type counts map[string]int

// total is the number of files in languages that make programs, else in any.
func (c counts) total() (n int, all bool) {
	every := 0
	for l, k := range c {
		every += k
		if !supporting()[l] {
			n += k
		}
	}
	if n == 0 {
		return every, true
	}
	return n, false
}

// ranked returns the languages that count, those with the most files first.
func (c counts) ranked() []string {
	_, all := c.total()
	names := slices.DeleteFunc(slices.Collect(maps.Keys(c)), func(l string) bool { return !all && supporting()[l] })
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(c[b]-c[a], strings.Compare(a, b)) })
	return names
}

// main returns the language with the most files, "" for none.
func (c counts) main() string {
	if names := c.ranked(); len(names) > 0 {
		return names[0]
	}
	return ""
}

// sayLanguages tells the languages with their shares of the source files, in tens: finer ones would change with
// every other commit.
func (s *survey) sayLanguages() {
	c := s.folders["."].code
	names := c.ranked()
	n, _ := c.total()
	if n == 0 {
		return
	}
	share := func(l string) int { return (c[l]*20/n + 1) / 2 * 10 }
	var parts, little []string
	for _, l := range names {
		switch p := share(l); {
		case p >= 10:
			parts = append(parts, fmt.Sprintf("%s (about %d %%)", l, p))
		case c[l]*100 >= n || len(names) <= 4:
			little = append(little, l)
		}
	}
	var also []string
	for l := range supporting() {
		if c[l] > 0 && !slices.Contains(names, l) {
			also = append(also, l)
		}
	}
	slices.Sort(also)
	little = append(little, also...)
	text := ""
	switch {
	case len(parts) == 1 && share(names[0]) == 100 && len(names) == 1:
		text = "The code is written in " + names[0]
	case len(parts) == 1 && share(names[0]) >= 90:
		text = "The code is almost all " + names[0]
	default:
		text = "By source files, the code is " + listing(parts, 6)
	}
	if len(little) > 0 {
		text += ", with a little " + listing(little, 6)
	}
	s.project("languages", 0.95, ".", "%s.", text)
}
