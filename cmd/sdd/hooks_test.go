package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const badTopic = "---\ntitle: Topic\nscope: team\n---\n\n## Goals\n\n- x\n"

// snapshot is every file below a folder, with its mode and bytes, and every folder.
func (c *clone) snapshot(dir string) map[string]string {
	c.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(c.path(dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String() + " "
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += to
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += string(b)
		}
		all[path] = text
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

func sameSnapshot(t *testing.T, want, got map[string]string) {
	t.Helper()
	for path, text := range want {
		if got[path] != text {
			t.Errorf("%s is %q, was %q", path, got[path], text)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s was left", path)
		}
	}
}

func (c *clone) script(file, text string, mode fs.FileMode) {
	c.t.Helper()
	c.write(file, text)
	if err := os.Chmod(c.path(file), mode); err != nil {
		c.t.Fatal(err)
	}
}

// TestHooksGiveBack: installing twice is installing once, the hooks run with what was there, and uninstalling gives
// back every byte, mode, file and folder.
func TestHooksGiveBack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are of Unix")
	}
	said := "#!/bin/sh\necho it runs >>said\nexit 0\n"
	for name, c := range map[string]struct {
		prepare func(c *clone)
		runs    bool // the hook that is there says so
	}{
		"no hooks":    {func(c *clone) {}, false},
		"no folder":   {func(c *clone) { os.RemoveAll(c.path(".git/hooks")) }, false},
		"folders":     {func(c *clone) { c.git("config", "core.hooksPath", ".git/my/own/hooks") }, false},
		"script":      {func(c *clone) { c.script(".git/hooks/pre-commit", said, 0o755) }, true},
		"own mode":    {func(c *clone) { c.script(".git/hooks/pre-commit", said, 0o510) }, true},
		"no line end": {func(c *clone) { c.script(".git/hooks/pre-commit", "#!/bin/sh -eu\necho it runs >>said", 0o755) }, true},
		"no shebang":  {func(c *clone) { c.script(".git/hooks/pre-commit", "echo it runs >>said\n", 0o755) }, true},
		"one line":    {func(c *clone) { c.script(".git/hooks/pre-commit", "#!/bin/sh", 0o755) }, false},
		"empty":       {func(c *clone) { c.script(".git/hooks/pre-commit", "", 0o755) }, false},
		"bash": {func(c *clone) {
			c.script(".git/hooks/pre-commit", strings.Replace(said, "/bin/sh", "/usr/bin/env bash", 1), 0o755)
		}, true},
		"CRLF": {func(c *clone) {
			c.script(".git/hooks/post-commit", "#!/bin/sh\n# checks\r\necho it runs >>said\n", 0o755)
		}, true},
		"folder of ours": {func(c *clone) {
			c.git("config", "core.hooksPath", ".githooks")
			c.script(".githooks/pre-commit", said, 0o755)
		}, true},
		"link": {func(c *clone) {
			c.script("scripts/pre-commit.sh", said, 0o755)
			if err := os.Symlink("../../scripts/pre-commit.sh", c.path(".git/hooks/pre-commit")); err != nil {
				t.Fatal(err)
			}
		}, true},
		"space in the path": {func(c *clone) {
			c.git("config", "core.hooksPath", "mÿ hooks")
			c.script("mÿ hooks/post-commit", said, 0o755)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newClone(t, "repo ä")
			c.prepare(k)
			before := k.snapshot(".")
			k.sdd("hooks", "install")
			once := k.snapshot(".")
			k.sdd("hooks", "install")
			sameSnapshot(t, once, k.snapshot("."))
			if out := k.sdd("hooks", "status"); strings.Count(out, " installed ") != 3 {
				t.Errorf("status:\n%s", out)
			}
			k.sdd("hooks", "uninstall")
			sameSnapshot(t, before, k.snapshot("."))

			k.sdd("hooks", "install")
			k.write(topic, badTopic)
			k.git("add", topic)
			if out := k.must(1, "git", "commit", "-q", "-m", "bad"); !strings.Contains(out, "[bad-value]") {
				t.Errorf("git commit said\n%s", out)
			}
			k.write(topic, topicText)
			k.git("add", topic)
			k.git("commit", "-q", "-m", "good")
			if _, err := os.Stat(k.path("said")); (err == nil) != c.runs {
				t.Errorf("the hook that was there ran: %v", err == nil)
			}
			k.sdd("hooks", "uninstall", "--pre-commit")
			k.write(topic, badTopic)
			k.git("commit", "-q", "-a", "-m", "bad")
			if out := k.sdd("hooks", "status"); strings.Count(out, " installed ") != 2 {
				t.Errorf("status:\n%s", out)
			}
			k.sdd("hooks", "uninstall", "--post-merge", "--post-commit")
			if out := k.sdd("hooks", "status"); strings.Count(out, " missing ") != 3 {
				t.Errorf("status:\n%s", out)
			}
			hooks := strings.TrimSuffix(k.git("rev-parse", "--git-path", "hooks"), "\n")
			after := k.snapshot(hooks)
			for path := range k.snapshot(hooks) {
				if before[path] != after[path] {
					t.Errorf("%s is %q, was %q", path, after[path], before[path])
				}
			}
		})
	}
}

