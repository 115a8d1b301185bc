package extract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fact/extract"
	"sdd/internal/fault"
	"sdd/internal/git"
)

// repo is a repository to commit to.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=Ana", "-c", "user.email=ana@example.com", "-c", "commit.gpgsign=false",
		"-c", "protocol.file.allow=always", "-c", "core.autocrlf=false"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(file, text string) {
	r.t.Helper()
	name := filepath.Join(r.dir, file)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// commit writes files, by pairs of path and text, and commits everything.
func (r *repo) commit(message string, files ...string) string {
	r.t.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		r.write(files[i], files[i+1])
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

func (r *repo) from(what string) extract.Result {
	r.t.Helper()
	return fromDir(r.t, r.dir, what, extract.Options{})
}

func fromDir(t *testing.T, dir, what string, o extract.Options) extract.Result {
	t.Helper()
	g, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	res, err := extract.From(context.Background(), g, what, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func contents(r extract.Result) []string {
	out := []string{}
	for _, c := range r.Candidates {
		out = append(out, c.Content)
	}
	return out
}

func expect(t *testing.T, r extract.Result, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, contents(r)); diff != "" {
		t.Errorf("contents (-want +got):\n%s%v", diff, r.Skipped)
	}
}

func skipped(r extract.Result, why string) bool {
	return slices.ContainsFunc(r.Skipped, func(s extract.Skipped) bool { return strings.Contains(s.Why, why) })
}

func manifest(deps ...string) string {
	return "module example.com/x\n\ngo 1.22\n\nrequire (\n\t" + strings.Join(deps, "\n\t") + "\n)\n"
}

const (
	chi4 = "github.com/go-chi/chi/v4 v4.1.2"
	chi5 = "github.com/go-chi/chi/v5 v5.0.12"
	zap  = "go.uber.org/zap v1.27.0"
)

func TestRangeIsFolded(t *testing.T) {
	r := newRepo(t)
	first := r.commit("start", "go.mod", manifest(zap))
	r.commit("add", "go.mod", manifest(zap, chi4))
	upgraded := r.commit("upgrade", "go.mod", manifest(zap, chi5))
	res := r.from(first + "..HEAD")
	expect(t, res, "Dependency github.com/go-chi/chi/v5 v5.0.12 (HTTP router) was added in go.mod.")
	c := res.Candidates[0]
	if c.Confidence < extract.Sure || c.Kind != extract.Fact || c.Level != 0 || c.Signal != "dependency" {
		t.Errorf("%+v", c)
	}
	want := []string{r.git("rev-parse", "HEAD~1"), upgraded}
	got := []string{c.Evidence[0].Commit, c.Evidence[1].Commit}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e := c.Evidence[1]; e.Path != "go.mod" || e.Lines != "L7" {
		t.Errorf("evidence %+v", e)
	}
	key := c.Key
	expect(t, r.from(upgraded), "Dependency github.com/go-chi/chi/v5 (HTTP router) was upgraded from v4.1.2 to v5.0.12 in go.mod.")
	if got := r.from(upgraded).Candidates[0].Key; got != key {
		t.Errorf("the keys of one dependency are %q and %q", key, got)
	}
	r.commit("remove", "go.mod", manifest(zap))
	res = r.from(first + "..HEAD")
	expect(t, res)
	if !skipped(res, "taken back within the range") {
		t.Errorf("%v", res.Skipped)
	}
}

func TestRevertsCancel(t *testing.T) {
	r := newRepo(t)
	first := r.commit("start", "go.mod", manifest(zap), "main.go", "package main\n")
	id := r.commit("Route with chi\n\nDecision: routes are declared with chi\nReason: it is small", "go.mod", manifest(zap, chi5))
	both := r.from(first + "..HEAD")
	if len(both.Candidates) != 2 {
		t.Fatalf("%q", contents(both))
	}
	r.git("revert", "--no-edit", id)
	res := r.from(first + "..HEAD")
	expect(t, res)
	expect(t, r.from("HEAD"), "Dependency github.com/go-chi/chi/v5 (HTTP router) was removed from go.mod.")
}

func TestNothingToKeep(t *testing.T) {
	r := newRepo(t)
	r.commit("start", "go.mod", manifest(zap), "a/a.go", "package a\n\nfunc A(x int) int { return x }\n", "go.sum", "a\n")
	for _, c := range []struct{ message, file, text, why string }{
		{"format", "a/a.go", "package a\n\n// A is the same.\nfunc A(x int) int {\n\treturn x\n}\n", "formatting or comments only"},
		{"lock", "go.sum", "b\n", "lock files only"},
		{"test", "a/a_test.go", "package a\n", "tests only"},
		{"docs", "README.md", "# x\n", "documentation only"},
		{"vendor", "vendor/x/x.go", "package x\n\ntype X int\n", "vendored or generated"},
		{"records", ".sdd/facts/fact-1.md", "---\nid: fact-1\n---\nx\n", "records only"},
		{"picture", "logo.png", "\x89PNG", "binary"},
		{"empty", "", "", "changes no files"},
	} {
		t.Run(c.message, func(t *testing.T) {
			if c.file == "" {
				r.commit(c.message)
			} else {
				r.commit(c.message, c.file, c.text)
			}
			res := r.from("HEAD")
			expect(t, res)
			if !skipped(res, c.why) {
				t.Errorf("skipped %v, want %q", res.Skipped, c.why)
			}
		})
	}
	t.Run("merge", func(t *testing.T) {
		r.git("checkout", "-q", "-b", "side", "HEAD~1")
		r.commit("side", "go.mod", manifest(zap, chi5))
		r.git("checkout", "-q", "main")
		r.git("merge", "-q", "--no-ff", "-m", "Merge branch 'side'\n\nWe decided to use chi because it is small.", "side")
		res := r.from("HEAD")
		expect(t, res)
		if !skipped(res, "a merge") {
			t.Error(res.Skipped)
		}
		expect(t, r.from("HEAD~1..HEAD"), "Dependency github.com/go-chi/chi/v5 v5.0.12 (HTTP router) was added in go.mod.")
	})
}

func TestNotCommitted(t *testing.T) {
	r := newRepo(t)
	expect(t, r.from(extract.Staged))
	expect(t, r.from(extract.WorkTree))
	r.write(".env.example", "SHOP_PORT=8080\n")
	r.git("add", "-A")
	r.write(".env.example", "SHOP_PORT=8080\nSHOP_WORKERS=4\n")
	const port = "The environment variable SHOP_PORT is configured, with the value 8080 in .env.example."
	both := "The environment variables SHOP_PORT and SHOP_WORKERS are read or configured in .env.example."
	expect(t, r.from(extract.Staged), port) // on a branch without commits
	expect(t, r.from(extract.WorkTree), both)
	r.git("commit", "-q", "-m", "start")
	expect(t, r.from(extract.Staged))
	expect(t, r.from(extract.WorkTree), "The environment variable SHOP_WORKERS is configured, with the value 4 in .env.example.")
	r.write("compose.yaml", "services:\n  cache:\n    image: redis:7\n") // git does not know it
	expect(t, r.from(extract.WorkTree), "The environment variable SHOP_WORKERS is configured, with the value 4 in .env.example.",
		"The service cache (redis:7) was added to compose.yaml.")
	if e := r.from(extract.WorkTree).Candidates[0].Evidence[0]; e.Commit != "" || e.Path != ".env.example" || e.Lines != "L2" {
		t.Errorf("%+v", e)
	}
	expect(t, r.from("HEAD"), port)
}

func TestWhatIsNamed(t *testing.T) {
	r := newRepo(t)
	g, err := git.Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for what, code := range map[string]fault.Code{"HEAD": fault.NotFound, "nowhere": fault.NotFound, "a...b": fault.Invalid, "": fault.Invalid, "--all": fault.Invalid, "a..-b": fault.Invalid, "x y": fault.NotFound} {
		if _, err := extract.From(context.Background(), g, what, extract.Options{}); !fault.Is(err, code) {
			t.Errorf("%q: %v, want %s", what, err, code)
		}
	}
	r.commit("one")
	r.commit("two", "go.mod", manifest(zap))
	r.commit("three", "go.mod", manifest(zap, chi5))
	for _, what := range []string{"HEAD~1..", "HEAD~1..HEAD", "HEAD", "main"} {
		if got := r.from(what); len(got.Candidates) != 1 || got.Commits != 1 {
			t.Errorf("%s: %d commits, %q", what, got.Commits, contents(got))
		}
	}
	expect(t, r.from("HEAD..HEAD"))
	limited := fromDir(t, r.dir, "HEAD~2..HEAD", extract.Options{Commits: 1})
	if !limited.Truncated || limited.Commits != 1 || !skipped(limited, "more commits before") {
		t.Errorf("%+v", limited)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := extract.From(ctx, g, "HEAD", extract.Options{}); err == nil {
		t.Error("a cancelled extraction gave a result")
	}
}

func TestPlaces(t *testing.T) {
	r := newRepo(t)
	first := r.commit("start", "go.mod", manifest(zap))
	second := r.commit("chi", "go.mod", manifest(zap, chi5))
	const said = "Dependency github.com/go-chi/chi/v5 v5.0.12 (HTTP router) was added in go.mod."
	t.Run("detached", func(t *testing.T) {
		r.git("checkout", "-q", "--detach", second)
		expect(t, r.from("HEAD"), said)
	})
	t.Run("worktree", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "w")
		r.git("worktree", "add", "-q", dir, second)
		expect(t, fromDir(t, dir, "HEAD", extract.Options{}), said)
		expect(t, fromDir(t, dir, extract.WorkTree, extract.Options{}))
	})
	t.Run("shallow", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "s")
		r.git("clone", "-q", "--depth=1", "file://"+r.dir, dir)
		res := fromDir(t, dir, "HEAD", extract.Options{})
		expect(t, res)
		if !skipped(res, "shallow clone") {
			t.Error(res.Skipped)
		}
	})
	t.Run("root", func(t *testing.T) {
		expect(t, r.from(first), "go.mod is new and asks for go.uber.org/zap v1.27.0.")
	})
	t.Run("submodule", func(t *testing.T) {
		other := newRepo(t)
		other.commit("x", "x.go", "package x\n")
		r.git("submodule", "-q", "add", "file://"+other.dir, "third/x")
		r.commit("Add x as a submodule")
		expect(t, r.from("HEAD"), "The git submodule third/x was added (.gitmodules).")
		other.commit("y", "y.go", "package x\n")
		r.git("-C", filepath.Join(r.dir, "third/x"), "-c", "protocol.file.allow=always", "pull", "-q")
		r.commit("Update x")
		expect(t, r.from("HEAD"))
	})
}

func TestOddNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names cannot be made here")
	}
	r := newRepo(t)
	r.commit("start")
	odd := []string{"a \"b\"/.env.example", "new\nline/.env.example", "bad\xffname/.env.example", "-dash/.env.example", "tick`/.env.example", "sp ace/日本/.env.example"}
	for i, name := range odd {
		r.write(name, fmt.Sprintf("ODD_PORT_%d=80%d\n", i, i))
	}
	r.write("new\nline/Dockerfile", "FROM alpine:3\n")
	r.write("bad\xffname/tick`/x.go", "package x\n\ntype X struct{}\n")
	r.write("a \"b\"/esc\x1b[31m/x.go", "package x\n\ntype Y struct{}\n")
	if err := os.Symlink("/etc/passwd", filepath.Join(r.dir, "link.env.example")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("go.mod", filepath.Join(r.dir, ".env.example")); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{extract.WorkTree, "HEAD"} {
		if what == "HEAD" {
			r.commit("odd names")
		}
		res := r.from(what)
		if len(res.Candidates) != len(odd)+3 {
			t.Errorf("%s: %d of %d: %q", what, len(res.Candidates), len(odd)+3, contents(res))
		}
		checkLaws(t, res)
	}
	r.git("mv", "--", "-dash", "moved")
	r.commit("move")
	expect(t, r.from("HEAD"))
}

