package discovery

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
)

// commandKinds are the kinds of commands in the order of the facts, with a description of each and its task names, the
// usual name first.
var commandKinds = []struct{ kind, verb, tasks string }{
	{"install", "Install what it needs", "deps setup bootstrap install"},
	{"build", "Build", "build all compile package dist"},
	{"test", "Run the tests", "test tests unit unit-test test-unit spec check"},
	{"lint", "Check the code", "lint lint-check vet clippy"},
	{"typecheck", "Check the types", "typecheck"},
	{"format", "Format the code", "fmt format"},
	{"run", "Start it", "dev run serve start up"},
	{"generate", "Generate code", "generate gen codegen proto"},
	{"docs", "Build or show the documentation", "docs doc documentation"},
	{"release", "Release it", "release publish"},
}

type task struct {
	name, about, runs, kind string
	more                    int // further commands of its recipe
	line                    int
}

// says returns the first command of the recipe and the number of the others, "" for an unknown one.
func (t task) says() string {
	if t.runs == "" || t.more == 0 {
		return strings.TrimPrefix(code(t.runs), "``")
	}
	return fmt.Sprintf("%s and %d more", code(t.runs), t.more)
}

// runner describes a task runner and the lines of its files.
type runner struct {
	tool, run string
	files     string
	task      func() *regexp.Regexp // a line that begins tasks; the first group is their names
	indent    string                // characters that a line of a recipe may begin with
}

var runners = []runner{
	{"make", "make ", "GNUmakefile Makefile makefile", pattern.Late(`^([^:=$%.()/#\t ][^:=$%.()/#]*)::?(?:[^:=]|$)`), "\t"},
	{"task", "task ", "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml", nil, ""},
	{"invoke", "inv ", "tasks.py", nil, ""},
	{"just", "just ", "justfile Justfile .justfile", pattern.Late(`^@?([\w-]+)(?:\s[^:]*)?:(?:[^=]|$)`), "\t "},
	{"rake", "bundle exec rake ", "Rakefile", pattern.Late(`^(([ \t]*)(end|namespace|(?:multi)?task)\b)`), ""},
}

// rubyName is a name that is written in Ruby, not computed: :name, "name" or name: before what it needs.
var rubyName = pattern.Late(`^[\s(]*(:\w+|:?["'][\w:.-]+["']:?|\w+:)(?:[\s,)=]|$)`)

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
			text, ok := s.manifest(file)
			if !ok {
				continue
			}
			tasks, err := r.tasks(text)
			if err != nil {
				s.warn("%s: %s", file, brief(err.Error(), 160))
			}
			of := func(t task) bool { return t.name != "install" || packages().MatchString(t.runs) } // else it installs the program
			for _, t := range ofKinds(tasks, of) {
				c := command{kind: t.kind, tool: r.tool, line: r.run + t.name, runs: t.says(), dir: dir, source: file, sure: 1}
				if t.line > 0 {
					c.source = fmt.Sprintf("%s#L%d", file, t.line)
				}
				s.tasks = append(s.tasks, c)
			}
		}
	}
	if file := s.first("molecule/default/molecule.yml"); file != "" { // of an Ansible role
		s.tasks = append(s.tasks, command{kind: "test", tool: "molecule", line: "molecule test", dir: ".", source: file, sure: 0.9})
	}
}

// ofKinds returns the task of each kind of command, of those that keep allows, and what it runs if that is sayable.
func ofKinds(tasks []task, keep func(task) bool) (found []task) {
	for _, k := range commandKinds {
		for name := range strings.FieldsSeq(k.tasks) {
			if i := slices.IndexFunc(tasks, func(t task) bool { return t.name == name && keep(t) }); i >= 0 {
				t := tasks[i]
				if t.kind = k.kind; !sayable(t.runs) {
					t.runs = ""
				}
				found = append(found, t)
				break
			}
		}
	}
	return found
}

// packages finds commands that install what a project needs.
var packages = pattern.Late(`\b(?:pip3?|pipenv|poetry|pdm|uv|npm|pnpm|yarn|bun|bundle|composer|mix|go mod)\b`)

