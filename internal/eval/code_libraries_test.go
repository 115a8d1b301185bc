package eval

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/codesearch"
	"sdd/internal/longtest"
	"sdd/internal/symbol"
)

// libraries are modules of go.mod, so that their sources are at hand in one version.
var libraries = map[string]string{
	"cobra": "github.com/spf13/cobra", "goldmark": "github.com/yuin/goldmark", "mcp-go": "github.com/mark3labs/mcp-go",
}

// TestLibraries asks questions about libraries and holds the answers of 3,000 tokens to bars: how often a file that answers is among
// the first ten, the mean of one over its place, and how often the function itself is shown.
func TestLibraries(t *testing.T) {
	longtest.Only(t)
	src, err := os.ReadFile("testdata/libraries.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(string(src), "\n\n@ ")[1:]
	dirs := map[string]string{}
	for name, module := range libraries {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if dirs[name] = strings.TrimSpace(string(out)); err != nil || dirs[name] == "" {
			t.Skipf("the sources of %s are not in the module cache: %v", module, err)
		}
	}
	inTen, reciprocal, shown := 0.0, 0.0, 0.0
	for _, one := range cases {
		head, text, _ := strings.Cut(strings.TrimSpace(one), "\n")
		library, places, _ := strings.Cut(head, ": ")
		q := task{Dir: dirs[library], Text: text}
		r, err := codeOptions{}.ask(t.Context(), q.Dir, q, codesearch.Query{})
		if err != nil {
			t.Fatal(err)
		}
		rank, found := answered(t, q.Dir, strings.Fields(places), r.Snippets)
		if rank > 0 && rank <= mostFiles {
			inTen, reciprocal = inTen+1, reciprocal+1/float64(rank)
		}
		if found {
			shown++
		} else {
			t.Logf("not shown: %s: %s", places, text)
		}
	}
	n := float64(len(cases))
	t.Logf("%.0f questions: file in ten %.2f, mean of one over its place %.2f, function shown %.2f", n, inTen/n, reciprocal/n, shown/n)
	if inTen/n < .94 || reciprocal/n < .75 || shown/n < .75 {
		t.Error("a bar is missed")
	}
}

// answered returns the place of the first file that answers, 0 for none, and whether a function that answers is shown. The places are
// written as file#Symbol.
func answered(t *testing.T, dir string, places []string, got []codesearch.Snippet) (rank int, found bool) {
	var files []string
	for _, s := range got {
		if !slices.Contains(files, s.Path) {
			files = append(files, s.Path)
		}
		for _, place := range places {
			file, name, _ := strings.Cut(place, "#")
			if file != s.Path {
				continue
			}
			if rank == 0 {
				rank = len(files)
			}
			src, err := os.ReadFile(filepath.Join(dir, file))
			want := symbol.Parse(file, src).Find(name)
			if err != nil || len(want) == 0 {
				t.Fatalf("%s: no such symbol: %v", place, err)
			}
			found = found || s.StartLine <= want[0].Last && want[0].First <= s.EndLine
		}
	}
	return rank, found
}
