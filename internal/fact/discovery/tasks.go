package discovery

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/frontmatter"
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

// runner is a task runner and what the lines of its files are like.
type runner struct {
	tool, run string
	files     string
	task      func() *regexp.Regexp // a line that begins tasks; the first group is their names
	indent    string                // characters that a line of a recipe may begin with
}

var runners = []runner{
	{"make", "make ", "GNUmakefile Makefile makefile", pattern.Late(`^([^:=$%.()/#\t ][^:=$%.()/#]*)::?(?:[^:=]|$)`), "\t"},
	{"task", "task ", "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml", nil, ""},
	{"just", "just ", "justfile Justfile .justfile", pattern.Late(`^@?([\w-]+)(?:\s[^:]*)?:(?:[^=]|$)`), "\t "},
	{"rake", "bundle exec rake ", "Rakefile", pattern.Late(`^\s*(?:multi)?task\s*\(?\s*[:"']?(\w+)`), ""},
}

// readTasks reads the files of task runners at the top and in the folders of modules. One task of each kind becomes a command.
func (s *survey) readTasks() {
	dirs := []string{"."}
	for _, m := range s.modules {
		if !slices.Contains(dirs, m.dir) {
			dirs = append(dirs, m.dir)
		}
	}
	for _, dir := range dirs {
		for _, r := range runners {
			var names []string
			for name := range strings.FieldsSeq(r.files) {
				names = append(names, path.Join(dir, name))
			}
			file := s.first(names...)
			text, ok := []byte(nil), false
			if file != "" {
				text, ok = s.manifest(file)
			}
			if !ok {
				continue
			}
			tasks, err := r.tasks(text)
			if err != nil {
				s.warn("%s: %s", file, brief(err.Error(), 160))
			}
			had := map[string]bool{}
			for _, name := range taskOrder {
				i := slices.IndexFunc(tasks, func(t task) bool { return t.name == name })
				if kind := taskKinds[name]; i >= 0 && !had[kind] {
					had[kind] = true
					c := command{kind: kind, tool: r.tool, line: r.run + name, dir: dir, source: at(file, tasks[i].line), sure: 1}
					if sayable(tasks[i].runs) {
						c.runs = tasks[i].runs
					}
					s.tasks = append(s.tasks, c)
				}
			}
		}
	}
}

// tasks returns the tasks of a file, with the first command of each where its recipe is in the lines below.
func (r runner) tasks(text []byte) (tasks []task, err error) {
	if r.task == nil {
		return yamlTasks(text)
	}
	open, joined := false, false
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimRight(line, "\r")
		continues := joined
		joined = strings.HasSuffix(line, `\`)
		if continues || strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		names := r.task().FindStringSubmatch(line)
		switch last := len(tasks) - 1; {
		case names != nil:
			open = true
			for name := range strings.FieldsSeq(names[1]) {
				tasks = append(tasks, task{name: name, line: n + 1})
			}
		case strings.ContainsRune(r.indent, rune(line[0])):
			if open && tasks[last].runs == "" && !joined {
				tasks[last].runs = recipe(line)
			}
		case line[0] != ' ':
			open = false
		}
	}
	return tasks, nil
}

// recipe returns a line of a recipe as a command, "" for one with variables and one that only prints or prepares something.
func recipe(line string) string {
	line = strings.TrimLeft(strings.TrimSpace(line), "@-+")
	for _, variable := range []string{"$(", "${", "$$", "{{"} {
		if strings.Contains(line, variable) {
			return ""
		}
	}
	switch word, _, _ := strings.Cut(line, " "); word {
	case "echo", "printf", "mkdir", "rm", "cd", "set", "if", "for", "export":
		return ""
	}
	return line
}

// yamlTasks returns the tasks of a Taskfile.
func yamlTasks(text []byte) (out []task, err error) {
	d, err := frontmatter.ParseYAML(text)
	if err != nil {
		return nil, err
	}
	tasks, _ := d.Map()["tasks"].(map[string]any)
	for name := range tasks {
		if one, _ := tasks[name].(map[string]any); one["internal"] != true {
			out = append(out, task{name: name})
		}
	}
	return out, nil
}
