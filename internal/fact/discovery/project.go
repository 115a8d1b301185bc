package discovery

import (
	"path"
	"slices"
	"strings"

	"sdd/internal/git"
)

// shortName is what people call a module.
func (m *module) shortName() string {
	name := m.name
	if m.kind == "go" {
		if v := path.Base(name); v[0] == 'v' && v != "v" && strings.Trim(v[1:], "0123456789") == "" { // from version 2 on
			name = path.Dir(name)
		}
		name = path.Base(name)
	}
	return oneLine(name)
}

// projectName returns what the project is called and where that stands: in a manifest at the top, else the remote's
// name, else the title of the README. The folder's own name is no part of the repository.
func (s *survey) projectName() (name, source string) {
	for _, m := range s.modules {
		if m.dir == "." && m.name != "" {
			return m.shortName(), m.manifest
		}
	}
	if s.inGit && s.hasTop() {
		if name := git.RemoteName(s.path); name != "" {
			return name, ".git"
		}
	}
	if s.readme.title != "" && len(s.readme.title) <= 60 {
		return s.readme.title, s.readme.file
	}
	return "", ""
}

// hasTop reports whether the folder is the top of its work tree.
func (s *survey) hasTop() bool {
	top, _, _, ok := git.Top(s.path)
	return ok && git.SameFile(top, s.path)
}

// sayProject tells what the project is called in its manifest, and what it says that it is.
func (s *survey) sayProject() {
	m, name := s.rootModule(), ""
	if m != nil && m.name != "" {
		name = oneLine(m.name) + ". "
	}
	switch {
	case s.readme.purpose != "":
		s.project("purpose", 0.95, s.readme.file, "%sIts README says: %s", name, quoted(s.readme.purpose))
	case m != nil && m.about != "":
		s.project("purpose", 0.95, m.manifest, "%sIts %s describes it: %s", name, path.Base(m.manifest), quoted(brief(m.about, purposeLimit)))
	case name != "":
		s.project("purpose", 0.95, m.manifest, "Its %s calls it %s.", path.Base(m.manifest), oneLine(m.name))
	}
}

// rootModule is the first module at the top, nil if there is none.
func (s *survey) rootModule() *module {
	for _, m := range s.modules {
		if m.dir == "." {
			return m
		}
	}
	return nil
}

var (
	commandKinds = strings.Fields("install build test lint typecheck format run generate")
	commandVerbs = map[string]string{"install": "Install what it needs", "build": "Build", "test": "Run the tests", "lint": "Check the code",
		"typecheck": "Check the types", "format": "Format the code", "run": "Start it", "generate": "Generate code"}
)

// sayCommands tells how to build, test and so on at the top, what is written down before what is usual. What is run in a
// module below is told with the module.
func (s *survey) sayCommands() {
	all := s.tasksIn(".")
	for _, m := range s.modules {
		if m.dir == "." {
			all = append(all, m.commands...)
		}
	}
	for _, kind := range commandKinds {
		for _, c := range all {
			if c.kind != kind {
				continue
			}
			text := commandVerbs[kind] + " with " + code(c.line)
			if c.runs != "" {
				text += ", which runs " + code(c.runs)
			}
			s.project(kind+":"+c.tool, c.sure, c.source, "%s.", text)
		}
	}
}

const maxEntries = 8

// sayEntries tells where the programs begin.
func (s *survey) sayEntries() {
	var files []string
	for _, m := range s.modules {
		files = append(files, m.entries...)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	switch len(files) {
	case 0:
	case 1:
		s.project("entry", 0.9, files[0], "The program begins in %s.", files[0])
	default:
		s.project("entry", 0.9, files[0], "Programs begin in %s.", listing(files, maxEntries))
	}
}

const maxMembers = 16

// sayBuilt tells which folders are built by themselves.
func (s *survey) sayBuilt() {
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