// tasks returns the tasks of a file, each with the first command of its recipe, if that is in the lines below.
func (r runner) tasks(text []byte) (tasks []task, err error) {
	switch {
	case r.tool == "invoke":
		return invokeTasks(string(text)), nil
	case r.task == nil:
		return yamlTasks(text)
	}
	open, joined, about := false, false, ""
	var spaces [][2]string // indentation and name of the open namespaces
	helps := map[string]string{}
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimRight(line, "\r")
		continues := joined
		joined = strings.HasSuffix(line, `\`)
		if m := helpLine().FindStringSubmatch(line); m != nil {
			helps[m[1]] = m[2]
		}
		if m := aboutNext().FindStringSubmatch(line); m != nil && !continues {
			about = brief(about+" "+m[1]+m[2], mostAbout)
			continue
		}
		above := about
		if !strings.HasPrefix(line, ".PHONY") && !strings.HasPrefix(line, "[") { // of just
			about = ""
		}
		if continues || strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		names := r.task().FindStringSubmatch(line)
		if names != nil && r.tool == "rake" {
			spaces = slices.DeleteFunc(spaces, func(s [2]string) bool { return len(s[0]) >= len(names[2]) })
			name := computed
			if m := rubyName().FindStringSubmatch(line[len(names[0]):]); m != nil {
				name = strings.Trim(m[1], `:"'`)
			}
			if len(spaces) > 0 {
				name = spaces[len(spaces)-1][1] + ":" + name
			}
			if names[3] == "namespace" {
				spaces = append(spaces, [2]string{names[2], name})
			}
			if names[1] = name; !strings.HasSuffix(names[3], "task") || strings.Contains(name, computed) {
				continue
			}
		}
		switch last := len(tasks) - 1; {
		case names != nil && strings.TrimSpace(names[1]) != "":
			open = true
			for name := range strings.FieldsSeq(names[1]) {
				tasks = append(tasks, task{name: name, about: above, line: n + 1})
			}
			if _, here, is := strings.Cut(line, "##"); is {
				tasks[len(tasks)-1].about = strings.TrimSpace(here)
			}
		case strings.ContainsRune(r.indent, rune(line[0])):
			line = strings.TrimLeft(strings.TrimSpace(line), "@-+")
			switch {
			case strings.HasPrefix(line, "#!"): // a script
				open = false
			case !open || noCommand().MatchString(line):
			case tasks[last].runs != "" || joined || variable().MatchString(line):
				tasks[last].more++
			default:
				tasks[last].runs = line
			}
		case line[0] != ' ':
			open = false
		}
	}
	for n := range tasks {
		tasks[n].about = cmp.Or(tasks[n].about, helps[tasks[n].name])
	}
	return tasks, nil
}

const (
	mostAbout = 160 // runes of a description
	computed  = "#" // in place of a name that Ruby computes
)

var (
	// aboutNext describes the task below it: no heading of a section, no text that is computed.
	aboutNext = pattern.Late(`^(?:##? *(\pL.*[\p{Ll}\p{Lo}].*)|\s*desc\s*\(?["']((?:[^#]|#[^{])+)["']\)?)$`)
	helpLine  = pattern.Late(`^\s*@?echo\s+["']\s*([\w:.-]+)(?:\s{2,}|\s+- )\s*(?:to )?(.+?)["']$`) // of a task that prints what others do
)

var (
	// noCommand matches a recipe line that only prints or prepares, or is a comment.
	noCommand = pattern.Late(`^(?:$|#|(?:echo|printf|set|if|for|export)(?: |$)|(?:mkdir|rm|cd)(?: [^&;]*)?$)`)
	// variable matches a recipe line with variables, which is no command to write down.
	variable = pattern.Late(`\$[({$]|\{\{`)
)

func yamlTasks(text []byte) (out []task, err error) {
	d, err := frontmatter.ParseYAML(text)
	if err != nil {
		return nil, err
	}
	tasks, _ := d.Map()["tasks"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		one, _ := tasks[name].(map[string]any)
		if one["internal"] == true {
			continue
		}
		about, _ := one["desc"].(string)
		out = append(out, task{name: name, about: about})
	}
	return out, nil
}

var invokeTask = pattern.Late(`(?m)^@(?:invoke\.)?task\b(?:.*\n)+?def (\w+)\(`)

// invokeTasks returns the tasks in a tasks.py of Invoke, not of Celery: functions, each with its documentation.
func invokeTasks(text string) (tasks []task) {
	if !strings.Contains(text, "from invoke") && !strings.Contains(text, "import invoke") {
		return nil
	}
	for _, m := range invokeTask().FindAllStringSubmatchIndex(text, -1) {
		if _, body, _ := strings.Cut(text[m[1]:], ":\n"); !strings.Contains(text[m[0]:m[1]], "name=") { // else it has another name
			name := strings.ReplaceAll(text[m[2]:m[3]], "_", "-")
			tasks = append(tasks, task{name: name, about: pythonDoc([]byte(body)), line: 1 + strings.Count(text[:m[2]], "\n")})
		}
	}
	return tasks
}

// scripts returns the scripts of a package.json or composer.json.
func scripts(text []byte) (out []task) {
	var p struct {
		Scripts map[string]any
		About   map[string]string `json:"scripts-descriptions"`
	}
	if json.Unmarshal(text, &p) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.Scripts)) {
		runs, _ := p.Scripts[name].(string)
		list, _ := p.Scripts[name].([]any)
		if len(list) > 0 {
			runs = fmt.Sprint(list[0])
		}
		out = append(out, task{name: name, about: p.About[name], runs: runs, more: max(len(list)-1, 0)})
	}
	return out
}

// HasTasks reports whether a file of that name at the top of a project may have tasks.
func HasTasks(name string) bool {
	return runnerOf(name) != nil || name == "package.json" || name == "composer.json"
}

