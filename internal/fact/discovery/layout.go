package discovery

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// purposes are what folders of a usual name are for.
var purposes = map[string]string{
	"docs": "documentation", "doc": "documentation", "documentation": "documentation", "test": "tests", "tests": "tests", "spec": "tests", "specs": "tests", "e2e": "tests",
	"__tests__": "tests", "integration-tests": "tests", "scripts": "scripts", "script": "scripts", "tools": "tools", "hack": "scripts",
	"deploy": "deployment", "deployment": "deployment", "deployments": "deployment", "infra": "infrastructure", "infrastructure": "infrastructure", "terraform": "infrastructure",
	"k8s": "deployment", "kubernetes": "deployment", "helm": "deployment", "charts": "deployment", "ansible": "deployment", "docker": "containers",
	"migrations": "database migrations", "db": "database", "assets": "static files", "static": "static files", "public": "static files", "examples": "examples", "example": "examples",
	"samples": "examples", "testdata": "test data", "fixtures": "test data", "benchmarks": "benchmarks", "bench": "benchmarks", "proto": "interface definitions", "protos": "interface definitions",
	"config": "configuration", "configs": "configuration", "conf": "configuration", ".github": "GitHub settings", ".gitlab": "GitLab settings", ".devcontainer": "development container",
	"cmd": "programs", "locales": "translations", "i18n": "translations", "notebooks": "notebooks",
}

const (
	maxTop      = 16
	maxChildren = 6
)

// sayLayout tells the folders at the top and what is in them.
func (s *survey) sayLayout() {
	var parts []string
	for _, dir := range s.folders["."].dirs {
		if !strings.HasPrefix(dir, ".") || purposes[dir] != "" {
			parts = append(parts, s.contents(dir))
		}
	}
	switch top := s.folders["."].files; {
	case len(parts) > 0:
		s.project("layout", 0.95, ".", "Top folders: %s.", listing(parts, maxTop))
	case len(top) > 0:
		s.project("layout", 0.95, ".", "All files lie in the top folder: %s.", listing(top, maxTop))
	}
}

// contents is a folder with its purpose or language, and those of its folders that hold code.
func (s *survey) contents(dir string) string {
	f := s.folders[dir]
	about := purposes[dir]
	lang := f.code.main()
	switch {
	case about == "" && lang != "":
		about = lang
	case about == "" && lang == "":
		about = s.endings(f)
	case about == "programs" || about == "scripts" || about == "tools":
		about = strings.TrimSpace(lang + " " + about)
	case about != "":
		return dir + " (" + about + ")"
	}
	var children []string
	for _, name := range f.dirs {
		if len(s.folders[path.Join(dir, name)].code) > 0 {
			children = append(children, name)
		}
	}
	if len(children) > maxChildren { // those with the most code
		more := slices.SortedFunc(slices.Values(children), func(a, b string) int {
			return cmp.Or(sum(s.folders[path.Join(dir, b)].code)-sum(s.folders[path.Join(dir, a)].code), strings.Compare(a, b))
		})
		slices.Sort(more[:maxChildren])
		children = more
	}
	if len(children) > 0 {
		about += ": " + listing(children, maxChildren)
	}
	if about == "" {
		return dir
	}
	return dir + " (" + about + ")"
}

// endings tells of a folder without code what its files are.
func (s *survey) endings(f *folder) string {
	count := map[string]int{}
	for _, below := range s.under(f.path) {
		for _, base := range below.files {
			if ext := strings.ToLower(path.Ext(base)); len(ext) > 1 && len(ext) < 8 {
				count[ext]++
			}
		}
	}
	if len(count) == 0 {
		return ""
	}
	best := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })[0]
	return "mostly " + best + " files"
}
