package discovery

import (
	"context"
	"path"
	"path/filepath"
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

func (s *survey) sayProject() {
	if name, source := s.projectName(); name != "" {
		text := "The project is called " + name
		if m := s.rootModule(); m != nil && m.name != name && source == m.manifest {
			text += "; its " + m.label + " module is " + m.name
		}
		s.project("name", 0.95, source, "%s.", text)
	}
	if s.readme.purpose != "" {
		s.project("purpose", 0.95, s.readme.file, "Its README says: %s", quoted(s.readme.purpose))
	} else if m := s.rootModule(); m != nil && m.about != "" {
		s.project("purpose", 0.95, m.manifest, "Its %s describes it: %s", path.Base(m.manifest), quoted(brief(m.about, purposeLimit)))
	}
	if len(s.files) == 0 && len(s.links) == 0 {
		s.project("files", 1, ".", "The folder holds no files yet.")
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

// shownModules is how many modules of a kind are told at level 0 where none is at the top.
const shownModules = 4

// shown returns the modules of a kind whose commands are told at level 0.
func (s *survey) shown(kind string) (out []*module) {
	all := s.ofKind(kind)
	for _, m := range all {
		if m.dir == "." {
			out = append(out, m)
		}
	}
	if len(out) > 0 {
		return out
	}
	if len(all) > shownModules {
		return nil
	}
	return all
}

// everywhere returns the commands that are the same in all modules of a kind of which there are too many to show each.
func (s *survey) everywhere(kind string) []command {
	all := s.ofKind(kind)
	if len(all) <= shownModules || slices.ContainsFunc(all, func(m *module) bool { return m.dir == "." }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(all[0].commands), func(c command) bool {
		return slices.ContainsFunc(all, func(m *module) bool {
			return !slices.ContainsFunc(m.commands, func(d command) bool { return d.kind == c.kind && d.line == c.line })
		})
	})
}

var (
	commandKinds = strings.Fields("install build test lint typecheck format run generate")
	commandVerbs = map[string]string{"install": "Install what it needs", "build": "Build", "test": "Run the tests", "lint": "Check the code",
		"typecheck": "Check the types", "format": "Format the code", "run": "Start it", "generate": "Generate code"}
)

// sayCommands tells how to build, test and so on, what is written down before what is usual.
func (s *survey) sayCommands() {
	all := slices.Clone(s.tasks)
	for _, kind := range s.kinds() {
		for _, m := range s.shown(kind) {
			all = append(all, m.commands...)
		}
		for _, c := range s.everywhere(kind) {
			c.label = kindLabel(s.ofKind(kind))
			all = append(all, c)
		}
		modules := s.ofKind(kind)
		m := modules[0]
		alike := !slices.ContainsFunc(modules, func(n *module) bool { return n.runtime != m.runtime })
		if m.runtime != "" && (m.dir == "." || alike) {
			s.project("runtime:"+kind, 1, m.manifest, "The %s code needs %s.", m.label, m.runtime)
		}
	}
	slices.SortStableFunc(all, func(a, b command) int { return depth(a.dir) - depth(b.dir) })
	for _, kind := range commandKinds {
		for _, c := range all {
			if c.kind != kind {
				continue
			}
			text := commandVerbs[kind]
			key := kind + ":" + c.tool
			switch {
			case c.label != "" && kind == "build":
				text += " each " + c.label + " module in its folder"
			case c.label != "":
				text += " of each " + c.label + " module in its folder"
			case c.dir != ".":
				text += " in " + c.dir
				key += ":" + c.dir
			}
			text += " with " + code(c.line)
			if c.runs != "" {
				text += ", which runs " + code(c.runs)
			}
			s.project(key, c.sure, c.source, "%s.", text)
		}
	}
	for _, c := range all {
		if c.kind == "tasks" && c.dir == "." {
			s.project("tasks:"+c.tool, 1, c.source, "%s has the tasks %s.", c.source, c.line)
		}
	}
}

const maxEntries = 8

// sayEntries tells where the programs begin.
func (s *survey) sayEntries() {
	for _, kind := range s.kinds() {
		var parts []string
		source := ""
		modules := s.ofKind(kind)
		for _, m := range modules {
			for _, e := range m.entries {
				parts = append(parts, e.path+" ("+e.what+")")
				if source == "" {
					source = e.source
				}
			}
		}
		s.sayEntry(kind, kindLabel(modules)+" code", source, parts)
	}
	if len(s.modules) == 0 {
		if file := s.first("main.py", "app.py", "main.c", "main.cpp", "main.go", "main.rs", "main.js", "index.js", "index.php", "index.html", "main.sh", "run.sh"); file != "" {
			s.project("entry", 0.7, file, "The entry point seems to be %s.", file)
		}
	}
}

func (s *survey) sayEntry(kind, of, source string, parts []string) {
	switch len(parts) {
	case 0:
	case 1:
		s.project("entry:"+kind, 0.9, source, "The entry point of the %s is %s.", of, parts[0])
	default:
		s.project("entry:"+kind, 0.9, source, "Entry points of the %s are %s.", of, listing(parts, maxEntries))
	}
}

// sayGit tells whether there is a repository, with its remote and main branch. The branch that happens to be checked
// out is told only where nothing says which is the main one: it changes with the work.
func (s *survey) sayGit() {
	top, _, _, ok := git.Top(s.path)
	switch {
	case !ok:
		s.project("git", 1, ".", "The folder is not in a git repository.")
		return
	case !git.Available():
		s.project("git", 1, ".", "The folder is in a git repository, but git cannot be run here.")
		return
	}
	text := "The folder is the top of a git repository"
	if !git.SameFile(top, s.path) {
		text = "The folder is a part of a git repository"
	}
	if name := git.RemoteName(s.path); name != "" {
		text += " whose remote is called " + name
	} else {
		text += " without a remote"
	}
	if branch := mainBranch(s.ctx, s.path); branch != "" {
		text += "; its main branch is " + branch
	}
	s.project("git", 1, ".git", "%s.", text)
	if len(s.links) > 0 {
		s.project("submodules", 1, ".gitmodules", "Submodules are %s.", listing(s.links, 12))
	}
}

// mainBranch returns the branch that the remote names as its head, else main or master, else the one checked out.
func mainBranch(ctx context.Context, dir string) string {
	repo, err := git.Open(dir)
	if err != nil {
		return ""
	}
	if out, err := repo.Run(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil {
		_, name, _ := strings.Cut(strings.TrimSpace(string(out)), "/")
		return name
	}
	out, err := repo.Run(ctx, "for-each-ref", "--format=%(refname:short)", "refs/heads/main", "refs/heads/master")
	if name, _, _ := strings.Cut(string(out), "\n"); err == nil && name != "" {
		return name
	}
	name, err := repo.CurrentBranch(ctx)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(filepath.ToSlash(name), "refs/heads/")
}

// sayAbsent tells what was looked for and is not there, which saves the next one the search.
func (s *survey) sayAbsent() {
	said := func(prefix string) bool {
		return slices.ContainsFunc(s.report.Facts, func(f Found) bool { return f.Key == prefix || strings.HasPrefix(f.Key, prefix+":") })
	}
	if !slices.ContainsFunc(s.files, func(file string) bool { return isManifest(path.Base(file)) }) {
		s.project("absent:manifest", 0.9, ".", "There is no package manifest such as go.mod, package.json, pyproject.toml, Cargo.toml or pom.xml.")
	}
	if s.readme.file == "" {
		s.project("absent:readme", 1, ".", "There is no README.")
	}
	if !said("tests") && !s.truncated {
		s.project("absent:tests", 0.8, ".", "There are no test files under the usual names.")
	}
	if !said("ci") {
		s.project("absent:ci", 0.9, ".", "There is no CI configuration.")
	}
	if !said("licence") {
		s.project("absent:licence", 0.9, ".", "There is no licence file.")
	}
	if !said("rules") {
		s.project("absent:rules", 0.9, ".", "There are no written rules for agents or contributors (AGENTS.md, CLAUDE.md, CONTRIBUTING.md).")
	}
}
