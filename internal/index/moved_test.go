package index

import (
	"os"
	"path/filepath"
	"testing"

	"sdd/internal/store"
)

// TestMovedBeforeItsFolderIsWatched saves the first record of a folder, which is moved before anything tells the watch of
// the folder: the old name must go, although no event tells of it.
func TestMovedBeforeItsFolderIsWatched(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, store.Folder), 0o755); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ix := Open(st)
	defer func() { ix.Close(); st.Close() }()
	if err := ix.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	src := []byte("---\ntitle: User auth\n---\n\n## Goals\n\n- log in\n")
	const path = "explore/user-auth.md"
	if _, err := st.Save(t.Context(), store.Edit{
		Record: "explore/user-auth", Op: "test", Resolve: func() (string, error) { return path, nil },
		Apply: func([]byte, bool) ([]byte, error) { return src, nil },
	}); err != nil {
		t.Fatal(err)
	}
	ix.Put(store.Saved{Path: path, After: src})
	if _, err := ix.readSome(); err != nil { // as it does when it is quiet
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, store.Folder, path), filepath.Join(dir, store.Folder, "explore", "login.md")); err != nil {
		t.Fatal(err)
	}
	if err := ix.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := ix.Lookup(Ref{ID: "explore/user-auth"}); len(found) != 1 || found[0].Path != "explore/login.md" {
		t.Errorf("%+v", found)
	}
}
