package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/repos"
	"sdd/internal/store"
)

// TestWith: several questions at once over the own store and another repository. Readers who are not the user get nothing of the
// user's list.
func TestWith(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	for _, name := range []string{"own", "far"} {
		file := filepath.Join(dir, name, ".sdd/explore/sails.md")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("# Sails of "+name+"\n\ntext\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", filepath.Join(dir, "far")}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	far, err := repos.New(filepath.Join(dir, "far"), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := repos.Add(far); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(store.Options{Dir: filepath.Join(dir, "own")})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	w := New(st, ix, Options{})
	defer func() { w.Close(); ix.Close(); st.Close() }()
	total := func(with string) int {
		j, err := w.With(t.Context(), with)
		if err != nil {
			t.Error(err)
			return 0
		}
		found, err := j.Search(t.Context(), lookup.Query{Query: "sails"})
		if err != nil {
			t.Error(err)
		}
		return found.Total
	}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if with, want := []string{"all", "far", ""}[i%3], []int{2, 2, 1}[i%3]; total(with) != want {
				t.Errorf("%q finds another number than %d", with, want)
			}
		})
	}
	wait.Wait()
	w.ForOthers()
	if n := total("all"); n != 1 {
		t.Errorf("others find %d", n)
	}
	if _, err := w.With(t.Context(), "far"); err == nil {
		t.Error("others learn that there is a repository far")
	}
}
