package discovery

import (
	"path"
	"slices"
	"strings"
)

// members returns the folders of modules that the workspace's patterns name.
func (s *survey) members(w workspace) (dirs []string) {
	if dirs, ok := s.memberDirs[w.source+w.tool]; ok {
		return dirs
	}
	base := path.Dir(w.source)
	for _, m := range s.modules {
		in := false
		for _, pattern := range w.patterns[:min(len(w.patterns), maxPatterns)] {
			if len(pattern) > 200 || strings.Count(pattern, "**") > 3 {
				continue
			}
			not := strings.HasPrefix(pattern, "!")
			pattern = path.Join(base, strings.TrimPrefix(strings.TrimPrefix(pattern, "!"), "./"))
			if matches(strings.Split(pattern, "/"), strings.Split(m.dir, "/")) {
				in = !not
			}
		}
		if in && !slices.Contains(dirs, m.dir) {
			dirs = append(dirs, m.dir)
		}
	}
	s.memberDirs[w.source+w.tool] = dirs
	return dirs
}

const maxPatterns = 500

// matches reports whether a path fits a pattern with * in parts and ** for any parts.
func matches(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" {
		for len(pattern) > 1 && pattern[1] == "**" {
			pattern = pattern[1:]
		}
		return matches(pattern[1:], parts) || len(parts) > 0 && matches(pattern, parts[1:])
	}
	if len(parts) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], parts[0])
	return err == nil && ok && matches(pattern[1:], parts[1:])
}

const maxMembers = 16

// sayWorkspaces tells which modules belong together, and which stand side by side without that.
func (s *survey) sayWorkspaces() {
	for _, w := range s.work {
		members := s.members(w)
		if len(members) == 0 || len(members) == 1 && members[0] == path.Dir(w.source) {
			continue
		}
		key, where := "workspace:"+w.tool, ""
		if dir := path.Dir(w.source); dir != "." {
			key, where = key+":"+dir, " in "+dir
		}
		s.project(key, 1, w.source, "It is a monorepo: a %s workspace%s with the members %s.", w.tool, where, listing(members, maxMembers))
	}
	var apart []string
	for _, m := range s.modules {
		if m.dir != "." && !slices.ContainsFunc(s.work, func(w workspace) bool { return slices.Contains(s.members(w), m.dir) }) {
			apart = append(apart, m.dir+" ("+m.label+")")
		}
	}
	of := "Parts with a manifest of their own"
	if len(s.work) > 0 {
		of = "Parts outside of the workspace with a manifest of their own"
	}
	if len(apart) > 0 {
		s.project("modules", 0.95, ".", "%s: %s.", of, listing(apart, maxMembers))
	}
}

// words for a module of each kind.
var moduleWords = map[string]string{"go": "module", "node": "package", "python": "package", "rust": "crate", "jvm": "module", "dotnet": "project",
	"native": "project", "ruby": "project", "php": "package", "deno": "module"}

// sayModules tells of each module below the top, and of the folders that make up a domain.
func (s *survey) sayModules() {
	for _, m := range s.modules {
		if m.dir == "." || len(s.report.Facts) > maxFacts {
			continue
		}
		word := moduleWords[m.kind]
		text := m.dir + " is a " + m.label + " " + word
		if word == "" { // the label names the tool
			text = m.dir + " is built with " + m.label
		}
		if name := oneLine(m.name); word != "" && name != "" && name != path.Base(m.dir) {
			text += " called " + name
		}
		about := s.describe(m.dir)
		if m.about != "" {
			about = m.about
		}
		if about != "" {
			text += ": " + quoted(sentence(about, 160))
		}
		var uses []string
		for _, u := range frameworks([]*module{m}) {
			uses = append(uses, versioned(u.name, u.version))
		}
		if len(uses) > 0 {
			text += "; it uses " + listing(uses, 5)
		}
		var at []string
		for _, e := range m.entries {
			at = append(at, e.path)
		}
		if len(at) > 0 {
			text += "; it is entered at " + listing(at, 3)
		}
		for _, c := range append(s.tasksIn(m.dir), m.commands...) {
			if c.kind == "test" {
				text += "; its tests run with " + code(c.line)
				break
			}
		}
		key := "module:" + m.dir
		if slices.ContainsFunc(s.report.Facts, func(f Found) bool { return f.Key == key }) {
			key += ":" + m.kind
		}
		s.add(Found{Level: Module, Domain: s.domainOf(m.dir), Module: m.dir, Key: key, Content: text + ".", Source: m.manifest, Confidence: 0.95})
	}
	s.sayParts()
	first := slices.IndexFunc(s.report.Facts, func(f Found) bool { return f.Level == Module })
	if first >= 0 {
		slices.SortStableFunc(s.report.Facts[first:], func(a, b Found) int { return strings.Compare(a.Module, b.Module) })
	}
}

func (s *survey) tasksIn(dir string) (out []command) {
	for _, c := range s.tasks {
		if c.dir == dir && c.kind != "tasks" {
			out = append(out, c)
		}
	}
	return out
}
