package codesearch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/codesearch/static/statictest"
)

// Of functions with the same words of a question, the one whose other words mean what the question means comes first.
func TestMeaningHelpsTheOrder(t *testing.T) {
	dir := t.TempDir()
	for name, other := range map[string]string{"a.go": "pencilcase", "b.go": "automobile", "c.go": "paperclips"} {
		text := "package x\n\nfunc repair() {\n\t" + strings.Repeat(other+"()\n\t", 3) + "}\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	model := statictest.Model(t, map[string][]float32{"car": {1, 0}, "automobile": {1, 0.1}, "paperclips": {0.3, 1}, "pencilcase": {0, 1}})
	q := Query{Query: "repair the car"}
	for setting, want := range map[string]string{"": "a.go", model: "b.go", filepath.Join(dir, "none"): "a.go", "relative": "a.go"} {
		v := map[string]any{}
		if setting != "" {
			v["model"] = setting
		}
		r := find(t, configured(t, dir, Options{}, v), q)
		if len(r.Snippets) < 2 || r.Snippets[0].Path != want {
			t.Errorf("model %q: %+v", setting, r.Snippets)
		}
		if bad := setting != "" && setting != model; bad != (len(r.Risks) == 1 && strings.Contains(r.Risks[0], "the order is by words")) {
			t.Errorf("model %q: risks %q", setting, r.Risks)
		}
	}
}
