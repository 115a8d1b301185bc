package tier

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "sdd/internal/longtest"
)

// folder returns an empty folder, what runs git in it, and what writes a file in it.
func folder(t *testing.T) (dir string, run func(args ...string), write func(path, text string)) {
	dir = t.TempDir()
	run = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write = func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, run, write
}

// TestOf follows a record from the disk over a branch to the default branch.
func TestOf(t *testing.T) {
	dir, run, write := folder(t)
	tree := New(dir, ".sdd")
	check := func(when string, want map[string]Tier) {
		t.Helper()
		tree.Changed()
		now := tree.Now(t.Context())
		for path, w := range want {
			if got := now.Of(path); got != w {
				t.Errorf("%s: %s is %q, want %q", when, path, got, w)
			}
		}
	}
	write(".sdd/facts/a.md", "a")
	check("outside git", map[string]Tier{"facts/a.md": Unknown})
	run("init", "-q", "-b", "main")
	write(".sdd/.gitignore", "personal/\n")
	write(".sdd/personal/facts/p.md", "p")
	write(".sdd/inbox/c.md", "c")
	check("before the first commit", map[string]Tier{"facts/a.md": Uncommitted, "personal/facts/p.md": Own, "inbox/c.md": Proposed})
	run("add", "-A")
	run("commit", "-qm", "1")
	check("committed", map[string]Tier{"facts/a.md": Main, "personal/facts/p.md": Own, "inbox/c.md": Proposed})
	run("checkout", "-qb", "work")
	write(".sdd/facts/a.md", "a, changed")
	write(".sdd/facts/b.md", "b")
	check("changed", map[string]Tier{"facts/a.md": Uncommitted, "facts/b.md": Uncommitted})
	run("add", "-A")
	check("staged", map[string]Tier{"facts/a.md": Uncommitted, "facts/b.md": Uncommitted})
	run("commit", "-qm", "2")
	check("on a branch", map[string]Tier{"facts/a.md": Branch, "facts/b.md": Branch})
	run("checkout", "-q", "--detach")
	check("detached", map[string]Tier{"facts/a.md": Branch})
	run("add", "-f", ".sdd/personal/facts/p.md")
	run("commit", "-qm", "a personal record by force")
	check("tracked though ignored", map[string]Tier{"personal/facts/p.md": Branch})
	run("branch", "-f", "main")
	check("merged", map[string]Tier{"facts/a.md": Main, "facts/b.md": Main, "personal/facts/p.md": Main})
	run("checkout", "-q", "main")
	run("update-ref", "refs/remotes/origin/main", "main")
	write(".sdd/facts/b.md", "b, changed")
	run("commit", "-qam", "3")
	check("not pushed", map[string]Tier{"facts/a.md": Main, "facts/b.md": Branch})
	run("update-ref", "refs/remotes/origin/main", "main")
	run("reset", "-q", "--hard", "HEAD~1")
	check("not pulled", map[string]Tier{"facts/a.md": Main, "facts/b.md": Behind})
	write(".sdd/facts/a.md", "a, changed again")
	run("commit", "-qam", "4")
	check("apart", map[string]Tier{"facts/a.md": Branch, "facts/b.md": Behind})
}

// TestEdited: an edit of a record that is not committed needs no git, and any other change is seen.
func TestEdited(t *testing.T) {
	dir, run, write := folder(t)
	tree := New(dir, ".sdd")
	check := func(when string, want map[string]Tier) {
		t.Helper()
		now := tree.Now(t.Context())
		for path, w := range want {
			if got := now.Of(path); got != w {
				t.Errorf("%s: %s is %q, want %q", when, path, got, w)
			}
		}
	}
	edit := func(path, text string) {
		t.Helper()
		write(".sdd/"+path, text)
		tree.Edited(path)
	}
	run("init", "-q", "-b", "main")
	write(".sdd/facts/old.md", "old")
	run("add", "-A")
	run("commit", "-qm", "1")
	write(".sdd/facts/new.md", "new")
	write(".sdd/facts/staged.md", "staged")
	run("add", ".sdd/facts/staged.md")
	check("at first", map[string]Tier{"facts/old.md": Main, "facts/new.md": Uncommitted, "facts/staged.md": Uncommitted})
	asked := tree.of
	edit("facts/new.md", "newer")
	edit("facts/staged.md", "newer")
	path := os.Getenv("PATH")
	t.Setenv("PATH", "")
	check("new ones edited, without git", map[string]Tier{"facts/old.md": Main, "facts/new.md": Uncommitted, "facts/staged.md": Uncommitted})
	edit("facts/old.md", "older")
	check("a committed one edited, without git", map[string]Tier{"facts/old.md": Unknown})
	t.Setenv("PATH", path)
	check("asked again", map[string]Tier{"facts/old.md": Uncommitted, "facts/new.md": Uncommitted})
	if tree.of != asked {
		t.Error("the state differs")
	}
	edit("facts/old.md", "old")
	check("edited back", map[string]Tier{"facts/old.md": Main})
	write(".gitignore", "new.md\n")
	check("ignored since", map[string]Tier{"facts/new.md": Own})
}

// TestLocalOnly has a store that git ignores as a whole.
func TestLocalOnly(t *testing.T) {
	dir, run, write := folder(t)
	run("init", "-q")
	write(".gitignore", ".sdd\n")
	write(".sdd/facts/a.md", "a")
	if got := New(dir, ".sdd").Now(t.Context()).Of("facts/a.md"); got != Own {
		t.Errorf("an ignored store: %q", got)
	}
}

// TestSigned has commits with a listed key, another key and none.
func TestSigned(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("there is no ssh-keygen")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	keys := t.TempDir()
	for _, name := range []string{"ann", "eve"} {
		run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", filepath.Join(keys, name))
	}
	public, err := os.ReadFile(filepath.Join(keys, "ann.pub"))
	if err != nil {
		t.Fatal(err)
	}
	commit := func(path, author, key string) {
		t.Helper()
		file := filepath.Join(dir, ".sdd", path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append([]byte("ann@example.com "), public...), 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"-c", "user.name=x", "-c", "user.email=" + author, "-c", "gpg.format=ssh", "commit", "-qm", path}
		if key != "" {
			args = append(args, "-S"+filepath.Join(keys, key))
		}
		run("git", "add", "-A")
		run("git", args...)
	}
	run("git", "init", "-q", "-b", "main")
	commit("signers", "ann@example.com", "ann")
	commit("facts/good.md", "ann@example.com", "ann")
	commit("facts/other-key.md", "ann@example.com", "eve")
	commit("facts/unsigned.md", "ann@example.com", "")
	commit("facts/other-author.md", "eve@example.com", "ann")
	tree := New(dir, ".sdd")
	p := Policy{Least: Signed, Keys: ".sdd/signers", Authors: []string{"ann@example.com"}}
	for path, want := range map[string]Tier{
		"facts/good.md": Signed, "facts/other-key.md": Main, "facts/unsigned.md": Main, "facts/other-author.md": Main,
	} {
		if got := tree.Sign(t.Context(), p, path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got := tree.Sign(t.Context(), Policy{Keys: ".sdd/signers"}, "facts/other-author.md"); got != Signed {
		t.Errorf("without authors every listed key counts: %q", got)
	}
}
