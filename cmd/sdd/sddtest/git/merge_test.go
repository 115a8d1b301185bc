package git

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sdd/cmd/sdd/sddtest"
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
	t.Parallel()
	c := newStore(t)
	branchOff(c, "one", "main", addGoal...)
	branchOff(c, "two", "main", addOtherGoal...)
	c.Edit(topic, "## Unknowns", "## Preferences\n\n- links, no codes\n\n## Unknowns", "revision: 2", "revision: 3")
	c.Commit("more")
	c.Git("merge", "one")
	c.Has(topic, "revision: 4", "## Goals", "- log out everywhere\n", "## Constraints", "- links, no codes", "!<<<<<<<")
	c.Has(topic, "## Goals", "- delete the account\n", "## Constraints")
	c.Clean()

	t.Run("the same result the other way round", func(t *testing.T) {
		here := c.Read(topic)
		c.Git("checkout", "-q", "-B", "back", "one")
		c.Git("merge", "two")
		if there := c.Read(topic); there != here {
			t.Errorf("one into two:\n%s\ntwo into one:\n%s", here, there)
		}
	})
}

func TestMergeDriverConflict(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	branchOff(c, "one", "main", append(rewordGoal, addConstraint[2:]...)...)
	branchOff(c, "two", "main", otherwordGoal...)
	c.Must(1, "git", "merge", "one")
	c.Has(topic, "revision: 3", "## Goals\n\n<<<<<<< ", "- log in by e-mail only\n=======\n- log in by mail or phone\n>>>>>>> ", "- stay logged in for a month\n\n## Constraints",
		"- no cookies from others")
	if n := strings.Count(c.Read(topic), "<<<<<<<"); n != 1 {
		t.Errorf("%d conflicts", n)
	}
	c.Git("merge", "--abort")

	c.Git("config", "merge.conflictStyle", "diff3")
	c.Must(1, "git", "merge", "one")
	c.Has(topic, "- log in by e-mail only\n||||||| ", "- log in by mail\n=======\n- log in by mail or phone\n>>>>>>> ")
}

func TestMergeDriverFromTheCommandLine(t *testing.T) {
	t.Parallel()
	c := newClone(t, "repo")
	base, ours, theirs := topicText, strings.Replace(topicText, "- no passwords", "- no names", 1), strings.Replace(topicText, "two million", "three", 1)
	files := func() {
		c.Write("base", base)
		c.Write("ours", ours)
		c.Write("theirs", theirs)
	}
	files()
	c.SDD("merge-driver", "base", "ours", "theirs", "7", "some where/.sdd/explore/topic.md")
	c.Has("ours", "- no names", "has three customers")

	files()
	c.Write("theirs", strings.Replace(topicText, "- no passwords", "- no secrets", 1))
	c.Must(1, "sdd", "merge-driver", "base", "ours", "theirs", "9", ".sdd/explore/topic.md", "parent", "HEAD", "their work")
	c.Has("ours", "<<<<<<<<< HEAD\n- no names stored\n||||||||| parent\n- no passwords stored\n=========\n- no secrets stored\n>>>>>>>>> their work\n")

	// What is no record is merged by lines: two items at one place are a conflict there.
	files()
	c.Write("ours", strings.Replace(base, "for a month\n", "for a month\n- a\n", 1))
	c.Write("theirs", strings.Replace(base, "for a month\n", "for a month\n- b\n", 1))
	c.Must(1, "sdd", "merge-driver", "base", "ours", "theirs", "7", "-docs/topic.md")
	c.Has("ours", "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n")

	// A side with conflicts of its own is no record either: they stay.
	files()
	c.Write("ours", strings.Replace(base, "- no passwords stored\n", "<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n", 1))
	c.SDD("merge-driver", "base", "ours", "theirs", "7", topic)
	c.Has("ours", "<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n", "has three customers")

	// What is no text stays as it is, in conflict.
	files()
	c.Write("ours", "\x00\x01")
	c.Must(1, "sdd", "merge-driver", "base", "ours", "theirs", "7", topic)
	if got := c.Read("ours"); got != "\x00\x01" {
		t.Errorf("ours is %q", got)
	}

	// A failure is none of git's conflicts, and touches nothing.
	files()
	c.Must(129, "sdd", "merge-driver", "nothing", "ours", "theirs", "7", topic)
	if c.Read("ours") != ours {
		t.Error("ours was touched")
	}
	c.Must(2, "sdd", "merge-driver", "base")
	c.Must(2, "sdd", "merge-driver", "base", "ours", "theirs", "many", topic)
}

