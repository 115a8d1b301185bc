package review

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sdd/internal/index"
	"sdd/internal/store"
)

// testRepo is a git repository with a store, worked on by the git command as users do.
type testRepo struct {
	t   testing.TB
	dir string
	now time.Time
}

// newTestRepo makes one that depends on nobody's settings, in a folder whose name needs care.
func newTestRepo(t testing.TB) *testRepo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	for name, value := range map[string]string{
		"HOME": t.TempDir(), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
		"GIT_COMMITTER_NAME": "Committer", "GIT_COMMITTER_EMAIL": "c@example.com",
	} {
		t.Setenv(name, value)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &testRepo{t: t, dir: filepath.Join(dir, "ein Ördner", "repo"), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	return r
}

// at is the same repository in another folder.
func (r *testRepo) at(dir string) *testRepo { return &testRepo{t: r.t, dir: dir, now: r.now} }

func (r *testRepo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *testRepo) write(path, text string) {
	r.t.Helper()
	path = filepath.Join(r.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testRepo) read(path string) string {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(path)))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

func (r *testRepo) remove(path string) {
	r.t.Helper()
	if err := os.Remove(filepath.Join(r.dir, filepath.FromSlash(path))); err != nil {
		r.t.Fatal(err)
	}
}

// commit commits everything, an hour later than the one before, and returns its id.
func (r *testRepo) commit(author, subject string) string {
	r.t.Helper()
	r.now = r.now.Add(time.Hour)
	date := r.now.Format(time.RFC3339)
	r.git("add", "-A")
	cmd := exec.Command("git", "commit", "-q", "--allow-empty", "-m", subject)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME="+author, "GIT_AUTHOR_EMAIL="+strings.ToLower(author)+"@example.com",
		"GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git commit: %v\n%s", err, out)
	}
	return r.git("rev-parse", "HEAD")
}

func (r *testRepo) store() *store.Store {
	r.t.Helper()
	st, err := store.Open(store.Options{Dir: r.dir, Tool: "test"})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(st.Close)
	return st
}

// subject finds the record at a path of the store.
func (r *testRepo) subject(path string) Subject {
	r.t.Helper()
	st := r.store()
	ix := index.Open(st)
	defer ix.Close()
	found := ix.Lookup(index.Ref{ID: path})
	if len(found) != 1 {
		r.t.Fatalf("%d records are at %s", len(found), path)
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
