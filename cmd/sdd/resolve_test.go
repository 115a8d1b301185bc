package main

import (
	"os"
	"strings"
	"testing"
)

// textStore is newStore in a clone whose git merges records as text.
func textStore(t *testing.T) *clone {
	t.Helper()
	c := newStore(t)
	c.sdd("init", "--remove-drivers")
	return c
}

// both are the two branches that text merges cannot bring together and sdd can.
func (c *clone) both() {
	c.t.Helper()
	c.branch("one", "main", append(addGoal, "two million", "three")...)
	c.branch("two", "main", append(addOtherGoal, addConstraint[2:]...)...)
}

func (c *clone) merged() {
	c.t.Helper()
	c.has(topic, "revision: 3", "- log out everywhere", "- no cookies from others", "has three customers", "!<<<<<<<", "!>>>>>>>")
	c.has(topic, "- delete the account", "## Constraints")
}

func TestResolveAfterEveryOperation(t *testing.T) {
	for _, op := range []struct {
		name string
		do   func(c *clone)
		next string
		then []string
	}{
		{"merge", func(c *clone) { c.must(1, "git", "merge", "one") }, "next: git commit\n", []string{"commit", "-q", "--no-edit"}},
		{"rebase", func(c *clone) { c.must(1, "git", "rebase", "one") }, "next: git rebase --continue\n", []string{"rebase", "--continue"}},
		{"rebase by apply", func(c *clone) { c.must(1, "git", "rebase", "--apply", "one") }, "next: git rebase --continue\n", []string{"rebase", "--continue"}},
		{"cherry-pick", func(c *clone) { c.must(1, "git", "cherry-pick", "one") }, "next: git cherry-pick --continue\n", []string{"cherry-pick", "--continue"}},
		{"stash pop", func(c *clone) {
			c.git("reset", "-q", "--soft", "HEAD^")
			c.git("stash", "-q")
			c.git("merge", "-q", "one")
			c.must(1, "git", "stash", "pop")
		}, "git stash drop", []string{"commit", "-qm", "popped"}},
		{"squash", func(c *clone) { c.must(1, "git", "merge", "--squash", "one") }, "git commit", []string{"commit", "-qm", "squashed"}},
	} {
		t.Run(op.name, func(t *testing.T) {
			c := textStore(t)
			c.both()
			op.do(c)
			c.has(topic, "<<<<<<<")
			out := c.sdd("resolve")
			if !strings.Contains(out, topic+": merged, staged\n") || !strings.Contains(out, op.next) {
				t.Errorf("sdd resolve said\n%s", out)
			}
			c.merged()
			c.git(op.then...)
			c.clean()
		})
	}
}

func TestResolveStyles(t *testing.T) {
	for _, style := range []string{"merge", "diff3", "zdiff3"} {
		for _, staged := range []string{"in the index", "staged", "committed"} {
			t.Run(style+" "+staged, func(t *testing.T) {
				c := textStore(t)
				c.git("config", "merge.conflictStyle", style)
				c.both()
				c.must(1, "git", "merge", "one")
				if staged != "in the index" {
					c.git("add", "-A")
				}
				if staged == "committed" {
					c.git("commit", "-q", "--no-edit")
					c.write("other", "x")
					c.commit("later")
				}
				out := c.sdd("resolve", "Topic", "--dir", ".")
				if !strings.Contains(out, topic+": merged") {
					t.Errorf("sdd resolve said\n%s", out)
				}
				c.merged()
				if status := c.git("status", "--porcelain", "--", topic); status != map[bool]string{true: " M ", false: "M  "}[staged == "committed"]+topic+"\n" {
					t.Errorf("git status: %q", status)
				}
			})
		}
	}
}