func TestMergeDriverInEveryOperation(t *testing.T) {
	t.Parallel()
	for _, op := range []struct {
		name string
		do   func(c *clone)
	}{
		{"rebase", func(c *clone) { c.Git("rebase", "-q", "one") }},
		{"rebase by apply", func(c *clone) { c.Git("rebase", "-q", "--apply", "one") }},
		{"cherry-pick", func(c *clone) { c.Git("cherry-pick", "one") }},
		{"recursive", func(c *clone) { c.Git("merge", "-q", "-s", "recursive", "one") }},
		{"pull into a linked work tree", func(c *clone) {
			c.Git("worktree", "add", "-q", "-b", "linked", c.Dir+" linked ü", "two")
			w := c.At(c.Dir + " linked ü")
			w.Git("merge", "-q", "one")
			c.Git("merge", "-q", "linked")
		}},
		{"stash pop", func(c *clone) {
			c.Git("reset", "-q", "--soft", "HEAD^")
			c.Git("stash", "-q")
			c.Git("merge", "-q", "one")
			c.Git("stash", "pop")
			c.Commit("popped")
		}},
		{"revert", func(c *clone) {
			c.Git("merge", "-q", "one")
			c.Git("revert", "--no-edit", "-m", "1", "HEAD")
			c.Git("revert", "--no-edit", "HEAD")
		}},
	} {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			c := sddtest.Filled(t, "driven", func(c *clone) {
				sddtest.FillStore(c)
				both(c)
			})
			op.do(c)
			c.Has(topic, "- log out everywhere", "- no cookies from others", "has three customers", "!<<<<<<<")
			c.Has(topic, "- delete the account", "## Constraints")
			c.Clean()
		})
	}
}

func TestMergeDriverCrissCross(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	branchOff(c, "a", "main", addGoal...)
	branchOff(c, "b", "main", addConstraint...)
	c.Git("checkout", "-q", "-b", "ab", "a")
	c.Git("merge", "-q", "b")
	c.Git("checkout", "-q", "-b", "ba", "b")
	c.Git("merge", "-q", "a")
	branchOff(c, "left", "ab", "revision: 3", "revision: 4", "two million", "three")
	branchOff(c, "right", "ba", "revision: 3", "revision: 4", "- log out everywhere", "- log out on all devices")
	c.Git("merge", "-q", "left")
	c.Has(topic, "revision: 5", "- log out on all devices", "!log out everywhere", "has three customers")
	c.Clean()
}

