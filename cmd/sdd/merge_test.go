package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Changes of the topic that do not touch each other, each a save by sdd: the revision grows with it.
var (
	addGoal       = []string{"revision: 1", "revision: 2", "for a month\n", "for a month\n- log out everywhere\n"}
	addOtherGoal  = []string{"revision: 1", "revision: 2", "for a month\n", "for a month\n- delete the account\n"}
	addConstraint = []string{"revision: 1", "revision: 2", "stored\n", "stored\n- no cookies from others\n"}
	rewordGoal    = []string{"revision: 1", "revision: 2", "- log in by mail", "- log in by mail or phone"}
	otherwordGoal = []string{"revision: 1", "revision: 2", "- log in by mail", "- log in by e-mail only"}
)

func TestMergeDriver(t *testing.T) {
	c := newStore(t)
	c.branch("one", "main", addGoal...)
	c.branch("two", "main", addOtherGoal...)
	c.edit(topic, "## Unknowns", "## Preferences\n\n- links, no codes\n\n## Unknowns", "revision: 2", "revision: 3")
	c.commit("more")
	c.git("merge", "one")
	c.has(topic, "revision: 4", "## Goals", "- log out everywhere\n", "## Constraints", "- links, no codes", "!<<<<<<<")
	c.has(topic, "## Goals", "- delete the account\n", "## Constraints")
	c.clean()

	t.Run("the same result the other way round", func(t *testing.T) {
		here := c.read(topic)
		c.git("checkout", "-q", "-B", "back", "one")
		c.git("merge", "two")
		if there := c.read(topic); there != here {
			t.Errorf("one into two:\n%s\ntwo into one:\n%s", here, there)
		}
	})
}

func TestMergeDriverConflict(t *testing.T) {
	c := newStore(t)
	c.branch("one", "main", append(rewordGoal, addConstraint[2:]...)...)
	c.branch("two", "main", otherwordGoal...)
	c.must(1, "git", "merge", "one")
	c.has(topic, "revision: 3", "## Goals\n\n<<<<<<< ", "- log in by e-mail only\n=======\n- log in by mail or phone\n>>>>>>> ", "- stay logged in for a month\n\n## Constraints",
		"- no cookies from others")
	if n := strings.Count(c.read(topic), "<<<<<<<"); n != 1 {
		t.Errorf("%d conflicts", n)
	}
	c.git("merge", "--abort")

	c.git("config", "merge.conflictStyle", "diff3")
	c.must(1, "git", "merge", "one")
	c.has(topic, "- log in by e-mail only\n||||||| ", "- log in by mail\n=======\n- log in by mail or phone\n>>>>>>> ")
}

func TestMergeDriverFromTheCommandLine(t *testing.T) {
	c := newClone(t, "repo")
	base, ours, theirs := topicText, strings.Replace(topicText, "- no passwords", "- no names", 1), strings.Replace(topicText, "two million", "three", 1)
	files := func() {
		c.write("base", base)
		c.write("ours", ours)
		c.write("theirs", theirs)
	}
	files()
	c.sdd("merge-driver", "base", "ours", "theirs", "7", "some where/.sdd/explore/topic.md")
	c.has("ours", "- no names", "has three customers")

	files()
	c.write("theirs", strings.Replace(topicText, "- no passwords", "- no secrets", 1))
	c.must(1, "sdd", "merge-driver", "base", "ours", "theirs", "9", ".sdd/explore/topic.md", "parent", "HEAD", "their work")
	c.has("ours", "<<<<<<<<< HEAD\n- no names stored\n||||||||| parent\n- no passwords stored\n=========\n- no secrets stored\n>>>>>>>>> their work\n")

	// What is no record is merged by lines: two items at one place are a conflict there.
	files()
	c.write("ours", strings.Replace(base, "for a month\n", "for a month\n- a\n", 1))
	c.write("theirs", strings.Replace(base, "for a month\n", "for a month\n- b\n", 1))
	c.must(1, "sdd", "merge-driver", "base", "ours", "theirs", "7", "-docs/topic.md")
	c.has("ours", "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n")

	// A side with conflicts of its own is no record either: they stay.
	files()
	c.write("ours", strings.Replace(base, "- no passwords stored\n", "<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n", 1))
	c.sdd("merge-driver", "base", "ours", "theirs", "7", topic)
	c.has("ours", "<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n", "has three customers")

	// What is no text stays as it is, in conflict.
	files()
	c.write("ours", "\x00\x01")
	c.must(1, "sdd", "merge-driver", "base", "ours", "theirs", "7", topic)
	if got := c.read("ours"); got != "\x00\x01" {
		t.Errorf("ours is %q", got)
	}

	// A failure is none of git's conflicts, and touches nothing.
	files()
	c.must(129, "sdd", "merge-driver", "nothing", "ours", "theirs", "7", topic)
	if c.read("ours") != ours {
		t.Error("ours was touched")
	}
	c.must(2, "sdd", "merge-driver", "base")
	c.must(2, "sdd", "merge-driver", "base", "ours", "theirs", "many", topic)
}

