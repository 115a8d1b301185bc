package git

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sdd/cmd/sdd/sddtest"
)

const badTopic = "---\ntitle: Topic\nscope: team\n---\n\n## Goals\n\n- x\n"

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

// TestHooksGiveBack: installing twice is installing once, the hooks run with what was there, and uninstalling gives
// back every byte, mode, file and folder.
func TestHooksGiveBack(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are of Unix")
	}
	said := "#!/bin/sh\necho it runs >>said\nexit 0\n"
	for name, c := range map[string]struct {
		prepare func(c *clone)
		runs    bool // the hook that is there says so
	}{
		"no hooks":    {func(c *clone) {}, false},
		"no folder":   {func(c *clone) { os.RemoveAll(c.Path(".git/hooks")) }, false},
		"folders":     {func(c *clone) { c.Git("config", "core.hooksPath", ".git/my/own/hooks") }, false},
		"script":      {func(c *clone) { writeScript(c, ".git/hooks/pre-commit", said, 0o755) }, true},
		"own mode":    {func(c *clone) { writeScript(c, ".git/hooks/pre-commit", said, 0o510) }, true},
		"no line end": {func(c *clone) { writeScript(c, ".git/hooks/pre-commit", "#!/bin/sh -eu\necho it runs >>said", 0o755) }, true},
		"no shebang":  {func(c *clone) { writeScript(c, ".git/hooks/pre-commit", "echo it runs >>said\n", 0o755) }, true},
		"one line":    {func(c *clone) { writeScript(c, ".git/hooks/pre-commit", "#!/bin/sh", 0o755) }, false},
		"empty":       {func(c *clone) { writeScript(c, ".git/hooks/pre-commit", "", 0o755) }, false},
		"bash": {func(c *clone) {
			writeScript(c, ".git/hooks/pre-commit", strings.Replace(said, "/bin/sh", "/usr/bin/env bash", 1), 0o755)
		}, true},
		"CRLF": {func(c *clone) {
			writeScript(c, ".git/hooks/post-commit", "#!/bin/sh\n# checks\r\necho it runs >>said\n", 0o755)
		}, true},
		"folder of ours": {func(c *clone) {
			c.Git("config", "core.hooksPath", ".githooks")
			writeScript(c, ".githooks/pre-commit", said, 0o755)
		}, true},
		"link": {func(c *clone) {
			writeScript(c, "scripts/pre-commit.sh", said, 0o755)
			if err := os.Symlink("../../scripts/pre-commit.sh", c.Path(".git/hooks/pre-commit")); err != nil {
				t.Fatal(err)
			}
		}, true},
		"space in the path": {func(c *clone) {
			c.Git("config", "core.hooksPath", "mÿ hooks")
			writeScript(c, "mÿ hooks/post-commit", said, 0o755)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newClone(t, "repo ä")
			c.prepare(k)
			before := snapshot(k, ".")
			k.SDD("hooks", "install")
			once := snapshot(k, ".")
			k.SDD("hooks", "install")
			sameSnapshot(t, once, snapshot(k, "."))
			if out := k.SDD("hooks", "status"); strings.Count(out, " installed ") != 3 {
				t.Errorf("status:\n%s", out)
			}
			k.SDD("hooks", "uninstall")
			sameSnapshot(t, before, snapshot(k, "."))

			k.SDD("hooks", "install")
			k.Write(topic, badTopic)
			k.Git("add", topic)
			if out := k.Must(1, "git", "commit", "-q", "-m", "bad"); !strings.Contains(out, "[bad-value]") {
				t.Errorf("git commit said\n%s", out)
			}
			k.Write(topic, topicText)
			k.Git("add", topic)
			k.Git("commit", "-q", "-m", "good")
			if _, err := os.Stat(k.Path("said")); (err == nil) != c.runs {
				t.Errorf("the hook that was there ran: %v", err == nil)
			}
			k.SDD("hooks", "uninstall", "--pre-commit")
			k.Write(topic, badTopic)
			k.Git("commit", "-q", "-a", "-m", "bad")
			if out := k.SDD("hooks", "status"); strings.Count(out, " installed ") != 2 {
				t.Errorf("status:\n%s", out)
			}
			k.SDD("hooks", "uninstall", "--post-merge", "--post-commit")
			if out := k.SDD("hooks", "status"); strings.Count(out, " missing ") != 3 {
				t.Errorf("status:\n%s", out)
			}
			hooks := strings.TrimSuffix(k.Git("rev-parse", "--git-path", "hooks"), "\n")
			after := snapshot(k, hooks)
			for path := range snapshot(k, hooks) {
				if before[path] != after[path] {
					t.Errorf("%s is %q, was %q", path, after[path], before[path])
				}
			}
		})
	}
}

