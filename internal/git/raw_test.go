package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
)

// deltas renders changes without ids, with the bytes that they name.
func deltas(t *testing.T, r *Repo, all []Delta) []string {
	t.Helper()
	o := r.Objects(t.Context())
	defer o.Close()
	text := func(id string) string {
		if id == "" {
			return "-"
		}
		return strings.ReplaceAll(string(must[[]byte](t)(o.Read(id))), "\n", "/")
	}
	got := []string{}
	for _, d := range all {
		line := d.Path + ":"
		for _, id := range d.Old {
			line += " " + text(id)
		}
		line += " > " + text(d.New)
		if d.Gone {
			line += " gone"
		}
		got = append(got, line)
	}
	return got
}

func TestDeltas(t *testing.T) {
	r, ids := history(t)
	ctx := t.Context()
	check := func(from, to string, want []string, paths ...string) {
		t.Helper()
		if d := cmp.Diff(want, deltas(t, r, must[[]Delta](t)(r.Deltas(ctx, from, to, paths...)))); d != "" {
			t.Errorf("Deltas(%s, %s, %q):\n%s", from, to, paths, d)
		}
	}
	first, second := "one/two/three/four/five/", "one/two/three/four/five/six"
	check(ids[0], ids[1], []string{"explore/old name.md: " + first + " > - gone", odd + ": - > " + second})
	check(ids[0], "HEAD", []string{"explore/old name.md: " + first + " > - gone", odd + ": - > " + second}, "explore")
	check("", ids[0], []string{"[x]*.md: - > glob/"}, "[x]*.md")
	check("HEAD", "HEAD", []string{})
	check("HEAD", WorkTree, []string{})

	write(t, r.Top, "b.md", "changed\n")
	write(t, r.Top, "new/ü.md", "n\n")
	write(t, r.Top, ".gitignore", "ignored\n")
	write(t, r.Top, "ignored", "i\n")
	write(t, r.Top, odd, second)
	git(t, r.Top, "rm", "-q", "--cached", odd) // git knows it no more, but it is there
	check("HEAD", WorkTree, []string{"b.md: b/ > -", odd + ": " + second + " > -", ".gitignore: - > -", "new/ü.md: - > -"})
	if err := os.Symlink("b.md", filepath.Join(r.Top, "link.md")); err != nil {
		t.Skip(err)
	}
	git(t, r.Top, "add", "link.md")
	check("HEAD", WorkTree, []string{}, "link.md")
	if err := os.Remove(filepath.Join(r.Top, "b.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("x", filepath.Join(r.Top, "b.md")); err != nil {
		t.Fatal(err)
	}
	check("HEAD", WorkTree, []string{"b.md: b/ > - gone"}, "b.md")
	if _, err := r.Deltas(ctx, "nothing", WorkTree); !fault.Is(err, fault.NotFound) {
		t.Errorf("Deltas: %v", err)
	}
}

func TestDeltasOfUnborn(t *testing.T) {
	r := open(t, newRepo(t))
	write(t, r.Top, odd, "x\n")
	want := []string{odd + ": - > -"}
	if d := cmp.Diff(want, deltas(t, r, must[[]Delta](t)(r.Deltas(t.Context(), "", WorkTree)))); d != "" {
		t.Error(d)
	}
	git(t, r.Top, "add", "-A")
	want = []string{odd + ": - > x/"}
	if d := cmp.Diff(want, deltas(t, r, must[[]Delta](t)(r.Deltas(t.Context(), "", WorkTree)))); d != "" {
		t.Error(d)
	}
}

func TestSteps(t *testing.T) {
	r, ids := history(t)
	git(t, r.Top, "checkout", "-q", "-b", "side", ids[1])
	write(t, r.Top, odd, "one\n")
	commit(t, r.Top, "side")
	git(t, r.Top, "checkout", "-q", "main")
	write(t, r.Top, odd, "two\n")
	commit(t, r.Top, "main")
	git(t, r.Top, "merge", "-q", "--no-commit", "-s", "ours", "side")
	write(t, r.Top, odd, "both\n")
	commit(t, r.Top, "merge \x1f odd")
	write(t, r.Top, "elsewhere", "x")
	commit(t, r.Top, "elsewhere")
	got := map[string][]string{}
	for _, s := range must[[]Step](t)(r.Steps(t.Context(), "HEAD", 0, "explore")) {
		if len(s.ID) != 40 || s.Author != "Ann Author" || s.Date != "2026-01-02T03:04:05+01:30" {
			t.Errorf("%+v", s)
		}
		got[s.Subject] = deltas(t, r, s.Deltas)
	}
	first, second := "one/two/three/four/five/", "one/two/three/four/five/six"
	want := map[string][]string{
		"merge \x1f odd":   {odd + ": two/ one/ > both/"},
		"main":             {odd + ": " + second + " > two/"},
		"side":             {odd + ": " + second + " > one/"},
		"rename":           {"explore/old name.md: " + first + " > - gone", odd + ": - > " + second},
		"first: ä subject": {"explore/old name.md: - > " + first},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	latest := must[[]Step](t)(r.Steps(t.Context(), "HEAD", 2, "explore"))
	if len(latest) != 2 || latest[0].Subject != "merge \x1f odd" {
		t.Errorf("the latest two: %+v", latest)
	}
	git(t, r.Top, "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "", "--author", "Eve\x1f\x012000-01-01 <eve@example.org>")
	last := must[[]Step](t)(r.Steps(t.Context(), "HEAD", 1))
	if len(last) != 1 || last[0].Author != "Eve\x1f\x012000-01-01" || last[0].Date != "2026-01-02T03:04:05+01:30" || last[0].Subject != "" {
		t.Errorf("separators in a name: %+v", last)
	}
}

func TestObjects(t *testing.T) {
	r, ids := history(t)
	o := r.Objects(t.Context())
	defer o.Close()
	for range 2 { // again after Close
		for _, name := range []string{ids[1] + ":" + odd, "HEAD:" + odd} {
			if b := must[[]byte](t)(o.Read(name)); string(b) != "one\ntwo\nthree\nfour\nfive\nsix" {
				t.Errorf("Read(%s) = %q", name, b)
			}
		}
		for _, name := range []string{"HEAD:nothing", "HEAD:not there", strings.Repeat("0", 39) + "1", "", "a\nb", "HEAD:a b c"} {
			if _, err := o.Read(name); !fault.Is(err, fault.NotFound) {
				t.Errorf("Read(%q): %v", name, err)
			}
		}
		o.Close()
	}
	write(t, r.Top, "big", strings.Repeat("x", maxObject+1))
	commit(t, r.Top, "big")
	if _, err := o.Read("HEAD:big"); !fault.Is(err, fault.Broken) {
		t.Errorf("too large: %v", err)
	}
	if b, err := o.Read("HEAD:b.md"); string(b) != "b\n" || err != nil {
		t.Errorf("after it: %q, %v", b, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := r.Objects(ctx)
	must[[]byte](t)(stopped.Read("HEAD:b.md"))
	cancel()
	if err := stopped.cmd.Wait(); err == nil {
		t.Error("it did not stop")
	}
	stopped.cmd = nil
	if _, err := stopped.Read("HEAD:b.md"); err == nil {
		t.Error("read after the end")
	}
}

func TestTree(t *testing.T) {
	r, _ := history(t)
	if err := os.Symlink("b.md", filepath.Join(r.Top, "link.md")); err != nil {
		t.Skip(err)
	}
	commit(t, r.Top, "link")
	got := []string{}
	for _, e := range must[[]Entry](t)(r.Tree(t.Context(), "HEAD")) {
		if e.Link {
			e.Path += " (link)"
		}
		got = append(got, e.Path)
	}
	if d := cmp.Diff([]string{"b.md", odd, "link.md (link)"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{odd}, must[[]string](t)(r.Holding(t.Context(), "HEAD", []string{"nothing", "f.ve", "fiv"}))); d != "" {
		t.Error(d)
	}
	if got := must[[]string](t)(r.Holding(t.Context(), "HEAD", []string{"fiv"}, "b.md")); len(got) > 0 {
		t.Errorf("Holding elsewhere: %q", got)
	}
}

func TestBranches(t *testing.T) {
	r, ids := history(t)
	ctx := t.Context()
	names := func() []string {
		t.Helper()
		got := []string{}
		for _, b := range must[[]Branch](t)(r.Branches(ctx, "main", must[string](t)(r.Head(ctx)))) {
			got = append(got, b.Name()+" "+b.Short())
		}
		return got
	}
	git(t, r.Top, "branch", "merged", ids[1])
	git(t, r.Top, "checkout", "-q", "-b", "feat/one")
	write(t, r.Top, "c", "c")
	one := commit(t, r.Top, "one")
	git(t, r.Top, "checkout", "-q", "-b", "two", "main")
	write(t, r.Top, "d", "d")
	commit(t, r.Top, "two")
	git(t, r.Top, "update-ref", "refs/remotes/origin/feat/one", one)
	git(t, r.Top, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/feat/one")
	if d := cmp.Diff([]string{"feat/one feat/one", "origin/feat/one feat/one"}, names()); d != "" {
		t.Error(d)
	}
	if b := must[string](t)(r.CurrentBranch(ctx)); b != "refs/heads/two" {
		t.Errorf("CurrentBranch = %q", b)
	}
	git(t, r.Top, "checkout", "-q", "--detach", "feat/one")
	if d := cmp.Diff([]string{"two two"}, names()); d != "" {
		t.Error(d)
	}
	if b := must[string](t)(r.CurrentBranch(ctx)); b != "" {
		t.Errorf("CurrentBranch = %q", b)
	}
	if must[bool](t)(r.Shallow(ctx)) {
		t.Error("it is shallow")
	}
}