func TestMergeDriverInEveryOperation(t *testing.T) {
	for _, op := range []struct {
		name string
		do   func(c *clone)
	}{
		{"rebase", func(c *clone) { c.git("rebase", "-q", "one") }},
		{"rebase by apply", func(c *clone) { c.git("rebase", "-q", "--apply", "one") }},
		{"cherry-pick", func(c *clone) { c.git("cherry-pick", "one") }},
		{"recursive", func(c *clone) { c.git("merge", "-q", "-s", "recursive", "one") }},
		{"pull into a linked work tree", func(c *clone) {
			c.git("worktree", "add", "-q", "-b", "linked", c.dir+" linked ü", "two")
			w := c.at(c.dir + " linked ü")
			w.git("merge", "-q", "one")
			c.git("merge", "-q", "linked")
		}},
		{"stash pop", func(c *clone) {
			c.git("reset", "-q", "--soft", "HEAD^")
			c.git("stash", "-q")
			c.git("merge", "-q", "one")
			c.git("stash", "pop")
			c.commit("popped")
		}},
		{"revert", func(c *clone) {
			c.git("merge", "-q", "one")
			c.git("revert", "--no-edit", "-m", "1", "HEAD")
			c.git("revert", "--no-edit", "HEAD")
		}},
	} {
		t.Run(op.name, func(t *testing.T) {
			c := newStore(t)
			c.branch("one", "main", append(addGoal, "two million", "three")...)
			c.branch("two", "main", append(addOtherGoal, addConstraint[2:]...)...)
			op.do(c)
			c.has(topic, "- log out everywhere", "- no cookies from others", "has three customers", "!<<<<<<<")
			c.has(topic, "- delete the account", "## Constraints")
			c.clean()
		})
	}
}

func TestMergeDriverCrissCross(t *testing.T) {
	c := newStore(t)
	c.branch("a", "main", addGoal...)
	c.branch("b", "main", addConstraint...)
	c.git("checkout", "-q", "-b", "ab", "a")
	c.git("merge", "-q", "b")
	c.git("checkout", "-q", "-b", "ba", "b")
	c.git("merge", "-q", "a")
	c.branch("left", "ab", "revision: 3", "revision: 4", "two million", "three")
	c.branch("right", "ba", "revision: 3", "revision: 4", "- log out everywhere", "- log out on all devices")
	c.git("merge", "-q", "left")
	c.has(topic, "revision: 5", "- log out on all devices", "!log out everywhere", "has three customers")
	c.clean()
}

