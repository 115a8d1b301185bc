package discovery

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"sync"
)

// module is a folder with a manifest: its build tool and commands.
type module struct {
	dir      string
	kind     string // family of its packages: go node python rust jvm dotnet native ruby php, or another tool's name
	label    string // of the kind, as in a sentence
	manifest string
	name     string
	about    string
	commands []command
	entries  []string // files where programs begin, or a library
	library  bool     // others import it
	version  string   // of the project
	versions string   // of its language or runtime that it works with
}

type command struct {
	kind   string // install build test lint format typecheck run generate
	tool   string
	line   string
	runs   string // the commands behind it, if they are known
	dir    string
	source string
	sure   float64
}

// tool describes the manifests of one name. It leaves out their dependencies.
type tool struct {
	kind, label string
	build, test string // the usual commands
	tests       string // files or words that show tests
	entries     string // files where programs usually begin
}

//go:embed manifests.txt
var manifestTable string

var tools = sync.OnceValue(func() map[string]tool {
	of := map[string]tool{}
	for line := range strings.Lines(manifestTable) {
		if f := strings.Split(strings.TrimSpace(line)+strings.Repeat(" |", 6), "|"); line[0] != '#' {
			for i := range f {
				f[i] = strings.TrimSpace(f[i])
			}
			of[f[0]] = tool{f[1], f[2], f[3], f[4], f[5], f[6]}
		}
	}
	return of
})

var readers = map[string]func(s *survey, m *module, text []byte) error{
	"go.mod": (*survey).readGoMod, "package.json": (*survey).readPackageJSON, "composer.json": (*survey).readJSONKeys,
	"Cargo.toml":     (*survey).readKeys,
	"pyproject.toml": (*survey).readPython, "setup.py": (*survey).readPython, "requirements.txt": (*survey).readPython,
	"pom.xml": (*survey).wrapped, "build.gradle": (*survey).wrapped, "build.gradle.kts": (*survey).wrapped, "Gemfile": (*survey).readGemfile,
}

func toolOf(base string) (tool, bool) {
	t, ok := tools()[base]
	if !ok && path.Ext(base) != base {
		t, ok = tools()[path.Ext(base)]
	}
	return t, ok
}

func isManifest(base string) bool { _, ok := toolOf(base); return ok }

