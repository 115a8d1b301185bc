package extract

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

func isWorkflow(file string) bool {
	dir := path.Dir(file)
	ext := path.Ext(file)
	return (dir == ".github/workflows" || dir == ".forgejo/workflows" || dir == ".gitea/workflows") && (ext == ".yml" || ext == ".yaml")
}

// setUps are the inputs of actions that name a toolchain.
var setUps = map[string]string{"node-version": "Node.js", "python-version": "Python", "go-version": "Go", "java-version": "Java", "ruby-version": "Ruby", "dotnet-version": ".NET SDK",
	"php-version": "PHP", "toolchain": "Rust", "elixir-version": "Elixir"}

// usual are the actions that every workflow has.
var usual = pattern.Late(`^(?:actions/|\./|docker/(?:setup|login|metadata)|.*/setup-|ruby/setup|dtolnay/rust-toolchain|actions-rs/toolchain|pnpm/action-setup|shivammathur/setup|swatinem/rust-cache|gradle/)`)

func readWorkflow(v *version) (out []item) {
	t, err := discovery.ReadTree(base(v.path), v.text)
	if err != nil {
		v.broken = true
		return nil
	}
	file := path.Base(v.path)
	on := triggers(t)
	jobs, _ := t["jobs"].(map[string]any)
	names := sortedKeys(jobs)
	note := ""
	if len(names) > 0 {
		note = map[bool]string{true: "job ", false: "jobs "}[len(names) == 1] + listing(names, 6)
	}
	if len(on) > 0 {
		note += ", on " + listing(on, 4)
	}
	out = append(out, item{signal: signalCI, key: "ci:" + v.path, name: "workflow " + word(file), note: word(strings.TrimPrefix(note, ", ")), scope: "file", line: 1})
	if len(on) > 0 {
		list := word(strings.Join(on, ", "))
		out = append(out, item{signal: signalCI, key: "ci-on:" + v.path, value: list, name: "triggers", show: list, scope: "on", line: v.find("on:")})
	}
	for _, name := range names {
		job, _ := jobs[name].(map[string]any)
		steps, _ := job["steps"].([]any)
		var tells []string
		for _, s := range steps {
			step, _ := s.(map[string]any)
			run, _ := step["run"].(string)
			lines := commands(run)
			tells = append(tells, lines...)
			for _, l := range lines {
				out = append(out, item{signal: signalCI, key: "ci-run:" + l, name: l, note: "ci-job:" + v.path + ":" + name, scope: "run", line: v.find(strings.Fields(l)[0])})
			}
			uses, _ := step["uses"].(string)
			if action, _, _ := strings.Cut(uses, "@"); action != "" && !usual().MatchString(strings.ToLower(action)) {
				out = append(out, item{signal: signalCI, key: "ci-uses:" + strings.ToLower(action), name: word(action), note: "ci-job:" + v.path + ":" + name, scope: "uses", line: v.find(action)})
			}
			with, _ := step["with"].(map[string]any)
			for _, input := range sortedKeys(with) {
				if tool := setUps[input]; tool != "" {
					out = append(out, ciToolchain(tool, with[input], v)...)
				}
			}
		}
		about := ""
		if len(tells) > 0 {
			about = code(tells[len(tells)-1])
			if i := slices.IndexFunc(tells, isCheck); i >= 0 {
				about = code(tells[i])
			}
		}
		out = append(out, item{signal: signalCI, key: "ci-job:" + v.path + ":" + name, name: word(name), note: about, scope: "job", line: v.find(name + ":")})
		strategy, _ := job["strategy"].(map[string]any)
		matrix, _ := strategy["matrix"].(map[string]any)
		for _, axis := range sortedKeys(matrix) {
			tool := setUps[axis]
			if tool == "" {
				tool = toolNames[strings.TrimSuffix(axis, "s")]
			}
			if tool != "" {
				out = append(out, ciToolchain(tool, matrix[axis], v)...)
			} else if axis == "os" || axis == "platform" {
				if list := scalars(matrix[axis]); len(list) > 0 {
					show := word(strings.Join(list, ", "))
					out = append(out, item{signal: signalInfra, key: "ci-os:" + v.path + name, value: show, name: "The systems on which CI job " + word(name) + " runs", show: show, note: "set of systems", line: v.find(axis + ":")})
				}
			}
		}
	}
	return out
}

// ciToolchain is a toolchain that CI sets up, in one version or several.
func ciToolchain(tool string, value any, v *version) []item {
	list := scalars(value)
	list = slices.DeleteFunc(list, func(s string) bool { return strings.Contains(s, "${{") })
	if len(list) == 0 {
		return nil
	}
	show := strings.Join(list, ", ")
	short := make([]string, len(list))
	for i, s := range list {
		short[i] = need2(tool, s)
	}
	it := toolchain(tool, show, v, 0.86)
	it.value, it.line = strings.Join(short, ","), v.find(list[len(list)-1])
	it.name, it.key = "CI "+it.name, "ci-"+it.key
	return []item{it}
}

func scalars(value any) (out []string) {
	switch x := value.(type) {
	case []any:
		for _, e := range x {
			out = append(out, scalars(e)...)
		}
	case map[string]any, nil:
	default:
		out = append(out, word(fmt.Sprint(x)))
	}
	return out
}

