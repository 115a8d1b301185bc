package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMergeBranch(t *testing.T) {
	c := textStore(t) // the driver is not set up here
	config := c.read(".git/config")
	c.both()
	out := c.sdd("merge", "one")
	if !strings.Contains(out, "merged one: ") || !strings.Contains(out, topic+", changed on both sides") {
		t.Errorf("sdd merge said\n%s", out)
	}
	c.merged()
	c.clean()
	if got := c.git("log", "-1", "--format=%s %p"); !strings.HasPrefix(got, "Merge branch 'one' into two ") || len(strings.Fields(got)) != 7 {
		t.Errorf("the commit: %s", got)
	}
	if c.read(".git/config") != config {
		t.Error("the clone's configuration was touched")
	}
	if out := c.sdd("merge", "one"); !strings.Contains(out, "nothing to merge") {
		t.Errorf("again:\n%s", out)
	}
	c.git("checkout", "-q", "main")
	if out := c.sdd("merge", "two", "--json"); !strings.Contains(out, `"action": "fast_forward"`) {
		t.Errorf("forward:\n%s", out)
	}
}

// TestMergeBranchWithoutAttributes: not even the attribute is there, and the user's own attributes count.
func TestMergeBranchWithoutAttributes(t *testing.T) {
	for _, where := range []string{"default", "XDG", "setting"} {
		t.Run(where, func(t *testing.T) {
			c := textStore(t)
			own := filepath.Join(filepath.Dir(c.dir), ".config", "git", "attributes")
			switch where {
			case "XDG":
				c = c.with("XDG_CONFIG_HOME=" + filepath.Join(filepath.Dir(c.dir), "xdg"))
				own = filepath.Join(filepath.Dir(c.dir), "xdg", "git", "attributes")
			case "setting":
				own = filepath.Join(filepath.Dir(c.dir), "my attributes")
				c.git("config", "core.attributesFile", own)
			}
			if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(own, []byte("list merge=union"), 0o644); err != nil {
				t.Fatal(err)
			}
			c.git("rm", "-q", ".sdd/.gitattributes")
			c.write("list", "a\n")
			c.commit("no attributes")
			for name, line := range map[string]string{"one": "b\n", "two": "c\n"} {
				c.git("checkout", "-q", "-b", name, "main")
				c.write("list", "a\n"+line)
				c.commit(name)
			}
			c.branch("one", "one", addGoal...)
			c.branch("two", "two", addOtherGoal...)
			c.sdd("merge", "one")
			c.has(topic, "revision: 3", "- log out everywhere")
			c.has("list", "a\nc\nb\n")
			c.clean()
		})
	}
}

func TestMergeBranchConflict(t *testing.T) {
	c := textStore(t)
	c.write("code.go", "a\n")
	c.commit("code")
	for name, line := range map[string]string{"one": "b\n", "two": "c\n"} {
		c.git("checkout", "-q", "-b", name, "main")
		c.write("code.go", line)
		c.commit(name)
	}
	c.branch("one", "one", rewordGoal...)
	c.branch("two", "two", append(otherwordGoal, addConstraint[2:]...)...)
	out := c.must(4, "sdd", "merge", "one")
	for _, want := range []string{topic + ":11: Goals: \"- log in by e-mail only\" | \"- log in by mail or phone\"\n  code.go: conflict\n", "git merge --abort"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := c.must(1, "sdd", "merge", "one"); !strings.Contains(out, "a merge is under way") {
		t.Errorf("again:\n%s", out)
	}
	c.git("merge", "--abort")
	c.clean()
	out = c.must(4, "sdd", "merge", "one", "--json")
	for _, want := range []string{`"action": "conflict"`, `"where": "Goals"`, `"line": 11`, `"file": "code.go"`, `"ours": "- log in by e-mail only\n"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

func TestMergeBranchRefuses(t *testing.T) {
	c := textStore(t)
	c.both()
	state := func() string { return c.git("rev-parse", "HEAD") + c.git("status", "--porcelain") + c.read(topic) }

	before := state()
	if out := c.must(3, "sdd", "merge", "no-such-branch"); !strings.Contains(out, `there is no commit "no-such-branch"`) {
		t.Errorf("unknown:\n%s", out)
	}
	c.must(2, "sdd", "merge")
	c.must(2, "sdd", "merge", "--", "--abort")
	if state() != before {
		t.Error("something changed")
	}

	c.write("new", "x")
	c.git("add", "new")
	before = state()
	if out := c.must(1, "sdd", "merge", "one"); !strings.Contains(out, "new is staged and not committed") {
		t.Errorf("staged:\n%s", out)
	}
	if state() != before {
		t.Error("something changed")
	}
	c.git("reset", "-q", "new")

	// Changes on disk stand in the way only where the merge would write.
	c.sdd("merge", "one")
	if c.read("new") != "x" {
		t.Error("an untracked file was touched")
	}
	c.git("reset", "-q", "--hard", "HEAD^")
	c.edit(topic, "- which mail service?", "- who?")
	before = state()
	if out := c.must(1, "sdd", "merge", "one"); !strings.Contains(out, "would be overwritten") || !strings.Contains(out, topic) {
		t.Errorf("dirty:\n%s", out)
	}
	if state() != before {
		t.Error("something changed")
	}
	c.git("checkout", "-q", "--", topic)

	// A hook may refuse the commit.
	c.write(".git/hooks/pre-merge-commit", "#!/bin/sh\necho no such commit today >&2\nexit 1\n")
	if err := os.Chmod(c.path(".git/hooks/pre-merge-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := c.must(1, "sdd", "merge", "one"); !strings.Contains(out, "merged but not committed") || !strings.Contains(out, "no such commit today") {
		t.Errorf("hook:\n%s", out)
	}
	c.must(1, "sdd", "merge", "--dir", t.TempDir(), "one")
}

func TestMergeBranchInSubfolderStore(t *testing.T) {
	c := newClone(t, "mono repo")
	c.write("services/pay ü/"+topic, topicText)
	c.commit("base")
	at := c.at(c.path("services/pay ü"))
	change := func(name string, pairs ...string) {
		c.git("checkout", "-q", "-B", name, "main")
		at.edit(topic, pairs...)
		c.commit(name)
	}
	change("one", addGoal...)
	change("two", addOtherGoal...)
	at.sdd("merge", "one")
	at.has(topic, "revision: 3", "- log out everywhere")
}
