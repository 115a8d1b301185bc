package discovery

import (
	"path"
	"slices"

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

// modulesIn returns the modules of a folder.
func (s *survey) modulesIn(dir string) []*module {
	return slices.DeleteFunc(slices.Clone(s.modules), func(m *module) bool { return m.dir != dir })
}

// addProject adds the project's name, and its description in the README or manifest.
func (s *survey) addProject() {
	m, name := &module{}, ""
	if all := s.modulesIn("."); len(all) > 0 {
		m = all[0]
	}
	if m.name != "" {
		name = m.name + ". "
	}
	switch {
	case s.readme.purpose != "":
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

// addCommands adds the commands to build, test and so on at the top. The commands of a module below are part of its
// fact.
func (s *survey) addCommands() {
	all := s.commandsOf(".", s.modulesIn(".")...)
	for _, k := range commandKinds {
		for _, c := range all {
			if c.kind != k.kind {
				continue
			}
			text := k.verb + " with " + code(c.line)
			if c.runs != "" {
				text += ", which runs " + code(c.runs)
			}
			s.project(k.kind+":"+c.tool, c.sure, c.source, "%s.", text)
		}
	}
}

const (
	maxEntries = 8
	maxMembers = 16
)

// addEntries adds the files where the programs begin.
func (s *survey) addEntries() {
	var files []string
	for _, m := range s.modules {
		files = append(files, m.entries...)
	}
	slices.Sort(files)
	switch files = slices.Compact(files); len(files) {
	case 0:
	case 1:
		s.project("entry", 0.9, files[0], "The program begins in %s.", files[0])
	default:
		s.project("entry", 0.9, files[0], "Programs begin in %s.", listing(files, maxEntries))
	}
}

// addBuilt adds the folders with a manifest of their own.
func (s *survey) addBuilt() {
	var parts []string
	for _, m := range s.modules {
		if m.dir != "." {
			parts = append(parts, m.dir+" ("+m.label+")")
		}
	}
	if len(parts) > 0 {
		s.project("modules", 0.95, ".", "Parts with a manifest of their own: %s.", listing(parts, maxMembers))
	}
}
