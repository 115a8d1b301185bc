package discovery

import (
	"maps"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// taskKinds tell which kind of command a task of that name is.
var taskKinds = map[string]string{
	"build": "build", "all": "build", "compile": "build", "dist": "build", "package": "build",
	"test": "test", "tests": "test", "check": "test", "unit": "test", "unit-test": "test", "test-unit": "test", "spec": "test",
	"lint": "lint", "vet": "lint", "clippy": "lint", "lint-check": "lint",
	"typecheck": "typecheck", "fmt": "format", "format": "format",
	"run": "run", "serve": "run", "start": "run", "dev": "run", "up": "run",
	"install": "install", "deps": "install", "setup": "install", "bootstrap": "install",
	"generate": "generate", "gen": "generate", "codegen": "generate", "proto": "generate",
}

// taskOrder prefers the usual name of a kind over the others.
var taskOrder = strings.Fields(`build all compile package dist test tests unit unit-test test-unit spec check lint lint-check vet clippy typecheck
	fmt format dev run serve start up deps setup bootstrap install generate gen codegen proto`)

// task is a named task of a task runner.
type task struct {
	name, runs string
	line       int
}

// readTasks reads the files of task runners at the top and in the folders of modules.
func (s *survey) readTasks() {
	dirs := []string{"."}
	for _, m := range s.modules {
		if !slices.Contains(dirs, m.dir) {
			dirs = append(dirs, m.dir)
		}
	}
	for _, dir := range dirs {
		for _, runner := range []struct {
			tool  string
			names []string
			read  func(s *survey, file string) []task
		}{
			{"make", []string{"GNUmakefile", "Makefile", "makefile"}, (*survey).readMakefile},
			{"task", []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"}, (*survey).readTaskfile},
			{"just", []string{"justfile", "Justfile", ".justfile"}, (*survey).readJustfile},
			{"rake", []string{"Rakefile"}, (*survey).readRakefile},
		} {
			names := make([]string, len(runner.names))
			for i, name := range runner.names {
				names[i] = path.Join(dir, name)
			}
			if file := s.first(names...); file != "" {
				s.takeTasks(dir, runner.tool, file, runner.read(s, file))
			}
		}
	}
}

// takeTasks keeps one task of each kind as a command, and tells the names of all.
func (s *survey) takeTasks(dir, tool, file string, tasks []task) {
	run := map[string]string{"make": "make ", "task": "task ", "just": "just ", "rake": "bundle exec rake "}[tool]
	for _, name := range taskOrder {
		i := slices.IndexFunc(tasks, func(t task) bool { return t.name == name })
		kind := taskKinds[name]
		if i < 0 || slices.ContainsFunc(s.tasks, func(c command) bool { return c.kind == kind && c.tool == tool && c.dir == dir }) {
			continue
		}
		c := command{kind: kind, tool: tool, line: run + name, dir: dir, source: at(file, tasks[i].line), sure: 1}
		if sayable(tasks[i].runs) {
			c.runs = tasks[i].runs
		}
		s.tasks = append(s.tasks, c)
	}
}

// readMakefile reads the rules whose targets are plain names, with the first line of their recipes.
func (s *survey) readMakefile(file string) (tasks []task) {
	text, ok := s.manifest(file)
	if !ok {
		return nil
	}
	n, open, joined := 0, false, false
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		goesOn := joined
		joined = strings.HasSuffix(line, `\`)
		switch {
		case goesOn:
		case strings.HasPrefix(line, "\t"):
			if last := len(tasks) - 1; open && last >= 0 && tasks[last].runs == "" && !joined {
				tasks[last].runs = recipe(line)
			}
		case strings.TrimSpace(line) == "" || line[0] == '#' || line[0] == ' ':
		default:
			open = false
			names, rest, ok := strings.Cut(line, ":")
			if !ok || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=") || strings.ContainsAny(names, "=$%.()/#") {
				continue
			}
			for _, name := range strings.Fields(names) {
				open = true
				tasks = append(tasks, task{name: name, line: n})
			}
		}
	}
	return tasks
}

// recipe returns a line of a recipe as a command, "" for one that says or prepares something only.
func recipe(line string) string {
	line = strings.TrimLeft(strings.TrimSpace(line), "@-+")
	if strings.Contains(line, "$(") || strings.Contains(line, "${") || strings.Contains(line, "$$") {
		line = ""
	}
	switch word, _, _ := strings.Cut(line, " "); word {
	case "echo", "printf", "mkdir", "rm", "cd", "set", "if", "for", "export":
		return ""
	}
	return line
}

func (s *survey) readTaskfile(file string) (out []task) {
	t, err := s.yaml(file)
	if err != nil {
		s.warn("%s: %s", file, brief(err.Error(), 160))
	}
	tasks, _ := t["tasks"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		if one, _ := tasks[name].(map[string]any); one["internal"] != true && !strings.HasPrefix(name, "_") {
			out = append(out, task{name: name})
		}
	}
	return out
}

// readJustfile reads the recipes: lines `name parameters:` at column 0 with indented lines below.
func (s *survey) readJustfile(file string) (tasks []task) {
	text, ok := s.manifest(file)
	if !ok {
		return nil
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if last := len(tasks) - 1; last >= 0 && tasks[last].runs == "" && !strings.Contains(line, "{{") {
				tasks[last].runs = recipe(line)
			}
			continue
		}
		head, rest, ok := strings.Cut(line, ":")
		name, _, _ := strings.Cut(strings.TrimPrefix(head, "@"), " ")
		if !ok || strings.HasPrefix(rest, "=") || name == "" || strings.HasPrefix(name, "_") || strings.ContainsAny(name, `[]"'(){}=`) ||
			slices.Contains([]string{"set", "alias", "export", "import", "mod"}, name) {
			continue
		}
		tasks = append(tasks, task{name: name, line: n})
	}
	return tasks
}

var rakeTask = pattern.Late(`^\s*(?:multi)?task\s*\(?\s*[:"']?(\w+)`)

func (s *survey) readRakefile(file string) (tasks []task) {
	text, ok := s.manifest(file)
	if !ok {
		return nil
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if m := rakeTask().FindStringSubmatch(line); m != nil {
			tasks = append(tasks, task{name: m[1], line: n})
		}
	}
	return tasks
}