// TestMergeDriverCrissCrossConflict: the base that git makes has a conflict. It was mended in one way on both
// sides, one of which went on: that is no conflict.
func TestMergeDriverCrissCrossConflict(t *testing.T) {
	t.Parallel()
	for _, style := range []string{"merge", "diff3", "zdiff3"} {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			c := newStore(t)
			c.Git("config", "merge.conflictStyle", style)
			branchOff(c, "a", "main", append(rewordGoal, "title: Topic", "title: Topic A")...)
			branchOff(c, "b", "main", append(otherwordGoal, "title: Topic", "title: Topic B")...)
			mended := strings.NewReplacer("revision: 1", "revision: 3", "- log in by mail", "- log in by mail, not by phone").Replace(topicText)
			for from, other := range map[string]string{"a": "b", "b": "a"} {
				c.Git("checkout", "-q", "-b", from+other, from)
				c.Must(1, "git", "merge", other)
				c.Write(topic, mended)
				c.Commit("mended")
			}
			branchOff(c, "left", "ab", "revision: 3", "revision: 4", "two million", "three")
			branchOff(c, "right", "ba", "revision: 3", "revision: 4", "for a month\n", "for a month\n- log out everywhere\n")
			c.Git("merge", "-q", "left")
			c.Has(topic, "title: Topic\n", "- log in by mail, not by phone\n", "- log out everywhere", "has three customers", "!<<<<")
			c.Clean()

			// Mended in two ways it is one, around that item only.
			branchOff(c, "left2", "ab", "revision: 3", "revision: 4", "mail, not by phone", "mail, never by phone")
			branchOff(c, "right2", "ba", "revision: 3", "revision: 4", "mail, not by phone", "mail, not by fax")
			c.Must(1, "git", "merge", "left2")
			c.Has(topic, "<<<<<<< ", "not by fax", "=======\n", "never by phone", ">>>>>>> ", "- stay logged in")
			if n := strings.Count(c.Read(topic), "<<<<<<<"); n != 1 {
				t.Errorf("%d conflicts:\n%s", n, c.Read(topic))
			}
		})
	}
}

// TestMergeOctopus: git runs no driver there. It merges by lines what it can. A conflict with the last branch is left
// to be resolved, one before that is refused; one branch after the other works.
func TestMergeOctopus(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	branchOff(c, "one", "main", addGoal...)
	branchOff(c, "two", "main", addOtherGoal...)
	branchOff(c, "three", "main", addConstraint...)
	c.Git("checkout", "-q", "-b", "work", "main")
	c.Must(1, "git", "merge", "one", "two")
	c.SDD("resolve")
	c.Has(topic, "revision: 3", "- log out everywhere", "## Constraints")
	c.Has(topic, "- delete the account", "## Constraints")
	c.Git("commit", "-q", "--no-edit")
	c.Clean()

	c.Git("reset", "-q", "--hard", "main")
	c.Must(2, "git", "merge", "one", "two", "three")
	c.Git("reset", "-q", "--hard", "main")
	for _, b := range []string{"one", "two", "three"} {
		c.SDD("merge", b)
	}
	c.Has(topic, "revision: 4", "- log out everywhere", "- no cookies from others")
	c.Has(topic, "- delete the account")
}

func TestMergeRenames(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	branchOff(c, "one", "main", addGoal...)
	c.Git("checkout", "-q", "-b", "two", "main")
	c.Git("mv", topic, ".sdd/explore/sign-in.md")
	c.Edit(".sdd/explore/sign-in.md", addOtherGoal...)
	c.Commit("renamed by hand")
	c.Git("merge", "-q", "one")
	c.Has(".sdd/explore/sign-in.md", "revision: 3", "- log out everywhere")
	c.Has(".sdd/explore/sign-in.md", "- delete the account")
	if _, err := os.Stat(c.Path(topic)); err == nil {
		t.Error("the old name is back")
	}
	c.Clean()
}

func TestMergeDeleteAgainstChange(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	branchOff(c, "one", "main", addGoal...)
	c.Git("checkout", "-q", "-b", "two", "main")
	c.Git("rm", "-q", topic)
	c.Commit("gone")
	out := c.Must(4, "sdd", "merge", "one")
	if !strings.Contains(out, topic+": deleted by ours, changed by theirs") {
		t.Errorf("sdd merge said\n%s", out)
	}
	out = c.Must(4, "sdd", "resolve")
	if !strings.Contains(out, "by_hand: deleted by ours, changed by theirs; git add it, or git rm it") || strings.Contains(out, "next:") {
		t.Errorf("sdd resolve said\n%s", out)
	}
	c.Has(topic, "- log out everywhere") // git put their version there, and resolve left it
}

