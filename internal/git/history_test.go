package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRevisions(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, "a.txt", "one\n")
	first := commit(t, dir, "first\n\nWith a body.\n\nTrailer: yes")
	write(t, dir, "b\n\x01.txt", "two\n")
	write(t, dir, "c.txt", strings.Repeat("3", 5000))
	second := commit(t, dir, "second \x1f \x02")
	git(t, dir, "checkout", "-q", "-b", "side", first)
	write(t, dir, "d.txt", "four\n")
	third := commit(t, dir, "third")
	git(t, dir, "merge", "-q", "--no-ff", "-m", "merged", second)
	r := open(t, dir)
	ctx := t.Context()

	all, err := r.Revisions(ctx, 10, "HEAD")
	if err != nil || len(all) != 4 {
		t.Fatalf("%d commits, %v", len(all), err)
	}
	if c := all[3]; c.ID != first || strings.TrimSpace(c.Message) != "first\n\nWith a body.\n\nTrailer: yes" || len(c.Parents) != 0 || len(c.Files) != 1 || c.Files[0] != (Change{Status: Added, Path: "a.txt"}) || !strings.HasPrefix(c.Date, "20") {
		t.Errorf("the first is %+v", c)
	}
	if c := all[0]; len(c.Parents) != 2 || len(c.Files) != 2 { // what it brought to its first parent
		t.Errorf("the merge is %+v", c)
	}
	for _, c := range all[1:3] {
		if c.ID == second && (len(c.Files) != 2 || c.Files[0].Path != "b\n\x01.txt") || c.ID != second && c.ID != third {
			t.Errorf("%+v", c)
		}
	}
	newest, err := r.Revisions(ctx, 2, first+"..HEAD")
	if err != nil || len(newest) != 2 || newest[0].ID != all[0].ID {
		t.Errorf("%+v, %v", newest, err)
	}
	one, err := r.Revisions(ctx, 1, second+"^!")
	if err != nil || len(one) != 1 || len(one[0].Files) != 2 {
		t.Errorf("%+v, %v", one, err)
	}
	if none, err := r.Revisions(ctx, 5, "HEAD.."+second); err != nil || len(none) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
	git(t, dir, "mv", "c.txt", "moved.txt")
	commit(t, dir, "moved")
	if c := must[[]Revision](t)(r.Revisions(ctx, 1, "HEAD^!"))[0]; len(c.Files) != 1 || c.Files[0] != (Change{Status: Renamed, Path: "moved.txt", From: "c.txt"}) {
		t.Errorf("%+v", c)
	}
}

// TestChangedLines: odd names, lines that look like the headers of a patch, merges, files that only moved.
func TestChangedLines(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, "a.txt", "one\n-- two\nthree\n")
	write(t, dir, "é \"q\".txt", "kept\n")
	first := commit(t, dir, "first")
	write(t, dir, "a.txt", "one\n++ b/x.txt\n@@ -1 +1 @@ four\nthree\n")
	git(t, dir, "mv", "é \"q\".txt", "moved.txt")
	write(t, dir, "other.bin", strings.Repeat("x", 200_000)+"\n+++ b/y\n")
	second := commit(t, dir, "second")
	git(t, dir, "checkout", "-q", "-b", "side", first)
	write(t, dir, "s.txt", "side\n")
	commit(t, dir, "side")
	git(t, dir, "merge", "-q", "--no-ff", "-m", "merged", second)
	merge := git(t, dir, "rev-parse", "HEAD")
	text := func(path string) bool { return strings.HasSuffix(path, ".txt") }
	got, err := open(t, dir).ChangedLines(t.Context(), text, second, strings.TrimSpace(merge), first)
	if err != nil {
		t.Fatal(err)
	}
	changed := Lines{Commit: second, Path: "a.txt", Added: []string{"++ b/x.txt", "@@ -1 +1 @@ four"}, Removed: []string{"-- two"}}
	merged := changed
	merged.Commit = strings.TrimSpace(merge)
	want := []Lines{changed, merged,
		{Commit: first, Path: "a.txt", Added: []string{"one", "-- two", "three"}},
		{Commit: first, Path: "é \"q\".txt", Added: []string{"kept"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	write(t, dir, "a.txt", "changed\n")
	write(t, dir, "new.txt", "untracked\n")
	now, err := open(t, dir).UncommittedLines(t.Context(), text, false)
	if err != nil || len(now) != 2 || now[0].Added[0] != "changed" || now[1].Path != "new.txt" || now[1].Added[0] != "untracked" {
		t.Errorf("%+v, %v", now, err)
	}
	git(t, dir, "add", "new.txt")
	if staged, err := open(t, dir).UncommittedLines(t.Context(), text, true); err != nil || len(staged) != 1 || staged[0].Path != "new.txt" {
		t.Errorf("%+v, %v", staged, err)
	}
}

// TestChangedLinesOfAPartialClone: one commit whose objects are not here hides no other.
func TestChangedLinesOfAPartialClone(t *testing.T) {
	dir := newRepo(t)
	var ids []string
	for _, text := range []string{"one\n", "two\n", "three\n", "four\n"} {
		write(t, dir, "a.txt", text)
		ids = append([]string{commit(t, dir, text)}, ids...)
	}
	blob := strings.TrimSpace(git(t, dir, "rev-parse", ids[2]+":a.txt")) // two
	if err := os.Remove(filepath.Join(dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, dir).ChangedLines(t.Context(), func(string) bool { return true }, ids...)
	if err != nil || len(got) != 2 || got[0].Added[0] != "four" || got[1].Added[0] != "one" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRevisionsOfAShallowClone(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, "a.txt", "one\n")
	commit(t, dir, "first")
	write(t, dir, "b.txt", "two\n")
	commit(t, dir, "second")
	clone := filepath.Join(tempDir(t), "clone")
	git(t, dir, "clone", "-q", "--depth=1", "file://"+dir, clone)
	all, err := open(t, clone).Revisions(t.Context(), 5, "HEAD")
	if err != nil || len(all) != 1 || !all[0].Boundary || len(all[0].Files) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestStageChanges(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, "a.txt", "one\n")
	git(t, dir, "add", "a.txt")
	s := must[*Stage](t)(OpenStage(dir))
	unborn := must[[]StagedFile](t)(s.Changes(t.Context()))
	if len(unborn) != 1 || unborn[0].Path != "a.txt" || unborn[0].Was != "" || unborn[0].ID == "" {
		t.Errorf("%+v", unborn)
	}
	commit(t, dir, "first")
	if err := os.Remove(filepath.Join(dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "-A")
	if gone := must[[]StagedFile](t)(s.Changes(t.Context())); len(gone) != 1 || gone[0].ID != "" || gone[0].Was != unborn[0].ID {
		t.Errorf("%+v", gone)
	}
}
