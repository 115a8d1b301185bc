package fact

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefreshOn follows a fact through edits, commits, clones and refreshes.
func TestRefreshOn(t *testing.T) {
	for _, inGit := range []bool{true, false} {
		f := newFixture(t)
		git := func(args ...string) {
			if inGit {
				f.git(args...)
			}
		}
		git("init", "-q")
		f.write("api/a.go", "one\n")
		f.write("api/deep/b.go", "two\n")
		f.write("web/c.go", "three\n")
		f.write(".gitignore", "*.log\n")
		id := f.add(Input{Content: "The API answers in JSON", RefreshOn: "api/**"}).ID
		is := func(when, want string) {
			t.Helper()
			if one := f.get(id); one.State != want || one.Status != active || (want == stale) != (one.Why != "") {
				t.Errorf("git %v, %s: %s (%s), want %s", inGit, when, one.State, one.Why, want)
			}
		}
		is("when it was stored", active)
		git("add", "-A")
		git("commit", "-qm", "first")
		is("committed", active)
		f.write("web/c.go", "other\n")
		is("another folder", active)
		f.write("api/a.go", "ONE\n")
		is("an edit", stale)
		f.write("api/a.go", "one\n")
		is("the edit was taken back", active)
		f.write("api/new.go", "new\n")
		is("a new file", stale)
		git("add", "-A")
		git("commit", "-qm", "second")
		is("its commit", stale)
		f.act("refresh", id)
		is("a refresh", active)
		if err := os.Remove(filepath.Join(f.dir, "api", "deep", "b.go")); err != nil {
			t.Fatal(err)
		}
		is("a file went", stale)
		f.act("refresh", id)
		git("add", "-A")
		git("commit", "-qm", "third")
		is("all committed", active)
		if inGit {
			f.write("api/x.log", "ignored\n")
			is("an ignored file", active)
			// Another clone has the same state.
			dir := filepath.Join(t.TempDir(), "clone")
			if out, err := exec.Command("git", "clone", "-q", f.dir, dir).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			g := open(t, dir)
			if one := g.get(id); one.State != active {
				t.Errorf("in a clone: %+v", one)
			}
			g.write("api/a.go", "1\n")
			if one := g.get(id); one.State != stale {
				t.Errorf("an edit in a clone: %+v", one)
			}
			// Line ends of the machine are no change.
			g.git("config", "core.autocrlf", "true")
			g.write("api/a.go", "one\r\n")
			if one := g.get(id); one.State != active {
				t.Errorf("line ends: %+v", one)
			}
		}
	}
}

// TestRefreshOnByHand is about facts that no tool has stored: their own commit shows what their author knew.
func TestRefreshOnByHand(t *testing.T) {
	f := newFixture(t)
	f.git("init", "-q")
	f.write("api/a.go", "one\n")
	f.write(".sdd/facts/mine.md", "---\nid: fact-000000000001\nlevel: 1\nttl: {refresh_on: \"api/**\", on_expire: stale}\n---\n\nThe API answers in JSON\n")
	state := func() string { return f.get("fact-000000000001").State }
	if state() != active {
		t.Error("stale before anything is known")
	}
	f.git("add", "-A")
	f.git("commit", "-qm", "first")
	if state() != active {
		t.Error("stale when committed")
	}
	f.write("api/a.go", "ONE\n")
	if state() != stale {
		t.Error("an edit does not count")
	}
	f.git("commit", "-qam", "second")
	if state() != stale {
		t.Error("its commit does not count")
	}
	f.write(".sdd/facts/mine.md", strings.Replace(f.read(".sdd/facts/mine.md"), "level: 1", "level: 1\nrefreshed: 2026-11-20", 1))
	f.git("commit", "-qam", "looked at it again")
	if state() != active {
		t.Error("a refresh by hand does not count")
	}
	f.act("refresh", "fact-000000000001")
	if text := f.read(".sdd/facts/mine.md"); !strings.Contains(text, "seen: ") || !strings.Contains(text, `ttl: {refresh_on: "api/**", on_expire: stale}`) {
		t.Errorf("refreshed:\n%s", text)
	}
}

// TestRefreshOnBelowTheTop keeps a store in a folder of the work tree: patterns begin there.
func TestRefreshOnBelowTheTop(t *testing.T) {
	top := newFixture(t)
	top.git("init", "-q")
	top.write("services/shop/api/a.go", "one\n")
	top.write("api/a.go", "one\n")
	top.write("services/shop/.sdd/config.yaml", "project: shop\n")
	top.git("add", "-A")
	top.git("commit", "-qm", "first")
	f := open(t, filepath.Join(top.dir, "services", "shop"))
	id := f.add(Input{Content: "The API answers in JSON", RefreshOn: "/api"}).ID
	top.write("api/a.go", "two\n")
	if f.get(id).State != active {
		t.Error("a file outside counts")
	}
	f.write("api/a.go", "two\n")
	if f.get(id).State != stale {
		t.Error("a file inside does not count")
	}
}
