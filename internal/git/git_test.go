package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
	_ "sdd/internal/longtest" // files are in memory where there is room
)

func TestMain(m *testing.M) {
	// Repositories of the tests must not depend on who runs them.
	home, err := os.MkdirTemp("", "git-home")
	if err != nil {
		panic(err)
	}
	for _, v := range local {
		os.Unsetenv(v)
	}
	os.Unsetenv("GIT_CEILING_DIRECTORIES")
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
		"GIT_AUTHOR_NAME": "Ann Author", "GIT_AUTHOR_EMAIL": "ann@example.com", "GIT_AUTHOR_DATE": "2026-01-02T03:04:05+0130",
		"GIT_COMMITTER_NAME": "Ann Author", "GIT_COMMITTER_EMAIL": "ann@example.com", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+0130",
	} {
		os.Setenv(name, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// tempDir returns a new folder by its real path.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// git runs git in dir, as a user does.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func newRepo(t *testing.T) string {
	t.Helper()
	if !Available() {
		t.Skip("git is not installed")
	}
	dir := tempDir(t)
	git(t, dir, "init", "-q", "-b", "main")
	return dir
}

func write(t *testing.T, dir, path, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func commit(t *testing.T, dir, message string) string {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", message)
	return git(t, dir, "rev-parse", "HEAD")
}

func open(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestLocalVariablesAreGits(t *testing.T) {
	if !Available() {
		t.Skip("git is not installed")
	}
	for v := range strings.FieldsSeq(git(t, ".", "rev-parse", "--local-env-vars")) {
		if v != "GIT_CONFIG_PARAMETERS" && v != "GIT_CONFIG_COUNT" && !slices.Contains(local, v) {
			t.Errorf("%s is not cleared", v)
		}
	}
}

// TestRunInAHook checks that a command for one repository works inside a hook of another.
func TestRunInAHook(t *testing.T) {
	other, dir := newRepo(t), newRepo(t)
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other, ".git", "index"))
	t.Setenv("GIT_GLOB_PATHSPECS", "1")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	out := must[[]byte](t)(Run(t.Context(), dir, "rev-parse", "--show-toplevel"))
	if got := filepath.FromSlash(line(out)); got != dir {
		t.Errorf("git works on %s, want %s", got, dir)
	}
	if top, _, _, _ := Top(dir); top != dir {
		t.Errorf("Top = %s, want %s", top, dir)
	}
}

func TestRunErrors(t *testing.T) {
	dir := newRepo(t)
	_, err := Run(t.Context(), dir, "cat-file", "blob", "HEAD:nothing")
	var e *Error
	if !errors.As(err, &e) || e.Exit != 128 || strings.HasPrefix(e.Stderr, "fatal") || e.Stderr == "" || strings.Contains(e.Stderr, "\n") {
		t.Errorf("error is %#v", err)
	}
	if !strings.HasPrefix(err.Error(), "git cat-file: ") {
		t.Errorf("error reads %q", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, dir, "status"); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
}

func TestWithoutGit(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "remote", "add", "origin", "git@example.com:me/shop.git")
	t.Setenv("PATH", "")
	if Available() {
		t.Error("git is available without a PATH")
	}
	if _, err := Run(t.Context(), dir, "status"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Run: %v", err)
	}
	if top, _, _, ok := Top(dir); !ok || top != dir {
		t.Errorf("Top = %q, %t", top, ok)
	}
	if name := RemoteName(dir); name != "shop" {
		t.Errorf("RemoteName = %q", name)
	}
	r := open(t, dir)
	if _, err := r.Head(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Head: %v", err)
	}
}

func TestTop(t *testing.T) {
	dir := newRepo(t)
	odd := filepath.Join(dir, "with space", "ümläut 日本")
	write(t, odd, "a.md", "a\n")
	commit(t, dir, "one")
	linked := filepath.Join(tempDir(t), "linked tree")
	git(t, dir, "worktree", "add", "-q", "-b", "linked", linked)
	super := newRepo(t)
	git(t, super, "submodule", "--quiet", "add", dir, "parts/sub")
	bareRepo := filepath.Join(tempDir(t), "bare.git")
	git(t, dir, "clone", "-q", "--bare", dir, bareRepo)
	outside := tempDir(t)
	hidden := tempDir(t) // the repository lies beside the work trees
	git(t, hidden, "clone", "-q", "--bare", dir, ".bare")
	write(t, hidden, ".git", "gitdir: ./.bare\n")
	git(t, hidden, "worktree", "add", "-q", "main")
	broken := filepath.Join(dir, "broken")
	write(t, broken, ".git", "gitdir: /nowhere\n")
	empty := filepath.Join(dir, "empty")
	if err := os.MkdirAll(filepath.Join(empty, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	separate := tempDir(t)
	git(t, separate, "init", "-q", "--separate-git-dir", filepath.Join(tempDir(t), "elsewhere"))

	linkedDir := filepath.Join(dir, ".git", "worktrees", "linked tree")
	if _, err := os.Stat(linkedDir); err != nil { // git names it after the folder
		entries := must[[]os.DirEntry](t)(os.ReadDir(filepath.Join(dir, ".git", "worktrees")))
		linkedDir = filepath.Join(dir, ".git", "worktrees", entries[0].Name())
	}
	for name, tc := range map[string]struct{ dir, top, gitDir, commonDir string }{
		"top":             {dir, dir, filepath.Join(dir, ".git"), filepath.Join(dir, ".git")},
		"folder below":    {odd, dir, filepath.Join(dir, ".git"), filepath.Join(dir, ".git")},
		"linked":          {linked, linked, linkedDir, filepath.Join(dir, ".git")},
		"below linked":    {filepath.Join(linked, "with space"), linked, linkedDir, filepath.Join(dir, ".git")},
		"submodule":       {filepath.Join(super, "parts", "sub"), filepath.Join(super, "parts", "sub"), filepath.Join(super, ".git", "modules", "parts", "sub"), filepath.Join(super, ".git", "modules", "parts", "sub")},
		"around it":       {filepath.Join(super, "parts"), super, filepath.Join(super, ".git"), filepath.Join(super, ".git")},
		"bare":            {bareRepo, "", "", ""},
		"below bare":      {filepath.Join(bareRepo, "refs"), "", "", ""},
		"in git folder":   {filepath.Join(dir, ".git", "refs"), "", "", ""},
		"outside":         {outside, "", "", ""},
		"hidden bare":     {hidden, "", "", ""},
		"beside bare":     {filepath.Join(hidden, "main"), filepath.Join(hidden, "main"), filepath.Join(hidden, ".bare", "worktrees", "main"), filepath.Join(hidden, ".bare")},
		"broken link":     {broken, "", "", ""},
		"empty .git":      {empty, dir, filepath.Join(dir, ".git"), filepath.Join(dir, ".git")},
		"does not exist":  {filepath.Join(dir, "no", "such"), dir, filepath.Join(dir, ".git"), filepath.Join(dir, ".git")},
		"a file":          {filepath.Join(odd, "a.md"), dir, filepath.Join(dir, ".git"), filepath.Join(dir, ".git")},
		"separate folder": {separate, separate, line([]byte(git(t, separate, "rev-parse", "--absolute-git-dir"))), line([]byte(git(t, separate, "rev-parse", "--absolute-git-dir")))},
	} {
		t.Run(name, func(t *testing.T) {
			top, gitDir, commonDir, ok := Top(tc.dir)
			got := []string{top, gitDir, commonDir}
			want := []string{tc.top, filepath.FromSlash(tc.gitDir), filepath.FromSlash(tc.commonDir)}
			if d := cmp.Diff(want, got); d != "" || ok != (tc.top != "") {
				t.Errorf("ok = %t\n%s", ok, d)
			}
			if info, err := os.Stat(tc.dir); err != nil || !info.IsDir() || name == "hidden bare" && runtime.GOOS == "windows" {
				return
			}
			// Git says the same.
			said, err := Run(t.Context(), tc.dir, "rev-parse", "--show-toplevel")
			if gits := filepath.FromSlash(line(said)); (err == nil) != ok || gits != top {
				t.Errorf("git says %q, %v", gits, err)
			}
		})
	}
}

func TestTopThroughLinks(t *testing.T) {
	dir, other := newRepo(t), newRepo(t)
	write(t, dir, "sub/a.md", "a\n")
	link := filepath.Join(tempDir(t), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	if top, _, _, _ := Top(filepath.Join(link, "sub")); top != link {
		t.Errorf("Top = %s, want the top as written, %s", top, link)
	}
	into := filepath.Join(other, "into")
	if err := os.Symlink(filepath.Join(dir, "sub"), into); err != nil {
		t.Fatal(err)
	}
	if top, _, _, _ := Top(into); top != dir {
		t.Errorf("Top = %s, want where the link leads, %s", top, dir)
	}
}

func TestTopCeiling(t *testing.T) {
	dir := newRepo(t)
	sub := filepath.Join(dir, "a", "b")
	write(t, sub, "x", "")
	for _, tc := range []struct {
		ceiling string
		ok      bool
	}{{dir, false}, {filepath.Join(dir, "a"), false}, {sub, true}, {filepath.Dir(dir), true}, {"relative", true}} {
		t.Setenv("GIT_CEILING_DIRECTORIES", tc.ceiling)
		if _, _, _, ok := Top(sub); ok != tc.ok {
			t.Errorf("with ceiling %s: %t", tc.ceiling, ok)
		}
		if _, err := Run(t.Context(), sub, "rev-parse", "--show-toplevel"); (err == nil) != tc.ok {
			t.Errorf("with ceiling %s git says %v", tc.ceiling, err)
		}
	}
}

func BenchmarkTop(b *testing.B) {
	for b.Loop() {
		Top(".")
	}
}

// TestSettingsOfAUser: settings that change what git prints do not reach the program.
func TestSettingsOfAUser(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, "sub/ä.txt", "a\n")
	git(t, dir, "add", ".")
	git(t, dir, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "one")
	for key, value := range map[string]string{"log.showSignature": "true", "log.showRoot": "false", "diff.relative": "true", "core.quotePath": "true"} {
		git(t, dir, "config", key, value)
	}
	out, err := Run(t.Context(), filepath.Join(dir, "sub"), "log", "--name-only", "--format=%s")
	if want := "one\n\nsub/ä.txt\n"; err != nil || string(out) != want {
		t.Errorf("git log = %q, %v, want %q", out, err, want)
	}
}
