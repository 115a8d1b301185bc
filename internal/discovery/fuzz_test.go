package discovery

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// read are the names of files that something is read from, by all readers there are.
var read = slices.Concat(slices.Sorted(maps.Keys(tools())), []string{"x.csproj", "x.sln", "Makefile", "Taskfile.yml", "justfile", "Rakefile", "README.md", "README.rst",
	"AGENTS.md", "docs/adr/0001-x.md", "src/x/__init__.py", "src/x/lib.rs", "a/a.go"})

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