func TestMergeBothMakeOne(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	const file = ".sdd/explore/pay.md"
	text := func(created, section, item string) string {
		return "---\ntitle: Pay\nproject: shop\nscope: project\nrevision: 1\ncreated: " + created + "\n---\n\n## " + section + "\n\n- " + item + "\n"
	}
	c.Git("checkout", "-q", "-b", "one")
	c.Write(file, text("2026-11-20", "Goals", "pay by card"))
	c.Commit("one")
	c.Git("checkout", "-q", "-b", "two", "main")
	c.Write(file, text("2026-11-21", "Constraints", "no card numbers stored"))
	c.Commit("two")
	c.Git("merge", "-q", "one")
	c.Has(file, "created: 2026-11-20", "## Goals\n\n- pay by card\n\n## Constraints\n\n- no card numbers stored\n")
	c.Clean()
}

func TestMergeLineEnds(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	branchOff(c, "one", "main", addGoal...)
	branchOff(c, "two", "main", addOtherGoal...)
	c.Git("config", "core.autocrlf", "true")
	os.Remove(c.Path(topic))
	c.Git("checkout", "-q", "--", topic)
	c.Has(topic, crlf("- delete the account\n"))
	c.Git("merge", "-q", "one")
	c.Has(topic, crlf("revision: 3\n"), crlf("- log out everywhere\n"))
	c.Clean()

	t.Run("resolve keeps those of the work tree", func(t *testing.T) {
		c.Git("reset", "-q", "--hard", "HEAD^")
		c.Must(1, "git", "-c", "merge.sdd.driver=git merge-file %A %O %B", "merge", "one")
		c.Has(topic, "<<<<<<<")
		c.SDD("resolve")
		c.Has(topic, crlf("- log out everywhere\n"), "!<<<<<<<")
		if got := c.Read(topic); strings.Count(got, "\n") != strings.Count(got, "\r\n") {
			t.Errorf("mixed line ends: %q", got)
		}
		if got := c.Git("show", ":"+topic); strings.Contains(got, "\r") {
			t.Error("carriage returns are staged")
		}
	})

	t.Run("committed as they are", func(t *testing.T) {
		c := newStore(t)
		c.Write(topic, crlf(topicText))
		c.Commit("crlf")
		branchOff(c, "one", "main", crlf(addGoal[2]), crlf(addGoal[3]))
		branchOff(c, "two", "main", crlf(addConstraint[2]), crlf(addConstraint[3]))
		c.Git("merge", "-q", "one")
		if got := c.Read(topic); strings.Count(got, "\n") != strings.Count(got, "\r\n") || !strings.Contains(got, "log out everywhere") {
			t.Errorf("merged: %q", got)
		}
	})
}

func TestMergeInSubmodule(t *testing.T) {
	t.Parallel()
	sub := newStore(t)
	branchOff(sub, "one", "main", addGoal...)
	branchOff(sub, "two", "main", addOtherGoal...)
	super := newClone(t, "super")
	super.Git("-c", "protocol.file.allow=always", "submodule", "add", "-q", sub.Dir, "part s")
	c := super.At(super.Path("part s"))
	c.SDD("init")
	if cfg, _ := super.Run("git", "config", "--get", "merge.sdd.driver"); cfg != "" {
		t.Errorf("the repository above was set up: %s", cfg)
	}
	c.Git("checkout", "-q", "-B", "two", "origin/two")
	c.Git("merge", "-q", "origin/one")
	c.Has(topic, "revision: 3")
}

func TestMergeInShallowClone(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	branchOff(c, "one", "main", addGoal...)
	branchOff(c, "two", "main", addOtherGoal...)
	shallow := c.At(filepath.Join(t.TempDir(), "shallow"))
	c.Git("clone", "-q", "--depth=1", "--no-single-branch", "-b", "two", "file://"+filepath.ToSlash(c.Dir), shallow.Dir)
	shallow.SDD("init")
	// The commit where both parted is missing: git refuses, or merges without a base, which is no guess either.
	out, code := shallow.Run("sdd", "merge", "origin/one")
	if code == 0 {
		t.Fatalf("merged:\n%s", out)
	}
	shallow.Run("git", "merge", "--abort")
	shallow.Git("fetch", "-q", "--unshallow")
	shallow.SDD("merge", "origin/one")
	shallow.Has(topic, "revision: 3", "- log out everywhere")
}

