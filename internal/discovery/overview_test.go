package discovery

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLook(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("x\n", n) }
	many := map[string]string{}
	for n := range 2*sampled + 1 {
		many[fmt.Sprintf("src/f%05d.py", n)] = lines(3)
	}
	for name, test := range map[string]struct {
		files map[string]string
		want  Overview
	}{
		"empty": {nil, Overview{Kind: "unknown"}},
		"go": {map[string]string{
			"go.mod": "module example.com/shop\n\ngo 1.24\n\nrequire github.com/gin-gonic/gin v1.10.0\n", "main.go": lines(7), "testdata/x.go": lines(100), "notes.txt": lines(50),
		}, Overview{Kind: "go", Files: 4, Lines: 7}},
		"no manifest": {map[string]string{"a.py": lines(2), "b.py": lines(3) + "no end"}, Overview{Kind: "unknown", Files: 2, Lines: 5}},
		"many":        {many, Overview{Kind: "unknown", Files: 2*sampled + 1, Lines: 3 * (2*sampled + 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range test.files {
				path := filepath.Join(dir, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := Look(t.Context(), dir)
			if err != nil || got.Kind != test.want.Kind || got.Files != test.want.Files || got.Lines != test.want.Lines {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if _, err := Look(t.Context(), filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("a folder that is not there is no error")
	}
}
