package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/pattern"
)

// pins are the exact versions that a project's files require, by project name.
type pins map[string]string

const maxPinFile = 8 << 20 // bytes

var (
	requirement = pattern.Late(`^["']?([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*===?\s*([0-9][0-9A-Za-z.+!-]*)`)
	channel     = pattern.Late(`(?m)^(?:channel\s*=\s*")?([0-9]+(?:\.[0-9]+)+)`)
	lockLine    = pattern.Late(`^(name|version)\s*=\s*"([^"]*)"`)
)

// pinsOf reads the files of Python projects in dir: locks first, then requirements.
func pinsOf(dir string) pins {
	out := pins{}
	if dir == "" {
		return out
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return out
	}
	defer root.Close()
	t := localTree{root, dir}
	text := func(name string) string {
		f, err := t.read(name, maxPinFile)
		if err != nil {
			return ""
		}
		return string(f.data)
	}
	for _, name := range []string{"uv.lock", "poetry.lock", "pdm.lock"} {
		out.lock(text(name))
	}
	out.pipfile(text("Pipfile.lock"))
	files := []string{"requirements.txt", "constraints.txt", "pyproject.toml"}
	more, _ := filepath.Glob(filepath.Join(dir, "requirements", "*.txt"))
	for _, m := range more {
		files = append(files, "requirements/"+filepath.Base(m))
	}
	for _, name := range files {
		for line := range strings.Lines(text(name)) {
			if m := requirement().FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				out.add(m[1], m[2])
			}
		}
	}
	if v := strings.TrimSpace(text(".python-version")); v != "" && strings.Trim(v, "0123456789.") == "" {
		out.add("python", v)
	}
	for _, name := range []string{"rust-toolchain.toml", "rust-toolchain"} {
		if m := channel().FindStringSubmatch(text(name)); m != nil {
			out.add("rust", m[1])
		}
	}
	return out
}

func (p pins) add(name, version string) {
	if name = projectKey(name); p[name] == "" {
		p[name] = version
	}
}

// lock reads the packages of a lock file in TOML: a name, then its version.
func (p pins) lock(text string) {
	name := ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[") {
			name = ""
			continue
		}
		m := lockLine().FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1] == "name":
			name = m[2]
		case name != "":
			p.add(name, m[2])
		}
	}
}

// pipfile reads Pipfile.lock.
func (p pins) pipfile(text string) {
	var lock struct {
		Default, Develop map[string]struct{ Version string }
	}
	if json.Unmarshal([]byte(text), &lock) != nil {
		return
	}
	for _, group := range []map[string]struct{ Version string }{lock.Default, lock.Develop} {
		for name, pkg := range group {
			if v, ok := strings.CutPrefix(pkg.Version, "=="); ok {
				p.add(name, v)
			}
		}
	}
}

// projectKey normalises a project's name for comparison: PyPI ignores case, and treats dots, dashes and underscores
// as equal.
func projectKey(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return strings.ContainsRune("-_. ", c) }), "-")
}

// sameVersion reports whether two versions agree in the parts that both have, at least two: 3.11 is
// 3.11.4.
func sameVersion(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	x, y := strings.Split(strings.TrimPrefix(a, "v"), "."), strings.Split(strings.TrimPrefix(b, "v"), ".")
	n := min(len(x), len(y))
	for i := range n {
		if x[i] != y[i] && x[i] != "x" && y[i] != "x" { // 8.1.x
			return false
		}
	}
	return n > 1 || len(x) == len(y)
}
