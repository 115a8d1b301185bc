package discovery

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// read are the names of files that something is read from, by all readers there are.
var read = slices.Concat(names(manifests), names(others), []string{"x.csproj", "x.sln", "x.slnx", "x.gemspec", "Makefile", "Taskfile.yml", "justfile", "Rakefile", "README.md", "README.rst",
	"AGENTS.md", "docs/adr/0001-x.md", "Dockerfile", "compose.yaml", ".github/workflows/ci.yml", ".gitlab-ci.yml", ".editorconfig", "src/x/__init__.py", "src/x/lib.rs", "a/a.go", "LICENSE"})

func names[V any](m map[string]V) (out []string) {
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// FuzzFiles lays any bytes under any of the names: whatever they are, the report keeps its laws.
func FuzzFiles(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range a.Files {
			if i := slices.Index(read, part.Name); i >= 0 {
				f.Add(uint8(i), part.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		root := filepath.Join(t.TempDir(), "a-folder-of-somebody")
		if err := os.Mkdir(root, 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, root, read[int(which)%len(read)], string(data))
		lawful(t, root, discover(t, root))
	})
}

// TestDeepTOML holds the limits to what costs the library most, whatever hides it.
func TestDeepTOML(t *testing.T) {
	deep := strings.Repeat("{a=", 1<<18)
	for _, text := range []string{
		"a=" + strings.Repeat("[", 1<<20), "a=" + deep, "a" + strings.Repeat(".a", 1<<19) + "=1", "[a" + strings.Repeat(".a", 1<<19) + "]",
		`a=[""" x"""", ` + deep, `a=["\\", ` + deep, "a=['''\n''', \"\", # }}}\n" + deep,
	} {
		if _, err := decodeTOML(text); !errors.Is(err, errTooDeep) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	usual := "[a.b.c]\nx = [{y = {z = [1.5, 2.5]}}]\ns = \"[[[[[[[[[[[[[[[[[[[[[[ .................... \"\n# ]]]\nv = '''\n" +
		strings.Repeat("[{.", 40) + "'''\n" + strings.Repeat("k.v = \"1.2.3\"\n[[p]]\n", 50)
	if !shallow(usual) {
		t.Error("a usual file is refused")
	}
}

// TestHostileFiles gives each reader what costs most: a line, a nesting or a list without end.
func TestHostileFiles(t *testing.T) {
	for _, unit := range []string{"[", "a(", "a ", "{\"a\":", "<a>", "- ", "\"a\" ", "a:\n ", "`", "# x\n", "a = [", "**/", "x(\n"} {
		root := filepath.Join(t.TempDir(), "a-folder-of-somebody")
		text := make([]byte, 0, 64<<10)
		for len(text) < 64<<10 {
			text = append(text, unit...)
		}
		for _, name := range read {
			write(t, root, name, string(text))
		}
		lawful(t, root, discover(t, root))
	}
}
