package discovery

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"sdd/internal/pattern"
)

// languages maps file extensions to programming languages. Extensions of several languages (.m, .pl of Prolog) are left
// out; languageOf decides on .h.
var languages = sync.OnceValue(func() map[string]string { return byWord(languageList) })

//go:embed languages.txt
var languageList string

// byWord reads a list with a name, a colon and its words on each line.
func byWord(list string) map[string]string {
	of := map[string]string{}
	for line := range strings.Lines(list) {
		name, words, _ := strings.Cut(line, ": ")
		for word := range strings.FieldsSeq(words) {
			of[word] = name
		}
	}
	return of
}

// supporting are languages that only describe a project that has no other.
var supporting = pattern.Words(`HTML CSS SQL Shell Terraform PowerShell GraphQL`)

// generated are the endings of files that tools write.
var generated = []string{".pb.go", "_pb2.py", "_pb2_grpc.py", ".min.js", ".min.css", ".bundle.js", ".g.dart", ".freezed.dart",
	".designer.cs", ".d.ts", "_generated.go", ".gen.go", "zz_generated.deepcopy.go"}

// languageOf returns the language of a file by its name, "" for none. With plus, as in a tree with more C++ than C, headers are C++.
func languageOf(base string, plus bool) string {
	switch ext := path.Ext(base); {
	case slices.ContainsFunc(generated, func(end string) bool { return strings.HasSuffix(base, end) }):
		return ""
	case ext == ".h" && plus:
		return "C++"
	case ext == ".h":
		return "C"
	default:
		return languages()[ext]
	}
}

func isSource(base string) bool { return languageOf(base, false) != "" }

type counts map[string]int

// total returns the number of files in main languages, or if there are none, in all.
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

// ranked returns the counted languages, those with the most files first.
func (c counts) ranked() []string {
	_, all := c.total()
	names := slices.DeleteFunc(slices.Collect(maps.Keys(c)), func(l string) bool { return !all && supporting()[l] })
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(c[b]-c[a], strings.Compare(a, b)) })
	return names
}

func (c counts) main() string {
	return append(c.ranked(), "")[0]
}

// addLanguages adds the languages with their shares of the source files, in tens: finer ones would change with many commits.
func (s *survey) addLanguages() {
	c := s.folders["."].code
	names := c.ranked()
	n, _ := c.total()
	if n == 0 {
		return
	}
	shares, whole := map[string]int{}, 0
	for _, l := range names {
		shares[l] = (c[l]*20/n + 1) / 2 * 10
		whole += shares[l]
	}
	for ; whole > 100; whole -= 10 { // round down the one that was rounded up the most
		shares[slices.MaxFunc(names, func(a, b string) int { return (shares[a]-shares[b])*n - (c[a]-c[b])*100 })] -= 10
	}
	var parts, little []string
	for _, l := range names {
		if p := shares[l]; p >= 10 {
			parts = append(parts, fmt.Sprintf("%s (about %d %%)", l, p))
		} else if c[l]*100 >= n || len(names) <= 4 {
			little = append(little, l)
		}
	}
	for _, l := range slices.Sorted(maps.Keys(c)) {
		if supporting()[l] && !slices.Contains(names, l) {
			little = append(little, l)
		}
	}
	text := "By source files, the code is " + listing(parts, 6)
	switch {
	case len(names) == 1:
		text = "The code is written in " + names[0]
	case len(parts) == 1 && shares[names[0]] >= 90:
		text = "The code is almost all " + names[0]
	}
	if len(little) > 0 {
		text += ", with a little " + listing(little, 6)
	}
	s.project("languages", 0.95, ".", "%s.", text)
}