// TestHooksThatAreNotWritten: files that are not this repository's alone, or that are no scripts.
func TestHooksThatAreNotWritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are of Unix")
	}
	for name, c := range map[string]struct {
		prepare func(c *clone)
		says    string
	}{
		"link to nowhere": {func(c *clone) { _ = os.Symlink("nowhere", c.path(".git/hooks/pre-commit")) }, "a link that leads nowhere"},
		"link out": {func(c *clone) {
			c.script("../shared/pre-commit", "#!/bin/sh\n", 0o755)
			_ = os.Symlink("../../../shared/pre-commit", c.path(".git/hooks/pre-commit"))
		}, "outside of the repository"},
		"folder that is a link out": {func(c *clone) {
			c.script("../shared/other", "#!/bin/sh\n", 0o755)
			os.RemoveAll(c.path(".git/hooks"))
			_ = os.Symlink("../../shared", c.path(".git/hooks"))
		}, "outside of the repository"},
		"link to a file of all hooks": {func(c *clone) {
			c.script("scripts/run-hook", "#!/bin/sh\n", 0o755)
			_ = os.Symlink("../../scripts/run-hook", c.path(".git/hooks/pre-commit"))
		}, "may be the file of other hooks"},
		"folder":               {func(c *clone) { c.write(".git/hooks/pre-commit/x", "") }, "no regular file"},
		"a program":            {func(c *clone) { c.script(".git/hooks/pre-commit", "\x7fELF\x00", 0o755) }, "but of a program"},
		"with byte order mark": {func(c *clone) { c.script(".git/hooks/pre-commit", "\ufeff#!/bin/sh\n", 0o755) }, "byte order mark"},
		"no folder of hooks":   {func(c *clone) { c.write("file", ""); c.git("config", "core.hooksPath", "file") }, "turns hooks off"},
		"empty setting":        {func(c *clone) { c.git("config", "core.hooksPath", "") }, "turns hooks off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newClone(t, "repo")
			c.prepare(k)
			before := k.snapshot("..")
			out := k.sdd("hooks", "install", "--pre-commit")
			if !strings.Contains(out, " foreign ") || !strings.Contains(out, c.says) {
				t.Errorf("install:\n%s", out)
			}
			k.sdd("hooks", "status")
			k.sdd("hooks", "uninstall")
			sameSnapshot(t, before, k.snapshot(".."))
		})
	}
}

