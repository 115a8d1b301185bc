package discovery

import (
	"bytes"
	"context"
	_ "embed"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"sdd/internal/git"
	"sdd/internal/pattern"
)

var majorVersion = pattern.Late(`/v[0-9]+$`) // of a Go module, from version 2 on

// projectName returns the project's name and its source: a manifest at the top, else the remote's name, else the title
// of the README. The folder's own name does not count: it is not part of the repository.
func (s *survey) projectName() (name, source string) {
	for _, m := range s.modulesIn(".") {
		if m.name != "" && m.kind == "go" {
			return path.Base(majorVersion().ReplaceAllString(m.name, "")), m.manifest
		} else if m.name != "" {
			return m.name, m.manifest
		}
	}
	if top, _, _, ok := git.Top(s.path); ok && s.inGit && git.SameFile(top, s.path) {
		if name := git.RemoteName(s.path); name != "" {
			return name, ".git"
		}
	}
	if len(s.readme.title) <= 60 {
		return s.readme.title, s.readme.file
	}
	return "", ""
}

func (s *survey) modulesIn(dir string) []*module {
	return slices.DeleteFunc(slices.Clone(s.modules), func(m *module) bool { return m.dir != dir })
}

// addProject adds the project's name, and its description in the README or manifest.
func (s *survey) addProject() {
	m, name := append(s.modulesIn("."), &module{})[0], ""
	if m.name != "" {
		name = m.name + ". "
	}
	first := strings.ToLower(s.readme.purpose)
	known := func(name string) bool { return name != "" && strings.Contains(first, strings.ToLower(path.Base(name))) }
	switch {
	case s.readme.purpose != "" && (m.about == "" || known(s.readme.title) || known(m.name)): // else it begins with something else
		s.project("purpose", 0.95, s.readme.file, "%sIts README says: %s", name, quoted(s.readme.purpose))
	case m.about != "":
		s.project("purpose", 0.95, m.manifest, "%sIts %s describes it: %s", name, path.Base(m.manifest), quoted(brief(m.about, purposeLimit)))
	case name != "":
		s.project("purpose", 0.95, m.manifest, "Its %s calls it %s.", path.Base(m.manifest), m.name)
	}
}

// commandsOf returns the commands of some modules in one folder, written ones before conventional ones.
func (s *survey) commandsOf(dir string, modules ...*module) (all []command) {
	all = slices.DeleteFunc(slices.Clone(s.tasks), func(c command) bool { return c.dir != dir })
	for _, m := range modules {
		all = append(all, m.commands...)
	}
	return all
}

// addCommands adds the commands to build, test and so on at the top. Those of a module below are part of its fact.
func (s *survey) addCommands() {
	all := s.commandsOf(".", s.modulesIn(".")...)
	for _, k := range commandKinds {
		for _, c := range all {
			if c.kind != k.kind {
				continue
			}
			text := k.verb + " with " + code(c.line)
			if c.runs != "" {
				text += ", which runs " + c.runs
			}
			s.project(k.kind+":"+c.tool, c.sure, c.source, "%s.", text)
		}
	}
}

const (
	maxEntries = 8
	maxMembers = 16
)

// tried finds files below folders of tests and examples.
var tried = pattern.Late(`(?:^|/)(?:__tests__|bench(?:mark)?s?|tests?|spec|fixtures?|testdata|examples?|[\w-]*playground)/`)

func (s *survey) addEntries() {
	var files []string
	for _, m := range s.modules {
		if !m.library {
			files = append(files, m.entries...)
		}
	}
	files = slices.DeleteFunc(files, func(file string) bool { return tried().MatchString(file) })
	slices.Sort(files)
	if files = slices.Compact(files); len(files) == 1 {
		s.project("entry", 0.9, files[0], "The program begins in %s.", files[0])
	} else if len(files) > 1 {
		s.project("entry", 0.9, files[0], "Programs begin in %s.", listing(files, maxEntries))
	}
}

func (s *survey) addBuilt() {
	var parts []string
	for _, m := range s.modules {
		if m.part() {
			parts = append(parts, m.dir+" ("+m.label+")")
		}
	}
	if len(parts) > 0 {
		s.project("modules", 0.95, ".", "Parts with a manifest of their own: %s.", listing(parts, maxMembers))
	}
}

var purposes = sync.OnceValue(func() map[string]string { return byWord(folderList) })

//go:embed folders.txt
var folderList string

const (
	maxTop      = 16
	maxChildren = 6
)

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

// Overview is a project in a few words and numbers.
type Overview struct {
	Kind  string // of its packages: go, node, python, rust, jvm, dotnet, native, ruby, php, …; without a manifest "unknown"
	Files int    // that git tracks or does not ignore; outside git, all
	Lines int    // of source files; an estimate for more than sampled files
}

const (
	sampled     = 2000    // source files of which the lines are counted
	sampledSize = 1 << 20 // bytes of one of them that are read
)

// Look returns an overview without the facts of Discover. The same files give the same overview.
func Look(ctx context.Context, root string) (Overview, error) {
	s, err := newSurvey(ctx, root)
	if err != nil {
		return Overview{}, err
	}
	defer s.close()
	s.readManifests()
	o := Overview{Kind: "unknown", Files: len(s.files)}
	if len(s.modules) > 0 {
		o.Kind = s.modules[0].kind
	}
	o.Lines, err = s.lines(ctx)
	return o, err
}

// lines counts the lines of source files. Of many files it counts an even sample, and scales.
func (s *survey) lines(ctx context.Context) (int, error) {
	plus := s.folders["."].code["C++"] > 0
	var sources []string
	for _, file := range s.files {
		if languageOf(path.Base(file), plus) != "" && !within(file, "data") {
			sources = append(sources, file)
		}
	}
	n := min(len(sources), sampled)
	sum := 0
	for i := range n {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		sum += bytes.Count(s.readNew(sources[i*len(sources)/n], sampledSize).text, []byte("\n"))
	}
	if n == 0 {
		return 0, nil
	}
	return int(math.Round(float64(sum) * float64(len(sources)) / float64(n))), nil
}
