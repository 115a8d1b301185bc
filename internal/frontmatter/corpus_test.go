package frontmatter

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
)

var update = flag.Bool("update", false, "rewrite testdata/odd.golden")

// corpus returns the odd files of testdata by name.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/odd/*.md")
	if err != nil || len(paths) < 60 {
		t.Fatalf("testdata/odd has %d files: %v", len(paths), err)
	}
	files := map[string][]byte{}
	for _, p := range paths {
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(p), ".md")] = src
	}
	return files
}

// TestCorpus compares what is read from each odd file with testdata/odd.golden.
func TestCorpus(t *testing.T) {
	paths, _ := filepath.Glob("testdata/odd/*.md")
	files := corpus(t)
	var got bytes.Buffer
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".md")
		src := files[name]
		d, err := Parse(src)
		fmt.Fprintf(&got, "== %s\n", name)
		if d.Present || d.Body > 0 {
			fmt.Fprintf(&got, "present %v, bom %v, newline %q, body at %d of %d\n", d.Present, d.BOM, d.Newline, d.Body, len(src))
		}
		if err != nil {
			fmt.Fprintf(&got, "line %d: %v\n", fault.Of(err).Line, err)
			if !fault.Is(err, fault.Broken) || fault.Of(err).Hint == "" {
				t.Errorf("%s: not a broken fault with a hint: %#v", name, err)
			}
		}
		for _, k := range d.Keys {
			value, err := json.Marshal(d.Value(k.Name))
			if err != nil {
				t.Errorf("%s: %s is not ready for JSON: %v", name, k.Name, err)
			}
			fmt.Fprintf(&got, "%d %s = %.80s", k.Line, k.Name, value)
			if s := d.String(k.Name); fmt.Sprintf("%q", s) != string(value) && s != "" {
				fmt.Fprintf(&got, "  written %q", s)
			}
			got.WriteByte('\n')
		}
	}
	const golden = "testdata/odd.golden"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("testdata/odd.golden (-want +got):\n%s", diff)
	}
}