func TestSecretsStayOut(t *testing.T) {
	secret := "ghp_" + "Zk7QmX2vRt9LpW4sNc8HyB3dFg6JaE1uTo5i"
	r := newRepo(t)
	first := r.commit("start", "src/a.go", "package a\n")
	r.commit("Use "+secret+" instead of the password because SSO\n\nDecision: the token "+secret+" is used for CI\nBREAKING CHANGE: the key is "+secret,
		".env.example", "API_PORT="+secret+"\nAPI_TOKEN="+secret+"\n",
		"config/app.yaml", "mode: "+secret+"\ntimeout: 5s\nfeatures:\n  "+secret+": true\n",
		".github/workflows/a.yml", "on: push\njobs:\n  test:\n    steps:\n      - run: npm run test --token="+secret+"\n",
		"src/routes.ts", "import express from 'express';\nconst app = express();\napp.get('/x/"+secret+"', h);\n",
		"docker-compose.yml", "services:\n  a:\n    image: redis:7\n    ports: [\"80:80\"]\n    environment:\n      POOL_MODE: "+secret+"\n",
		"Makefile", "test:\n\tgo test -token="+secret+"\n",
		"docs/adr/0001-x.md", "# 1. Use "+secret+"\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use "+secret+" because it works.\n")
	res := r.from(first + "..HEAD")
	out, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), secret) || strings.Contains(string(out), secret[4:20]) {
		t.Errorf("the secret is in %s", out)
	}
	if len(res.Candidates) == 0 {
		t.Error("all was left out")
	}
}

