package git

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// TestSnapshot: what the files are known by follows their bytes, whether they are committed, staged, changed or new.
func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		if _, err := Run(t.Context(), dir, append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) {
		t.Helper()
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	look := func(folders ...string) map[string]string {
		t.Helper()
		files, err := Snapshot(t.Context(), dir, folders...)
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	run("init", "-q")
	write("a.txt", "one\n")
	write("sub/b c.txt", "two\n")
	write("sub/é.txt", "three\n")
	write("x.log", "ignored\n")
	write(".gitignore", "*.log\n")
	fresh := look()
	if len(fresh) != 4 || fresh["a.txt"] == "" || fresh["sub/b c.txt"] == "" || fresh["sub/é.txt"] == "" {
		t.Fatalf("%v", fresh)
	}
	run("add", "a.txt")
	if got := look(); !maps.Equal(got, fresh) {
		t.Errorf("staged: %v", got)
	}
	run("add", "-A")
	run("commit", "-qm", "first")
	if got := look(); !maps.Equal(got, fresh) {
		t.Errorf("committed: %v", got)
	}
	if got := look("sub"); len(got) != 2 {
		t.Errorf("one folder: %v", got)
	}
	if got := look("none"); len(got) != 0 {
		t.Errorf("a folder that is not there: %v", got)
	}
	write("a.txt", "ONE\n")
	if got := look(); got["a.txt"] == fresh["a.txt"] || got["sub/é.txt"] != fresh["sub/é.txt"] {
		t.Errorf("changed: %v", got)
	}
	write("a.txt", "one\n")
	if err := os.Remove(filepath.Join(dir, "sub", "é.txt")); err != nil {
		t.Fatal(err)
	}
	if got := look(); got["a.txt"] != fresh["a.txt"] || len(got) != 3 {
		t.Errorf("changed back, and one gone: %v", got)
	}
	if _, err := Snapshot(t.Context(), t.TempDir()); err == nil {
		t.Error("outside of a work tree it answers")
	}
}
