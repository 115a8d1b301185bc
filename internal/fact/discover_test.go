package fact

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// project makes a small Go project.
func project(t testing.TB) *fixture {
	f := newFixture(t)
	f.write("go.mod", "module example.com/shop\n\ngo 1.26\n")
	f.write("main.go", "package main\n\nfunc main() {}\n")
	f.write("Makefile", "build:\n\tgo build ./...\n\ntest:\n\tgo test ./...\n")
	return f
}

func (f *fixture) discover(force bool) Discovered {
	f.t.Helper()
	got, err := f.Discover(context.Background(), force)
	if err != nil {
		f.t.Fatal(err)
	}
	return got
}

// about returns the live facts of discovery on something.
func (f *fixture) about(key string) (live []Fact) {
	f.t.Helper()
	all, err := f.All(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	for _, one := range all {
		if one.Parent == discoveredFrom+key && one.Live() {
			live = append(live, one)
		}
	}
	return live
}

// once fails when two facts that count are about the same thing, or have the same sentence.
func (f *fixture) once() {
	f.t.Helper()
	all, err := f.All(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	seen := map[string]string{}
	for _, one := range all {
		for _, key := range []string{one.Parent, one.Content} {
			if key == "" || !one.Live() {
				continue
			}
			if seen[key] != "" {
				f.t.Errorf("%s and %s: %s", seen[key], one.ID, key)
			}
			seen[key] = one.ID
		}
	}
}

// written makes files of what was found, as earlier versions did.
func (f *fixture) written(out Discovered) {
	f.t.Helper()
	for _, one := range out.Facts {
		in := Input{Content: one.Content, Level: one.Level, Domain: one.Domain, Module: one.Module, Source: one.Source, Parent: one.Parent}
		if _, err := f.Add(context.Background(), in); err != nil {
			f.t.Fatal(err)
		}
	}
}

// TestDiscover: what is found counts, and there is no file of it, no store even.
func TestDiscover(t *testing.T) {
	f := project(t)
	first := f.discover(false)
	if !first.Performed || len(first.Facts) < 3 || first.Why != "the project was not looked at yet" {
		t.Fatalf("%+v", first)
	}
	test := f.about("test:make")
	if len(test) != 1 || test[0].Source != "Makefile#L4" || test[0].Level != 0 || test[0].File != "" || !strings.Contains(test[0].Content, "make test") {
		t.Errorf("%+v", test)
	}
	f.once()
	for _, force := range []bool{false, true} {
		again := f.discover(force)
		if again.Performed != force || len(again.Facts) != len(first.Facts) || len(again.Warnings) != 0 {
			t.Errorf("again: %+v", again)
		}
	}
	if _, err := os.Stat(filepath.Join(f.dir, ".sdd")); err == nil {
		t.Error("there is a store")
	}
	if g := open(t, f.dir); len(g.about("test:make")) != 1 {
		t.Error("another process does not know it")
	}
}

// TestDiscoverBesideFiles: files of an earlier version count once, and no more when discovery finds something else.
func TestDiscoverBesideFiles(t *testing.T) {
	f := project(t)
	f.written(f.discover(false))
	f.discover(false) // its state is in the store now
	f.once()
	f.write("Makefile", "build:\n\tgo build ./...\n\ncheck:\n\tgo test ./...\n")
	was := f.about("test:make")
	if now := f.discover(false); !now.Performed || now.Why != "Makefile changed" {
		t.Errorf("%+v", now)
	}
	if f.get(was[0].ID).State != superseded {
		t.Errorf("%+v", f.get(was[0].ID))
	}
	f.once()
}

// TestDiscoverRespectsPeople: what was edited or archived by hand stays, and what discovery finds about it does not count.
func TestDiscoverRespectsPeople(t *testing.T) {
	f := project(t)
	f.written(f.discover(false))
	edited, gone := f.about("test:make")[0], f.about("build:make")[0]
	f.write(edited.File, strings.Replace(f.read(edited.File), "make test", "make test, with a database", 1))
	f.write(gone.File, strings.Replace(f.read(gone.File), "status: active", "status: archived", 1))
	f.discover(true)
	if got := f.about("test:make"); len(got) != 1 || !strings.Contains(got[0].Content, "with a database") {
		t.Errorf("%+v", got)
	}
	if got := f.about("build:make"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	f.once()
	if len(f.about("languages")) != 1 {
		t.Error("what is found counts once")
	}
}

func TestDiscoverWhen(t *testing.T) {
	f := project(t)
	f.discover(false)
	start := f.now
	for days, want := range map[int]string{29: "", 31: "30 days have passed", -20 * 365: "30 days have passed"} {
		g := open(t, f.dir)
		g.now = start.AddDate(0, 0, days)
		if why := g.discover(false).Why; why != want {
			t.Errorf("after %d days: %q, want %q", days, why, want)
		}
		g.now = start
		g.discover(true)
	}
	for _, broken := range []string{"{", "{}", fmt.Sprintf(`{"at": %q, "rules": %d}`, start.UTC().Format(time.RFC3339), discoveryRules-1), `{"at": "2026-01-01T00:00:00Z", "facts": {"old": "way"}}`} {
		dir, err := f.st.Derived(true)
		if err != nil {
			t.Fatal(err)
		}
		if err := dir.WriteFile(stateName, []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		dir.Close()
		if g := open(t, f.dir).discover(false); !g.Performed || len(g.Facts) < 3 {
			t.Errorf("%s: %+v", broken, g)
		}
	}
}

// TestDiscoverUnreadable keeps facts of a manifest that is broken for the moment.
func TestDiscoverUnreadable(t *testing.T) {
	f := project(t)
	f.write("package.json", `{"name": "shop-web", "scripts": {"lint": "eslint ."}}`)
	f.written(f.discover(false))
	was := f.about("lint:npm")
	f.write("package.json", `{"name": "shop-web", "scripts": {"lint": "eslint ."`)
	got := f.discover(false)
	if len(got.Warnings) == 0 || len(was) != 1 || len(f.about("lint:npm")) != 1 {
		t.Errorf("%+v, %v", got, f.about("lint:npm"))
	}
}

// TestDiscoverUnkept: where nothing can be remembered, this process knows it.
func TestDiscoverUnkept(t *testing.T) {
	f := project(t)
	f.write(".sdd/.local", "no folder")
	if got := f.discover(false); !got.Performed || len(f.about("languages")) != 1 {
		t.Errorf("%+v", got)
	}
	if again := f.discover(false); again.Performed || len(f.about("languages")) != 1 {
		t.Errorf("again: %+v", again)
	}
}

// TestDiscoverAtOnce has several discover at the same time.
func TestDiscoverAtOnce(t *testing.T) {
	f := project(t)
	var work sync.WaitGroup
	for range 3 {
		g := open(t, f.dir)
		work.Go(func() {
			if _, err := g.Discover(context.Background(), false); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	f.once()
}
