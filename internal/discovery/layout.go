package discovery

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"
)

// purposes maps usual folder names to their purpose.
var purposes = sync.OnceValue(func() map[string]string { return byWord(folderList) })

//go:embed folders.txt
var folderList string

const (
	maxTop      = 16
	maxChildren = 6
)

// addLayout adds the folders at the top with their contents.
func (s *survey) addLayout() {
	var parts []string
	for _, dir := range s.folders["."].dirs {
		if !strings.HasPrefix(dir, ".") || purposes()[dir] != "" {
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

// contents returns a folder with its purpose or language, and its subfolders with code.
func (s *survey) contents(dir string) string {
	f := s.folders[dir]
	about, lang := purposes()[dir], f.code.main()
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
	slices.SortStableFunc(children, func(a, b string) int { // those with the most code first
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
