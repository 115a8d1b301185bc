package git

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
)

const odd = "explore/ünï \"quoted\" 日本.md"

// history makes a repository of three commits: the odd file under an old name, renamed and changed, and one more.
func history(t *testing.T) (r *Repo, ids []string) {
	t.Helper()
	dir := newRepo(t)
	write(t, dir, "explore/old name.md", "one\ntwo\nthree\nfour\nfive\n")
	write(t, dir, "[x]*.md", "glob\n")
	ids = append(ids, commit(t, dir, "first: ä subject"))
	git(t, dir, "mv", "explore/old name.md", odd)
	write(t, dir, odd, "one\ntwo\nthree\nfour\nfive\nsix")
	ids = append(ids, commit(t, dir, "rename"))
	write(t, dir, "b.md", "b\n")
	if err := os.Remove(filepath.Join(dir, "[x]*.md")); err != nil {
		t.Fatal(err)
	}
	ids = append(ids, commit(t, dir, "third"))
	return open(t, dir), ids
}

func TestUnborn(t *testing.T) {
	r := open(t, newRepo(t))
	if head, err := r.Head(t.Context()); head != "" || err != nil {
		t.Errorf("Head = %q, %v", head, err)
	}
	if _, err := r.Show(t.Context(), "HEAD", "a.md"); !fault.Is(err, fault.NotFound) {
		t.Errorf("Show: %v", err)
	}
	if _, err := r.Steps(t.Context(), "HEAD", 0, "a.md"); !fault.Is(err, fault.NotFound) {
		t.Errorf("Steps: %v", err)
	}
	write(t, r.Top, odd, "x\n")
	got := must[[]State](t)(r.Dirty(t.Context()))
	if d := cmp.Diff([]State{{odd, Untracked, Untracked}}, got); d != "" {
		t.Error(d)
	}
	git(t, r.Top, "add", "-A")
	if b := must[[]byte](t)(r.ShowStaged(t.Context(), odd)); string(b) != "x\n" {
		t.Errorf("ShowStaged = %q", b)
	}
	trees := must[[]Worktree](t)(r.Worktrees(t.Context()))
	if d := cmp.Diff([]Worktree{{Path: r.Top, Branch: "refs/heads/main"}}, trees); d != "" {
		t.Error(d)
	}
}

func TestShow(t *testing.T) {
	r, ids := history(t)
	ctx := t.Context()
	if head := must[string](t)(r.Head(ctx)); head != ids[2] {
		t.Errorf("Head = %s", head)
	}
	for _, tc := range []struct{ rev, path, want string }{
		{"HEAD", odd, "one\ntwo\nthree\nfour\nfive\nsix"},
		{ids[1][:10], odd, "one\ntwo\nthree\nfour\nfive\nsix"},
		{"HEAD~2", "explore/old name.md", "one\ntwo\nthree\nfour\nfive\n"},
		{"main~1", "[x]*.md", "glob\n"},
	} {
		if b := must[[]byte](t)(r.Show(ctx, tc.rev, tc.path)); string(b) != tc.want {
			t.Errorf("Show(%s, %s) = %q", tc.rev, tc.path, b)
		}
	}
	for _, tc := range []struct {
		rev, path string
		code      fault.Code
	}{
		{"nothing", odd, fault.NotFound}, {"HEAD", "nothing.md", fault.NotFound}, {"HEAD", "explore", fault.NotFound},
		{"HEAD~2", odd, fault.NotFound}, {"--help", odd, fault.Invalid}, {"", odd, fault.Invalid}, {"a..b", odd, fault.Invalid},
		{"a\nb", odd, fault.Invalid}, {"HEAD:explore", odd, fault.NotFound},
	} {
		if _, err := r.Show(ctx, tc.rev, tc.path); !fault.Is(err, tc.code) {
			t.Errorf("Show(%q, %q): %v", tc.rev, tc.path, err)
		}
	}
	if _, err := r.ShowStaged(ctx, "nothing.md"); !fault.Is(err, fault.NotFound) {
		t.Errorf("ShowStaged: %v", err)
	}
}

// TestShowIsUnfiltered checks that neither line ends nor a text conversion change what was committed.
func TestShowIsUnfiltered(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, ".gitattributes", "*.md text eol=crlf diff=upper\n")
	git(t, dir, "config", "diff.upper.textconv", "tr a-z A-Z <")
	write(t, dir, "a.md", "one\ntwo\n")
	commit(t, dir, "one")
	if b := must[[]byte](t)(open(t, dir).Show(t.Context(), "HEAD", "a.md")); string(b) != "one\ntwo\n" {
		t.Errorf("Show = %q", b)
	}
}

