package learning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sdd/internal/fault"
	"sdd/internal/git"
)

// repo is a repository with a store.
type repo struct {
	*fixture
	clock *clock // of git
}

func newRepo(t testing.TB) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	r := &repo{fixture: newFixture(t), clock: &clock{now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}}
	r.git("init", "-q", "-b", "main", "--template=")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "core.autocrlf=false", "-c", "gc.auto=0"}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	when := r.clock.add(time.Second).Format(time.RFC3339)
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ed", "GIT_AUTHOR_EMAIL=ed@example.com",
		"GIT_COMMITTER_NAME=Ed", "GIT_COMMITTER_EMAIL=ed@example.com", "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits everything and returns the id.
func (r *repo) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// TestCommits follows one learning, in the process that stays and in others that come and go.
func TestCommits(t *testing.T) {
	r := newRepo(t)
	r.write("src/a.go", "one\ntwo\nthree\n")
	r.commit("First version")
	y := r.learn(Input{Content: "Totals are rounded in `src/a.go`", Parent: "SHOP-12", Scope: "global"})
	is := func(want string) {
		t.Helper()
		for name, f := range map[string]*fixture{"this process": r.fixture, "another": open(t, r.dir)} {
			i := f.get(y.ID)
			got := ""
			if i.Verdict != nil {
				got = i.Verdict.Commit
				if i.Verdict.Status != check || i.Effective() != active || i.Verdict.Reason != filesModified+": src/a.go" {
					t.Errorf("%s: %+v", name, i.Verdict)
				}
			}
			if got != want {
				t.Errorf("%s: outdated by %q, want %q", name, got, want)
			}
			in, err := f.Inject(t.Context(), "", "", 0)
			if err != nil || len(in.Included) != 1 || strings.Contains(in.Text, "(check: touched by ") != (want != "") {
				t.Errorf("%s: injected %v, %v", name, in.Included, err)
			}
		}
	}
	is("") // the file was there when it was learned, whatever git's clock is
	r.write("src/a.go", "one\n2\nthree\n")
	r.git("add", "src/a.go")
	r.git("commit", "-q", "-m", "Round twice")
	is(r.git("rev-parse", "HEAD")) // it is not committed itself
	r.act("validate", y.ID)
	is("")
	r.commit("Keep what was learned")
	is("")
	r.write("src/a.go", "one\n2\n3\n")
	r.commit("Closes SHOP-12.")
	is("")
	before := r.read(y.File)
	r.write("src/a.go", "1\n2\n3\n")
	bad := r.commit("SHOP-123: round thrice")
	is(bad)
	if r.read(y.File) != before {
		t.Error("deriving wrote to the record")
	}
	r.git("switch", "-q", "-c", "old", "HEAD~1")
	is("")
	r.git("switch", "-q", "main")
	is(bad)
	all, err := r.Check(t.Context(), true)
	if err != nil || len(all) != 1 || all[0].Status != active || all[0].Verdict.Commit != bad || r.read(y.File) != before {
		t.Errorf("check: %+v, %v", all, err)
	}
	if again := r.learn(Input{Content: "totals are rounded in `src/a.go`"}); again.Action != Reactivated {
		t.Errorf("learned again: %+v", again)
	}
	is("")
	events, _, err := r.Events(t.Context(), "", 100)
	n := 0
	for _, e := range events {
		if e.Event == eventCheck && e.Detail["commit"] == bad {
			n++
		}
	}
	if err != nil || n == 0 {
		t.Errorf("no event of the commit: %+v, %v", events, err)
	}
}