// TestHooksOfWhatIsShared: linked work trees share the hooks of their repository, bare ones have some, and so have
// submodules.
func TestHooksOfWhatIsShared(t *testing.T) {
	c := newStore(t)
	linked := c.at(filepath.Join(t.TempDir(), "linked tree"))
	c.git("worktree", "add", "-q", "-b", "linked", linked.dir)
	linked.sdd("hooks", "install")
	if !strings.Contains(c.read(".git/hooks/pre-commit"), "sdd check --staged") {
		t.Error("not in the shared folder")
	}
	if out := c.sdd("hooks", "status"); strings.Count(out, " installed ") != 3 {
		t.Errorf("status in the main work tree:\n%s", out)
	}
	linked.write(topic, badTopic)
	c.write(topic, badTopic)
	for name, k := range map[string]*clone{"main": c, "linked": linked} {
		if out := k.must(1, "git", "commit", "-q", "-a", "-m", "bad"); !strings.Contains(out, "[bad-value]") {
			t.Errorf("%s: git commit said\n%s", name, out)
		}
	}
	c.write(topic, topicText)
	linked.must(1, "git", "commit", "-q", "-a", "-m", "bad")

	// A bare repository, with a linked work tree.
	bare := c.at(filepath.Join(t.TempDir(), "bare.git"))
	c.git("clone", "-q", "--bare", c.dir, bare.dir)
	before := bare.snapshot("hooks")
	bare.sdd("hooks", "install")
	tree := c.at(filepath.Join(t.TempDir(), "tree"))
	bare.git("worktree", "add", "-q", "-b", "tree", tree.dir)
	tree.write(topic, badTopic)
	tree.must(1, "git", "commit", "-q", "-a", "-m", "bad")
	if out := tree.sdd("hooks", "status"); strings.Count(out, " installed ") != 3 {
		t.Errorf("status in the work tree of a bare repository:\n%s", out)
	}
	bare.sdd("hooks", "uninstall")
	sameSnapshot(t, before, bare.snapshot("hooks"))

	// A submodule.
	super := newClone(t, "super")
	super.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", c.dir, "sub")
	sub := super.at(super.path("sub"))
	sub.sdd("hooks", "install")
	if !strings.Contains(super.read(".git/modules/sub/hooks/pre-commit"), "sdd check --staged") {
		t.Error("not in the submodule's folder")
	}
	sub.write(topic, badTopic)
	sub.must(1, "git", "commit", "-q", "-a", "-m", "bad")
}

// TestHooksAndWhatIsCommitted: every way to commit has an index of its own.
func TestHooksAndWhatIsCommitted(t *testing.T) {
	c := newStore(t)
	other := ".sdd/explore/other.md"
	c.write(other, strings.Replace(topicText, "title: Topic", "title: Other", 1))
	c.commit("other")
	c.sdd("hooks", "install")
	c.write(topic, badTopic)
	c.write(other, c.read(other)+"- more\n")

	c.must(1, "git", "commit", "-q", "-a", "-m", "all")
	c.must(1, "git", "commit", "-q", "-m", "one", topic)
	c.git("commit", "-q", "-m", "the other one", other) // the bad one is not in it
	c.git("add", topic)
	c.write("code.go", "package x\n")
	c.git("add", "code.go")
	c.git("commit", "-q", "-m", "code only", "code.go") // nor in this
	c.must(1, "git", "commit", "-q", "-m", "staged")
	c.must(1, "git", "commit", "-q", "--amend", "-m", "staged")
	c.git("reset", "-q")
	c.git("commit", "-q", "--amend", "-m", "code") // on disk only
	c.must(1, "git", "commit", "-q", "--include", topic, "-m", "include")
	sub := c.at(c.path(".sdd/explore"))
	sub.must(1, "git", "commit", "-q", "-m", "from below", "topic.md")
	c.git("stash", "-q")
	c.git("commit", "-q", "--allow-empty", "-m", "nothing")
	c.git("rm", "-q", other)
	c.git("mv", topic, ".sdd/explore/renamed.md")
	c.git("commit", "-q", "-m", "renamed")

	// A repository whose work tree is somewhere else.
	home := c.at(t.TempDir())
	c.git("init", "-q", "--bare", home.path("git"))
	home.at(home.path("git")).sdd("hooks", "install")
	home.write("tree/"+topic, badTopic)
	tree := home.at(home.path("tree"))
	args := []string{"--git-dir=../git", "--work-tree=."}
	tree.git(append(args, "add", ".")...)
	if out := tree.must(1, "git", append(args, "commit", "-q", "-m", "bad")...); !strings.Contains(out, topic+":3:1: error") {
		t.Errorf("git commit said\n%s", out)
	}
	tree.write(topic, topicText)
	tree.git(append(args, "commit", "-q", "-a", "-m", "good")...)
}