// TestMergeDriverCrissCrossConflict: the base that git makes has a conflict. It was mended in one way on both
// sides, one of which went on: that is no conflict.
func TestMergeDriverCrissCrossConflict(t *testing.T) {
	for _, style := range []string{"merge", "diff3", "zdiff3"} {
		t.Run(style, func(t *testing.T) {
			c := newStore(t)
			c.git("config", "merge.conflictStyle", style)
			c.branch("a", "main", append(rewordGoal, "title: Topic", "title: Topic A")...)
			c.branch("b", "main", append(otherwordGoal, "title: Topic", "title: Topic B")...)
			mended := strings.NewReplacer("revision: 1", "revision: 3", "- log in by mail", "- log in by mail, not by phone").Replace(topicText)
			for from, other := range map[string]string{"a": "b", "b": "a"} {
				c.git("checkout", "-q", "-b", from+other, from)
				c.must(1, "git", "merge", other)
				c.write(topic, mended)
				c.commit("mended")
			}
			c.branch("left", "ab", "revision: 3", "revision: 4", "two million", "three")
			c.branch("right", "ba", "revision: 3", "revision: 4", "for a month\n", "for a month\n- log out everywhere\n")
			c.git("merge", "-q", "left")
			c.has(topic, "title: Topic\n", "- log in by mail, not by phone\n", "- log out everywhere", "has three customers", "!<<<<")
			c.clean()

			// Mended in two ways it is one, around that item only.
			c.branch("left2", "ab", "revision: 3", "revision: 4", "mail, not by phone", "mail, never by phone")
			c.branch("right2", "ba", "revision: 3", "revision: 4", "mail, not by phone", "mail, not by fax")
			c.must(1, "git", "merge", "left2")
			c.has(topic, "<<<<<<< ", "not by fax", "=======\n", "never by phone", ">>>>>>> ", "- stay logged in")
			if n := strings.Count(c.read(topic), "<<<<<<<"); n != 1 {
				t.Errorf("%d conflicts:\n%s", n, c.read(topic))
			}
		})
	}
}

// TestMergeOctopus: git runs no driver there. It merges by lines what it can. A conflict with the last branch is left
// to be resolved, one before that is refused; one branch after the other works.
func TestMergeOctopus(t *testing.T) {
	c := newStore(t)
	c.branch("one", "main", addGoal...)
	c.branch("two", "main", addOtherGoal...)
	c.branch("three", "main", addConstraint...)
	c.git("checkout", "-q", "-b", "work", "main")
	c.must(1, "git", "merge", "one", "two")
	c.sdd("resolve")
	c.has(topic, "revision: 3", "- log out everywhere", "## Constraints")
	c.has(topic, "- delete the account", "## Constraints")
	c.git("commit", "-q", "--no-edit")
	c.clean()

	c.git("reset", "-q", "--hard", "main")
	c.must(2, "git", "merge", "one", "two", "three")
	c.git("reset", "-q", "--hard", "main")
	for _, b := range []string{"one", "two", "three"} {
		c.sdd("merge", b)
	}
	c.has(topic, "revision: 4", "- log out everywhere", "- no cookies from others")
	c.has(topic, "- delete the account")
}

func TestMergeRenames(t *testing.T) {
	c := newStore(t)
	c.branch("one", "main", addGoal...)
	c.git("checkout", "-q", "-b", "two", "main")
	c.git("mv", topic, ".sdd/explore/sign-in.md")
	c.edit(".sdd/explore/sign-in.md", addOtherGoal...)
	c.commit("renamed by hand")
	c.git("merge", "-q", "one")
	c.has(".sdd/explore/sign-in.md", "revision: 3", "- log out everywhere")
	c.has(".sdd/explore/sign-in.md", "- delete the account")
	if _, err := os.Stat(c.path(topic)); err == nil {
		t.Error("the old name is back")
	}
	c.clean()
}

func TestMergeDeleteAgainstChange(t *testing.T) {
	c := newStore(t)
	c.branch("one", "main", addGoal...)
	c.git("checkout", "-q", "-b", "two", "main")
	c.git("rm", "-q", topic)
	c.commit("gone")
	out := c.must(4, "sdd", "merge", "one")
	if !strings.Contains(out, topic+": deleted by ours, changed by theirs") {
		t.Errorf("sdd merge said\n%s", out)
	}
	out = c.must(4, "sdd", "resolve")
	if !strings.Contains(out, "by_hand: deleted by ours, changed by theirs; git add it, or git rm it") {
		t.Errorf("sdd resolve said\n%s", out)
	}
	c.has(topic, "- log out everywhere") // git put their version there, and resolve left it
}

