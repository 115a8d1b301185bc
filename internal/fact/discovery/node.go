package discovery

import (
	"path"
	"slices"
	"strings"
)

// readPackageJSON reads what npm, pnpm, Yarn and Bun share.
func (s *survey) readPackageJSON(file string) error {
	t, err := s.json(file)
	if t == nil {
		return err
	}
	dir := path.Dir(file)
	label := "Node.js"
	m := s.moduleAt(dir, "node", label, file)
	m.name, m.about, m.licence = t.text("name"), t.text("description"), t.text("license")
	if m.licence == "" {
		m.licence = t.sub("license").text("type")
	}
	if v := t.sub("engines").text("node"); v != "" {
		m.runtime = "Node.js " + v
	}
	for _, group := range []string{"dependencies", "peerDependencies", "devDependencies"} {
		deps := t.sub(group)
		for _, name := range deps.keys() {
			version := deps.text(name)
			if !strings.HasPrefix(version, "workspace:") && !strings.HasPrefix(version, "file:") && !strings.HasPrefix(version, "link:") {
				m.needs(name, plainVersion(version), group == "devDependencies")
			}
		}
	}
	if c := s.folders[dir].code; m.depends("typescript") || s.has(path.Join(dir, "tsconfig.json")) || c["TypeScript"] > c["JavaScript"] {
		m.label = "TypeScript"
	}
	manager := s.packageManager(dir, t.text("packageManager"))
	m.command("install", manager, manager+" install", file, 0.9)
	scripts := t.sub("scripts")
	for _, choice := range scriptChoices {
		for _, name := range choice.names {
			if does := scripts.text(name); does != "" && !strings.Contains(does, "no test specified") {
				m.script(choice.kind, manager, name, does, file)
				break
			}
		}
	}
	if patterns := append(t.list("workspaces"), t.sub("workspaces").list("packages")...); len(patterns) > 0 {
		s.work = append(s.work, workspace{tool: manager, source: file, patterns: patterns})
	}
	s.enterNode(m, t)
	return nil
}

// scriptChoices are the names of scripts for each kind of command, the usual one first.
var scriptChoices = []struct {
	kind  string
	names []string
}{
	{"build", []string{"build", "compile", "bundle", "dist"}},
	{"test", []string{"test", "test:unit", "unit", "tests"}},
	{"lint", []string{"lint", "eslint", "check", "lint:check"}},
	{"typecheck", []string{"typecheck", "type-check", "check-types", "tsc", "types"}},
	{"format", []string{"format", "fmt", "prettier"}},
	{"run", []string{"dev", "start", "serve", "develop"}},
	{"generate", []string{"generate", "codegen", "gen"}},
}

// script adds a named script of a package manager.
func (m *module) script(kind, manager, name, does, file string) {
	line := manager + " run " + name
	if name == "test" || name == "start" || manager == "yarn" {
		line = manager + " " + name
	}
	if manager == "bun" {
		line = "bun run " + name
	}
	m.command(kind, manager, line, file, 1)
	if i := len(m.commands) - 1; i >= 0 && m.commands[i].line == line && sayable(does) {
		m.commands[i].runs = does
	}
}

// packageManager returns the manager that a package.json names, else the one whose lock file lies nearest.
func (s *survey) packageManager(dir, named string) string {
	if name, _, _ := strings.Cut(named, "@"); slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name) {
		return name
	}
	for ; ; dir = path.Dir(dir) {
		for _, lock := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"pnpm-workspace.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"},
			{"package-lock.json", "npm"}, {"npm-shrinkwrap.json", "npm"}} {
			if s.has(path.Join(dir, lock[0])) {
				return lock[1]
			}
		}
		if dir == "." {
			return "npm"
		}
	}
}

// enterNode finds what a package runs or exports.
func (s *survey) enterNode(m *module, t table) {
	file := m.manifest
	place := func(to string) string { return path.Join(m.dir, strings.TrimPrefix(to, "./")) }
	bins := t.sub("bin")
	for _, name := range bins.keys() {
		m.enter(place(bins.text(name)), "the command "+name, file)
	}
	if to := t.text("bin"); to != "" {
		m.enter(place(to), "the command "+path.Base(m.name), file)
	}
	for _, to := range []string{t.text("main"), t.text("module")} {
		if to != "" && s.has(place(to)) {
			m.enter(place(to), "the package's main file", file)
		}
	}
	for _, base := range []string{"src/main.ts", "src/main.tsx", "src/index.ts", "src/index.tsx", "src/server.ts", "src/app.ts", "src/main.js", "src/main.jsx",
		"src/index.js", "src/index.jsx", "src/server.js", "src/app.js", "server.js", "server.ts", "app.js", "app.ts", "index.js", "index.ts", "main.ts"} {
		if s.has(path.Join(m.dir, base)) {
			m.enter(path.Join(m.dir, base), "the start file", path.Join(m.dir, base))
			break
		}
	}
	for _, dir := range []string{"app", "src/app", "pages", "src/pages"} {
		if m.depends("next") && s.hasFolder(path.Join(m.dir, dir)) {
			m.enter(path.Join(m.dir, dir), "the pages of Next.js", file)
		}
	}
}

func (s *survey) readPnpmWorkspace(file string) error {
	t, err := s.yaml(file)
	if t == nil {
		return err
	}
	if patterns := t.list("packages"); len(patterns) > 0 {
		s.work = append(s.work, workspace{tool: "pnpm", source: file, patterns: patterns})
	}
	return nil
}

func (s *survey) readLerna(file string) error {
	t, err := s.json(file)
	if patterns := t.list("packages"); len(patterns) > 0 {
		s.work = append(s.work, workspace{tool: "Lerna", source: file, patterns: patterns})
	}
	return err
}

func (s *survey) readDeno(file string) error {
	t, err := s.json(file)
	if t == nil {
		return err
	}
	m := s.moduleAt(path.Dir(file), "deno", "Deno", file)
	m.name = t.text("name")
	tasks := t.sub("tasks")
	for _, choice := range scriptChoices {
		for _, name := range choice.names {
			if tasks.text(name) != "" {
				m.command(choice.kind, "deno", "deno task "+name, file, 1)
				break
			}
		}
	}
	m.command("test", "deno", "deno test", file, 0.85)
	return nil
}

// plainVersion returns a version as written, "" for one that is a place.
func plainVersion(v string) string {
	if strings.ContainsAny(v, "/@ ") && !strings.HasPrefix(v, ">") && !strings.HasPrefix(v, "^") && !strings.HasPrefix(v, "~") || len(v) > 30 || v == "*" || v == "latest" {
		return ""
	}
	return v
}