func TestHugeCommitIsCut(t *testing.T) {
	r := newRepo(t)
	r.commit("start")
	for i := range 1010 {
		r.write(fmt.Sprintf("mod%04d/a.go", i), fmt.Sprintf("package mod%04d\n\ntype Thing%d struct{}\n", i, i))
	}
	r.write("config/big.json", `{"timeout": 5, "x": "`+strings.Repeat("y", 2<<20)+`"}`)
	r.write("blob.bin", strings.Repeat("\x00\x01", 1<<20))
	r.write("compose.yaml", "services:\n  cache:\n    image: redis:7\n")
	r.commit("everything")
	res := r.from("HEAD")
	if !res.Truncated || !skipped(res, "only 1000 of the") || !skipped(res, "larger than") {
		t.Errorf("truncated %v, skipped %v", res.Truncated, res.Skipped)
	}
	if len(res.Candidates) == 0 || len(res.Candidates) > 40 {
		t.Errorf("%d candidates", len(res.Candidates))
	}
}

func TestSameEveryTime(t *testing.T) {
	r := newRepo(t)
	first := r.commit("start", "go.mod", manifest(zap))
	r.commit("more", "go.mod", manifest(zap, chi5, "a.example/a v1.0.0", "b.example/b v1.0.0", "c.example/c v1.0.0"),
		"a/a.go", "// Package a is one.\npackage a\n\ntype A struct{}\n", "b/b.go", "package b\n\nfunc B() {}\n", ".env.example", "A_PORT=1\nB_PORT=2\nC_PORT=3\n")
	r.commit("Switch from chi to echo because of its binder", "go.mod", manifest(zap, "github.com/labstack/echo/v4 v4.12.0"))
	one := r.from(first + "..HEAD")
	for range 5 {
		if diff := cmp.Diff(one, r.from(first+"..HEAD")); diff != "" {
			t.Fatal(diff)
		}
	}
	checkLaws(t, one)
}
