package discovery

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// module is a folder with a manifest: which tool builds it, and how.
type module struct {
	dir      string
	kind     string // family of its packages: go node python rust jvm dotnet native ruby php, or another tool's name
	label    string // of the kind, as in a sentence
	manifest string
	name     string
	about    string
	commands []command
	entries  []string // files that programs begin in
}

// command is something to run in the module's folder.
type command struct {
	kind   string // install build test lint format typecheck run generate
	tool   string
	line   string
	runs   string // what it does, when that is another command
	dir    string
	source string
	sure   float64
}

// tool is what a manifest of some name speaks for. Its dependencies are read by nobody here: the manifest says them as well.
type tool struct {
	kind, label string
	build, test string // the usual commands
	entries     string // files that programs usually begin in
	read        func(s *survey, m *module, text []byte) error
}

var tools = map[string]tool{
	"go.mod":           {"go", "Go", "go build ./...", "go test ./...", "", (*survey).readGoMod},
	"package.json":     {kind: "node", label: "Node.js", entries: "src/main.ts src/main.tsx src/main.js src/index.ts src/index.js index.js server.js", read: (*survey).readPackageJSON},
	"deno.json":        {"deno", "Deno", "", "deno test", "main.ts mod.ts", nil},
	"pyproject.toml":   {"python", "Python", "", "pytest", "main.py app.py manage.py src/main.py", (*survey).readPython},
	"setup.py":         {"python", "Python", "", "pytest", "main.py app.py manage.py src/main.py", (*survey).readPython},
	"requirements.txt": {"python", "Python", "", "pytest", "main.py app.py manage.py src/main.py", (*survey).readPython},
	"Cargo.toml":       {"rust", "Rust", "cargo build", "cargo test", "src/main.rs", (*survey).readKeys},
	"pom.xml":          {"jvm", "Java", "mvn package", "mvn test", "", (*survey).wrapped},
	"build.gradle":     {"jvm", "Java", "gradle build", "gradle test", "", (*survey).wrapped},
	"build.gradle.kts": {"jvm", "Kotlin", "gradle build", "gradle test", "", (*survey).wrapped},
	".csproj":          {"dotnet", "C#", "dotnet build", "dotnet test", "Program.cs", nil},
	".fsproj":          {"dotnet", "F#", "dotnet build", "dotnet test", "Program.fs", nil},
	".sln":             {"dotnet", ".NET", "dotnet build", "dotnet test", "", nil},
	".slnx":            {"dotnet", ".NET", "dotnet build", "dotnet test", "", nil},
	"CMakeLists.txt":   {"native", "C++", "cmake -B build && cmake --build build", "ctest --test-dir build", "src/main.cpp src/main.c main.cpp main.c", nil},
	"meson.build":      {"native", "C++", "meson setup build && meson compile -C build", "meson test -C build", "src/main.cpp src/main.c main.cpp main.c", nil},
	"Gemfile":          {"ruby", "Ruby", "", "bundle exec rake test", "config.ru", (*survey).readGemfile},
	"composer.json":    {"php", "PHP", "", "vendor/bin/phpunit", "public/index.php", (*survey).readJSONKeys},
	"mix.exs":          {"mix", "Elixir", "mix compile", "mix test", "", nil},
	"rebar.config":     {"rebar", "Erlang", "rebar3 compile", "rebar3 eunit", "", nil},
	"pubspec.yaml":     {"pub", "Dart", "", "dart test", "lib/main.dart bin/main.dart", nil},
	"Package.swift":    {"swift", "Swift", "swift build", "swift test", "", nil},
	"build.sbt":        {"sbt", "Scala", "sbt compile", "sbt test", "", nil},
	"project.clj":      {"leiningen", "Clojure", "lein compile", "lein test", "", nil},
	"stack.yaml":       {"stack", "Haskell", "stack build", "stack test", "", nil},
	"cabal.project":    {"cabal", "Haskell", "cabal build all", "cabal test all", "", nil},
	"dune-project":     {"dune", "OCaml", "dune build", "dune test", "", nil},
	"build.zig":        {"zig", "Zig", "zig build", "zig build test", "src/main.zig", nil},
	"MODULE.bazel":     {"bazel", "Bazel", "bazel build //...", "bazel test //...", "", nil},
	"WORKSPACE":        {"bazel", "Bazel", "bazel build //...", "bazel test //...", "", nil},
	"foundry.toml":     {"foundry", "Solidity", "forge build", "forge test", "", nil},
}