func TestMergeBothMakeOne(t *testing.T) {
	c := newStore(t)
	const file = ".sdd/explore/pay.md"
	text := func(created, section, item string) string {
		return "---\ntitle: Pay\nproject: shop\nscope: project\nrevision: 1\ncreated: " + created + "\n---\n\n## " + section + "\n\n- " + item + "\n"
	}
	c.git("checkout", "-q", "-b", "one")
	c.write(file, text("2026-11-20", "Goals", "pay by card"))
	c.commit("one")
	c.git("checkout", "-q", "-b", "two", "main")
	c.write(file, text("2026-11-21", "Constraints", "no card numbers stored"))
	c.commit("two")
	c.git("merge", "-q", "one")
	c.has(file, "created: 2026-11-20", "## Goals\n\n- pay by card\n\n## Constraints\n\n- no card numbers stored\n")
	c.clean()
}

func TestMergeLineEnds(t *testing.T) {
	c := newStore(t)
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	c.branch("one", "main", addGoal...)
	c.branch("two", "main", addOtherGoal...)
	c.git("config", "core.autocrlf", "true")
	os.Remove(c.path(topic))
	c.git("checkout", "-q", "--", topic)
	c.has(topic, crlf("- delete the account\n"))
	c.git("merge", "-q", "one")
	c.has(topic, crlf("revision: 3\n"), crlf("- log out everywhere\n"))
	c.clean()

	t.Run("resolve keeps those of the work tree", func(t *testing.T) {
		c.git("reset", "-q", "--hard", "HEAD^")
		c.must(1, "git", "-c", "merge.sdd.driver=git merge-file %A %O %B", "merge", "one")
		c.has(topic, "<<<<<<<")
		c.sdd("resolve")
		c.has(topic, crlf("- log out everywhere\n"), "!<<<<<<<")
		if got := c.read(topic); strings.Count(got, "\n") != strings.Count(got, "\r\n") {
			t.Errorf("mixed line ends: %q", got)
		}
		if got := c.git("show", ":"+topic); strings.Contains(got, "\r") {
			t.Error("carriage returns are staged")
		}
	})

	t.Run("committed as they are", func(t *testing.T) {
		c := newStore(t)
		c.write(topic, crlf(topicText))
		c.commit("crlf")
		c.branch("one", "main", crlf(addGoal[2]), crlf(addGoal[3]))
		c.branch("two", "main", crlf(addConstraint[2]), crlf(addConstraint[3]))
		c.git("merge", "-q", "one")
		if got := c.read(topic); strings.Count(got, "\n") != strings.Count(got, "\r\n") || !strings.Contains(got, "log out everywhere") {
			t.Errorf("merged: %q", got)
		}
	})
}

func TestMergeInSubmodule(t *testing.T) {
	sub := newStore(t)
	sub.branch("one", "main", addGoal...)
	sub.branch("two", "main", addOtherGoal...)
	super := newClone(t, "super")
	super.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", sub.dir, "part s")
	c := super.at(super.path("part s"))
	c.sdd("init")
	if cfg, _ := super.run("git", "config", "--get", "merge.sdd.driver"); cfg != "" {
		t.Errorf("the repository above was set up: %s", cfg)
	}
	c.git("checkout", "-q", "-B", "two", "origin/two")
	c.git("merge", "-q", "origin/one")
	c.has(topic, "revision: 3")
}

func TestMergeInShallowClone(t *testing.T) {
	c := newStore(t)
	c.branch("one", "main", addGoal...)
	c.branch("two", "main", addOtherGoal...)
	shallow := c.at(filepath.Join(t.TempDir(), "shallow"))
	c.git("clone", "-q", "--depth=1", "--no-single-branch", "-b", "two", "file://"+filepath.ToSlash(c.dir), shallow.dir)
	shallow.sdd("init")
	// The commit where both parted is missing: git refuses, or merges without a base, which is no guess either.
	out, code := shallow.run("sdd", "merge", "origin/one")
	if code == 0 {
		t.Fatalf("merged:\n%s", out)
	}
	shallow.run("git", "merge", "--abort")
	shallow.git("fetch", "-q", "--unshallow")
	shallow.sdd("merge", "origin/one")
	shallow.has(topic, "revision: 3", "- log out everywhere")
}