// TestHooksThatAreNotWritten: files that are not this repository's alone, or that are no scripts.
func TestHooksThatAreNotWritten(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links are of Unix")
	}
	for name, c := range map[string]struct {
		prepare func(c *clone)
		says    string
	}{
		"link to nowhere": {func(c *clone) { _ = os.Symlink("nowhere", c.Path(".git/hooks/pre-commit")) }, "a link that leads nowhere"},
		"link out": {func(c *clone) {
			writeScript(c, "../shared/pre-commit", "#!/bin/sh\n", 0o755)
			_ = os.Symlink("../../../shared/pre-commit", c.Path(".git/hooks/pre-commit"))
		}, "outside of the repository"},
		"folder that is a link out": {func(c *clone) {
			writeScript(c, "../shared/other", "#!/bin/sh\n", 0o755)
			os.RemoveAll(c.Path(".git/hooks"))
			_ = os.Symlink("../../shared", c.Path(".git/hooks"))
		}, "outside of the repository"},
		"link to a file of all hooks": {func(c *clone) {
			writeScript(c, "scripts/run-hook", "#!/bin/sh\n", 0o755)
			_ = os.Symlink("../../scripts/run-hook", c.Path(".git/hooks/pre-commit"))
		}, "may be the file of other hooks"},
		"folder":               {func(c *clone) { c.Write(".git/hooks/pre-commit/x", "") }, "no regular file"},
		"a program":            {func(c *clone) { writeScript(c, ".git/hooks/pre-commit", "\x7fELF\x00", 0o755) }, "but of a program"},
		"with byte order mark": {func(c *clone) { writeScript(c, ".git/hooks/pre-commit", "\ufeff#!/bin/sh\n", 0o755) }, "byte order mark"},
		"no folder of hooks":   {func(c *clone) { c.Write("file", ""); c.Git("config", "core.hooksPath", "file") }, "turns hooks off"},
		"empty setting":        {func(c *clone) { c.Git("config", "core.hooksPath", "") }, "turns hooks off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newClone(t, "repo")
			c.prepare(k)
			before := snapshot(k, "..")
			out := k.SDD("hooks", "install", "--pre-commit")
			if !strings.Contains(out, " foreign ") || !strings.Contains(out, c.says) {
				t.Errorf("install:\n%s", out)
			}
			k.SDD("hooks", "status")
			k.SDD("hooks", "uninstall")
			sameSnapshot(t, before, snapshot(k, ".."))
		})
	}
}

