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

	all, more, err := r.Revisions(ctx, "", "HEAD", 10, 100)
	if err != nil || more || len(all) != 4 {
		t.Fatalf("%d commits, more %v, %v", len(all), more, err)
	}
	if c := all[0]; c.ID != first || strings.TrimSpace(c.Message) != "first\n\nWith a body.\n\nTrailer: yes" || len(c.Parents) != 0 || len(c.Deltas) != 1 || c.Deltas[0].Old[0] != "" {
		t.Errorf("the first is %+v", c)
	}
	if c := all[3]; len(c.Parents) != 2 || c.Files != 0 {
		t.Errorf("the merge is %+v", c)
	}
	for _, c := range all[1:3] {
		if c.ID == second && (c.Files != 2 || c.Deltas[0].Path != "b\n\x01.txt") || c.ID != second && c.ID != third {
			t.Errorf("%+v", c)
		}
	}
	newest, more, err := r.Revisions(ctx, first, "HEAD", 2, 1)
	if err != nil || !more || len(newest) != 2 || newest[1].ID != all[3].ID {
		t.Errorf("%+v, more %v, %v", newest, more, err)
	}
	one, _, err := r.Revisions(ctx, "", second, 1, 1)
	if err != nil || len(one) != 1 || one[0].Files != 2 || len(one[0].Deltas) != 1 {
		t.Errorf("%+v, %v", one, err)
	}
	if none, _, err := r.Revisions(ctx, "HEAD", second, 5, 5); err != nil || len(none) != 0 {
		t.Errorf("%+v, %v", none, err)
	}

	ids := []string{one[0].Deltas[0].New, strings.Repeat("0", 40)}
	for _, c := range all {
		if c.ID == second {
			ids = append(ids, c.Deltas[1].New)
		}
	}
	sizes := must[map[string]int64](t)(r.Sizes(ctx, ids))
	if d := cmp.Diff(map[string]int64{ids[0]: 4, ids[2]: 5000}, sizes); d != "" {
		t.Error(d)
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
	all, _, err := open(t, clone).Revisions(t.Context(), "", "HEAD", 5, 5)
	if err != nil || len(all) != 1 || !all[0].Boundary || len(all[0].Deltas) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestStageDeltas(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, "a.txt", "one\n")
	git(t, dir, "add", "a.txt")
	s := must[*Stage](t)(OpenStage(dir))
	unborn := must[[]Delta](t)(s.Deltas(t.Context()))
	if len(unborn) != 1 || unborn[0].Path != "a.txt" || unborn[0].Old[0] != "" || unborn[0].New == "" {
		t.Errorf("%+v", unborn)
	}
	commit(t, dir, "first")
	if err := os.Remove(filepath.Join(dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "-A")
	if gone := must[[]Delta](t)(s.Deltas(t.Context())); len(gone) != 1 || !gone[0].Gone || gone[0].Old[0] != unborn[0].New {
		t.Errorf("%+v", gone)
	}
}
