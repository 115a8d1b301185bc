package gopkg

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

const source = `// Package box keeps things.
//
// # Use
//
// Call [New], then [Box.Put] <b>once</b>; see [fmt.Println].
package box

// Most is how much fits.
const Most, least = 3, 1

// ErrFull is told when it is full.
var ErrFull error

// Box holds things.
type Box struct {
	Name string // of the box
	n    int
}

// New makes a box.
func New(name string) *Box { return &Box{Name: name} }

// Put adds x.
func (b *Box) Put(x any) error { b.n++; return nil }

func hidden() {}
`

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "box.go"), source)
	write(t, filepath.Join(dir, "box_test.go"), "package box\n\nfunc TestHelper() {}\n")
	write(t, filepath.Join(dir, "broken.go"), "package box\n\n// Late is after a mistake.\nfunc Late() {}\nfunc (\n")
	p, err := Read(dir, "example.org/box", "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range len(p.Inventory.Objects) {
		o := p.Inventory.Objects[i]
		names = append(names, o.Role+" "+strings.TrimPrefix(o.Name, "example.org/box.")+" "+o.URI)
	}
	want := []string{"package example.org/box ", "const Most #Most", "var ErrFull #ErrFull", "function Late #Late", "type Box #Box", "function New #New", "method Box.Put #Box.Put"}
	if !slices.Equal(names, want) || p.Inventory.Project != "example.org/box" || p.Inventory.Version != "v1.2.3" {
		t.Errorf("%q\nwant %q", names, want)
	}
	put, _ := p.Item("example.org/box.Box.Put")
	if put.Signature != "func (b *Box) Put(x any) error" || put.Description != "Put adds x." || put.Line != 24 || filepath.Base(put.File) != "box.go" {
		t.Errorf("%+v", put)
	}
	pkg, _ := p.Item("example.org/box")
	if !strings.Contains(pkg.Description, "## Use") || strings.Contains(pkg.Description, " <b>") || !strings.Contains(pkg.Description, "(https://pkg.go.dev/fmt#Println)") ||
		!strings.Contains(pkg.Description, "(https://pkg.go.dev/example.org/box#Box.Put)") {
		t.Errorf("%s", pkg.Description)
	}
	box, _ := p.Item("example.org/box.Box")
	if !strings.Contains(box.Signature, "// of the box") || !slices.Equal(box.Members, []string{"New", "Box.Put"}) {
		t.Errorf("%+v", box)
	}
	if _, err := Read(t.TempDir(), "x", ""); !errors.Is(err, ErrNoPackage) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestFind(t *testing.T) {
	work, mods := t.TempDir(), t.TempDir()
	t.Setenv("GOMODCACHE", mods)
	write(t, filepath.Join(work, "go.mod"), "module example.org/app // ours\n\ngo 1.26\n\nrequire example.org/one v1.0.0\nrequire (\n\texample.org/Two/v2 v2.1.0 // indirect\n)\n")
	write(t, filepath.Join(work, "in", "in.go"), "package in\n")
	write(t, filepath.Join(mods, "example.org", "one@v1.0.0", "sub", "s.go"), "package sub\n")
	write(t, filepath.Join(mods, "example.org", "one@v1.9.9", "sub", "s.go"), "package sub\n")
	write(t, filepath.Join(mods, "example.org", "!two", "v2@v2.1.0", "t.go"), "package two\n")
	for _, tt := range []struct{ path, dir, version string }{
		{"example.org/app/in", filepath.Join(work, "in"), ""},
		{"example.org/one/sub", filepath.Join(mods, "example.org", "one@v1.0.0", "sub"), "v1.0.0"},
		{"example.org/Two/v2", filepath.Join(mods, "example.org", "!two", "v2@v2.1.0"), "v2.1.0"},
	} {
		f, ok := Find(tt.path, filepath.Join(work, "in"))
		if !ok || f.Dir != tt.dir || f.Version != tt.version || f.ImportPath != tt.path {
			t.Errorf("%s: %+v %v", tt.path, f, ok)
		}
	}
	for _, path := range []string{"", "/etc", "../x", "example.org/one/../../../etc", "example.org/three", "example.org/one/.git", `a\b`, "a b", "example.org/one"} {
		if f, ok := Find(path, work); ok {
			t.Errorf("%q is found: %+v", path, f)
		}
	}
	if goroot() == "" {
		t.Skip("Go is not installed")
	}
	if f, ok := Find("net/http", work); !ok || f.Version == "" || !strings.HasSuffix(filepath.ToSlash(f.Dir), "src/net/http") {
		t.Errorf("%+v %v", f, ok)
	}
}