// TestResolveStagedMarkers: markers that were staged have a base in the history, whatever put them there.
func TestResolveStagedMarkers(t *testing.T) {
	for _, op := range []struct {
		name string
		do   func(c *clone)
	}{
		{"rebase", func(c *clone) { c.must(1, "git", "rebase", "one") }},
		{"cherry-pick", func(c *clone) { c.must(1, "git", "cherry-pick", "one") }},
		{"cherry-pick, committed", func(c *clone) {
			c.must(1, "git", "cherry-pick", "one")
			c.commit("with markers")
		}},
		{"squash, committed", func(c *clone) {
			c.must(1, "git", "merge", "--squash", "one")
			c.commit("with markers")
		}},
		{"stash pop", func(c *clone) {
			c.git("reset", "-q", "--soft", "HEAD^")
			c.git("stash", "-q")
			c.git("merge", "-q", "one")
			c.must(1, "git", "stash", "pop")
		}},
	} {
		t.Run(op.name, func(t *testing.T) {
			c := textStore(t)
			c.both()
			op.do(c)
			c.git("add", "-A")
			c.sdd("resolve", topic)
			c.merged()
		})
	}
}

func TestResolveBothMade(t *testing.T) {
	c := textStore(t)
	for name, item := range map[string]string{"one": "pay by card", "two": "pay by invoice"} {
		c.git("checkout", "-q", "-b", name, "main")
		c.write(".sdd/explore/pay.md", "---\ntitle: Pay\nproject: shop\nrevision: 1\n---\n\n## Goals\n\n- "+item+"\n- no fees for anybody\n")
		c.commit(name)
	}
	c.git("checkout", "-q", "two")
	c.must(1, "git", "merge", "one")
	c.git("add", "-A")
	out, code := c.run("sdd", "resolve")
	if code == 0 {
		c.has(".sdd/explore/pay.md", "pay by card")
		c.has(".sdd/explore/pay.md", "pay by invoice")
	} else if code != 4 || !strings.Contains(c.read(".sdd/explore/pay.md"), "<<<<<<<") {
		t.Errorf("exit code %d:\n%s\n%s", code, out, c.read(".sdd/explore/pay.md"))
	}
}

func TestResolveKeepsWhatConflicts(t *testing.T) {
	c := textStore(t)
	c.branch("one", "main", append(rewordGoal, addConstraint[2:]...)...)
	c.branch("two", "main", append(otherwordGoal, "- no passwords", "- no cookies\n- no passwords")...)
	c.must(1, "git", "merge", "one")
	out := c.must(4, "sdd", "resolve")
	if !strings.Contains(out, topic+":11: Goals: \"- log in by e-mail only\" | \"- log in by mail or phone\"") {
		t.Errorf("sdd resolve said\n%s", out)
	}
	c.has(topic, "<<<<<<< HEAD\n- log in by e-mail only\n=======\n- log in by mail or phone\n>>>>>>> one\n", "- no cookies\n- no passwords stored\n- no cookies from others\n")
	if s := c.git("status", "--porcelain"); s != "UU "+topic+"\n" {
		t.Errorf("git status: %q", s)
	}
	again := c.read(topic)
	c.must(4, "sdd", "resolve")
	if c.read(topic) != again {
		t.Error("the second time something changed")
	}

	// Mended by hand, it is the user's.
	c.edit(topic, "<<<<<<< HEAD\n", "", "=======\n- log in by mail or phone\n>>>>>>> one\n", "")
	mended := c.read(topic)
	out = c.must(4, "sdd", "resolve")
	if !strings.Contains(out, "by_hand: it was mended by hand; git add it") || c.read(topic) != mended {
		t.Errorf("sdd resolve said\n%s", out)
	}
	c.git("add", "-A")
	c.git("commit", "-q", "--no-edit")
}

// TestResolveKeepsHandWork: a file that somebody began to mend keeps what they wrote.
func TestResolveKeepsHandWork(t *testing.T) {
	c := textStore(t)
	c.both()
	c.must(1, "git", "merge", "one")
	c.edit(topic, "- which mail service?", "- which mail service, and who pays?")
	c.sdd("resolve")
	c.merged()
	c.has(topic, "- which mail service, and who pays?")
	c.sdd("undo")
	c.has(topic, "<<<<<<<", "- which mail service, and who pays?")
}

