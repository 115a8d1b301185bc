package discovery

import (
	"strconv"
	"strings"
	"testing"
)

// TestTasksPage has each way to describe a task. A task stays on its line.
func TestTasksPage(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"Makefile", `# The Go version
GO ?= go

# Write the golden files
# again
.PHONY: golden
golden: build
	@echo golden
	$(GO) test ./...
	go test ./... -update

lint: ## Check the code
silent:
help:
	@echo "  lint       to be ignored"
	@echo "  release    to tag the commit and push it"
release:
`, "7 - `make golden`: Write the golden files again (`go test ./... -update` and 1 more)\n" +
			"12 - `make lint`: Check the code\n" +
			"17 - `make release`: tag the commit and push it"},
		{"Taskfile.yml", "version: '3'\ntasks:\n  golden:\n    desc: Write the golden files\n  hidden:\n    desc: No\n    internal: true\n  plain: go build\n",
			"3 - `task golden`: Write the golden files"},
		{"Rakefile", "desc 'Write the docs'\ntask :docs do\nend\ntask :plain\n", "2 - `bundle exec rake docs`: Write the docs"},
		{"justfile", "# Write the docs\ndocs target='x':\n    mkdocs build\n", "2 - `just docs`: Write the docs (`mkdocs build`)"},
		{"package.json", "{\r\n\"name\": \"x\",\r\n\"scripts\": {\r\n \"lint\": \"eslint .\"}}", "4 - `script lint`: `eslint .`"},
		{"composer.json", "{\n\"scripts\": {\n\"cs\": [\"a\", \"b\"]},\n\"scripts-descriptions\": {\"cs\": \"Check the style\"}}",
			"3 - `script cs`: Check the style (`a` and 1 more)"},
		{"package.json", "{\"dependencies\": {\n\"lint\": \"1\"},\n\"scripts\": {\"a\": \"b\",\n\"lint\": \"[ -f x ] && eslint [a-z]*\"}}",
			"4 - `script lint`: `[ -f x ] && eslint [a-z]*`"},
		{"Makefile", "\f: ## y\ntest:\n\tgo test\n\t@echo \"test passed\"\n", "2 - `make test`: `go test`"},
		{"Makefile", "###     UTILITIES\n_prep:\n\trm -f x\n# DOCS\ndocs:\n\t@echo now\n\tcd docs && mkdocs build\n\n" +
			"lint:\n\trm -rf out\n\tflake8 a\n\t# and\n\tisort \\\n\t  --check\n\t$(BLACK) --check\n",
			"5 - `make docs`: `cd docs && mkdocs build`\n9 - `make lint`: `flake8 a` and 2 more"},
		{"Rakefile", `task(test: :spec)
namespace :release do
  GEMS.each do |gem|
    desc "Release #{gem}"
    task gem => "package:#{gem}"
  end
  desc 'Release all gems'
  task all: %i[test]
  namespace "docs" do
    desc 'Upload them'
    task(:push) { sh 'x' }
  end
  desc "Release #{this}"
  task :one
end
desc 'Say it'
task 'doc:api' => ['a']
desc 'One of many'
task "build_#{x}" do
  namespace name do
    desc 'Not known'
    task :inner
  end
end
desc 'Last'
multitask :last=>:b
`, "8 - `bundle exec rake release:all`: Release all gems\n11 - `bundle exec rake release:docs:push`: Upload them\n" +
			"17 - `bundle exec rake doc:api`: Say it\n26 - `bundle exec rake last`: Last"},
		{"justfile", "# Write the docs\n[group: 'x']\ndocs:\n    mkdocs build\n# Run it\nall:\n  #!/bin/sh\n  make x\n",
			"3 - `just docs`: Write the docs (`mkdocs build`)\n6 - `just all`: Run it"},
		{"tasks.py", `from invoke import Collection, task

def helper():
    """No task."""

@task(help=helper.help)
@other
def build_docs(
    c: Context, opts: str = "",
) -> None:
    """
    Build the docs. See others.
    """

@task(name="other")
def called(c):
    "Called otherwise"

ns = Collection(build_docs, called)
`, "8 - `inv build-docs`: Build the docs"},
		{"tasks.py", "from celery import task\n\n@task\ndef send(c):\n    \"Send it\"\n", ""},
		{"package.json", "{", ""},
		{"Taskfile.yml", "tasks: [", ""},
	} {
		var got []string
		title, list := TasksPage(c.name, []byte(c.text))
		if !strings.HasSuffix(title, " ("+c.name+")") {
			t.Errorf("%s has the title %q", c.name, title)
		}
		for n, line := range strings.Split(string(list), "\n") {
			if line != "" {
				got = append(got, strconv.Itoa(n+1)+" "+line)
			}
		}
		if text := strings.Join(got, "\n"); !HasTasks(c.name) || text != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, text, c.want)
		}
	}
	if HasTasks("README.md") {
		t.Error("a README has tasks")
	}
}
