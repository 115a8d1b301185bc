// Package checktest has what the tests of check and history share: a git repository to work on, and the schema of SARIF.
package checktest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Repo is a git repository with a store, worked on by the git command as users do.
type Repo struct {
	T   testing.TB
	Dir string
	Now time.Time // of the last commit
}

// New makes a repository that ignores the user's settings, in a folder whose name has a blank and an umlaut.
func New(t testing.TB) *Repo {
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
	check(t, err)
	r := &Repo{T: t, Dir: filepath.Join(dir, "ein Ördner", "repo"), Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	check(t, os.MkdirAll(r.Dir, 0o755))
	r.Git("init", "-q", "-b", "main")
	return r
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Git runs git in the repository and returns its output.
func (r *Repo) Git(args ...string) string {
	r.T.Helper()
	return r.git(nil, args...)
}

func (r *Repo) git(env []string, args ...string) string {
	r.T.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = r.Dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.T.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *Repo) file(path string) string { return filepath.Join(r.Dir, filepath.FromSlash(path)) }

// Write writes a file, and the folders above it.
func (r *Repo) Write(path, text string) {
	r.T.Helper()
	check(r.T, os.MkdirAll(filepath.Dir(r.file(path)), 0o755))
	check(r.T, os.WriteFile(r.file(path), []byte(text), 0o644))
}

// Read returns the text of a file.
func (r *Repo) Read(path string) string {
	r.T.Helper()
	b, err := os.ReadFile(r.file(path))
	check(r.T, err)
	return string(b)
}

// Remove deletes a file.
func (r *Repo) Remove(path string) {
	r.T.Helper()
	check(r.T, os.Remove(r.file(path)))
}

// Commit commits everything, an hour later than the one before, and returns its id.
func (r *Repo) Commit(author, subject string) string {
	r.T.Helper()
	r.Now = r.Now.Add(time.Hour)
	date := r.Now.Format(time.RFC3339)
	r.Git("add", "-A")
	r.git([]string{"GIT_AUTHOR_NAME=" + author, "GIT_AUTHOR_EMAIL=" + strings.ToLower(author) + "@example.com",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}, "commit", "-q", "--allow-empty", "-m", subject)
	return r.Git("rev-parse", "HEAD")
}

//go:embed sarif-schema-2.1.0.json
var sarifSchema string

// SARIF returns the schema of SARIF 2.1.0 (Errata 01) as OASIS publishes it.
func SARIF(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(sarifSchema))
	check(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	check(t, c.AddResource("sarif.json", doc))
	s, err := c.Compile("sarif.json")
	check(t, err)
	return s
}