func triggers(t map[string]any) []string {
	on := t["on"]
	if on == nil {
		on = t["true"] // YAML 1.1
	}
	switch x := on.(type) {
	case string:
		return []string{x}
	case []any:
		return scalars(x)
	case map[string]any:
		out := sortedKeys(x)
		for i, name := range out {
			if name != "push" {
				continue
			}
			if push, _ := x[name].(map[string]any); push["tags"] != nil && push["branches"] == nil {
				out[i] = "push of tags"
			}
		}
		return out
	}
	return nil
}

// verbs are the words of commands that tell what a pipeline is for.
var verbs = pattern.Words(`test tests lint vet check build clippy fmt pytest tox mypy ruff rspec phpunit verify tsc jest vitest staticcheck govulncheck audit scan coverage deploy publish release push migrate
	e2e playwright cypress typecheck bench sonar trivy snyk semgrep gosec bandit phpstan psalm rubocop brakeman detekt ktlint checkstyle spotbugs golangci-lint goreleaser terraform helm kubectl rollout apply pack`)

var dull = pattern.Words(`echo if then else fi for do done while export mkdir cd curl wget sudo apt-get apt rm cat cp mv git set source pip npm pnpm yarn`)

// commands returns the lines of a script that tell something.
func commands(script string) (out []string) {
	script = strings.ReplaceAll(script, "\\\n", " ")
	for l := range strings.Lines(script) {
		l = strings.Join(strings.Fields(l), " ")
		if isTellingCommand(l) {
			out = append(out, word(l))
		}
	}
	return out
}

func isTellingCommand(l string) bool {
	if l == "" || len(l) > 110 || strings.HasPrefix(l, "#") || strings.ContainsAny(l, "`") {
		return false
	}
	words := strings.Fields(l)
	first := words[0]
	if dull()[first] {
		switch {
		case first == "npm" || first == "pnpm" || first == "yarn":
			if len(words) < 2 || slices.Contains([]string{"ci", "install", "i", "add", "config", "set"}, words[1]) || first == "npm" && words[1] != "run" && words[1] != "test" && words[1] != "publish" && words[1] != "audit" && words[1] != "pack" {
				return false
			}
			return true
		default:
			return false
		}
	}
	return slices.ContainsFunc(words, func(w string) bool {
		w = strings.ToLower(path.Base(w))
		for _, part := range strings.FieldsFunc(w, func(r rune) bool { return r == ':' || r == '/' || r == '=' }) {
			if verbs()[part] {
				return true
			}
		}
		return verbs()[w]
	})
}

func isCheck(l string) bool {
	for _, w := range []string{"test", "lint", "check", "deploy", "publish", "release"} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}

var otherCI = map[string]string{".gitlab-ci.yml": "GitLab CI", "Jenkinsfile": "Jenkins", "azure-pipelines.yml": "Azure Pipelines", ".travis.yml": "Travis CI",
	"bitbucket-pipelines.yml": "Bitbucket Pipelines", ".drone.yml": "Drone", "cloudbuild.yaml": "Google Cloud Build", "buildspec.yml": "AWS CodeBuild", ".woodpecker.yml": "Woodpecker"}

func isOtherCI(file string) bool { return otherCI[base(file)] != "" || file == ".circleci/config.yml" }

var jenkinsStage = pattern.Late(`\bstage\s*\(\s*['"]([^'"\n]+)['"]`)

func readOtherCI(v *version) (out []item) {
	system := otherCI[base(v.path)]
	if system == "" {
		system = "CircleCI"
	}
	var jobs []string
	scripts := map[string][]string{}
	if base(v.path) == "Jenkinsfile" {
		v.mask()
		for _, m := range jenkinsStage().FindAllSubmatch(v.text, -1) {
			jobs = append(jobs, string(m[1]))
		}
	} else if t, err := discovery.ReadTree("ci.yml", v.text); err == nil {
		if sub, ok := t["jobs"].(map[string]any); ok {
			t = sub
		}
		for _, name := range sortedKeys(t) {
			job, _ := t[name].(map[string]any)
			if strings.HasPrefix(name, ".") || job["script"] == nil && job["steps"] == nil && job["trigger"] == nil {
				continue
			}
			jobs = append(jobs, name)
			for _, l := range scalars(job["script"]) {
				scripts[name] = append(scripts[name], commands(l)...)
			}
			if img, ok := job["image"].(string); ok {
				if n, tag := image(img); n != "" {
					out = append(out, item{signal: signalContainer, key: "image:" + v.path + ":" + name, value: imageValue(n, tag), name: "image", show: word(n + colon(tag)), scope: "image", line: v.find(img)})
				}
			}
		}
	}
	note := ""
	if len(jobs) > 0 {
		note = "jobs " + listing(jobs, 6)
	}
	out = append(out, item{signal: signalCI, key: "ci:" + v.path, name: system + " configuration " + word(v.path), note: word(note), scope: "file", line: 1})
	for _, name := range jobs {
		about := ""
		if s := scripts[name]; len(s) > 0 {
			about = code(s[0])
		}
		out = append(out, item{signal: signalCI, key: "ci-job:" + v.path + ":" + name, name: word(name), note: about, scope: "job", line: v.find(name)})
		for _, l := range scripts[name] {
			out = append(out, item{signal: signalCI, key: "ci-run:" + l, name: l, note: "ci-job:" + v.path + ":" + name, scope: "run", line: v.find(strings.Fields(l)[0])})
		}
	}
	return out
}
