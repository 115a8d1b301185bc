package gopkg

import (
	"bufio"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Found is the location of a package's source.
type Found struct {
	Dir, ImportPath, Version string
}

// Find looks for an import path in the standard library, dir's module and, as its go.mod requires, the module cache. It downloads nothing.
func Find(importPath, dir string) (Found, bool) {
	if !plausible(importPath) {
		return Found{}, false
	}
	var places []Found
	add := func(dir, rest, version string) {
		places = append(places, Found{filepath.Join(dir, filepath.FromSlash(rest)), importPath, version})
	}
	first, _, _ := strings.Cut(importPath, "/")
	if root := goroot(); root != "" && !strings.Contains(first, ".") {
		add(filepath.Join(root, "src"), importPath, release(root))
	}
	top, mod := goMod(dir)
	if rest, ok := below(importPath, mod.module); ok && mod.module != "" {
		add(top, rest, "")
	}
	// Try the longest prefix of the path first, since modules nest.
	for prefix := importPath; prefix != "."; prefix = path.Dir(prefix) {
		rest, _ := below(importPath, prefix)
		for _, m := range mod.folders(top, prefix) {
			add(m.Dir, rest, m.Version)
		}
	}
	for _, p := range places {
		if _, err := Stamp(p.Dir); err == nil {
			return p, true
		}
	}
	return Found{}, false
}

// folders returns the possible folders of a required module: its replacement, the project's vendor folder, the module cache.
func (m module) folders(top, name string) []Found {
	version := m.require[name]
	if version == "" {
		return nil
	}
	r, replaced := m.replace[name+"@"+version]
	if !replaced {
		r, replaced = m.replace[name]
	}
	var out []Found
	switch {
	case replaced && r.version == "":
		// a replacement outside the project's folder is not part of the project
		if rel, err := filepath.Rel(top, filepath.Join(top, filepath.FromSlash(r.path))); err == nil && filepath.IsLocal(rel) {
			out = append(out, Found{Dir: filepath.Join(top, rel)})
		}
		return out
	case replaced:
		name, version = r.path, r.version
	default:
		out = append(out, Found{Dir: filepath.Join(top, "vendor", filepath.FromSlash(name)), Version: version})
	}
	if plausible(name) && plausible(version) {
		out = append(out, Found{Dir: filepath.Join(cache(), filepath.FromSlash(escaped(name))+"@"+escaped(version)), Version: version})
	}
	for i := range out {
		out[i].ImportPath = name
	}
	return out
}

// Modules returns the modules that the go.mod at or above dir requires and that exist on this machine, after the standard
// library under the name std.
func Modules(dir string) []Found {
	var out []Found
	if root := goroot(); root != "" {
		out = append(out, Found{Dir: filepath.Join(root, "src"), ImportPath: Standard, Version: release(root)})
	}
	top, mod := goMod(dir)
	for _, name := range slices.Sorted(maps.Keys(mod.require)) {
		for _, m := range mod.folders(top, name) {
			if st, err := os.Stat(m.Dir); err == nil && st.IsDir() {
				m.ImportPath = name
				out = append(out, m)
				break
			}
		}
	}
	return out
}

// Short is the last part of an import path, without a version: cobra of github.com/spf13/cobra, chi of github.com/go-chi/chi/v5.
func Short(importPath string) string {
	dir, last := path.Split(importPath)
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" && dir != "" {
		last = path.Base(dir)
	}
	last, _, _ = strings.Cut(last, ".v") // gopkg.in/yaml.v3
	return last
}

// Standard is the name of the standard library.
const Standard = "std"

const maxPackages = 5000 // of a module