// toolOf returns what a file of that base name speaks for.
func toolOf(base string) (tool, bool) {
	t, ok := tools[base]
	if !ok && path.Ext(base) != base {
		t, ok = tools[path.Ext(base)]
		ok = ok && path.Ext(base) != ".json"
	}
	return t, ok
}

func isManifest(base string) bool { _, ok := toolOf(base); return ok }

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
		s.readManifest(file)
	}
	slices.SortStableFunc(s.modules, func(a, b *module) int {
		return cmp.Or(cmp.Compare(depth(a.dir), depth(b.dir)), strings.Compare(a.dir, b.dir))
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
	if t.read != nil {
		if err := t.read(s, m, text); err != nil {
			s.warn("%s: %s", file, brief(err.Error(), 160))
			return
		}
	}
	if t.kind == "native" && dir != "." && !strings.Contains(string(text), "project(") {
		return // a part of the build above
	}
	m.command("build", t.kind, t.build, file, 0.9)
	if s.tested(m, string(text)) {
		m.command("test", t.kind, t.test, file, 0.9)
	}
	for name := range strings.FieldsSeq(t.entries) {
		if entry := path.Join(dir, name); s.has(entry) && len(m.entries) == 0 {
			m.entries = append(m.entries, entry)
		}
	}
	s.modules = append(s.modules, m)
}

// tested reports whether something speaks for the usual command for tests, where not every project of the kind has it.
func (s *survey) tested(m *module, text string) bool {
	in := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return s.has(path.Join(m.dir, n)) || s.folders[path.Join(m.dir, n)] != nil })
	}
	switch m.kind {
	case "python":
		return strings.Contains(text, "pytest") || in("pytest.ini", "conftest.py", "tests/conftest.py")
	case "php":
		return strings.Contains(text, "phpunit") || in("phpunit.xml", "phpunit.xml.dist")
	case "ruby":
		return in("test") && in("Rakefile")
	case "native":
		return strings.Contains(text, "enable_testing") || strings.Contains(text, "include(CTest)") || strings.Contains(text, "test(")
	case "pub", "deno":
		return in("test", "tests")
	}
	return true
}

// depth is how many folders below the top dir is.
func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// command adds a command and returns it, nil where the module has one of that kind.
func (m *module) command(kind, tool, line, source string, sure float64) *command {
	if !sayable(line) || slices.ContainsFunc(m.commands, func(c command) bool { return c.kind == kind }) {
		return nil
	}
	m.commands = append(m.commands, command{kind: kind, tool: tool, line: line, dir: m.dir, source: source, sure: sure})
	return &m.commands[len(m.commands)-1]
}

// keyLine is a key of TOML or of a similar format that says what a module is.
var keyLine = pattern.Late(`(?m)^\s*(name|description)\s*=\s*["']([^"'\n]+)["']`)

func (s *survey) readKeys(m *module, text []byte) error {
	for _, k := range keyLine().FindAllSubmatch(text, 8) {
		if key, value := string(k[1]), oneLine(string(k[2])); key == "name" {
			m.name = cmp.Or(m.name, value)
		} else {
			m.about = cmp.Or(m.about, value)
		}
	}
	return nil
}

