package markdown

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var rewrite = flag.Bool("update", false, "write the results that the merge corpus wants")

// mergeCase is a file of testdata/merge: three texts, the wanted result and the number of conflicts in it.
type mergeCase struct {
	file                     string
	base, ours, theirs, want []byte
	conflicts                int
}

// withoutNewline follows the name of a text that does not end with a line feed, which txtar cannot express.
const withoutNewline = " without final newline"

func mergeCases(tb testing.TB) (all []mergeCase) {
	tb.Helper()
	files, err := filepath.Glob("testdata/merge/*.txtar")
	if err != nil || len(files) < 60 {
		tb.Fatalf("%d cases: %v", len(files), err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		c := mergeCase{file: file}
		fmt.Sscanf(string(a.Comment), "conflicts: %d", &c.conflicts)
		texts := map[string]*[]byte{"base.md": &c.base, "ours.md": &c.ours, "theirs.md": &c.theirs, "want.md": &c.want}
		for _, f := range a.Files {
			name, cut := strings.CutSuffix(f.Name, withoutNewline)
			if cut {
				f.Data = bytes.TrimSuffix(f.Data, []byte("\n"))
			}
			if texts[name] == nil {
				tb.Fatalf("%s: unknown text %q", file, f.Name)
			}
			*texts[name] = f.Data
		}
		all = append(all, c)
	}
	return all
}

// write stores the case with another result.
func (c *mergeCase) write(t *testing.T, m Merged) {
	t.Helper()
	a := &txtar.Archive{}
	if n := len(m.Conflicts); n > 0 {
		a.Comment = fmt.Appendf(nil, "conflicts: %d\n", n)
	}
	for _, f := range []txtar.File{{Name: "base.md", Data: c.base}, {Name: "ours.md", Data: c.ours}, {Name: "theirs.md", Data: c.theirs}, {Name: "want.md", Data: m.Out}} {
		if len(f.Data) > 0 && !bytes.HasSuffix(f.Data, []byte("\n")) {
			f.Name += withoutNewline
		}
		a.Files = append(a.Files, f)
	}
	if err := os.WriteFile(c.file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestMergeCorpus merges the texts of each case of testdata/merge. The result must be the wanted one, with as many
// conflicts, and the laws must hold.
func TestMergeCorpus(t *testing.T) {
	for _, c := range mergeCases(t) {
		t.Run(strings.TrimSuffix(filepath.Base(c.file), ".txtar"), func(t *testing.T) {
			m := checkLaws(t, c.base, c.ours, c.theirs, false)
			if *rewrite {
				c.write(t, m)
				return
			}
			if diff := cmp.Diff(string(c.want), string(m.Out)); diff != "" {
				t.Errorf("other than want.md (-want +got):\n%s", diff)
			}
			if len(m.Conflicts) != c.conflicts {
				t.Errorf("%d conflicts, want %d", len(m.Conflicts), c.conflicts)
			}
			checkConflicts(t, m)
		})
	}
}
