package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMergeFile(t *testing.T) {
	if !Available() {
		t.Skip("git is not installed")
	}
	for _, c := range []struct {
		name, ours, theirs, style, want string
		ok                              bool
	}{
		{"clean", "a\nb\nc\nX\n", "Y\nb\nc\nd\n", PlainStyle, "Y\nb\nc\nX\n", true},
		{"conflict", "a\nb\nc\nX\n", "a\nb\nc\nY\n", PlainStyle, "a\nb\nc\n<<<<<<<< me\nX\n========\nY\n>>>>>>>> theirs\n", false},
		{"with the base", "a\nb\nc\nX\n", "a\nb\nc\nY\n", Diff3Style, "a\nb\nc\n<<<<<<<< me\nX\n|||||||| base\nd\n========\nY\n>>>>>>>> theirs\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ok, err := MergeFile(context.Background(), []byte("a\nb\nc\nd\n"), []byte(c.ours), []byte(c.theirs), MergeLabels{Ours: "me", MarkerSize: 8}, c.style)
			if err != nil || ok != c.ok || string(out) != c.want {
				t.Errorf("clean %v, error %v:\n%s", ok, err, out)
			}
		})
	}
	if _, _, err := MergeFile(context.Background(), []byte("a\x00"), []byte("b\x00"), []byte("c\x00"), MergeLabels{}, PlainStyle); err == nil {
		t.Error("what is no text was merged")
	}
}

func TestConflicts(t *testing.T) {
	dir := newRepo(t)
	commit := func(subject string) { git(t, dir, "add", "-A"); git(t, dir, "commit", "-qm", subject) }
	const both, gone = "ü x/both.md", "gone.md"
	write(t, dir, both, "a\n")
	write(t, dir, gone, "a\n")
	commit("base")
	git(t, dir, "checkout", "-qb", "one")
	write(t, dir, both, "b\n")
	write(t, dir, gone, "b\n")
	commit("one")
	git(t, dir, "checkout", "-q", "main")
	write(t, dir, both, "c\n")
	git(t, dir, "rm", "-q", gone)
	commit("two")
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if op, _ := r.Underway(); op != NoOperation {
		t.Errorf("%s is under way", op)
	}
	said, err := r.Merge(ctx, "one", []Setting{{"merge.conflictStyle", "diff3"}})
	if err == nil {
		t.Fatalf("merged: %s", said)
	}
	if op, head := r.Underway(); op != Merging || head != "MERGE_HEAD" {
		t.Errorf("%q, bringing %q, is under way", op, head)
	}
	all, err := r.Conflicts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		for _, id := range []*string{&all[i].Base, &all[i].Ours, &all[i].Theirs} {
			if *id != "" {
				src, err := r.CheckedOut(ctx, *id, all[i].Path)
				if err != nil {
					t.Fatal(err)
				}
				*id = string(src)
			}
		}
	}
	want := []Conflicted{{Path: gone, Base: "a\n", Theirs: "b\n"}, {Path: both, Base: "a\n", Ours: "c\n", Theirs: "b\n"}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	write(t, dir, both, "d\n")
	if err := r.Stage(ctx, both); err != nil {
		t.Fatal(err)
	}
	if all, err = r.Conflicts(ctx, "ü x"); err != nil || len(all) != 0 {
		t.Errorf("after staging: %v, %v", all, err)
	}
	if staged, err := r.Staged(ctx); err != nil || !cmp.Equal(staged, []string{gone, both}) {
		t.Errorf("staged: %q, %v", staged, err)
	}
}

func TestBringing(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, "a", "x\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "base")
	git(t, dir, "checkout", "-qb", "one")
	write(t, dir, "a", "x\n<<<<<<< HEAD\n")
	git(t, dir, "commit", "-qam", "one")
	git(t, dir, "checkout", "-q", "main")
	git(t, dir, "merge", "-q", "--no-ff", "one")
	write(t, dir, "b", "x\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "later")
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	commit, parents, err := r.Bringing(context.Background(), "HEAD", "a", "<<<<<<< HEAD")
	if err != nil || commit != git(t, dir, "rev-parse", "HEAD^") || len(parents) != 2 {
		t.Errorf("%s with parents %q, %v", commit, parents, err)
	}
	if commit, _, err := r.Bringing(context.Background(), "HEAD", "a", "not there"); err != nil || commit != "" {
		t.Errorf("%s, %v", commit, err)
	}
}

func TestAttributes(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, ".gitattributes", "*.md merge=mine\n*.png -merge\n")
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Attributes(context.Background(), "merge", "ü/a b.md", "x.png", "x")
	if err != nil || !cmp.Equal(got, []string{"mine", "unset", "unspecified"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestInIndex has a git that leaves a mark: it runs only where the index may have the file.
func TestInIndex(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script as git")
	}
	dir, plain := newRepo(t), tempDir(t)
	write(t, dir, ".sdd/explore/gone.md", "# Gone\n")
	commit(t, dir, "one")
	if err := os.Remove(filepath.Join(dir, ".sdd/explore/gone.md")); err != nil {
		t.Fatal(err)
	}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := tempDir(t)
	write(t, bin, "git", "#!/bin/sh\n: >'"+bin+"/ran'\nexec '"+real+"' \"$@\"\n")
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	for _, c := range []struct {
		dir, path string
		has, runs bool
	}{
		{dir, "explore/gone.md", true, true},
		{dir, "explore/new.md", false, false},
		{plain, "explore/new.md", false, false},
	} {
		os.Remove(filepath.Join(bin, "ran"))
		has := InIndex(t.Context(), filepath.Join(c.dir, ".sdd"), c.path)
		_, err := os.Stat(filepath.Join(bin, "ran"))
		if has != c.has || (err == nil) != c.runs {
			t.Errorf("%s of %s: in the index %v, git ran %v", c.path, c.dir, has, err == nil)
		}
	}
}
