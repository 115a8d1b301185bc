package discovery

import (
	"path"
	"slices"
	"strings"
)

// What one file says, for who has its bytes but no tree around it: an older version of a manifest, of a decision
// record. The readers are those of a discovery.

// Manifest is what a manifest says.
type Manifest struct {
	Kind     string // family of its packages: go node python rust jvm dotnet ruby php
	Name     string
	Runtime  string // what it needs, such as "Go 1.22"
	Licence  string
	Packages []Package // by name
}

// Package is a package that a manifest asks for directly.
type Package struct {
	Name    string
	Version string // as written, "" when it names none that can be told
	Dev     bool   // for development and tests only
}

// ReadManifest reads a manifest by its base name, such as go.mod or api.csproj. ok is false when no reader knows a file
// of that name; one that cannot be parsed is an error.
func ReadManifest(base string, text []byte) (m Manifest, ok bool, err error) {
	read := manifests[base]
	if read == nil {
		read = endings[path.Ext(base)]
	}
	if read == nil {
		return m, false, nil
	}
	s := single(base, text)
	if err := read(s, base); err != nil {
		return m, true, err
	}
	if len(s.modules) == 0 {
		return m, true, nil
	}
	of := s.modules[0]
	m = Manifest{Kind: of.kind, Name: oneLine(of.name), Runtime: oneLine(of.runtime), Licence: oneLine(of.licence)}
	for _, d := range of.deps {
		m.Packages = append(m.Packages, Package{d.name, d.version, d.dev})
	}
	slices.SortStableFunc(m.Packages, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	return m, true, nil
}

// single is a survey of a folder with one file.
func single(base string, text []byte) *survey {
	t := &tree{files: []string{base}, heads: map[string]head{
		base: {text: text, hash: "-", whole: len(text) <= manifestLimit, manifest: true, ok: len(text) <= manifestLimit},
	}}
	t.fold()
	return &survey{tree: t, memberDirs: map[string][]string{}, told: map[string]bool{}}
}

// Task is a task of a task runner.
type Task struct {
	Name string
	Runs string // its first command, "" when it is none that can be told
	Line int
}

// ReadTasks reads the file of a task runner by its base name: a Makefile, Taskfile, justfile or Rakefile. tool is the
// command that runs its tasks, "" for any other file.
func ReadTasks(base string, text []byte) (tool string, tasks []Task) {
	s := single(base, text)
	var found []task
	switch strings.ToLower(base) {
	case "makefile", "gnumakefile":
		tool, found = "make", s.readMakefile(base)
	case "taskfile.yml", "taskfile.yaml":
		tool, found = "task", s.readTaskfile(base)
	case "justfile", ".justfile":
		tool, found = "just", s.readJustfile(base)
	case "rakefile":
		tool, found = "rake", s.readRakefile(base)
	}
	for _, t := range found {
		tasks = append(tasks, Task{t.name, t.runs, t.line})
	}
	return tool, tasks
}

// ReadADR reads the decision record at file, a path in the repository. ok is false when its folder or form is not that of
// one.
func ReadADR(file string, text []byte) (a ADR, ok bool) {
	ext, stem := strings.ToLower(path.Ext(file)), strings.ToLower(path.Base(file))
	if ext != ".md" && ext != ".markdown" || strings.HasPrefix(stem, "readme") || strings.HasPrefix(stem, "index") || strings.Contains(stem, "template") ||
		!adrFolders()[strings.ToLower(path.Base(path.Dir(file)))] || within(file, aside()) || within(file, vendored()) {
		return a, false
	}
	a, ok = ParseADR(file, text)
	a.Title = brief(a.Title, longestADRTitle)
	return a, ok
}

// Role returns what a package is called and what it is for, such as "Gin" and "web framework", "" for one that does not
// shape a project. kind is that of a Manifest.
func Role(kind, name string) (called, use string) {
	called, use, _ = role(kind, name)
	return called, use
}

// ReadTree reads a file of keys and values in JSON, TOML or YAML, told by the end of its name; of several YAML documents the
// first.
func ReadTree(base string, text []byte) (t map[string]any, err error) {
	s := single(base, text)
	switch strings.ToLower(path.Ext(base)) {
	case ".json":
		t, err = s.json(base)
	case ".toml", ".lock":
		t, err = s.toml(base)
	case ".yml", ".yaml":
		t, err = s.yaml(base)
	}
	return t, err
}

// LicenceOf returns the SPDX identifier of a licence's text, "" if it is none of the usual ones.
func LicenceOf(text []byte) string { return licenceOf(text[:min(len(text), headLimit)]) }

// Vendored reports whether a file lies in a folder of other projects' code or of what tools made, or is named like one
// that a tool writes.
func Vendored(file string) bool {
	if within(file, vendored()) {
		return true
	}
	base := path.Base(file)
	for _, end := range generated {
		if strings.HasSuffix(base, end) && end != ".d.ts" {
			return true
		}
	}
	return false
}

// Aside reports whether a file is not the project's own code: a test, its data, an example.
func Aside(file string) bool { return within(file, aside()) || within(file, setTests()) }

// Language returns the programming language of a file by its name, "" for none.
func Language(file string) string { return languageOf(path.Base(file), false) }

// Place returns the part of the project that a file belongs to as its path tells: the first folder that is neither a
// container of others (src, internal), a layer (controllers) nor one that every project has (utils); in a tree of
// namespaces, such as Java's, the last one.
func Place(file string) (domain string) {
	parts := strings.Split(path.Dir(file), "/")
	spaced := false
	for _, p := range parts {
		name := strings.ToLower(p)
		if namespaces()[name] {
			spaced = true
		}
		if name == "." || name == "" || strings.HasPrefix(name, ".") || containers()[name] || layers()[name] || generic()[name] || layerWords()[name] || aside()[name] || setTests()[name] {
			continue
		}
		if domain == "" || spaced {
			domain = oneLine(name)
		}
	}
	return strings.ReplaceAll(domain, " ", "-")
}