func TestDiff(t *testing.T) {
	r, ids := history(t)
	ctx := t.Context()
	git(t, r.Top, "config", "diff.renames", "false")
	git(t, r.Top, "config", "diff.external", "false")
	diff := func(want []Change, from, to string, paths ...string) {
		t.Helper()
		if d := cmp.Diff(want, must[[]Change](t)(r.Diff(ctx, from, to, paths...))); d != "" {
			t.Errorf("Diff(%s, %s, %q):\n%s", from, to, paths, d)
		}
	}
	renamed := Change{Renamed, odd, "explore/old name.md"}
	diff([]Change{renamed}, ids[0], ids[1])
	diff([]Change{{Deleted, "[x]*.md", ""}, {Added, "b.md", ""}, renamed}, ids[0], "HEAD")
	diff([]Change{{Deleted, "[x]*.md", ""}}, ids[0], "HEAD", "[x]*.md")
	diff(nil, "HEAD", "HEAD")
	write(t, r.Top, "b.md", "changed\n")
	commit(t, r.Top, "change")
	diff([]Change{{Modified, "b.md", ""}}, "HEAD~1", "HEAD")
	if _, err := r.Diff(ctx, "nothing", "HEAD"); !fault.Is(err, fault.NotFound) {
		t.Errorf("Diff: %v", err)
	}
}

func TestDirty(t *testing.T) {
	r, _ := history(t)
	ctx := t.Context()
	if got := must[[]State](t)(r.Dirty(ctx)); len(got) != 0 {
		t.Errorf("a clean tree is dirty: %v", got)
	}
	write(t, r.Top, ".gitignore", "ignored\n")
	write(t, r.Top, "ignored", "")
	write(t, r.Top, "explore/new folder/ü.md", "")
	write(t, r.Top, odd, "changed\n")
	git(t, r.Top, "add", odd)
	write(t, r.Top, odd, "again\n")
	got := must[[]State](t)(r.Dirty(ctx, "explore"))
	want := []State{{odd, Modified, Modified}, {"explore/new folder/ü.md", Untracked, Untracked}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := must[[]State](t)(r.Dirty(ctx, "b.md", "explo*")); len(got) != 0 {
		t.Errorf("other paths are dirty: %v", got)
	}
}

func TestMergeBase(t *testing.T) {
	r, ids := history(t)
	ctx := t.Context()
	git(t, r.Top, "checkout", "-q", "-b", "side", ids[1])
	write(t, r.Top, "c.md", "c\n")
	commit(t, r.Top, "side")
	if base := must[string](t)(r.MergeBase(ctx, "main", "side")); base != ids[1] {
		t.Errorf("MergeBase = %s, want %s", base, ids[1])
	}
	git(t, r.Top, "checkout", "-q", "--orphan", "alone")
	commit(t, r.Top, "alone")
	if base := must[string](t)(r.MergeBase(ctx, "main", "alone")); base != "" {
		t.Errorf("MergeBase of strangers = %s", base)
	}
	if _, err := r.MergeBase(ctx, "main", "nothing"); !fault.Is(err, fault.NotFound) {
		t.Errorf("MergeBase: %v", err)
	}
}

func TestConfig(t *testing.T) {
	r := open(t, newRepo(t))
	ctx := t.Context()
	get := func(key, want string, set bool) {
		t.Helper()
		if v, ok, err := r.Config(ctx, key); v != want || ok != set || err != nil {
			t.Errorf("Config(%s) = %q, %t, %v", key, v, ok, err)
		}
	}
	get("merge.sdd.driver", "", false)
	driver := "sdd merge-driver %O %A %B %L %P || git merge-file \"x\"\n# ;\\ "
	if err := r.SetConfig(ctx, "merge.sdd.driver", driver); err != nil {
		t.Fatal(err)
	}
	get("merge.sdd.driver", driver, true)
	git(t, r.Top, "config", "--add", "merge.sdd.driver", "second")
	get("merge.sdd.driver", "second", true)
	if err := r.SetConfig(ctx, "merge.sdd.driver", ""); err != nil {
		t.Fatal(err)
	}
	get("merge.sdd.driver", "", true)
	for range 2 {
		if err := r.UnsetConfig(ctx, "merge.sdd.driver"); err != nil {
			t.Fatal(err)
		}
	}
	get("merge.sdd.driver", "", false)
	if _, _, err := r.Config(ctx, "not a key"); err == nil {
		t.Error("a key that is none was read")
	}
}

func TestHooksPath(t *testing.T) {
	r, _ := history(t)
	ctx := t.Context()
	common := filepath.Join(r.Top, ".git", "hooks")
	linked := filepath.Join(tempDir(t), "linked")
	git(t, r.Top, "worktree", "add", "-q", linked)
	for _, dir := range []string{r.Top, linked} {
		if got := must[string](t)(open(t, dir).HooksPath(ctx)); got != common {
			t.Errorf("HooksPath = %s, want %s", got, common)
		}
	}
	git(t, r.Top, "config", "core.hooksPath", "my hooks")
	if got, want := must[string](t)(r.HooksPath(ctx)), filepath.Join(r.Top, "my hooks"); got != want {
		t.Errorf("HooksPath = %s, want %s", got, want)
	}
	trees := must[[]Worktree](t)(r.Worktrees(ctx))
	if len(trees) != 2 || trees[0].Path != r.Top || trees[1].Path != linked || trees[1].Branch != "refs/heads/linked" || trees[1].Head == "" {
		t.Errorf("Worktrees = %+v", trees)
	}
	if r := open(t, linked); r.Common != filepath.Join(trees[0].Path, ".git") || r.Dir == r.Common {
		t.Errorf("linked: %+v", r)
	}
}
