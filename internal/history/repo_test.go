package history

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"sdd/internal/check/checktest"
	"sdd/internal/index"
	"sdd/internal/store"
)

// testRepo is a git repository with a store, worked on by the git command as users do.
type testRepo struct{ *checktest.Repo }

func newTestRepo(t testing.TB) *testRepo { return &testRepo{checktest.New(t)} }

// at is the same repository in another folder.
func (r *testRepo) at(dir string) *testRepo {
	return &testRepo{&checktest.Repo{T: r.T, Dir: dir, Now: r.Now}}
}

func (r *testRepo) store() *store.Store {
	r.T.Helper()
	st, err := store.Open(store.Options{Dir: r.Dir, Tool: "test"})
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(st.Close)
	return st
}

// subject finds the record at a path of the store.
func (r *testRepo) subject(path string) Subject {
	r.T.Helper()
	st := r.store()
	ix := index.Open(st)
	defer ix.Close()
	found := ix.Lookup(index.Ref{ID: path})
	if len(found) != 1 {
		r.T.Fatalf("%d records are at %s", len(found), path)
	}
	return Subject{ID: found[0].ID, Path: found[0].Path}
}

// exploration is a record's file.
func exploration(title, body string) string {
	return "---\ntitle: " + title + "\nproject: demo\nscope: project\nrevision: 1\ncreated: 2026-01-02\n---\n\n" + body
}

// shown renders changes as sdd diff shows them, without colour.
func shown(all []Change) string {
	var b strings.Builder
	for _, c := range all {
		b.WriteString(c.ID + " " + strings.TrimPrefix(c.File, ".sdd/") + ": " + c.Summary() + "\n")
		for _, row := range c.Rows() {
			if row.Mark == MarkSection {
				b.WriteString("  " + row.Text + "\n")
			} else {
				b.WriteString("    " + string(rune(row.Mark)) + " " + row.Text + "\n")
			}
		}
	}
	return b.String()
}

// fastImport reads a stream of commits into a repository.
func fastImport(dir, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	cmd := exec.Command("git", "fast-import", "--quiet", "--done")
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, in, os.Stderr
	return cmd.Run()
}