// TestHooksOfWhatIsShared: linked work trees share the hooks of their repository, bare ones have some, and so have
// submodules.
func TestHooksOfWhatIsShared(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	linked := c.At(filepath.Join(t.TempDir(), "linked tree"))
	c.Git("worktree", "add", "-q", "-b", "linked", linked.Dir)
	linked.SDD("hooks", "install")
	if !strings.Contains(c.Read(".git/hooks/pre-commit"), "sdd check --staged") {
		t.Error("not in the shared folder")
	}
	if out := c.SDD("hooks", "status"); strings.Count(out, " installed ") != 3 {
		t.Errorf("status in the main work tree:\n%s", out)
	}
	linked.Write(topic, badTopic)
	c.Write(topic, badTopic)
	for name, k := range map[string]*clone{"main": c, "linked": linked} {
		if out := k.Must(1, "git", "commit", "-q", "-a", "-m", "bad"); !strings.Contains(out, "[bad-value]") {
			t.Errorf("%s: git commit said\n%s", name, out)
		}
	}
	c.Write(topic, topicText)
	linked.Must(1, "git", "commit", "-q", "-a", "-m", "bad")

	// A bare repository, with a linked work tree.
	bare := c.At(filepath.Join(t.TempDir(), "bare.git"))
	c.Git("clone", "-q", "--bare", c.Dir, bare.Dir)
	before := snapshot(bare, "hooks")
	bare.SDD("hooks", "install")
	tree := c.At(filepath.Join(t.TempDir(), "tree"))
	bare.Git("worktree", "add", "-q", "-b", "tree", tree.Dir)
	tree.Write(topic, badTopic)
	tree.Must(1, "git", "commit", "-q", "-a", "-m", "bad")
	if out := tree.SDD("hooks", "status"); strings.Count(out, " installed ") != 3 {
		t.Errorf("status in the work tree of a bare repository:\n%s", out)
	}
	bare.SDD("hooks", "uninstall")
	sameSnapshot(t, before, snapshot(bare, "hooks"))

	// A submodule.
	super := newClone(t, "super")
	super.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", c.Dir, "sub")
	sub := super.At(super.Path("sub"))
	sub.SDD("hooks", "install")
	if !strings.Contains(super.Read(".git/modules/sub/hooks/pre-commit"), "sdd check --staged") {
		t.Error("not in the submodule's folder")
	}
	sub.Write(topic, badTopic)
	sub.Must(1, "git", "commit", "-q", "-a", "-m", "bad")
}

// TestHooksAndWhatIsCommitted: every way to commit has an index of its own.
func TestHooksAndWhatIsCommitted(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	other := ".sdd/explore/other.md"
	c.Write(other, strings.Replace(topicText, "title: Topic", "title: Other", 1))
	c.Commit("other")
	c.SDD("hooks", "install")
	c.Write(topic, badTopic)
	c.Write(other, c.Read(other)+"- more\n")

	c.Must(1, "git", "commit", "-q", "-a", "-m", "all")
	c.Must(1, "git", "commit", "-q", "-m", "one", topic)
	c.Git("commit", "-q", "-m", "the other one", other) // the bad one is not in it
	c.Git("add", topic)
	c.Write("code.go", "package x\n")
	c.Git("add", "code.go")
	c.Git("commit", "-q", "-m", "code only", "code.go") // nor in this
	c.Must(1, "git", "commit", "-q", "-m", "staged")
	c.Must(1, "git", "commit", "-q", "--amend", "-m", "staged")
	c.Git("reset", "-q")
	c.Git("commit", "-q", "--amend", "-m", "code") // on disk only
	c.Must(1, "git", "commit", "-q", "--include", topic, "-m", "include")
	sub := c.At(c.Path(".sdd/explore"))
	sub.Must(1, "git", "commit", "-q", "-m", "from below", "topic.md")
	c.Git("stash", "-q")
	c.Git("commit", "-q", "--allow-empty", "-m", "nothing")
	c.Git("rm", "-q", other)
	c.Git("mv", topic, ".sdd/explore/renamed.md")
	c.Git("commit", "-q", "-m", "renamed")

	// A repository whose work tree is somewhere else.
	home := c.At(t.TempDir())
	c.Git("init", "-q", "--bare", home.Path("git"))
	home.At(home.Path("git")).SDD("hooks", "install")
	home.Write("tree/"+topic, badTopic)
	tree := home.At(home.Path("tree"))
	args := []string{"--git-dir=../git", "--work-tree=."}
	tree.Git(append(args, "add", ".")...)
	if out := tree.Must(1, "git", append(args, "commit", "-q", "-m", "bad")...); !strings.Contains(out, topic+":3:1: error") {
		t.Errorf("git commit said\n%s", out)
	}
	tree.Write(topic, topicText)
	tree.Git(append(args, "commit", "-q", "-a", "-m", "good")...)
}

