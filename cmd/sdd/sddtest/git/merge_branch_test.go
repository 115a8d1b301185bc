package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMergeBranch(t *testing.T) {
	t.Parallel()
	c := apartStore(t) // the driver is not set up here
	config := c.Read(".git/config")
	out := c.SDD("merge", "one")
	if !strings.Contains(out, "merged one: ") || !strings.Contains(out, topic+", changed on both sides") {
		t.Errorf("sdd merge said\n%s", out)
	}
	merged(c)
	c.Clean()
	if got := c.Git("log", "-1", "--format=%s %p"); !strings.HasPrefix(got, "Merge branch 'one' into two ") || len(strings.Fields(got)) != 7 {
		t.Errorf("the commit: %s", got)
	}
	if c.Read(".git/config") != config {
		t.Error("the clone's configuration was touched")
	}
	if out := c.SDD("merge", "one"); !strings.Contains(out, "nothing to merge") {
		t.Errorf("again:\n%s", out)
	}
	c.Git("checkout", "-q", "main")
	if out := c.SDD("merge", "two", "--json"); !strings.Contains(out, `"action": "fast_forward"`) {
		t.Errorf("forward:\n%s", out)
	}
}

// TestMergeBranchWithoutAttributes: not even the attribute is there, and the user's own attributes count.
func TestMergeBranchWithoutAttributes(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"default", "XDG", "setting"} {
		t.Run(where, func(t *testing.T) {
			c := textStore(t)
			own := filepath.Join(filepath.Dir(c.Dir), ".config", "git", "attributes")
			switch where {
			case "XDG":
				c = c.With("XDG_CONFIG_HOME=" + filepath.Join(filepath.Dir(c.Dir), "xdg"))
				own = filepath.Join(filepath.Dir(c.Dir), "xdg", "git", "attributes")
			case "setting":
				own = filepath.Join(filepath.Dir(c.Dir), "my attributes")
				c.Git("config", "core.attributesFile", own)
			}
			if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(own, []byte("list merge=union"), 0o644); err != nil {
				t.Fatal(err)
			}
			c.Git("rm", "-q", ".sdd/.gitattributes")
			c.Write("list", "a\n")
			c.Commit("no attributes")
			for name, line := range map[string]string{"one": "b\n", "two": "c\n"} {
				c.Git("checkout", "-q", "-b", name, "main")
				c.Write("list", "a\n"+line)
				c.Commit(name)
			}
			branchOff(c, "one", "one", addGoal...)
			branchOff(c, "two", "two", addOtherGoal...)
			c.SDD("merge", "one")
			c.Has(topic, "revision: 3", "- log out everywhere")
			c.Has("list", "a\nc\nb\n")
			c.Clean()
		})
	}
}

func TestMergeBranchConflict(t *testing.T) {
	t.Parallel()
	c := textStore(t)
	c.Write("code.go", "a\n")
	c.Commit("code")
	for name, line := range map[string]string{"one": "b\n", "two": "c\n"} {
		c.Git("checkout", "-q", "-b", name, "main")
		c.Write("code.go", line)
		c.Commit(name)
	}
	branchOff(c, "one", "one", rewordGoal...)
	branchOff(c, "two", "two", append(otherwordGoal, addConstraint[2:]...)...)
	out := c.Must(4, "sdd", "merge", "one")
	for _, want := range []string{topic + ":11: Goals: \"- log in by e-mail only\" | \"- log in by mail or phone\"\n  code.go: conflict\n", "git merge --abort"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := c.Must(1, "sdd", "merge", "one"); !strings.Contains(out, "a merge is under way") {
		t.Errorf("again:\n%s", out)
	}
	c.Git("merge", "--abort")
	c.Clean()
	out = c.Must(4, "sdd", "merge", "one", "--json")
	for _, want := range []string{`"action": "conflict"`, `"where": "Goals"`, `"line": 11`, `"file": "code.go"`, `"ours": "- log in by e-mail only\n"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

func TestMergeBranchRefuses(t *testing.T) {
	t.Parallel()
	c := apartStore(t)
	state := func() string { return c.Git("rev-parse", "HEAD") + c.Git("status", "--porcelain") + c.Read(topic) }

	before := state()
	if out := c.Must(3, "sdd", "merge", "no-such-branch"); !strings.Contains(out, `there is no commit "no-such-branch"`) {
		t.Errorf("unknown:\n%s", out)
	}
	c.Must(2, "sdd", "merge")
	c.Must(2, "sdd", "merge", "--", "--abort")
	if state() != before {
		t.Error("something changed")
	}

	c.Write("new", "x")
	c.Git("add", "new")
	before = state()
	if out := c.Must(1, "sdd", "merge", "one"); !strings.Contains(out, "new is staged and not committed") {
		t.Errorf("staged:\n%s", out)
	}
	if state() != before {
		t.Error("something changed")
	}
	c.Git("reset", "-q", "new")

	// Changes on disk stand in the way only where the merge would write.
	c.SDD("merge", "one")
	if c.Read("new") != "x" {
		t.Error("an untracked file was touched")
	}
	c.Git("reset", "-q", "--hard", "HEAD^")
	c.Edit(topic, "- which mail service?", "- who?")
	before = state()
	if out := c.Must(1, "sdd", "merge", "one"); !strings.Contains(out, "would be overwritten") || !strings.Contains(out, topic) {
		t.Errorf("dirty:\n%s", out)
	}
	if state() != before {
		t.Error("something changed")
	}
	c.Git("checkout", "-q", "--", topic)

	// A hook may refuse the commit.
	c.Write(".git/hooks/pre-merge-commit", "#!/bin/sh\necho no such commit today >&2\nexit 1\n")
	if err := os.Chmod(c.Path(".git/hooks/pre-merge-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := c.Must(1, "sdd", "merge", "one"); !strings.Contains(out, "merged but not committed") || !strings.Contains(out, "no such commit today") {
		t.Errorf("hook:\n%s", out)
	}
	c.Must(1, "sdd", "merge", "--dir", t.TempDir(), "one")
}

func TestMergeBranchInSubfolderStore(t *testing.T) {
	t.Parallel()
	c := newClone(t, "mono repo")
	c.Write("services/pay ü/"+topic, topicText)
	c.Commit("base")
	at := c.At(c.Path("services/pay ü"))
	change := func(name string, pairs ...string) {
		c.Git("checkout", "-q", "-B", name, "main")
		at.Edit(topic, pairs...)
		c.Commit(name)
	}
	change("one", addGoal...)
	change("two", addOtherGoal...)
	at.SDD("merge", "one")
	at.Has(topic, "revision: 3", "- log out everywhere")
}
