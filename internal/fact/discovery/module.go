package discovery

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"sdd/internal/frontmatter"
)

// module is a folder with a manifest: what one build tool knows of it.
type module struct {
	dir      string
	kind     string // family of its packages: go node python rust jvm dotnet native ruby php, or another tool's name
	label    string // of the kind, as in a sentence
	manifest string // the file that says the most
	files    []string
	name     string
	about    string
	licence  string
	runtime  string // what it needs, such as "Go 1.22"
	deps     []dependency
	commands []command
	entries  []entry
}

type dependency struct {
	name, version string
	dev           bool
}

// entry is where a program begins, or what it is built as.
type entry struct{ path, what, source string }

// command is something to run in the module's folder.
type command struct {
	kind   string // install build test lint format typecheck run generate
	tool   string
	line   string
	runs   string // what it does, when that is another command
	dir    string
	label  string // of the kind of module, for one that all modules have
	source string
	sure   float64
}

// workspace is a set of modules that one build handles.
type workspace struct {
	tool     string
	source   string
	patterns []string // as written; with * and a leading !
}

// manifests are the readers of manifests by base name. A reader adds what it finds to the module of its folder and
// kind.
var manifests = map[string]func(s *survey, file string) error{
	"go.mod":              (*survey).readGoMod,
	"go.work":             (*survey).readGoWork,
	"package.json":        (*survey).readPackageJSON,
	"pnpm-workspace.yaml": (*survey).readPnpmWorkspace,
	"lerna.json":          (*survey).readLerna,
	"deno.json":           (*survey).readDeno,
	"pyproject.toml":      (*survey).readPyproject,
	"setup.py":            (*survey).readSetupPy,
	"setup.cfg":           (*survey).readSetupCfg,
	"requirements.txt":    (*survey).readRequirements,
	"Pipfile":             (*survey).readPipfile,
	"Cargo.toml":          (*survey).readCargo,
	"pom.xml":             (*survey).readPom,
	"build.gradle":        (*survey).readGradle,
	"build.gradle.kts":    (*survey).readGradle,
	"settings.gradle":     (*survey).readGradleSettings,
	"settings.gradle.kts": (*survey).readGradleSettings,
	"CMakeLists.txt":      (*survey).readCMake,
	"meson.build":         (*survey).readMeson,
	"Gemfile":             (*survey).readGemfile,
	"composer.json":       (*survey).readComposer,
}

// endings are the readers of manifests by the end of the name.
var endings = map[string]func(s *survey, file string) error{
	".csproj": (*survey).readDotnetProject, ".fsproj": (*survey).readDotnetProject, ".vbproj": (*survey).readDotnetProject,
	".sln": (*survey).readSolution, ".slnx": (*survey).readSolution,
	".gemspec": (*survey).readGemspec,
}

// others are manifests that are only told by name, with the tool that reads them.
var others = map[string]string{
	"mix.exs": "Mix (Elixir)", "rebar.config": "Rebar (Erlang)", "pubspec.yaml": "Pub (Dart)", "Package.swift": "Swift Package Manager",
	"build.sbt": "sbt (Scala)", "project.clj": "Leiningen (Clojure)", "deps.edn": "Clojure CLI", "stack.yaml": "Stack (Haskell)",
	"cabal.project": "Cabal (Haskell)", "dune-project": "Dune (OCaml)", "build.zig": "Zig", "Project.toml": "Pkg (Julia)",
	"MODULE.bazel": "Bazel", "WORKSPACE": "Bazel", "WORKSPACE.bazel": "Bazel", "BUCK": "Buck", "pants.toml": "Pants", "flake.nix": "Nix",
	"configure.ac": "Autotools", "SConstruct": "SCons", "build.xml": "Ant", "environment.yml": "Conda", "nx.json": "Nx", "turbo.json": "Turborepo",
	"conanfile.txt": "Conan", "conanfile.py": "Conan", "vcpkg.json": "vcpkg", "Podfile": "CocoaPods", "foundry.toml": "Foundry (Solidity)",
}

