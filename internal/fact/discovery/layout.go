package discovery

import (
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

// addLayout adds the folders at the top and what is in them.
func (s *survey) addLayout() {
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
	about, lang := purposes[dir], f.code.main()
	switch about {
	case "":
		about = lang
	case "programs", "scripts", "tools":
		about = strings.TrimSpace(lang + " " + about)
	default:
		return dir + " (" + about + ")"
	}
	var children []string
	for _, name := range f.dirs {
		if len(s.folders[path.Join(dir, name)].code) > 0 {
			children = append(children, name)
		}
	}
	slices.SortStableFunc(children, func(a, b string) int { // those with the most code
		return sum(s.folders[path.Join(dir, b)].code) - sum(s.folders[path.Join(dir, a)].code)
	})
	slices.Sort(children[:min(len(children), maxChildren)])
	if len(children) > 0 {
		about += ": " + listing(children, maxChildren)
	}
	if about == "" {
		return dir
	}
	return dir + " (" + about + ")"
}