// TestHooksInMerges: a merge that git commits by itself, one that somebody ends, a rebase and a cherry-pick.
func TestHooksInMerges(t *testing.T) {
	c := newStore(t)
	c.sdd("init", "--remove-drivers")
	c.sdd("hooks", "install")
	c.branch("theirs", "main", "a month", "a week")
	c.branch("ours", "main", "a month", "a year")
	c.must(1, "git", "merge", "-q", "theirs")
	c.git("add", topic) // with the markers
	if out := c.must(1, "git", "commit", "-q", "-m", "merged"); !strings.Contains(out, "[conflict-markers]") {
		t.Errorf("git commit said\n%s", out)
	}
	c.write(topic, topicText)
	c.git("add", topic)
	c.git("commit", "-q", "-m", "merged")
	c.git("checkout", "-q", "main")
	c.git("merge", "-q", "--no-ff", "-m", "by itself", "ours")
	c.branch("more", "main~1", "two million", "three")
	c.git("rebase", "-q", "main")
	c.git("checkout", "-q", "-b", "picked", "main")
	c.git("cherry-pick", "more")
	c.clean()
}

// TestHooksWithoutTheProgram: nothing is kept from being committed, and it is said once.
func TestHooksWithoutTheProgram(t *testing.T) {
	c := newStore(t)
	c.sdd("hooks", "install")
	c.write(topic, badTopic)
	plain := c.without()
	out := plain.git("commit", "-a", "-q", "-m", "bad")
	if strings.TrimSpace(out) != "sdd was not found: records of .sdd are committed unchecked" {
		t.Errorf("git commit said\n%s", out)
	}
	plain.git("checkout", "-q", "-b", "other", "HEAD~1")
	if out := plain.git("merge", "-q", "main"); out != "" {
		t.Errorf("git merge said\n%s", out)
	}

	// A program that fails, or is older and knows nothing of this, keeps nothing from being committed either.
	for _, code := range []string{"1", "2", "127"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "sdd"), []byte("#!/bin/sh\necho sdd: failed >&2\nexit "+code+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		c.write(topic, badTopic+code)
		failing := c.with("PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH"))
		if out := failing.git("commit", "-a", "-q", "-m", "bad"); out != "sdd: failed\n" {
			t.Errorf("git commit said\n%s", out)
		}
	}
}

// TestHooksOfAProgramElsewhere: the path of the program is written only where sdd is not on the PATH, and into no file
// that others get.
func TestHooksOfAProgramElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is linked under another name")
	}
	c := newStore(t)
	program, err := exec.LookPath("sdd")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "it's here", "sdd")
	if err := os.MkdirAll(filepath.Dir(elsewhere), 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(elsewhere, data, 0o755); err != nil {
		t.Fatal(err)
	}
	plain := c.without()
	out := plain.must(0, elsewhere, "hooks", "install")
	if !strings.Contains(out, "it calls "+elsewhere+": sdd is not on the PATH") || strings.Count(out, " installed ") != 3 {
		t.Errorf("install:\n%s", out)
	}
	plain.write(topic, badTopic)
	if out := plain.must(1, "git", "commit", "-a", "-q", "-m", "bad"); !strings.Contains(out, "[bad-value]") {
		t.Errorf("git commit said\n%s", out)
	}
	// Once sdd is on the PATH, its name is enough.
	if out := c.sdd("hooks", "status", "--pre-commit"); !strings.Contains(out, " outdated ") {
		t.Errorf("status:\n%s", out)
	}
	c.sdd("hooks", "install")
	if strings.Contains(c.read(".git/hooks/pre-commit"), elsewhere) {
		t.Error("the path is still in the hook")
	}
	if out := plain.must(0, elsewhere, "hooks", "status", "--pre-commit"); !strings.Contains(out, "which is not there") {
		t.Errorf("status without sdd:\n%s", out)
	}
	c.sdd("hooks", "uninstall")

	c.git("config", "core.hooksPath", ".githooks")
	out = plain.must(0, elsewhere, "hooks", "install", "--pre-commit")
	if strings.Contains(c.read(".githooks/pre-commit"), elsewhere) || !strings.Contains(out, "sdd is not on the PATH") {
		t.Errorf("install into a folder of the work tree:\n%s\n%s", out, c.read(".githooks/pre-commit"))
	}
	if out := c.sdd("hooks", "status", "--pre-commit"); !strings.Contains(out, "commit it, and others have it too") {
		t.Errorf("status:\n%s", out)
	}
}

