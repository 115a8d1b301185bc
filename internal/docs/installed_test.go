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

// TestVersionOfTheProject takes, of several versions of one documentation, that which the project's files ask for.
func TestVersionOfTheProject(t *testing.T) {
	elsewhere(t)
	of := func(version string) string {
		return strings.Replace(inventoryOf(demoLines), "# Version: 1.0", "# Version: "+version, 1)
	}
	for _, tt := range []struct{ file, text, version, wanted string }{
		{"requirements.txt", "# pinned\nother==9\nDemo[extra] == 2.1.4 ; python_version > '3'\n", "2.1", ""},
		{"requirements.txt", "demo===1.0\n", "1.0", ""},
		{"requirements.txt", "demo>=2\n", "1.0", ""},
		{"requirements.txt", "demo==3.0\n", "1.0", "3.0"},
		{"requirements/dev.txt", "demo==2.1\n", "2.1", ""},
		{"uv.lock", "[[package]]\nname = \"demo\"\nversion = \"2.1.9\"\n\n[[package]]\nname = \"else\"\nversion = \"1.0\"\n", "2.1", ""},
		{"poetry.lock", "[[package]]\nname = \"Demo\"\nversion = \"2.1.0\"\n", "2.1", ""},
		{"Pipfile.lock", `{"_meta":{"hash":{"sha256":"x"}},"default":{"demo":{"version":"==2.1.2"}},"develop":{}}`, "2.1", ""},
		{"pyproject.toml", "dependencies = [\n  \"demo==2.1.2\",\n]\n", "2.1", ""},
		{"none", "", "1.0", ""},
	} {
		project := t.TempDir()
		put(t, project, ".venv/share/doc/a/objects.inv", of("1.0"))
		put(t, project, ".venv/share/doc/b/objects.inv", of("2.1"))
		put(t, project, tt.file, tt.text)
		res := explore(t, New(Settings{Dir: project}), "demo", "", Options{MaxObjects: 1, IncludeDocumentation: new(bool)})
		if res.Version != tt.version || res.Provenance.Wanted != tt.wanted {
			t.Errorf("%s %q: %s, wanted %q", tt.file, tt.text, res.Version, res.Provenance.Wanted)
		}
		if tt.wanted != "" && !strings.Contains(res.Text(), "asks for version "+tt.wanted) {
			t.Errorf("%s", res.Text())
		}
	}
	// Of two with one name, the one that is asked for keeps it.
	env := t.TempDir()
	t.Setenv("VIRTUAL_ENV", env)
	put(t, env, "share/doc/python3-demo/html/objects.inv", of("1.0"))
	put(t, env, "share/doc/demo-doc/html/objects.inv", of("2.1"))
	for pin, want := range map[string]string{"1.0": "demo 1.0, demo@2.1 2.1", "2.1": "demo 2.1, demo@1.0 1.0"} {
		project := t.TempDir()
		put(t, project, "requirements.txt", "demo=="+pin)
		var got []string
		for _, i := range New(Settings{Dir: project}).installed() {
			if strings.HasPrefix(i.Name, "demo") {
				got = append(got, i.Name+" "+i.Version)
			}
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s, want %s", pin, s, want)
		}
	}
}

func TestSameVersion(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"3.11", "3.11.4", true}, {"v1.2.0", "1.2.0", true}, {"3", "3.11", false}, {"3", "3", true}, {"3.1", "3.11", false}, {"", "1", false}, {"8.1.x", "8.1.7", true}, {"8.1.x", "8.2.7", false}} {
		if sameVersion(tt.a, tt.b) != tt.want || sameVersion(tt.b, tt.a) != tt.want {
			t.Errorf("%s %s: not %v", tt.a, tt.b, tt.want)
		}
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