// TestResolveWithoutBase: markers alone do not say what both sides began with.
func TestResolveWithoutBase(t *testing.T) {
	c := newClone(t, "repo")
	text := strings.Replace(topicText, "- no passwords stored\n", "<<<<<<< mine\n- no names\n=======\n- no cookies\n>>>>>>> yours\n", 1)
	c.write(topic, text)
	out := c.must(4, "sdd", "resolve", topic)
	if !strings.Contains(out, "what both sides began with is not known") || c.read(topic) != text {
		t.Errorf("sdd resolve said\n%s", out)
	}
	// With the base between them they do, also where there is no git.
	os.RemoveAll(c.path(".git"))
	c.edit(topic, "=======\n", "||||||| base\n=======\n")
	c.sdd("resolve", topic)
	c.has(topic, "- no names\n", "!<<<<<<<", "!|||||||")
	c.has(topic, "- no cookies\n")
}

// TestResolveAgainstHead: nobody tells where markers come from, but the committed version is older than both sides.
func TestResolveAgainstHead(t *testing.T) {
	c := textStore(t)
	const ours, theirs = "- no cookies from others\n", "- no trackers at all\n"
	conflict := func(at, ours, theirs string) {
		c.write(topic, strings.Replace(topicText, at, "<<<<<<< mine\n"+ours+"=======\n"+theirs+">>>>>>> elsewhere\n"+at, 1))
	}
	conflict("\n## Unknowns", ours, theirs)
	c.sdd("resolve", topic)
	c.has(topic, "stored\n", ours, "!<<<<<<<")
	c.has(topic, theirs)

	// It has one side's words: it may be that side, and what the other one changed is not known.
	conflict("\n## Unknowns", "- no passwords stored\n", theirs)
	text := c.read(topic)
	c.must(4, "sdd", "resolve", topic)
	if c.read(topic) != text {
		t.Errorf("something was guessed:\n%s", c.read(topic))
	}
	// Reworded on both sides it stays one conflict.
	c.write(topic, strings.Replace(topicText, "- no passwords stored\n", "<<<<<<< mine\n- no passwords kept\n=======\n- no passwords anywhere\n>>>>>>> elsewhere\n", 1))
	c.must(4, "sdd", "resolve", topic)
	c.has(topic, "<<<<<<< mine\n- no passwords kept\n=======\n- no passwords anywhere\n>>>>>>> elsewhere\n")
}

func TestResolveLeavesOtherFiles(t *testing.T) {
	c := textStore(t)
	c.write("code.go", "a\n")
	c.commit("code")
	for name, line := range map[string]string{"one": "b\n", "two": "c\n"} {
		c.git("checkout", "-q", "-b", name, "main")
		c.write("code.go", line)
		c.commit(name)
	}
	c.branch("one", "one", addGoal...)
	c.branch("two", "two", addOtherGoal...)
	c.must(1, "git", "merge", "one")
	before := c.read("code.go")
	out := c.sdd("resolve")
	if !strings.Contains(out, "1 more in conflict, among them code.go") || c.read("code.go") != before {
		t.Errorf("sdd resolve said\n%s", out)
	}
	if s := c.git("status", "--porcelain"); s != "M  "+topic+"\nUU code.go\n" {
		t.Errorf("git status: %q", s)
	}
	out = c.must(3, "sdd", "resolve", "code.go")
	if !strings.Contains(out, "code.go") {
		t.Errorf("sdd resolve said\n%s", out)
	}
}

func TestResolveJSON(t *testing.T) {
	c := textStore(t)
	c.both()
	c.must(1, "git", "merge", "one")
	out := c.sdd("resolve", "--json")
	for _, want := range []string{`"file": ".sdd/explore/topic.md"`, `"action": "merged"`, `"staged": true`, `"overlaps": []`, `"next": "git commit"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if out := c.must(3, "sdd", "resolve", "--json"); !strings.Contains(out, `"code": "not_found"`) {
		t.Errorf("nothing to resolve:\n%s", out)
	}
}
