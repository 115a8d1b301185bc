package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"sdd/cmd/sdd/sddtest"
)

const actionFolder = "../../../../.github/actions/sdd-merge"

// action is a remote repository with the branches main, one and two, and a shallow clone as a workflow has it.
func action(t *testing.T) (remote, work *clone, run func(env ...string) (string, int)) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not here")
	}
	script, err := filepath.Abs(filepath.Join(actionFolder, "merge.sh"))
	if err != nil {
		t.Fatal(err)
	}
	remote = sddtest.Filled(t, "action", func(c *clone) {
		fillText(c)
		both(c)
		branchOff(c, "three", "main", append(otherwordGoal, "two million", "no")...)
		branchOff(c, "four", "main", rewordGoal...)
		c.Git("checkout", "-q", "--detach", "main")
	})
	work = remote.At(filepath.Join(t.TempDir(), "work"))
	remote.Git("clone", "-q", "--depth=1", "--branch=two", "file://"+filepath.ToSlash(remote.Dir), work.Dir)
	return remote, work, func(env ...string) (string, int) {
		t.Helper()
		return work.With(append(env, "SDD=sdd", "GITHUB_OUTPUT="+work.Path("../output"), "GITHUB_STEP_SUMMARY="+work.Path("../summary"))...).Run(script)
	}
}

func TestActionMergesAndPushes(t *testing.T) {
	t.Parallel()
	remote, work, run := action(t)
	out, code := run("BASE=one", "HEAD=two", "PUSH=true")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	if got := work.Read("../output"); got != "result=merged\npushed=true\n" {
		t.Errorf("outputs: %q", got)
	}
	work.Has("../summary", "`one` merges into `two` without a conflict, and is pushed.\n```\nmerged origin/one", topic)
	remote.Git("checkout", "-q", "two")
	merged(remote)
	out, code = run("BASE=one", "HEAD=two", "PUSH=true")
	if code != 0 || !strings.Contains(work.Read("../output"), "result=up_to_date\npushed=false\n") {
		t.Errorf("again: exit code %d\n%s", code, out)
	}
}

func TestActionReportsConflicts(t *testing.T) {
	t.Parallel()
	remote, work, run := action(t)
	before := remote.Git("rev-parse", "three")
	out, code := run("BASE=four", "HEAD=three", "PUSH=true")
	if code != 1 || !strings.Contains(out, "Goals: \"- log in by e-mail only\" | \"- log in by mail or phone\"") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if got := work.Read("../output"); got != "result=conflict\npushed=false\n" {
		t.Errorf("outputs: %q", got)
	}
	if remote.Git("rev-parse", "three") != before {
		t.Error("something was pushed")
	}
	if _, code = run("BASE=four", "HEAD=three", "FAIL=false"); code != 0 {
		t.Errorf("exit code %d though it is not to fail", code)
	}
}

func TestActionOnlyLooksAtForks(t *testing.T) {
	t.Parallel()
	remote, work, run := action(t)
	remote.Git("update-ref", "refs/pull/7/head", "two")
	refs := remote.Git("for-each-ref")
	out, code := run("BASE=one", "HEAD=patch-1", "PUSH=false", "FORK=true", "NUMBER=7")
	if code != 0 || !strings.Contains(work.Read("../output"), "result=merged\npushed=false\n") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if got := remote.Git("for-each-ref"); got != refs {
		t.Errorf("the remote's branches were\n%s\nare\n%s", refs, got)
	}
}

// TestActionTakesNothingIntoScripts: what others write (the name of a branch) is data, never part of a script.
func TestActionTakesNothingIntoScripts(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile(filepath.Join(actionFolder, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a struct {
		Inputs  map[string]struct{ Description string }
		Outputs map[string]struct{ Value string }
		Runs    struct {
			Using string
			Steps []struct {
				Uses, Run, Shell string
				Env              map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(src, &a); err != nil {
		t.Fatal(err)
	}
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("%+v", a.Runs)
	}
	script, err := os.ReadFile(filepath.Join(actionFolder, "merge.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("an expression stands in the script %q", s.Run)
		}
		if s.Run != "" && s.Shell == "" {
			t.Errorf("no shell for %q", s.Run)
		}
		for name := range s.Env {
			if !strings.Contains(string(script), name) {
				t.Errorf("merge.sh does not use %s", name)
			}
		}
	}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(string(src), -1) {
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("there is no input %q", m[1])
		}
	}
}