// TestMergeWithoutProgram: whatever is wrong with the program, git merges as text, and never keeps one side unsaid.
func TestMergeWithoutProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("scripts that break are written for sh")
	}
	for _, broken := range []struct {
		name string
		do   func(t *testing.T, c *clone) *clone
	}{
		{"not in PATH", func(_ *testing.T, c *clone) *clone { return withoutSDD(c) }},
		{"not executable", func(t *testing.T, c *clone) *clone { return withTool(t, withoutSDD(c), "no program", 0o644) }},
		{"not for this machine", func(t *testing.T, c *clone) *clone { return withTool(t, withoutSDD(c), "\x7fELFno", 0o755) }},
		{"older, without the command", func(t *testing.T, c *clone) *clone {
			return withTool(t, withoutSDD(c), "#!/bin/sh\necho 'no such command' >&2\nexit 2\n", 0o755)
		}},
		{"crashes", func(t *testing.T, c *clone) *clone {
			return withTool(t, withoutSDD(c), "#!/bin/sh\nkill -9 $$\n", 0o755)
		}},
	} {
		t.Run(broken.name, func(t *testing.T) {
			t.Parallel()
			c := sddtest.Filled(t, "without", func(c *clone) {
				sddtest.FillStore(c)
				branchOff(c, "one", "main", append(addGoal, "two million", "three")...)
				branchOff(c, "two", "main", addOtherGoal...)
			})
			c = broken.do(t, c)
			out := c.Must(1, "git", "merge", "one")
			if !strings.Contains(out, "sdd did not run, this is merged as text: "+topic) {
				t.Errorf("git merge said\n%s", out)
			}
			c.Has(topic, "<<<<<<< ours\n- delete the account\n=======\n- log out everywhere\n>>>>>>> theirs\n", "has three customers")
			if s := c.Git("status", "--porcelain"); s != "UU "+topic+"\n" {
				t.Errorf("git status: %q", s)
			}
			c.Git("merge", "--abort")
			c.Git("diff", "one", "two") // nor does a diff fail
			c.Git("blame", topic)
			// Where both sides change different lines, the text merge is clean.
			branchOff(c, "three", "one", "- which mail service?", "- who pays?")
			branchOff(c, "four", "one", "title: Topic", "title: The topic")
			c.Git("merge", "-q", "three")
			c.Has(topic, "title: The topic", "- who pays?")
		})
	}
}

// TestMergeProgramPath: a program that PATH does not have is named by its path, whatever that holds.
func TestMergeProgramPath(t *testing.T) {
	t.Parallel()
	program := sddtest.Program(t)
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
	c := withoutSDD(newClone(t, "repo"))
	c.Must(0, elsewhere, "init")
	c.Write(topic, topicText)
	c.Commit("base")
	branchOff(c, "one", "main", addGoal...)
	branchOff(c, "two", "main", addOtherGoal...)
	c.Git("merge", "-q", "one")
	c.Has(topic, "revision: 3", "- log out everywhere")
	if out := c.Git("diff", "HEAD^"); !strings.Contains(out, "@@ ## Goals") {
		t.Errorf("git diff:\n%s", out)
	}
	c.Must(0, elsewhere, "doctor")
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
	c.Write("base", text.String())
	c.Write("theirs", strings.Replace(text.String(), "## Unknowns\n\n", "## Unknowns\n\n- theirs\n", 1))
	ours := strings.Replace(text.String(), "## Unknowns\n\n", "## Unknowns\n\n- ours\n", 1)
	for b.Loop() {
		c.Write("ours", ours)
		c.SDD("merge-driver", "base", "ours", "theirs", "7", topic)
	}
}