// TestHooksOfAnEarlierFolder: a block in the usual folder is found when git looks elsewhere by now.
func TestHooksOfAnEarlierFolder(t *testing.T) {
	c := newStore(t)
	before := c.snapshot(".git/hooks")
	c.sdd("hooks", "install")
	c.git("config", "core.hooksPath", ".husky/_")
	c.write(".husky/_/h", "")
	if out := c.sdd("hooks", "uninstall"); strings.Count(out, "taken out") != 3 || !strings.Contains(out, ".git/hooks/post-merge\n") {
		t.Errorf("uninstall:\n%s", out)
	}
	sameSnapshot(t, before, c.snapshot(".git/hooks"))
}

// TestHooksKeepWhatWasWritten: what somebody wrote into a hook or a folder that was made for a block stays.
func TestHooksKeepWhatWasWritten(t *testing.T) {
	c := newStore(t)
	os.RemoveAll(c.path(".git/hooks"))
	c.sdd("hooks", "install")
	c.write(".git/hooks/pre-commit", c.read(".git/hooks/pre-commit")+"make lint\n")
	c.write(".git/hooks/commit-msg", "mine")
	c.sdd("hooks", "uninstall")
	if got := c.read(".git/hooks/pre-commit"); got != "#!/bin/sh\nmake lint\n" {
		t.Errorf("pre-commit: %q", got)
	}
	if got := c.read(".git/hooks/commit-msg"); got != "mine" {
		t.Errorf("commit-msg: %q", got)
	}
	if _, err := os.Stat(c.path(".git/hooks/post-merge")); err == nil {
		t.Error("post-merge is still there")
	}
}

func TestHooksThatAreNotExecutable(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are of Unix")
	}
	c := newStore(t)
	c.script(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", 0o644)
	out := c.sdd("hooks", "install", "--pre-commit")
	if !strings.Contains(out, " disabled ") || !strings.Contains(out, "chmod +x '.git/hooks/pre-commit'") {
		t.Errorf("install:\n%s", out)
	}
	if info, err := os.Stat(c.path(".git/hooks/pre-commit")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info, err)
	}
	c.sdd("hooks", "uninstall")
	if got := c.read(".git/hooks/pre-commit"); got != "#!/bin/sh\nexit 1\n" {
		t.Errorf("pre-commit: %q", got)
	}
}

// BenchmarkCheckStaged is the whole process that a commit of five records waits for.
func BenchmarkCheckStaged(b *testing.B) {
	c := newClone(b, "repo")
	c.sdd("init")
	for i := range 1000 {
		c.write(".sdd/explore/topic-"+string(rune('a'+i%26))+strings.Repeat("x", i/26)+".md", strings.Replace(topicText, "Topic", "Topic "+strings.Repeat("i", i), 1))
	}
	c.commit("base")
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		file := ".sdd/explore/topic-" + name + ".md"
		c.write(file, c.read(file)+"\nmore\n")
	}
	c.git("add", "-A")
	for b.Loop() {
		c.sdd("check", "--staged")
	}
}