// TestHooksInMerges: a merge that git commits by itself, one that somebody ends, a rebase and a cherry-pick.
func TestHooksInMerges(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	c.SDD("init", "--remove-drivers")
	c.SDD("hooks", "install")
	branchOff(c, "theirs", "main", "a month", "a week")
	branchOff(c, "ours", "main", "a month", "a year")
	c.Must(1, "git", "merge", "-q", "theirs")
	c.Git("add", topic) // with the markers
	if out := c.Must(1, "git", "commit", "-q", "-m", "merged"); !strings.Contains(out, "[conflict-markers]") {
		t.Errorf("git commit said\n%s", out)
	}
	c.Write(topic, topicText)
	c.Git("add", topic)
	c.Git("commit", "-q", "-m", "merged")
	c.Git("checkout", "-q", "main")
	c.Git("merge", "-q", "--no-ff", "-m", "by itself", "ours")
	branchOff(c, "more", "main~1", "two million", "three")
	c.Git("rebase", "-q", "main")
	c.Git("checkout", "-q", "-b", "picked", "main")
	c.Git("cherry-pick", "more")
	c.Clean()
}

// TestHooksWithoutTheProgram: nothing is kept from being committed, and it is said once.
func TestHooksWithoutTheProgram(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	c.SDD("hooks", "install")
	c.Write(topic, badTopic)
	plain := withoutSDD(c)
	out := plain.Git("commit", "-a", "-q", "-m", "bad")
	if strings.TrimSpace(out) != "sdd was not found: records of .sdd are committed unchecked" {
		t.Errorf("git commit said\n%s", out)
	}
	plain.Git("checkout", "-q", "-b", "other", "HEAD~1")
	if out := plain.Git("merge", "-q", "main"); out != "" {
		t.Errorf("git merge said\n%s", out)
	}

	// A program that fails, or is older and knows nothing of this, keeps nothing from being committed either.
	for _, code := range []string{"1", "2", "127"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "sdd"), []byte("#!/bin/sh\necho sdd: failed >&2\nexit "+code+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		c.Write(topic, badTopic+code)
		failing := c.With("PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH"))
		if out := failing.Git("commit", "-a", "-q", "-m", "bad"); out != "sdd: failed\n" {
			t.Errorf("git commit said\n%s", out)
		}
	}
}

// TestHooksOfAProgramElsewhere: the path of the program is written only where sdd is not on the PATH, and into no file
// that others get.
func TestHooksOfAProgramElsewhere(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the program is linked under another name")
	}
	c := newStore(t)
	program := sddtest.Program(t)
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
	plain := withoutSDD(c)
	out := plain.Must(0, elsewhere, "hooks", "install")
	if !strings.Contains(out, "it calls "+elsewhere+": sdd is not on the PATH") || strings.Count(out, " installed ") != 3 {
		t.Errorf("install:\n%s", out)
	}
	plain.Write(topic, badTopic)
	if out := plain.Must(1, "git", "commit", "-a", "-q", "-m", "bad"); !strings.Contains(out, "[bad-value]") {
		t.Errorf("git commit said\n%s", out)
	}
	// Once sdd is on the PATH, its name is enough.
	if out := c.SDD("hooks", "status", "--pre-commit"); !strings.Contains(out, " outdated ") {
		t.Errorf("status:\n%s", out)
	}
	c.SDD("hooks", "install")
	if strings.Contains(c.Read(".git/hooks/pre-commit"), elsewhere) {
		t.Error("the path is still in the hook")
	}
	if out := plain.Must(0, elsewhere, "hooks", "status", "--pre-commit"); !strings.Contains(out, "which is not there") {
		t.Errorf("status without sdd:\n%s", out)
	}
	c.SDD("hooks", "uninstall")

	c.Git("config", "core.hooksPath", ".githooks")
	out = plain.Must(0, elsewhere, "hooks", "install", "--pre-commit")
	if strings.Contains(c.Read(".githooks/pre-commit"), elsewhere) || !strings.Contains(out, "sdd is not on the PATH") {
		t.Errorf("install into a folder of the work tree:\n%s\n%s", out, c.Read(".githooks/pre-commit"))
	}
	if out := c.SDD("hooks", "status", "--pre-commit"); !strings.Contains(out, "commit it, and others have it too") {
		t.Errorf("status:\n%s", out)
	}
}

