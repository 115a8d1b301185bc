package discovery

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// ciFiles are the files of CI systems that are told by name.
var ciFiles = []struct{ file, system string }{
	{".gitlab-ci.yml", "GitLab CI"}, {"Jenkinsfile", "Jenkins"}, {".circleci/config.yml", "CircleCI"}, {"azure-pipelines.yml", "Azure Pipelines"}, {".travis.yml", "Travis CI"},
	{"bitbucket-pipelines.yml", "Bitbucket Pipelines"}, {".drone.yml", "Drone"}, {".woodpecker.yml", "Woodpecker"}, {".buildkite/pipeline.yml", "Buildkite"}, {"appveyor.yml", "AppVeyor"},
	{".appveyor.yml", "AppVeyor"}, {".cirrus.yml", "Cirrus CI"}, {"cloudbuild.yaml", "Google Cloud Build"}, {".teamcity/settings.kts", "TeamCity"}, {"buildspec.yml", "AWS CodeBuild"},
}

const (
	maxWorkflows  = 8
	maxCICommands = 6
)

// sayCI tells what runs on the server, when, and the commands that check the code there.
func (s *survey) sayCI() {
	var flows, runs []string
	source, runsIn := "", ""
	for _, file := range slices.Concat(s.in(".github/workflows"), s.in(".forgejo/workflows"), s.in(".gitea/workflows")) {
		if ext := path.Ext(file); ext != ".yml" && ext != ".yaml" {
			continue
		}
		t, err := s.yaml(file)
		if err != nil {
			s.warn("%s: %s", file, problem(err))
		}
		part := path.Base(file)
		if on := triggers(t); len(on) > 0 {
			part += " on " + listing(on, 4)
		}
		if jobs := t.sub("jobs").keys(); len(jobs) > 0 {
			part += map[bool]string{true: " (job ", false: " (jobs "}[len(jobs) == 1] + listing(jobs, 6) + ")"
		}
		flows = append(flows, part)
		if source == "" {
			source = file
		}
		for _, line := range workflowRuns(t) {
			if !slices.Contains(runs, code(line)) {
				runs = append(runs, code(line))
				if runsIn == "" {
					runsIn = file
				}
			}
		}
	}
	if len(flows) > 0 {
		s.project("ci:github", 1, source, "CI runs as workflows in %s: %s.", path.Dir(source), listing(flows, maxWorkflows))
	}
	for _, known := range ciFiles {
		if !s.has(known.file) {
			continue
		}
		text := "CI runs on " + known.system
		if known.file == ".gitlab-ci.yml" {
			t, err := s.yaml(known.file)
			if err != nil {
				s.warn("%s: %s", known.file, problem(err))
			}
			var jobs []string
			for _, name := range t.keys() {
				job := t.sub(name)
				if lines := append(job.texts("script"), job.texts("run")...); len(lines) > 0 && !strings.HasPrefix(name, ".") {
					jobs = append(jobs, name)
					runs, runsIn = checking(runs, lines), cmp.Or(runsIn, known.file)
				}
			}
			if len(jobs) > 0 {
				text += " with the jobs " + listing(jobs, 8)
			}
		}
		s.project("ci:"+keyWord(known.system), 1, known.file, "%s (%s).", text, known.file)
	}
	if len(runs) > 0 {
		s.project("ci-commands", 0.95, runsIn, "CI checks the code with %s.", listing(runs, maxCICommands))
	}
}

// triggers returns what starts a workflow.
func triggers(t table) []string {
	if on := t.texts("on"); len(on) > 0 {
		return on
	}
	return t.sub("on").keys()
}

// workflowRuns returns the commands of a workflow's steps that check the code, by job.
func workflowRuns(t table) (out []string) {
	jobs := t.sub("jobs")
	for _, name := range jobs.keys() {
		for _, step := range jobs.sub(name).tables("steps") {
			out = append(out, strings.Split(step.text("run"), "\n")...)
		}
	}
	return slices.DeleteFunc(trimmed(out), func(line string) bool { return !isCheck(line) })
}

func trimmed(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimSpace(line)
	}
	return out
}

// checking adds the lines that check the code to runs.
func checking(runs, lines []string) []string {
	for _, line := range trimmed(lines) {
		if isCheck(line) && !slices.Contains(runs, code(line)) {
			runs = append(runs, code(line))
		}
	}
	return runs
}

// isCheck reports whether a command builds, tests or lints, and can be told.
func isCheck(line string) bool {
	if !sayable(line) || strings.ContainsAny(line, "${}|>;") || strings.HasSuffix(line, `\`) {
		return false
	}
	words := strings.Fields(line)
	if len(words) == 0 || slices.Contains([]string{"echo", "if", "for", "export", "mkdir", "cd", "curl", "sudo", "apt-get", "rm", "cat", "git", "#", "fi", "done"}, words[0]) {
		return false
	}
	for _, w := range words {
		for _, check := range []string{"test", "lint", "vet", "check", "build", "clippy", "fmt", "pytest", "tox", "mypy", "ruff", "rspec", "phpunit", "verify", "tsc", "jest", "vitest", "staticcheck"} {
			if w == check || strings.HasSuffix(w, ":"+check) || strings.HasPrefix(w, check+":") || path.Base(w) == check || strings.HasSuffix(w, "-"+check) {
				return true
			}
		}
	}
	return false
}