func (s *survey) readManifests() {
	var files []string
	for _, file := range s.files {
		if isManifest(path.Base(file)) && !within(file, "aside") && !strings.HasPrefix(file, "_") && !strings.Contains(file, "/_") {
			files = append(files, file)
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	if len(files) > maxManifests {
		s.truncated = true
		s.warn("only %d of the manifests were read, those near the top", maxManifests)
		files = files[:maxManifests]
	}
	for _, file := range files {
		if s.ctx.Err() != nil {
			return
		}
		s.readManifest(file)
	}
	slices.SortStableFunc(s.modules, func(a, b *module) int {
		return cmp.Or(depth(a.dir)-depth(b.dir), strings.Compare(a.dir, b.dir))
	})
}

func (s *survey) readManifest(file string) {
	text, ok := s.manifest(file)
	t, _ := toolOf(path.Base(file))
	dir := path.Dir(file)
	if !ok || slices.ContainsFunc(s.modules, func(m *module) bool { return m.dir == dir && m.kind == t.kind }) {
		return // pyproject.toml beside requirements.txt
	}
	m := &module{dir: dir, kind: t.kind, label: t.label, manifest: file}
	if dir == "." { // addVersions tells no others
		m.version, m.versions = versionsIn(file, text)
	}
	if read := readers[path.Base(file)]; read != nil {
		if err := read(s, m, text); err != nil {
			s.warn("%s: %s", file, brief(err.Error(), 160))
			return
		}
	}
	if t.kind == "native" && dir != "." && !strings.Contains(string(text), "project(") {
		return // a part of the build above it
	}
	m.command("build", t.kind, t.build, file, 0.9)
	if s.tested(t, dir, string(text)) {
		m.command("test", t.kind, t.test, file, 0.9)
	}
	for name := range strings.FieldsSeq(t.entries) {
		if entry := path.Join(dir, name); s.has(entry) && len(m.entries) == 0 {
			m.entries = append(m.entries, entry)
		}
	}
	s.modules = append(s.modules, m)
}

// tested reports whether the usual test command works: not every project of the kind has tests.
func (s *survey) tested(t tool, dir, text string) bool {
	top := t.kind == "jvm" && dir == "." // it tests its parts
	return t.tests == "" || top || slices.ContainsFunc(strings.Fields(t.tests), func(sign string) bool {
		file, ok := strings.CutPrefix(sign, "/")
		return ok && (s.has(path.Join(dir, file)) || s.folders[path.Join(dir, file)] != nil) || !ok && strings.Contains(text, sign)
	})
}

func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// command adds a command and returns it, nil if the module already has one of that kind.
func (m *module) command(kind, tool, line, source string, sure float64) *command {
	if !sayable(line) || slices.ContainsFunc(m.commands, func(c command) bool { return c.kind == kind }) {
		return nil
	}
	m.commands = append(m.commands, command{kind: kind, tool: tool, line: line, dir: m.dir, source: source, sure: sure})
	return &m.commands[len(m.commands)-1]
}

func (s *survey) readKeys(m *module, text []byte) error {
	m.name, m.about = OneLine(ofPackage(text, "name")), OneLine(ofPackage(text, "description"))
	return nil
}

func (s *survey) readPython(m *module, text []byte) error {
	if path.Base(m.manifest) == "pyproject.toml" {
		_ = s.readKeys(m, text)
		for _, manager := range []string{"uv", "poetry", "pdm", "hatch"} {
			table := "[tool." + manager
			if manager == "hatch" { // its other tables are those of the build backend
				table += ".envs"
			}
			used := s.has(path.Join(m.dir, manager+".lock")) || strings.Contains(string(text), table)
			if used && s.tested(tools()["pyproject.toml"], m.dir, string(text)) {
				m.command("test", manager, manager+" run pytest", m.manifest, 0.85)
				break
			}
		}
	}
	if !strings.Contains(string(text), "pytest") && s.has(path.Join(m.dir, "manage.py")) {
		m.command("test", "python", "python manage.py test", path.Join(m.dir, "manage.py"), 0.85)
		m.command("run", "python", "python manage.py runserver", path.Join(m.dir, "manage.py"), 0.85)
	}
	return nil
}

func (s *survey) wrapped(m *module, text []byte) error {
	wrapper, build, in := "gradlew", " build", " -p "
	if path.Base(m.manifest) == "pom.xml" {
		wrapper, build, in = "mvnw", " package", " -f "
	}
	switch run := "./" + wrapper; {
	case s.has(path.Join(m.dir, wrapper)):
		m.command("build", "jvm", run+build, m.manifest, 0.9)
		m.command("test", "jvm", run+" test", m.manifest, 0.9)
	case s.has(wrapper) && s.tested(tools()[path.Base(m.manifest)], m.dir, string(text)):
		m.command("test", "jvm", run+in+m.dir+" test", m.manifest, 0.9)
	}
	return nil
}

func (s *survey) readGemfile(m *module, _ []byte) error {
	switch {
	case s.has(path.Join(m.dir, ".rspec")) || s.folders[path.Join(m.dir, "spec")] != nil:
		m.command("test", "ruby", "bundle exec rspec", m.manifest, 0.9)
	case s.has(path.Join(m.dir, "bin/rails")):
		m.command("test", "ruby", "bin/rails test", m.manifest, 0.9)
	case s.has(path.Join(m.dir, "Rakefile")) && s.folders[path.Join(m.dir, "test")] != nil:
		m.command("test", "ruby", "bundle exec rake test", m.manifest, 0.9)
	}
	return nil
}

func (s *survey) readJSONKeys(m *module, text []byte) error {
	var p struct{ Name, Description string }
	err := json.Unmarshal(text, &p)
	m.name, m.about = OneLine(p.Name), OneLine(p.Description)
	m.addScripts(text, "composer")
	return err
}

// managers are the package managers of Node.js, by the file that shows them.
var managers = []struct{ lock, name string }{
	{"pnpm-lock.yaml", "pnpm"}, {"pnpm-workspace.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lockb", "bun"}, {"bun.lock", "bun"},
}

func (s *survey) readPackageJSON(m *module, text []byte) error {
	var p struct {
		Name, Description, PackageManager string
		Exports, Module, Types            any
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	m.name, m.about = OneLine(p.Name), OneLine(p.Description)
	m.library = p.Exports != nil || p.Module != nil || p.Types != nil
	if c := s.folders[m.dir].code; c["TypeScript"] > c["JavaScript"] {
		m.label = "TypeScript"
	}
	manager, _, _ := strings.Cut(p.PackageManager, "@")
	for _, k := range managers {
		if s.has(k.lock) || s.has(path.Join(m.dir, k.lock)) {
			manager = cmp.Or(manager, k.name)
		}
	}
	m.addScripts(text, cmp.Or(manager, "npm"))
	return nil
}

// addScripts adds a command of each kind that a script of a package.json or composer.json has the name of.
func (m *module) addScripts(text []byte, manager string) {
	written := func(t task) bool { return t.runs != "" && !strings.Contains(t.runs, "no test specified") }
	for _, t := range ofKinds(scripts(text), written) {
		line := manager + " run " + t.name
		if t.name == "test" || t.name == "start" {
			line = manager + " " + t.name
		}
		if c := m.command(t.kind, manager, line, m.manifest, 1); c != nil {
			c.runs = t.says()
		}
	}
}

// part reports whether the module is a part of the product: a test is none, nor is the top.
func (m *module) part() bool { return m.dir != "." && !within(m.dir+"/", "tests") }

// addModules adds each part, and the folders with their own documentation.
func (s *survey) addModules() {
	for _, m := range s.modules {
		if !m.part() || len(s.report.Facts) > maxFacts || m.about == "" && len(m.entries)+len(m.commands) == 0 {
			continue
		}
		text := m.dir + " is a part of its own (" + m.label + ")"
		if m.name != "" && m.name != path.Base(m.dir) {
			text += ", called " + m.name
		}
		doc, from := s.documented(m.dir)
		if s.documentedIn[from] = true; m.about != "" || doc != "" {
			text += ": " + quoted(sentence(cmp.Or(m.about, doc), 160))
		}
		if len(m.entries) > 0 {
			text += "; it is entered at " + listing(m.entries, 3)
		}
		commands := s.commandsOf(m.dir, m)
		if i := slices.IndexFunc(commands, func(c command) bool { return c.kind == "test" }); i >= 0 {
			text += "; its tests run with " + code(commands[i].line)
		}
		key := "module:" + m.dir
		if slices.ContainsFunc(s.report.Facts, func(f Found) bool { return f.Key == key }) {
			key += ":" + m.kind
		}
		s.add(Found{Level: Module, Domain: s.domainOf(m.dir), Module: m.dir, Key: key, Content: text + ".", Source: m.manifest, Confidence: 0.95})
	}
	s.addParts()
	first := slices.IndexFunc(s.report.Facts, func(f Found) bool { return f.Level == Module })
	if first >= 0 {
		slices.SortStableFunc(s.report.Facts[first:], func(a, b Found) int { return strings.Compare(a.Module, b.Module) })
	}
}