// TestHooksOfAnEarlierFolder: a block in the usual folder is found when git looks elsewhere by now.
func TestHooksOfAnEarlierFolder(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	before := snapshot(c, ".git/hooks")
	c.SDD("hooks", "install")
	c.Git("config", "core.hooksPath", ".husky/_")
	c.Write(".husky/_/h", "")
	if out := c.SDD("hooks", "uninstall"); strings.Count(out, "taken out") != 3 || !strings.Contains(out, ".git/hooks/post-merge\n") {
		t.Errorf("uninstall:\n%s", out)
	}
	sameSnapshot(t, before, snapshot(c, ".git/hooks"))
}

// TestHooksKeepWhatWasWritten: what somebody wrote into a hook or a folder that was made for a block stays.
func TestHooksKeepWhatWasWritten(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	os.RemoveAll(c.Path(".git/hooks"))
	c.SDD("hooks", "install")
	c.Write(".git/hooks/pre-commit", c.Read(".git/hooks/pre-commit")+"make lint\n")
	c.Write(".git/hooks/commit-msg", "mine")
	c.SDD("hooks", "uninstall")
	if got := c.Read(".git/hooks/pre-commit"); got != "#!/bin/sh\nmake lint\n" {
		t.Errorf("pre-commit: %q", got)
	}
	if got := c.Read(".git/hooks/commit-msg"); got != "mine" {
		t.Errorf("commit-msg: %q", got)
	}
	if _, err := os.Stat(c.Path(".git/hooks/post-merge")); err == nil {
		t.Error("post-merge is still there")
	}
}

func TestHooksThatAreNotExecutable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes are of Unix")
	}
	c := newStore(t)
	writeScript(c, ".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", 0o644)
	out := c.SDD("hooks", "install", "--pre-commit")
	if !strings.Contains(out, " disabled ") || !strings.Contains(out, "chmod +x '.git/hooks/pre-commit'") {
		t.Errorf("install:\n%s", out)
	}
	if info, err := os.Stat(c.Path(".git/hooks/pre-commit")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info, err)
	}
	c.SDD("hooks", "uninstall")
	if got := c.Read(".git/hooks/pre-commit"); got != "#!/bin/sh\nexit 1\n" {
		t.Errorf("pre-commit: %q", got)
	}
}

// BenchmarkCheckStaged is the whole process that a commit of five records waits for.
func BenchmarkCheckStaged(b *testing.B) {
	c := newClone(b, "repo")
	c.SDD("init")
	for i := range 1000 {
		c.Write(".sdd/explore/topic-"+string(rune('a'+i%26))+strings.Repeat("x", i/26)+".md", strings.Replace(topicText, "Topic", "Topic "+strings.Repeat("i", i), 1))
	}
	c.Commit("base")
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		file := ".sdd/explore/topic-" + name + ".md"
		c.Write(file, c.Read(file)+"\nmore\n")
	}
	c.Git("add", "-A")
	for b.Loop() {
		c.SDD("check", "--staged")
	}
}
