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
`, "7 - `make golden`: Write the golden files again (`go test ./... -update`)\n" +
			"12 - `make lint`: Check the code\n" +
			"17 - `make release`: tag the commit and push it"},
		{"Taskfile.yml", "version: '3'\ntasks:\n  golden:\n    desc: Write the golden files\n  hidden:\n    desc: No\n    internal: true\n  plain: go build\n",
			"3 - `task golden`: Write the golden files"},
		{"Rakefile", "desc 'Write the docs'\ntask :docs do\nend\ntask :plain\n", "2 - `bundle exec rake docs`: Write the docs"},
		{"justfile", "# Write the docs\ndocs target='x':\n    mkdocs build\n", "2 - `just docs`: Write the docs (`mkdocs build`)"},
		{"package.json", "{\r\n\"name\": \"x\",\r\n\"scripts\": {\r\n \"lint\": \"eslint .\"}}", "4 - `script lint`: `eslint .`"},
		{"composer.json", "{\n\"scripts\": {\n\"cs\": [\"a\", \"b\"]},\n\"scripts-descriptions\": {\"cs\": \"Check the style\"}}",
			"3 - `script cs`: Check the style (`a b`)"},
		{"package.json", "{\"dependencies\": {\n\"lint\": \"1\"},\n\"scripts\": {\"a\": \"b\",\n\"lint\": \"[ -f x ] && eslint [a-z]*\"}}",
			"4 - `script lint`: `[ -f x ] && eslint [a-z]*`"},
		{"Makefile", "\f: ## y\ntest:\n\tgo test\n\t@echo \"test passed\"\n", "2 - `make test`: `go test`"},
		{"package.json", "{", ""},
		{"Taskfile.yml", "tasks: [", ""},
	} {
		var got []string
		for n, line := range strings.Split(string(TasksPage(c.name, []byte(c.text))), "\n") {
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