// isManifest reports whether a file of that base name is a manifest.
func isManifest(base string) bool {
	return manifests[base] != nil || endings[path.Ext(base)] != nil || others[base] != ""
}

// readManifests reads the manifests, those near the top first.
func (s *survey) readManifests() {
	var files []string
	for _, file := range s.files {
		if isManifest(path.Base(file)) && !within(file, aside()) && !strings.HasPrefix(file, "_") && !strings.Contains(file, "/_") {
			files = append(files, file)
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")) })
	if len(files) > s.opts.MaxManifests {
		s.truncated = true
		s.warn("only %d of the manifests were read, those near the top", s.opts.MaxManifests)
		files = files[:s.opts.MaxManifests]
	}
	for _, file := range files {
		if s.ctx.Err() != nil {
			return
		}
		base := path.Base(file)
		read := manifests[base]
		if read == nil {
			read = endings[path.Ext(base)]
		}
		if read == nil {
			s.readOther(file)
			continue
		}
		if err := read(s, file); err != nil {
			s.warn("%s: %s", file, problem(err))
		}
	}
	for _, m := range s.modules {
		slices.SortFunc(m.deps, func(a, b dependency) int {
			return cmp.Or(strings.Compare(a.name, b.name), compareBool(a.dev, b.dev), strings.Compare(a.version, b.version))
		})
		m.deps = slices.CompactFunc(m.deps, func(a, b dependency) bool { return a.name == b.name })
	}
	slices.SortStableFunc(s.modules, func(a, b *module) int {
		return cmp.Or(cmp.Compare(depth(a.dir), depth(b.dir)), strings.Compare(a.dir, b.dir))
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// depth is how many folders below the top dir is.
func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// problem is what is wrong with a file, in one short line.
func problem(err error) string {
	var p toml.ParseError
	if errors.As(err, &p) {
		return fmt.Sprintf("line %d: %s", p.Position.Line, brief(p.Message, 120))
	}
	return brief(err.Error(), 160)
}

// moduleAt returns the module of that kind in dir, a new one if there is none.
func (s *survey) moduleAt(dir, kind, label, file string) *module {
	for _, m := range s.modules {
		if m.dir == dir && m.kind == kind {
			m.files = append(m.files, file)
			return m
		}
	}
	m := &module{dir: dir, kind: kind, label: label, manifest: file, files: []string{file}}
	s.modules = append(s.modules, m)
	return m
}

// readOther takes a manifest that no reader knows.
func (s *survey) readOther(file string) {
	if _, ok := s.manifest(file); !ok {
		return
	}
	tool := others[path.Base(file)]
	m := s.moduleAt(path.Dir(file), keyWord(tool), tool, file)
	if line, ok := otherCommands[path.Base(file)]; ok {
		for i, kind := range []string{"build", "test"} {
			if line[i] != "" {
				m.command(kind, m.kind, line[i], file, 0.85)
			}
		}
	}
}

// keyWord is the first word of a tool's name, as keys have it.
func keyWord(tool string) string {
	word, _, _ := strings.Cut(strings.ToLower(tool), " ")
	return word
}

// otherCommands build and test with those tools.
var otherCommands = map[string][2]string{
	"mix.exs": {"mix compile", "mix test"}, "rebar.config": {"rebar3 compile", "rebar3 eunit"}, "Package.swift": {"swift build", "swift test"},
	"build.sbt": {"sbt compile", "sbt test"}, "project.clj": {"lein compile", "lein test"}, "stack.yaml": {"stack build", "stack test"},
	"cabal.project": {"cabal build all", "cabal test all"}, "dune-project": {"dune build", "dune test"}, "build.zig": {"zig build", "zig build test"},
	"MODULE.bazel": {"bazel build //...", "bazel test //..."}, "WORKSPACE": {"bazel build //...", "bazel test //..."},
	"WORKSPACE.bazel": {"bazel build //...", "bazel test //..."}, "foundry.toml": {"forge build", "forge test"}, "build.xml": {"ant", ""},
}

// command adds a command, unless the module has one of that kind by the same tool.
func (m *module) command(kind, tool, line, source string, sure float64) {
	if !sayable(line) || slices.ContainsFunc(m.commands, func(c command) bool { return c.kind == kind && c.tool == tool }) {
		return
	}
	m.commands = append(m.commands, command{kind: kind, tool: tool, line: line, dir: m.dir, source: source, sure: sure})
}

// depends reports whether the module names one of the packages.
func (m *module) depends(names ...string) bool {
	return slices.ContainsFunc(m.deps, func(d dependency) bool { return slices.Contains(names, d.name) })
}

// maxDependencies is how many packages of a module are looked at.
const maxDependencies = 2000

func (m *module) needs(name, version string, dev bool) {
	if name = oneLine(name); name != "" && len(name) <= 200 && len(m.deps) < maxDependencies {
		m.deps = append(m.deps, dependency{name, oneLine(version), dev})
	}
}

func (m *module) enter(path, what, source string) {
	if !slices.ContainsFunc(m.entries, func(e entry) bool { return e.path == path }) {
		m.entries = append(m.entries, entry{path, what, source})
	}
}

// table is a map as the formats JSON, TOML and YAML give it.
type table map[string]any

func (t table) text(key string) string {
	s, _ := t[key].(string)
	return s
}

// sub returns the map at a path of keys, nil if there is none.
func (t table) sub(keys ...string) table {
	for _, key := range keys {
		m, _ := t[key].(map[string]any)
		t = m
	}
	return t
}

// list returns the strings of a list.
func (t table) list(key string) (out []string) {
	items, _ := t[key].([]any)
	for _, e := range items {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// texts returns the strings of a list, or of a single one.
func (t table) texts(key string) []string {
	if s := t.text(key); s != "" {
		return []string{s}
	}
	return t.list(key)
}

// tables returns the maps of a list.
func (t table) tables(key string) (out []table) {
	switch v := t[key].(type) {
	case []map[string]any:
		for _, e := range v {
			out = append(out, e)
		}
	case []any:
		for _, e := range v {
			if m, ok := e.(map[string]any); ok {
				out = append(out, m)
			}
		}
	}
	return out
}

// keys returns the names in the map, sorted.
func (t table) keys() []string {
	var out []string
	for k := range t {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (s *survey) json(file string) (table, error) {
	text, ok := s.manifest(file)
	if !ok {
		return nil, nil
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	t, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("no JSON object")
	}
	return t, nil
}

func (s *survey) toml(file string) (table, error) {
	text, ok := s.manifest(file)
	if !ok {
		return nil, nil
	}
	return decodeTOML(string(text))
}

// yaml reads the first document of a YAML file.
func (s *survey) yaml(file string) (table, error) {
	text, ok := s.manifest(file)
	if !ok {
		return nil, nil
	}
	d, err := frontmatter.ParseYAML(firstDocument(text))
	if err != nil {
		return nil, errors.New("no YAML with keys that can be read")
	}
	return d.Map(), nil
}

// firstDocument returns what stands before the second `---` line of YAML, without the first one.
func firstDocument(text []byte) []byte {
	begun := false
	at := 0
	for line := range bytes.Lines(text) {
		bare := bytes.TrimRight(line, " \t\r\n")
		switch {
		case bytes.Equal(bare, []byte("---")) && begun:
			return text[:at]
		case bytes.Equal(bare, []byte("---")):
			text, at = text[at+len(line):], -len(line)
			begun = true
		case len(bare) > 0 && bare[0] != '#' && bare[0] != '%':
			begun = true
		}
		at += len(line)
	}
	return text
}
