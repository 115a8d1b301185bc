package git

import (
	"os"
	"strings"
	"testing"

	"sdd/cmd/sdd/sddtest"
	"sdd/internal/longtest"
)

// textStore is newStore in a clone whose git merges records as text.
func textStore(t *testing.T) *clone {
	t.Helper()
	return sddtest.Filled(t, "text", fillText)
}

func fillText(c *clone) {
	sddtest.FillStore(c)
	c.SDD("init", "--remove-drivers")
}

// apartStore is textStore with both branches.
func apartStore(t *testing.T) *clone {
	t.Helper()
	return sddtest.Filled(t, "apart", func(c *clone) {
		fillText(c)
		both(c)
	})
}

// both are the two branches that text merges cannot bring together and sdd can.
func both(c *clone) {
	c.T.Helper()
	branchOff(c, "one", "main", append(addGoal, "two million", "three")...)
	branchOff(c, "two", "main", append(addOtherGoal, addConstraint[2:]...)...)
}

func merged(c *clone) {
	c.T.Helper()
	c.Has(topic, "revision: 3", "- log out everywhere", "- no cookies from others", "has three customers", "!<<<<<<<", "!>>>>>>>")
	c.Has(topic, "- delete the account", "## Constraints")
}

func TestResolveAfterEveryOperation(t *testing.T) {
	t.Parallel()
	for _, op := range []struct {
		name string
		do   func(c *clone)
		next string
		then []string
	}{
		{"merge", func(c *clone) { c.Must(1, "git", "merge", "one") }, "next: git commit\n", []string{"commit", "-q", "--no-edit"}},
		{"rebase", func(c *clone) { c.Must(1, "git", "rebase", "one") }, "next: git rebase --continue\n", []string{"rebase", "--continue"}},
		{"rebase by apply", func(c *clone) { c.Must(1, "git", "rebase", "--apply", "one") }, "next: git rebase --continue\n", []string{"rebase", "--continue"}},
		{"cherry-pick", func(c *clone) { c.Must(1, "git", "cherry-pick", "one") }, "next: git cherry-pick --continue\n", []string{"cherry-pick", "--continue"}},
		{"stash pop", func(c *clone) {
			c.Git("reset", "-q", "--soft", "HEAD^")
			c.Git("stash", "-q")
			c.Git("merge", "-q", "one")
			c.Must(1, "git", "stash", "pop")
		}, "git stash drop", []string{"commit", "-qm", "popped"}},
		{"squash", func(c *clone) { c.Must(1, "git", "merge", "--squash", "one") }, "git commit", []string{"commit", "-qm", "squashed"}},
	} {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			c := apartStore(t)
			op.do(c)
			c.Has(topic, "<<<<<<<")
			out := c.SDD("resolve")
			if !strings.Contains(out, topic+": merged, staged\n") || !strings.Contains(out, op.next) {
				t.Errorf("sdd resolve said\n%s", out)
			}
			merged(c)
			c.Git(op.then...)
			c.Clean()
		})
	}
}

func TestResolveStyles(t *testing.T) {
	t.Parallel()
	for n, style := range []string{"merge", "diff3", "zdiff3"} {
		for m, staged := range []string{"in the index", "staged", "committed"} {
			if n != m && !longtest.Set() { // each style and each place once
				continue
			}
			t.Run(style+" "+staged, func(t *testing.T) {
				t.Parallel()
				c := apartStore(t)
				c.Git("config", "merge.conflictStyle", style)
				c.Must(1, "git", "merge", "one")
				if staged != "in the index" {
					c.Git("add", "-A")
				}
				if staged == "committed" {
					c.Git("commit", "-q", "--no-edit")
					c.Write("other", "x")
					c.Commit("later")
				}
				out := c.SDD("resolve", "Topic", "--dir", ".")
				if !strings.Contains(out, topic+": merged") {
					t.Errorf("sdd resolve said\n%s", out)
				}
				merged(c)
				if status := c.Git("status", "--porcelain", "--", topic); status != map[bool]string{true: " M ", false: "M  "}[staged == "committed"]+topic+"\n" {
					t.Errorf("git status: %q", status)
				}
			})
		}
	}
}

