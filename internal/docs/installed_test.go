package docs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
)

// elsewhere hides what the user of this machine has.
func elsewhere(t *testing.T) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("GOMODCACHE", t.TempDir())
}

func TestInstalled(t *testing.T) {
	elsewhere(t)
	project := t.TempDir()
	for _, dir := range []string{"docs/_build/html", ".venv/share/doc/thing", "node_modules/x/html", ".git/html", "_deep", "target/debug/html"} {
		put(t, project, dir+"/objects.inv", inventoryOf(demoLines))
		put(t, project, dir+"/index.html", demoPage)
	}
	put(t, project, "site/search/search_index.json", `{"docs":[{"location":"","title":"My site"},{"location":"a/","title":"A"}]}`)
	put(t, project, "target/doc/crates.js", "")
	put(t, project, "target/doc/crate_a/all.html", `<html><body class="rustdoc"><section id="main-content"><ul><li><a href="fn.run.html">run</a></li></ul></section></body></html>`)
	put(t, project, "target/doc/crate_a/index.html", `<html><body class="rustdoc"><h2 class="location"><span class="version">0.3.1</span></h2></body></html>`)
	put(t, project, "go.mod", "module example.org/app\n\nrequire example.org/many v1.2.3\n")
	put(t, os.Getenv("GOMODCACHE"), "example.org/many@v1.2.3/box/box.go", "package box\n")
	far := demo(t, demoLines, map[string]string{"index.html": demoPage})
	r := New(Settings{Dir: project, Sources: map[string]string{"far": far, "here": "docs/_build/html", "web": "https://docs.example.org/x/"}})
	var got []string
	for _, i := range r.List() {
		if !strings.HasPrefix(i.Location, systemDocs) && i.Name != "std" {
			got = append(got, fmt.Sprintf("%s: %s %s %s %d", i.Name, i.Kind, i.Project, i.Version, i.Objects))
		}
	}
	want := []string{
		"far: sphinx Demo 1.0 6", "here: sphinx Demo 1.0 6", "web: web   0", ".venv/share/doc/thing: sphinx Demo 1.0 6", "site: mkdocs My site  2", "target/doc: rustdoc crate_a 0.3.1 2",
		"example.org/many: go example.org/many v1.2.3 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, source := range []string{"far", "here", ".venv/share/doc/thing"} {
		explore(t, r, source, "demo.run", Options{MaxObjects: 1})
	}
	explore(t, r, "target/doc", "run", Options{MaxObjects: 1})
	_, err := r.Explore(context.Background(), "fra", "x", Options{})
	if f := fault.Of(err); f.Code != fault.NotFound || !strings.Contains(f.Hint, "nearest: far") {
		t.Errorf("%#v", f)
	}
	_, err = r.Explore(context.Background(), "https://docs.python.org/3/", "x", Options{})
	if f := fault.Of(err); f.Code != fault.Outside {
		t.Errorf("an address: %#v", f)
	}
}

// TestNamesOfVersions: of two documentations with one name, the first keeps it.
func TestNamesOfVersions(t *testing.T) {
	elsewhere(t)
	env := t.TempDir()
	t.Setenv("VIRTUAL_ENV", env)
	of := func(version string) string {
		return strings.Replace(inventoryOf(demoLines), "# Version: 1.0", "# Version: "+version, 1)
	}
	put(t, env, "share/doc/python3-demo/html/objects.inv", of("1.0"))
	put(t, env, "share/doc/demo-doc/html/objects.inv", of("2.1"))
	var got []string
	for _, i := range New(Settings{Dir: t.TempDir()}).installed() {
		if strings.HasPrefix(i.Name, "demo") {
			got = append(got, i.Name+" "+i.Version)
		}
	}
	if s := strings.Join(got, ", "); s != "demo 2.1, demo@1.0 1.0" {
		t.Error(s)
	}
}

// TestModules opens the standard library and a module by their packages, and lists those that go.mod requires.
func TestModules(t *testing.T) {
	elsewhere(t)
	project := t.TempDir()
	put(t, project, "go.mod", "module example.org/app\n\nrequire example.org/many v1.2.3\n")
	put(t, os.Getenv("GOMODCACHE"), "example.org/many@v1.2.3/box/box.go", "// Package box keeps things.\npackage box\n")
	put(t, os.Getenv("GOMODCACHE"), "example.org/many@v1.2.3/internal/x.go", "package internal\n")
	r := New(Settings{Dir: project})
	for source, want := range map[string][2]string{"example.org/many": {"example.org/many/box", "Package box keeps things."}, "example.org/many/box": {"example.org/many/box", "Package box keeps things."}} {
		d := explore(t, r, source, "box", Options{MaxObjects: 1}).Documents[0]
		if d.Name != want[0] || d.Role != "package" || *d.Documentation.Description != want[1] {
			t.Errorf("%s: %+v", source, d)
		}
	}
	module := filepath.Join(os.Getenv("GOMODCACHE"), "example.org", "many@v1.2.3")
	explore(t, r, filepath.Join(module, "box"), "box", Options{})
	put(t, os.Getenv("GOMODCACHE"), "example.org/secret@v1.0.0/s.go", "package s\n")
	for _, path := range []string{filepath.Dir(module), filepath.Join(module, "..", "secret@v1.0.0"), os.Getenv("GOMODCACHE")} {
		if _, err := r.Explore(context.Background(), path, "x", Options{}); !fault.Is(err, fault.Outside) {
			t.Errorf("%s is read, but go.mod does not require it: %v", path, err)
		}
	}
	res := explore(t, r, "std", "net/http", Options{MaxObjects: 1})
	if len(res.Documents) != 1 || res.Documents[0].Name != "net/http" || !strings.HasPrefix(*res.Documents[0].Documentation.Description, "Package http") {
		t.Errorf("%+v", res)
	}
}

func TestSystemNames(t *testing.T) {
	for _, tt := range [][3]string{
		{"python-django-doc", "html", "django"}, {"python3.11", "html", "python"}, {"python3-doc", "html", "python"}, {"python3-watchdog", "html", "watchdog"},
		{"cmake-data", "html", "cmake"}, {"twisted-doc", "html/api", "twisted/api"}, {"sphinx-doc", ".", "sphinx"},
	} {
		if got := systemName(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s %s: %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

// TestGoSource reads a package of the project by its folder and by its import path.
func TestGoSource(t *testing.T) {
	project := t.TempDir()
	put(t, project, "go.mod", "module example.org/app\n")
	put(t, project, "box/box.go", "// Package box keeps things.\npackage box\n\n// New makes a box.\nfunc New(name string) int { return 0 }\n")
	r := New(Settings{Dir: project})
	for _, source := range []string{"box", "example.org/app/box", filepath.Join(project, "box")} {
		res := explore(t, r, source, "New", Options{MaxObjects: 1})
		d := res.Documents[0]
		if d.Domain != "go" || d.Role != "function" || *d.Documentation.Signature != "func New(name string) int" || *d.Documentation.Description != "New makes a box." ||
			d.Documentation.URL != fileURL(filepath.Join(project, "box", "box.go")).String()+"#L5" || res.Provenance.Kind != "go" {
			t.Errorf("%s: %+v", source, d)
		}
	}
	put(t, project, "box/box.go", "package box\n\n// Old is new.\nfunc Old() {}\n")
	if got := explore(t, r, "box", "Old", Options{MaxObjects: 1}).Documents[0].Name; got != "box.Old" {
		t.Errorf("an edit is not seen: %s", got)
	}
}