func (s *survey) readPython(m *module, text []byte) error {
	if path.Base(m.manifest) == "pyproject.toml" {
		_ = s.readKeys(m, text)
		for _, manager := range []string{"uv", "poetry", "pdm", "hatch"} {
			if s.tested(m, string(text)) && (s.has(path.Join(m.dir, manager+".lock")) || strings.Contains(string(text), "[tool."+manager)) {
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

// wrapped takes the wrapper of a build tool where there is one.
func (s *survey) wrapped(m *module, _ []byte) error {
	wrapper, build := "gradlew", "build"
	if path.Base(m.manifest) == "pom.xml" {
		wrapper, build = "mvnw", "package"
	}
	if s.has(path.Join(m.dir, wrapper)) {
		m.command("build", "jvm", "./"+wrapper+" "+build, m.manifest, 0.9)
		m.command("test", "jvm", "./"+wrapper+" test", m.manifest, 0.9)
	}
	return nil
}

func (s *survey) readGemfile(m *module, _ []byte) error {
	switch {
	case s.has(path.Join(m.dir, ".rspec")) || s.folders[path.Join(m.dir, "spec")] != nil:
		m.command("test", "ruby", "bundle exec rspec", m.manifest, 0.9)
	case s.has(path.Join(m.dir, "bin/rails")):
		m.command("test", "ruby", "bin/rails test", m.manifest, 0.9)
	}
	return nil
}

func (s *survey) readJSONKeys(m *module, text []byte) error {
	var p struct{ Name, Description string }
	err := json.Unmarshal(text, &p)
	m.name, m.about = oneLine(p.Name), oneLine(p.Description)
	return err
}

// managers are those of Node.js packages by the file that shows them.
var managers = []struct{ lock, name string }{
	{"pnpm-lock.yaml", "pnpm"}, {"pnpm-workspace.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lockb", "bun"}, {"bun.lock", "bun"},
}

func (s *survey) readPackageJSON(m *module, text []byte) error {
	var p struct {
		Name, Description, PackageManager string
		Scripts                           map[string]any
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	m.name, m.about = oneLine(p.Name), oneLine(p.Description)
	if c := s.folders[m.dir].code; c["TypeScript"] > c["JavaScript"] {
		m.label = "TypeScript"
	}
	manager, _, _ := strings.Cut(p.PackageManager, "@")
	for _, k := range managers {
		if s.has(k.lock) || s.has(path.Join(m.dir, k.lock)) {
			manager = cmp.Or(manager, k.name)
		}
	}
	manager = cmp.Or(manager, "npm")
	for _, name := range taskOrder {
		runs, _ := p.Scripts[name].(string)
		if runs == "" || strings.Contains(runs, "no test specified") {
			continue
		}
		line := manager + " run " + name
		if name == "test" || name == "start" {
			line = manager + " " + name
		}
		if c := m.command(taskKinds[name], manager, line, m.manifest, 1); c != nil && sayable(runs) {
			c.runs = runs
		}
	}
	return nil
}

// addModules adds each module below the top, and the folders with documentation of their own.
func (s *survey) addModules() {
	for _, m := range s.modules {
		if m.dir == "." || len(s.report.Facts) > maxFacts || m.about == "" && len(m.entries)+len(m.commands) == 0 {
			continue
		}
		text := m.dir + " is a part of its own (" + m.label + ")"
		if m.name != "" && m.name != path.Base(m.dir) {
			text += ", called " + m.name
		}
		doc, from := s.documented(m.dir)
		if s.told[from] = true; m.about != "" || doc != "" {
			text += ": " + quoted(sentence(cmp.Or(m.about, doc), 160))
		}
		if len(m.entries) > 0 {
			text += "; it is entered at " + listing(m.entries, 3)
		}
		for _, c := range s.commandsOf(m.dir, m) {
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
	s.addParts()
	first := slices.IndexFunc(s.report.Facts, func(f Found) bool { return f.Level == Module })
	if first >= 0 {
		slices.SortStableFunc(s.report.Facts[first:], func(a, b Found) int { return strings.Compare(a.Module, b.Module) })
	}
}