// TestResolveStagedMarkers: markers that were staged have a base in the history, whatever put them there.
func TestResolveStagedMarkers(t *testing.T) {
	t.Parallel()
	for _, op := range []struct {
		name string
		do   func(c *clone)
	}{
		{"rebase", func(c *clone) { c.Must(1, "git", "rebase", "one") }},
		{"cherry-pick", func(c *clone) { c.Must(1, "git", "cherry-pick", "one") }},
		{"cherry-pick, committed", func(c *clone) {
			c.Must(1, "git", "cherry-pick", "one")
			c.Commit("with markers")
		}},
		{"squash, committed", func(c *clone) {
			c.Must(1, "git", "merge", "--squash", "one")
			c.Commit("with markers")
		}},
		{"stash pop", func(c *clone) {
			c.Git("reset", "-q", "--soft", "HEAD^")
			c.Git("stash", "-q")
			c.Git("merge", "-q", "one")
			c.Must(1, "git", "stash", "pop")
		}},
	} {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			c := apartStore(t)
			op.do(c)
			c.Git("add", "-A")
			c.SDD("resolve", topic)
			merged(c)
		})
	}
}

func TestResolveBothMade(t *testing.T) {
	t.Parallel()
	c := textStore(t)
	for name, item := range map[string]string{"one": "pay by card", "two": "pay by invoice"} {
		c.Git("checkout", "-q", "-b", name, "main")
		c.Write(".sdd/explore/pay.md", "---\ntitle: Pay\nproject: shop\nrevision: 1\n---\n\n## Goals\n\n- "+item+"\n- no fees for anybody\n")
		c.Commit(name)
	}
	c.Git("checkout", "-q", "two")
	c.Must(1, "git", "merge", "one")
	c.Git("add", "-A")
	out, code := c.Run("sdd", "resolve")
	if code == 0 {
		c.Has(".sdd/explore/pay.md", "pay by card")
		c.Has(".sdd/explore/pay.md", "pay by invoice")
	} else if code != 4 || !strings.Contains(c.Read(".sdd/explore/pay.md"), "<<<<<<<") {
		t.Errorf("exit code %d:\n%s\n%s", code, out, c.Read(".sdd/explore/pay.md"))
	}
}

func TestResolveKeepsWhatConflicts(t *testing.T) {
	t.Parallel()
	c := textStore(t)
	branchOff(c, "one", "main", append(rewordGoal, addConstraint[2:]...)...)
	branchOff(c, "two", "main", append(otherwordGoal, "- no passwords", "- no cookies\n- no passwords")...)
	c.Must(1, "git", "merge", "one")
	out := c.Must(4, "sdd", "resolve")
	if !strings.Contains(out, topic+":11: Goals: \"- log in by e-mail only\" | \"- log in by mail or phone\"") {
		t.Errorf("sdd resolve said\n%s", out)
	}
	c.Has(topic, "<<<<<<< HEAD\n- log in by e-mail only\n=======\n- log in by mail or phone\n>>>>>>> one\n", "- no cookies\n- no passwords stored\n- no cookies from others\n")
	if s := c.Git("status", "--porcelain"); s != "UU "+topic+"\n" {
		t.Errorf("git status: %q", s)
	}
	again := c.Read(topic)
	c.Must(4, "sdd", "resolve")
	if c.Read(topic) != again {
		t.Error("the second time something changed")
	}

	// Mended by hand, it is the user's.
	c.Edit(topic, "<<<<<<< HEAD\n", "", "=======\n- log in by mail or phone\n>>>>>>> one\n", "")
	mended := c.Read(topic)
	out = c.Must(4, "sdd", "resolve")
	if !strings.Contains(out, "by_hand: it was mended by hand; git add it") || c.Read(topic) != mended {
		t.Errorf("sdd resolve said\n%s", out)
	}
	c.Git("add", "-A")
	c.Git("commit", "-q", "--no-edit")
}

// TestResolveKeepsHandWork: a file that somebody began to mend keeps what they wrote.
func TestResolveKeepsHandWork(t *testing.T) {
	t.Parallel()
	c := apartStore(t)
	c.Must(1, "git", "merge", "one")
	c.Edit(topic, "- which mail service?", "- which mail service, and who pays?")
	c.SDD("resolve")
	merged(c)
	c.Has(topic, "- which mail service, and who pays?")
	c.SDD("undo")
	c.Has(topic, "<<<<<<<", "- which mail service, and who pays?")
}

