package git

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const reviewFolder = "../../../../.github/actions/sdd-review"

// fakeGH stands for GitHub: it answers with comments.json through jq, and keeps what it is sent.
const fakeGH = `#!/usr/bin/env bash
set -euo pipefail
echo "$@" >>"$GH_LOG"
[ "${GH_FAILS:-}" = "" ] || [[ "$*" != *"$GH_FAILS"* ]] || { echo "HTTP 403: Resource not accessible by integration" >&2; exit 1; }
case "$*" in
*--jq*) while [ "$1" != --jq ]; do shift; done; jq -r "$2" "$GH_COMMENTS" ;;
*) for a; do case "$a" in body=@*) cp "${a#body=@}" "$GH_LOG.body" ;; esac; done ;;
esac
`

// pullRequest is a runner's shallow clone of a pull request's merge commit, and the script to run in it.
func pullRequest(t *testing.T) (run func(env ...string) (out string, code int), dir string) {
	t.Helper()
	for _, program := range []string{"bash", "git", "jq"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS == "windows" {
			t.Skipf("%s is not here", program)
		}
	}
	script, err := filepath.Abs(filepath.Join(reviewFolder, "review.sh"))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, value := range map[string]string{
		"HOME": dir, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "a@example.com",
		"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(name, value)
	}
	file := func(name, text string, mode os.FileMode) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	command := func(in string, env []string, name string, args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = filepath.Join(dir, in), append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	git := func(in string, args ...string) {
		t.Helper()
		if out, code := command(in, nil, "git", args...); code != 0 {
			t.Fatalf("git %s: %s", strings.Join(args, " "), out)
		}
	}
	file("gh/gh", fakeGH, 0o755)
	file("temp/x", "", 0o644)
	file("remote/.sdd/explore/a.md", "---\ntitle: A\n---\n\n## Goals\n\n- One\n", 0o644)
	git("remote", "init", "-q", "-b", "main")
	git("remote", "add", "-A")
	git("remote", "commit", "-q", "-m", "base")
	git("remote", "checkout", "-q", "-b", "feature")
	file("remote/.sdd/explore/a.md", "---\ntitle: A\n---\n\n## Goals\n\n- One\n\n## Decisions\n\n- We take it\n", 0o644)
	git("remote", "commit", "-q", "-am", "feature")
	git("remote", "checkout", "-q", "--detach", "main")
	git("remote", "merge", "-q", "--no-ff", "-m", "merge", "feature")
	git("remote", "update-ref", "refs/pull/7/merge", "HEAD")
	git("remote", "checkout", "-q", "main")
	file("work/x", "", 0o644)
	git("work", "init", "-q")
	git("work", "remote", "add", "origin", "file://"+filepath.ToSlash(dir)+"/remote")
	git("work", "fetch", "-q", "--depth=1", "origin", "refs/pull/7/merge")
	git("work", "checkout", "-q", "--detach", "FETCH_HEAD")
	file("comments.json", "[]", 0o644)
	return func(env ...string) (string, int) {
		t.Helper()
		for _, name := range []string{"output", "summary", "log", "log.body"} {
			os.Remove(filepath.Join(dir, name))
		}
		env = append([]string{
			"SDD=sdd", "BASE=main", "NUMBER=7", "REPO=o/r", "GH_TOKEN=t", "AUTHOR=", "FORK=false", "SARIF=false",
			"RUNNER_TEMP=" + filepath.Join(dir, "temp"), "GITHUB_OUTPUT=" + filepath.Join(dir, "output"),
			"GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary"), "GH_LOG=" + filepath.Join(dir, "log"),
			"GH_COMMENTS=" + filepath.Join(dir, "comments.json"),
			"PATH=" + filepath.Join(dir, "gh") + string(os.PathListSeparator) + os.Getenv("PATH"),
		}, env...)
		return command("work", env, script)
	}, dir
}

func TestReviewAction(t *testing.T) {
	run, dir := pullRequest(t)
	text := func(name string) string {
		b, _ := os.ReadFile(filepath.Join(dir, name))
		return string(b)
	}
	comments := func(all ...map[string]any) {
		t.Helper()
		b, err := json.Marshal(append([]map[string]any{}, all...))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "comments.json"), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	says := func(what string, want string) {
		t.Helper()
		if got := text("output"); got != "result="+want+"\n" {
			t.Errorf("%s: outputs %q, want %s", what, got, want)
		}
	}
	comment := func(id int, login, body string) map[string]any {
		return map[string]any{"id": id, "body": body, "user": map[string]any{"login": login}}
	}

	out, code := run()
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	says("first", "created")
	if !strings.HasPrefix(text("log.body"), "<!-- sdd review -->\n") || !strings.Contains(text("log.body"), "+ We take it") {
		t.Errorf("the comment is\n%s", text("log.body"))
	}
	if !strings.Contains(text("log"), "--method POST repos/o/r/issues/7/comments ") || text("summary") != "" {
		t.Errorf("asked for\n%s", text("log"))
	}

	comments(comment(1, "somebody", "<!-- sdd review -->\nfaked"), comment(2, "github-actions[bot]", "of another action\n<!-- sdd review -->"),
		comment(3, "github-actions[bot]", "<!-- sdd review -->\nold"), comment(4, "github-actions[bot]", "<!-- sdd review -->\nolder"))
	run()
	says("again", "updated")
	if !strings.Contains(text("log"), "--method PATCH repos/o/r/issues/comments/3 ") {
		t.Errorf("asked for\n%s", text("log"))
	}

	run("FORK=true")
	says("from a fork", "summary")
	if text("log") != "" || !strings.Contains(text("summary"), "+ We take it") {
		t.Errorf("a fork's: %s%s", text("log"), text("summary"))
	}
	for _, fails := range []string{"--jq", "--method"} {
		if out, code := run("GH_FAILS=" + fails); code != 0 {
			t.Errorf("without the right to %s: exit code %d\n%s", fails, code, out)
		}
		says("without the right to "+fails, "summary")
	}
	run("NUMBER=")
	says("of no pull request", "summary")

	comments()
	run("BASE=feature")
	says("nothing to say", "none")
	run("SARIF=true")
	if want := "sarif=" + filepath.Join(dir, "temp", "sdd-review.sarif") + "\nresult=created\n"; text("output") != want || !strings.Contains(text("temp/sdd-review.sarif"), `"2.1.0"`) {
		t.Errorf("outputs %q", text("output"))
	}
	if out, code := run("BASE=nothing"); code == 0 {
		t.Errorf("an unknown base:\n%s", out)
	}
}

// TestReviewActionTakesNothingIntoScripts: what others write (the name of a branch) is data, never part of a script.
func TestReviewActionTakesNothingIntoScripts(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile(filepath.Join(reviewFolder, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a struct {
		Inputs map[string]struct{ Description string }
		Runs   struct {
			Steps []struct {
				Run, Shell string
				Env        map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(src, &a); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(reviewFolder, "review.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") || s.Run != "" && s.Shell == "" {
			t.Errorf("an expression in a script, or no shell: %q", s.Run)
		}
		for name := range s.Env {
			if name != "GH_TOKEN" && !regexp.MustCompile(`\$\{?`+name+`\b`).Match(script) {
				t.Errorf("review.sh does not use %s", name)
			}
		}
	}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(string(src), -1) {
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("there is no input %q", m[1])
		}
	}
}
