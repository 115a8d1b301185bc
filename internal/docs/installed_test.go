package docs

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
)

func TestInstalled(t *testing.T) {
	project := t.TempDir()
	for _, dir := range []string{"docs/_build/html", ".venv/share/doc/thing", "node_modules/x/html", ".git/html", "_deep"} {
		put(t, project, dir+"/objects.inv", inventoryOf(demoLines))
		put(t, project, dir+"/index.html", demoPage)
	}
	far := demo(t, demoLines, map[string]string{"index.html": demoPage})
	r := New(Settings{Dir: project, Sources: map[string]string{"far": far, "here": "docs/_build/html"}})
	var names []string
	for _, i := range r.List() {
		if strings.HasPrefix(i.Location, systemDocs) {
			continue
		}
		names = append(names, i.Name)
		if i.Project != "Demo" || i.Version != "1.0" || i.Objects != 6 {
			t.Errorf("%+v", i)
		}
	}
	if want := []string{"far", "here", ".venv/share/doc/thing"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	for _, source := range []string{"far", "here", ".venv/share/doc/thing"} {
		explore(t, r, source, "demo.run", Options{MaxObjects: 1})
	}
	_, err := r.Explore(context.Background(), "fra", "x", Options{})
	if f := fault.Of(err); f.Code != fault.NotFound || !strings.Contains(f.Hint, "nearest: far") {
		t.Errorf("%#v", f)
	}
	_, err = r.Explore(context.Background(), "https://docs.python.org/3/", "x", Options{})
	if f := fault.Of(err); f.Code != fault.Outside {
		t.Errorf("an address: %#v", f)
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