// Packages returns the import paths of a module's packages, sorted, except those that other modules cannot import.
func (f Found) Packages() []string {
	var out []string
	_ = filepath.WalkDir(f.Dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || len(out) == maxPackages {
			return fs.SkipDir
		}
		if !e.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(f.Dir, p)
		if err != nil {
			return fs.SkipDir
		}
		switch name := e.Name(); {
		case rel == ".":
		case name == "internal", name == "testdata", name == "vendor", f.ImportPath == Standard && rel == "cmd", strings.HasPrefix(name, "."),
			strings.HasPrefix(name, "_"):
			return fs.SkipDir
		default:
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil {
				return fs.SkipDir // another module
			}
		}
		if _, err := Stamp(p); err == nil {
			switch {
			case f.ImportPath == Standard:
				out = append(out, filepath.ToSlash(rel))
			case rel == ".":
				out = append(out, f.ImportPath)
			default:
				out = append(out, f.ImportPath+"/"+filepath.ToSlash(rel))
			}
		}
		return nil
	})
	return out
}

// plausible reports whether p can be an import path and stays in its folder.
func plausible(p string) bool {
	if p == "" || len(p) > 300 || strings.HasPrefix(p, "/") || strings.Contains(p, "\\") {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." || part == ".." || strings.HasPrefix(part, ".") {
			return false
		}
		for _, c := range part {
			if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_.~+", c) {
				return false
			}
		}
	}
	return true
}

func below(p, module string) (string, bool) {
	if p == module {
		return ".", true
	}
	return strings.CutPrefix(p, module+"/")
}

// escaped escapes capitals as the module cache does.
func escaped(p string) string {
	var b strings.Builder
	for _, c := range p {
		if unicode.IsUpper(c) {
			b.WriteByte('!')
			c = unicode.ToLower(c)
		}
		b.WriteRune(c)
	}
	return b.String()
}

// goroot is the folder of the installed Go, "" for none. It does not run the go command.
func goroot() string {
	dirs := []string{os.Getenv("GOROOT")}
	if at, err := exec.LookPath("go"); err == nil {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			dirs = append(dirs, filepath.Dir(filepath.Dir(real)))
		}
	}
	for _, d := range append(dirs, "/usr/local/go", "/usr/lib/go", "/usr/share/go") {
		if d == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(d, "src", "fmt", "print.go")); err == nil {
			return d
		}
	}
	return ""
}

func release(root string) string {
	data, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimPrefix(strings.TrimSpace(first), "go")
}

func cache() string {
	if c := os.Getenv("GOMODCACHE"); c != "" {
		return c
	}
	if p := filepath.SplitList(os.Getenv("GOPATH")); len(p) > 0 && p[0] != "" {
		return filepath.Join(p[0], "pkg", "mod")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

type module struct {
	module  string
	require map[string]string
	replace map[string]replacement // by module, or module@version
}

type replacement struct{ path, version string } // without a version: a folder

// goMod reads the go.mod at or above dir.
func goMod(dir string) (top string, m module) {
	m.require, m.replace = map[string]string{}, map[string]replacement{}
	if dir == "" {
		return "", m
	}
	for {
		f, err := os.Open(filepath.Join(dir, "go.mod"))
		if err == nil {
			defer f.Close()
			m.read(bufio.NewScanner(f))
			return dir, m
		}
		if dir == filepath.Dir(dir) {
			return "", m
		}
		dir = filepath.Dir(dir)
	}
}

func (m *module) read(lines *bufio.Scanner) {
	var block []string // the word before a list in parentheses
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "//")
		f := slices.Concat(block, strings.Fields(line))
		switch n := len(f); {
		case n == len(block):
		case f[n-1] == ")":
			block = nil
		case n == 2 && f[1] == "(":
			block = f[:1]
		case n == 2 && f[0] == "module":
			m.module = strings.Trim(f[1], `"`)
		case n >= 3 && f[0] == "require":
			m.require[f[1]] = f[2]
		case f[0] == "replace":
			m.replaced(f[1:])
		}
	}
}

// replaced parses the words of a replacement: OLD [VERSION] => NEW [VERSION].
func (m *module) replaced(f []string) {
	arrow := slices.Index(f, "=>")
	if arrow < 1 || arrow > 2 || len(f)-arrow < 2 {
		return
	}
	r := replacement{path: f[arrow+1]}
	if len(f)-arrow > 2 {
		r.version = f[arrow+2]
	}
	m.replace[strings.Join(f[:arrow], "@")] = r
}