// TestStandardLibrary reads packages as they are, and demands that every exported function is there with its text.
func TestStandardLibrary(t *testing.T) {
	for _, path := range []string{"net/http", "fmt", "os", "strings"} {
		f, ok := Find(path, "")
		if !ok {
			t.Skip("Go is not installed")
		}
		p, err := Read(f.Dir, f.ImportPath, f.Version)
		if err != nil {
			t.Fatal(err)
		}
		text := 0
		for i := range len(p.Inventory.Objects) {
			item, ok := p.Item(p.Inventory.Objects[i].Name)
			if !ok || item.Signature == "" || item.Line == 0 || len(item.Signature) > maxSource+20 {
				t.Errorf("%s: %+v", p.Inventory.Objects[i].Name, item)
			}
			if item.Description != "" {
				text++
			}
		}
		if len(p.Inventory.Objects) < 10 || text < len(p.Inventory.Objects)*3/4 {
			t.Errorf("%s: %d names, %d of them with text", path, len(p.Inventory.Objects), text)
		}
	}
}

// TestVersions takes the version that go.mod asks for, with what it replaces, and nothing outside of the project.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	modules := filepath.Join(dir, "modules")
	t.Setenv("GOMODCACHE", modules)
	for path, text := range map[string]string{
		"modules/example.org/!up/box@v1.0.0/box.go": "package box", "modules/example.org/!up/box@v1.1.0/box.go": "package box", "modules/example.org/!up/box@v1.1.0/sub/deep/x.go": "package deep",
		"modules/example.org/!up/box@v1.1.0/internal/x.go": "package internal", "modules/example.org/!up/box@v1.1.0/other/go.mod": "module other", "modules/example.org/!up/box@v1.1.0/other/x.go": "package other",
		"modules/example.org/new@v2.0.0/n.go": "package n", "app/near/near.go": "package near", "secret/s.go": "package s", "app/vendor/example.org/kept/k.go": "package k",
		"app/go.mod": "module example.org/app\n\nrequire (\n\texample.org/Up/box v1.1.0\n\texample.org/old v1.0.0 // indirect\n\texample.org/near v0.0.0\n\texample.org/far v0.0.0\n\texample.org/kept v3.0.0\n" +
			"\texample.org/gone v1.0.0\n)\n\nreplace example.org/old v1.0.0 => example.org/new v2.0.0\nreplace (\n\texample.org/near => ./near\n\texample.org/far => ../secret\n)\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(path)), text)
	}
	app := filepath.Join(dir, "app")
	for path, want := range map[string]string{
		"example.org/Up/box": "v1.1.0 modules/example.org/!up/box@v1.1.0", "example.org/Up/box/sub/deep": "v1.1.0 modules/example.org/!up/box@v1.1.0/sub/deep",
		"example.org/old": "v2.0.0 modules/example.org/new@v2.0.0", "example.org/near": " app/near", "example.org/far": "", "example.org/kept": "v3.0.0 app/vendor/example.org/kept", "example.org/gone": "",
	} {
		got := ""
		if f, ok := Find(path, app); ok {
			rel, err := filepath.Rel(dir, f.Dir)
			if err != nil {
				t.Fatal(err)
			}
			got = f.Version + " " + filepath.ToSlash(rel)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	var names []string
	for _, m := range Modules(app) {
		if m.ImportPath == Standard {
			if !slices.Contains(m.Packages(), "net/http") || slices.Contains(m.Packages(), "cmd/go") {
				t.Errorf("the standard library: %q", m.Packages())
			}
			continue
		}
		names = append(names, m.ImportPath+" "+m.Version)
		if m.ImportPath == "example.org/Up/box" && !slices.Equal(m.Packages(), []string{"example.org/Up/box", "example.org/Up/box/sub/deep"}) {
			t.Errorf("%q", m.Packages())
		}
	}
	if want := []string{"example.org/Up/box v1.1.0", "example.org/kept v3.0.0", "example.org/near ", "example.org/old v2.0.0"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}