// TestHistoryBeginsWithLearnings: old merges, and all else before the first commit with a learning, are not read.
func TestHistoryBeginsWithLearnings(t *testing.T) {
	r := newRepo(t)
	r.write("a", "1\n")
	r.commit("one")
	r.git("switch", "-q", "-c", "side")
	r.write("b", "1\n")
	r.commit("two")
	r.git("switch", "-q", "main")
	r.write("c", "1\n")
	r.commit("three")
	r.git("merge", "-q", "--no-edit", "side")
	for _, branch := range []string{"x", "y"} {
		r.git("switch", "-q", "-c", branch)
		r.learn(Input{Content: "the totals are rounded on " + branch})
		r.commit("learnt on " + branch)
	}
	open, err := git.Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	h, err := readHistory(t.Context(), open, "HEAD", ".sdd/", nil)
	if err != nil || len(h.commits) != 2 || h.commits[0].message != "learnt on x\n" {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestWithoutGit learns where there is no repository, and where there is one without commits.
func TestWithoutGit(t *testing.T) {
	r := newRepo(t)
	for _, f := range []*fixture{newFixture(t), r.fixture} {
		y := f.learn(Input{Content: "Totals are rounded in `src/a.go`"})
		if i := f.get(y.ID); i.Verdict != nil {
			t.Errorf("%+v", i.Verdict)
		}
		if all, err := f.Check(t.Context(), true); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
	}
}

// TestStoreBelowTop has the store in a folder of a larger repository, on a detached head, with packed refs.
func TestStoreBelowTop(t *testing.T) {
	r := newRepo(t)
	top := r.dir
	r.write("sub/src/a.go", "one\n")
	r.write("src/b.go", "one\n")
	r.commit("First version")
	if err := os.Mkdir(filepath.Join(top, "sub", ".sdd"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := open(t, filepath.Join(top, "sub"))
	y := f.learn(Input{Content: "See `src/a.go`"})
	r.commit("Keep what was learned")
	r.git("pack-refs", "--all")
	if i := f.get(y.ID); i.Verdict != nil {
		t.Errorf("%+v", i.Verdict)
	}
	r.git("switch", "-q", "--detach")
	r.write("sub/src/a.go", "two\n")
	bad := r.commit("Change it")
	if i := f.get(y.ID); i.Verdict == nil || i.Verdict.Commit != bad {
		t.Errorf("%+v", i.Verdict)
	}
}

func TestMentions(t *testing.T) {
	for _, c := range []struct {
		message, name string
		want          bool
	}{
		{"WEB-1: x", "WEB-1", true}, {"web-1", "WEB-1", true}, {"WEB-12", "WEB-1", false}, {"SUB-WEB-1", "WEB-1", false}, {"(#34).", "#34", true},
		{"#345", "#34", false}, {"WEB-12 and WEB-1", "WEB-1", true}, {"üWEB-1", "WEB-1", false}, {"x", "", false}, {"fix WEB-1-part", "WEB-1", true},
	} {
		if got := mentions(c.message, c.name); got != c.want {
			t.Errorf("mentions(%q, %q) = %v", c.message, c.name, got)
		}
	}
}

// TestHistories plays the shorter of the labelled histories: those without merges. TestOutdated plays all.
func TestHistories(t *testing.T) {
	files, err := filepath.Glob("testdata/outdated/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no histories", err)
	}
	played := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var h struct {
			ID       string
			Learning struct{ Content, Parent string }
			Steps    []map[string]json.RawMessage
			Outdated bool
			Commit   int
		}
		if err := json.Unmarshal(src, &h); err != nil {
			t.Fatal(err)
		}
		plain := !slices.ContainsFunc(h.Steps, func(s map[string]json.RawMessage) bool {
			for key := range s {
				if !slices.Contains([]string{"write", "rename", "delete", "learn", "commit", "validate"}, key) {
					return true
				}
			}
			return false
		})
		if !plain || played == 12 {
			continue
		}
		played++
		r := newRepo(t)
		r.Learnings.now = func() time.Time { return r.clock.add(0) }
		var id string
		var commits []string
		for _, s := range h.Steps {
			for key, raw := range s {
				if err := play(r, key, raw, h.Learning.Content, h.Learning.Parent, &id, &commits); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			}
		}
		i, got := r.get(id), 0
		if i.Verdict != nil {
			got = slices.Index(commits, i.Verdict.Commit) + 1
		}
		if got != h.Commit || (i.Verdict != nil) != h.Outdated {
			t.Errorf("%s: outdated by commit %d, want %d", file, got, h.Commit)
		}
	}
}

func play(r *repo, key string, raw json.RawMessage, content, parent string, id *string, commits *[]string) error {
	switch key {
	case "write":
		var texts map[string]string
		if err := json.Unmarshal(raw, &texts); err != nil {
			return err
		}
		for path, text := range texts {
			r.write(path, text)
		}
	case "rename":
		var names [2]string
		if err := json.Unmarshal(raw, &names); err != nil {
			return err
		}
		to := filepath.Join(r.dir, names[1])
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(filepath.Join(r.dir, names[0]), to))
	case "delete":
		var name string
		return errors.Join(json.Unmarshal(raw, &name), os.Remove(filepath.Join(r.dir, name)))
	case "learn":
		*id = r.learn(Input{Content: content, Parent: parent}).ID
	case "validate":
		r.act("validate", *id)
	case "commit":
		var message string
		if err := json.Unmarshal(raw, &message); err != nil {
			return err
		}
		*commits = append(*commits, r.commit(message))
	}
	return nil
}

// TestNoGitCommand asks for verdicts where git cannot be run.
func TestNoGitCommand(t *testing.T) {
	r := newRepo(t)
	r.write("src/a.go", "one\n")
	r.commit("First version")
	y := r.learn(Input{Content: "See `src/a.go`"})
	r.write("src/a.go", "two\n")
	r.commit("Change it")
	t.Setenv("PATH", t.TempDir())
	if i, err := r.Get(t.Context(), y.ID); err != nil || i.Verdict != nil {
		t.Errorf("%+v, %v", i.Verdict, err)
	}
	if _, err := r.Get(context.Background(), "idea-ffffffffffff"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

func corpus(b testing.TB, f *fixture, n int, content func(int) string) {
	b.Helper()
	for i := range n {
		c := content(i)
		id := idOf(c)
		f.write(".sdd/"+fileOf(id, c), fmt.Sprintf("---\nid: %s\ncolor: yellow\nstatus: active\nscope: %s\nparent: GATE-%d\nagents:\n  - ed-%03d\nimpact: %s\ncategory: API\nvalidated: %v\ncreated: \"2026-11-%02dT10:00:00Z\"\n---\n\n%s\n",
			id, []string{"global", "local"}[i%2], i%50, i%100, Impacts[i%7%4], i%5 == 0, 1+i%20, c))
	}
}