// TestMergeWithoutProgram: whatever is wrong with the program, git merges as text, and never keeps one side unsaid.
func TestMergeWithoutProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("scripts that break are written for sh")
	}
	for _, broken := range []struct {
		name string
		do   func(t *testing.T, c *clone) *clone
	}{
		{"not in PATH", func(_ *testing.T, c *clone) *clone { return c.without() }},
		{"not executable", func(t *testing.T, c *clone) *clone { return c.without().tool(t, "no program", 0o644) }},
		{"not for this machine", func(t *testing.T, c *clone) *clone { return c.without().tool(t, "\x7fELFno", 0o755) }},
		{"older, without the command", func(t *testing.T, c *clone) *clone {
			return c.without().tool(t, "#!/bin/sh\necho 'no such command' >&2\nexit 2\n", 0o755)
		}},
		{"crashes", func(t *testing.T, c *clone) *clone { return c.without().tool(t, "#!/bin/sh\nkill -9 $$\n", 0o755) }},
	} {
		t.Run(broken.name, func(t *testing.T) {
			c := newStore(t)
			c.branch("one", "main", append(addGoal, "two million", "three")...)
			c.branch("two", "main", addOtherGoal...)
			c = broken.do(t, c)
			out := c.must(1, "git", "merge", "one")
			if !strings.Contains(out, "sdd did not run, this is merged as text: "+topic) {
				t.Errorf("git merge said\n%s", out)
			}
			c.has(topic, "<<<<<<< ours\n- delete the account\n=======\n- log out everywhere\n>>>>>>> theirs\n", "has three customers")
			if s := c.git("status", "--porcelain"); s != "UU "+topic+"\n" {
				t.Errorf("git status: %q", s)
			}
			c.git("merge", "--abort")
			c.git("diff", "one", "two") // nor does a diff fail
			c.git("blame", topic)
			// Where both sides change different lines, the text merge is clean.
			c.branch("three", "one", "- which mail service?", "- who pays?")
			c.branch("four", "one", "title: Topic", "title: The topic")
			c.git("merge", "-q", "three")
			c.has(topic, "title: The topic", "- who pays?")
		})
	}
}

// tool puts a file called sdd first into PATH.
func (c *clone) tool(t *testing.T, text string, mode os.FileMode) *clone {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sdd"), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	path := ""
	for _, v := range c.env {
		if p, ok := strings.CutPrefix(v, "PATH="); ok {
			path = p
		}
	}
	return c.with("PATH=" + dir + string(filepath.ListSeparator) + path)
}

// TestMergeProgramPath: a program that PATH does not have is named by its path, whatever that holds.
func TestMergeProgramPath(t *testing.T) {
	program, err := exec.LookPath("sdd")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "it's 100%Off & ünder $HOME")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(dir, filepath.Base(program))
	if err := os.WriteFile(elsewhere, src, 0o755); err != nil {
		t.Fatal(err)
	}
	c := newClone(t, "repo").without()
	c.must(0, elsewhere, "init")
	c.write(topic, topicText)
	c.commit("base")
	c.branch("one", "main", addGoal...)
	c.branch("two", "main", addOtherGoal...)
	c.git("merge", "-q", "one")
	c.has(topic, "revision: 3", "- log out everywhere")
	if out := c.git("diff", "HEAD^"); !strings.Contains(out, "@@ ## Goals") {
		t.Errorf("git diff:\n%s", out)
	}
	c.must(0, elsewhere, "doctor")
}

// BenchmarkMergeDriver is one call by git: the whole process, for a record of 7 sections with 14 items each.
func BenchmarkMergeDriver(b *testing.B) {
	c := newClone(b, "repo")
	var text strings.Builder
	text.WriteString("---\ntitle: Topic\nrevision: 1\n---\n")
	for _, s := range strings.Fields("Goals Constraints Preferences Unknowns Decisions Context Notes") {
		text.WriteString("\n## " + s + "\n\n")
		for i := range 14 {
			text.WriteString("- " + strings.Repeat(s+" ", 6) + string(rune('a'+i)) + "\n")
		}
	}
	c.write("base", text.String())
	c.write("theirs", strings.Replace(text.String(), "## Unknowns\n\n", "## Unknowns\n\n- theirs\n", 1))
	ours := strings.Replace(text.String(), "## Unknowns\n\n", "## Unknowns\n\n- ours\n", 1)
	for b.Loop() {
		c.write("ours", ours)
		c.sdd("merge-driver", "base", "ours", "theirs", "7", topic)
	}
}