// TestResolveWithoutBase: markers alone do not say what both sides began with.
func TestResolveWithoutBase(t *testing.T) {
	t.Parallel()
	c := newClone(t, "repo")
	text := strings.Replace(topicText, "- no passwords stored\n", "<<<<<<< mine\n- no names\n=======\n- no cookies\n>>>>>>> yours\n", 1)
	c.Write(topic, text)
	out := c.Must(4, "sdd", "resolve", topic)
	if !strings.Contains(out, "what both sides began with is not known") || c.Read(topic) != text {
		t.Errorf("sdd resolve said\n%s", out)
	}
	// With the base between them they do, also where there is no git.
	os.RemoveAll(c.Path(".git"))
	c.Edit(topic, "=======\n", "||||||| base\n=======\n")
	c.SDD("resolve", topic)
	c.Has(topic, "- no names\n", "!<<<<<<<", "!|||||||")
	c.Has(topic, "- no cookies\n")
}

// TestResolveAgainstHead: nobody tells where markers come from, but the committed version is older than both sides.
func TestResolveAgainstHead(t *testing.T) {
	t.Parallel()
	c := textStore(t)
	const ours, theirs = "- no cookies from others\n", "- no trackers at all\n"
	conflict := func(at, ours, theirs string) {
		c.Write(topic, strings.Replace(topicText, at, "<<<<<<< mine\n"+ours+"=======\n"+theirs+">>>>>>> elsewhere\n"+at, 1))
	}
	conflict("\n## Unknowns", ours, theirs)
	c.SDD("resolve", topic)
	c.Has(topic, "stored\n", ours, "!<<<<<<<")
	c.Has(topic, theirs)

	// It has one side's words: it may be that side, and what the other one changed is not known.
	conflict("\n## Unknowns", "- no passwords stored\n", theirs)
	text := c.Read(topic)
	c.Must(4, "sdd", "resolve", topic)
	if c.Read(topic) != text {
		t.Errorf("something was guessed:\n%s", c.Read(topic))
	}
	// Reworded on both sides it stays one conflict.
	c.Write(topic, strings.Replace(topicText, "- no passwords stored\n", "<<<<<<< mine\n- no passwords kept\n=======\n- no passwords anywhere\n>>>>>>> elsewhere\n", 1))
	c.Must(4, "sdd", "resolve", topic)
	c.Has(topic, "<<<<<<< mine\n- no passwords kept\n=======\n- no passwords anywhere\n>>>>>>> elsewhere\n")
}

func TestResolveLeavesOtherFiles(t *testing.T) {
	t.Parallel()
	c := textStore(t)
	c.Write("code.go", "a\n")
	c.Commit("code")
	for name, line := range map[string]string{"one": "b\n", "two": "c\n"} {
		c.Git("checkout", "-q", "-b", name, "main")
		c.Write("code.go", line)
		c.Commit(name)
	}
	branchOff(c, "one", "one", addGoal...)
	branchOff(c, "two", "two", addOtherGoal...)
	c.Must(1, "git", "merge", "one")
	before := c.Read("code.go")
	out := c.SDD("resolve")
	if !strings.Contains(out, "1 more in conflict, among them code.go") || c.Read("code.go") != before {
		t.Errorf("sdd resolve said\n%s", out)
	}
	if s := c.Git("status", "--porcelain"); s != "M  "+topic+"\nUU code.go\n" {
		t.Errorf("git status: %q", s)
	}
	out = c.Must(3, "sdd", "resolve", "code.go")
	if !strings.Contains(out, "code.go") {
		t.Errorf("sdd resolve said\n%s", out)
	}
}

func TestResolveJSON(t *testing.T) {
	t.Parallel()
	c := apartStore(t)
	c.Must(1, "git", "merge", "one")
	out := c.SDD("resolve", "--json")
	for _, want := range []string{`"file": ".sdd/explore/topic.md"`, `"action": "merged"`, `"staged": true`, `"overlaps": []`, `"next": "git commit"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if out := c.Must(3, "sdd", "resolve", "--json"); !strings.Contains(out, `"code": "not_found"`) {
		t.Errorf("nothing to resolve:\n%s", out)
	}
}
