package git

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
)

func TestHooks(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	write(t, dir, "sub/file", "x")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "x")
	common := filepath.Join(dir, ".git")
	linked := filepath.Join(tempDir(t), "linked")
	git(t, dir, "worktree", "add", "-q", linked)
	bare := filepath.Join(tempDir(t), "bare.git")
	git(t, dir, "clone", "-q", "--bare", dir, bare)
	ofBare := filepath.Join(tempDir(t), "of bare")
	git(t, bare, "worktree", "add", "-q", ofBare, "-b", "other")
	for _, c := range []struct{ dir, top, common string }{
		{dir, dir, common},
		{filepath.Join(dir, "sub"), dir, common},
		{linked, linked, common},
		{bare, "", bare},
		{filepath.Join(bare, "refs"), "", bare},
		{ofBare, ofBare, bare},
	} {
		h := must[HooksFolder](t)(Hooks(ctx, c.dir))
		if want := (HooksFolder{c.top, c.common, filepath.Join(c.common, "hooks")}); h != want || h.Default() != h.Path {
			t.Errorf("%s: %+v, want %+v", c.dir, h, want)
		}
	}
	git(t, dir, "config", "core.hooksPath", "my hooks")
	git(t, bare, "config", "core.hooksPath", "my hooks")
	for from, want := range map[string]string{filepath.Join(dir, "sub"): dir, linked: linked, bare: bare, ofBare: ofBare} {
		if h := must[HooksFolder](t)(Hooks(ctx, from)); h.Path != filepath.Join(want, "my hooks") {
			t.Errorf("%s: %s", from, h.Path)
		}
	}
	for _, outside := range []string{tempDir(t), common} {
		if h, err := Hooks(ctx, outside); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %+v %v", outside, h, err)
		}
	}
}

// staged lists what a stage would change and holds, with the bytes.
func staged(t *testing.T, s *Stage) (changes, files map[string]string) {
	t.Helper()
	ctx := context.Background()
	o := s.Objects(ctx)
	defer o.Close()
	read := func(all []StagedFile, err error) map[string]string {
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, f := range all {
			switch {
			case f.Unmerged:
				out[f.Path] = "unmerged"
			case f.ID == "":
				out[f.Path] = "removed"
			default:
				out[f.Path] = string(must[[]byte](t)(o.Read(f.ID)))
			}
		}
		return out
	}
	return read(s.Changes(ctx)), read(s.Files(ctx, "a"))
}

func TestStage(t *testing.T) {
	dir := newRepo(t)
	want := func(dir string, changes, files map[string]string) {
		t.Helper()
		s := must[*Stage](t)(OpenStage(dir))
		gotChanges, gotFiles := staged(t, s)
		if diff := cmp.Diff(changes, gotChanges); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(files, gotFiles); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	}
	none := map[string]string{}
	want(dir, none, none)
	write(t, dir, "a/one ä*", "1")
	write(t, dir, "a/two", "2")
	write(t, dir, "b", "b")
	git(t, dir, "add", ".")
	write(t, dir, "a/two", "on disk")
	write(t, dir, "a/new", "on disk")
	first := map[string]string{"a/one ä*": "1", "a/two": "2"}
	want(dir, map[string]string{"a/one ä*": "1", "a/two": "2", "b": "b"}, first)
	want(filepath.Join(dir, "a"), map[string]string{"a/one ä*": "1", "a/two": "2", "b": "b"}, first)
	git(t, dir, "commit", "-q", "-m", "first")
	want(dir, none, first)
	git(t, dir, "config", "diff.renames", "copies")
	git(t, dir, "config", "diff.noprefix", "true")
	git(t, dir, "mv", "a/one ä*", "a/three")
	git(t, dir, "add", "-N", "a/new")
	want(dir, map[string]string{"a/one ä*": "removed", "a/three": "1"}, map[string]string{"a/three": "1", "a/two": "2", "a/new": ""})

	// Elsewhere there is nothing.
	if _, err := OpenStage(tempDir(t)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("outside git: %v", err)
	}
	t.Chdir(tempDir(t))
	if _, err := OpenStage(""); !fault.Is(err, fault.Unavailable) {
		t.Errorf("outside git: %v", err)
	}
}

// TestStageOfTheEnvironment: git names to a hook the index that it commits, and the repository where it is elsewhere.
func TestStageOfTheEnvironment(t *testing.T) {
	dir, other := newRepo(t), newRepo(t)
	for _, d := range []string{dir, other} {
		write(t, d, "a/x", "base")
		git(t, d, "add", ".")
		git(t, d, "commit", "-q", "-m", "x")
		write(t, d, "a/x", "staged")
		git(t, d, "add", ".")
	}
	apart := filepath.Join(dir, ".git", "apart index")
	t.Setenv("GIT_INDEX_FILE", apart)
	git(t, dir, "read-tree", "HEAD")
	write(t, dir, "a/x", "apart")
	git(t, dir, "add", ".")
	want := func(from, text string) {
		t.Helper()
		changes, files := staged(t, must[*Stage](t)(OpenStage(from)))
		if diff := cmp.Diff([]map[string]string{{"a/x": text}, {"a/x": text}}, []map[string]string{changes, files}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	t.Chdir(dir)
	want("", "apart")
	want(dir, "apart")
	want(filepath.Join(dir, "a"), "apart")
	want(other, "staged")
	t.Setenv("GIT_INDEX_FILE", filepath.Join(".git", "apart index"))
	want("", "apart")
	t.Setenv("GIT_DIR", ".git")
	want("", "apart")
	want(other, "staged")

	// A repository without a work tree of its own, as of people who keep their settings in one.
	bare := filepath.Join(tempDir(t), "bare.git")
	os.Unsetenv("GIT_DIR")
	os.Unsetenv("GIT_INDEX_FILE")
	git(t, dir, "clone", "-q", "--bare", dir, bare)
	tree := tempDir(t)
	write(t, tree, "a/x", "of the tree")
	t.Setenv("GIT_DIR", bare)
	t.Setenv("GIT_WORK_TREE", tree)
	git(t, tree, "add", ".")
	t.Chdir(tree)
	want("", "of the tree")
	want(tree, "of the tree")
	want(other, "staged")
	t.Setenv("GIT_WORK_TREE", ".")
	want("", "of the tree")
	os.Unsetenv("GIT_WORK_TREE")
	want("", "of the tree")
}