func runnerOf(name string) *runner {
	for _, r := range runners {
		if slices.Contains(strings.Fields(r.files), name) {
			return &r
		}
	}
	return nil
}

// TasksPage is a title and a Markdown list of the tasks in a file of HasTasks, each on the line on which the file has it.
func TasksPage(name string, text []byte) (string, []byte) {
	var tasks []task
	run, title := "script ", "scripts"
	if r := runnerOf(name); r != nil {
		run, title = r.run, r.tool+" tasks"
		if r.tool == "make" {
			title = "make targets"
		}
		tasks, _ = r.tasks(text)
	} else {
		tasks = scripts(text)
	}
	rows := strings.Split(string(text), "\n")
	page, lines := make([]string, len(rows)), map[string]int{} // lines of keys from 1, below that of all tasks
	for n, row := range rows {
		key, _, _ := strings.Cut(strings.TrimSpace(row), ":")
		if key = strings.Trim(key, `"'`); lines["tasks"]+lines["scripts"] == 0 && key != "tasks" && key != "scripts" {
			continue
		}
		lines[key] = cmp.Or(lines[key], n+1)
	}
	for _, t := range tasks {
		at := cmp.Or(t.line, lines[t.name])
		t.runs = brief(t.runs, mostAbout)
		about, runs := brief(t.about, mostAbout), t.says()
		if at == 0 || about+runs == "" {
			continue
		}
		if about != "" && runs != "" {
			runs = " (" + runs + ")"
		}
		page[at-1] = "- `" + run + t.name + "`: " + about + runs
	}
	return title + " (" + name + ")", []byte(strings.Join(page, "\n"))
}

// ruleFiles are the files with a project's rules, by audience.
var ruleFiles = []struct{ whom, files string }{
	{"agents", "AGENTS.md CLAUDE.md GEMINI.md .github/copilot-instructions.md .cursorrules .windsurfrules .clinerules .rules"},
	{"agents and contributors", "CONVENTIONS.md"},
	{"contributors", "CONTRIBUTING.md CONTRIBUTING.rst .github/CONTRIBUTING.md docs/CONTRIBUTING.md CONTRIBUTING STYLE.md STYLEGUIDE.md"},
	{"developers", "DEVELOPMENT.md HACKING.md"},
}

var ruleFolders = []string{".cursor/rules", ".github/instructions", ".windsurf/rules", ".clinerules", ".claude/rules",
	".junie", ".kiro/steering", ".roo/rules"}

// RuleFiles returns the files with rules for agents that clients read in a project, and the folders of such files.
func RuleFiles() (files, folders []string) {
	return strings.Fields(ruleFiles[0].files), slices.Clone(ruleFolders)
}

const maxNestedRules = 10

// addRules adds the files with the project's own rules, and their chapters.
func (s *survey) addRules() {
	for _, r := range ruleFiles {
		for name := range strings.FieldsSeq(r.files) {
			file := s.first(name)
			if file == "" && !strings.Contains(name, "/") {
				file = s.topFile(name)
			}
			text := s.headOf(file)
			if strings.TrimSpace(string(text)) == "" {
				continue
			}
			about := ""
			if chapters := headings(text); len(chapters) > 0 {
				about = " (about " + listing(chapters, 8) + ")"
			}
			s.project("rules:"+file, 1, file, "The project's rules for %s are in %s: follow them%s.", r.whom, file, about)
		}
	}
	for _, dir := range ruleFolders {
		if f := s.folders[dir]; f != nil && len(f.files) > 0 {
			s.project("rules:"+dir, 1, dir, "More of the project's rules for agents are in %s: %s.", dir, listing(f.files, 10))
		}
	}
	var nested []string
	for _, file := range s.files {
		if base := path.Base(file); (base == "AGENTS.md" || base == "CLAUDE.md") && strings.Contains(file, "/") && !within(file, "aside") {
			nested = append(nested, file)
		}
	}
	if len(nested) > 0 {
		s.project("rules:nested", 1, nested[0], "Parts of the project have rules for agents of their own: %s.", listing(nested, maxNestedRules))
	}
	if file := s.first("CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"); file != "" {
		s.project("owners", 1, file, "Who reviews which files is in %s.", file)
	}
	if file := s.first("SECURITY.md", ".github/SECURITY.md"); file != "" {
		s.project("security", 1, file, "How to report a security problem is in %s.", file)
	}
}

// headings returns the headings of level 2 of a Markdown text, or of level 1 if there are several of those.
func headings(text []byte) (names []string) {
	d, err := markdown.Parse(text, 0)
	if err != nil {
		return nil
	}
	for _, level := range []int{2, 1} {
		for _, h := range d.Headings {
			if name := brief(strings.Trim(h.Text, "#*`_ :"), 50); h.Level == level && name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 && level == 2 || len(names) > 1 {
			return names
		}
	}
	return nil
}
