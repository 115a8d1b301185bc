package classify

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// TestContradictionCorpus keeps the rule from getting worse on 150 pairs that we wrote ourselves, on the tuned two thirds and on the rest.
func TestContradictionCorpus(t *testing.T) {
	src, err := os.ReadFile("testdata/contradiction.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	type counts struct{ found, labelled, both int }
	parts, cases := map[string]*counts{"tuned": {}, "held": {}}, 0
	for d := json.NewDecoder(bytes.NewReader(src)); d.More(); cases++ {
		var c struct {
			ID, Part, Older, Newer string
			Contradicts            bool
		}
		if err := d.Decode(&c); err != nil {
			t.Fatal(err)
		}
		n := parts[c.Part]
		_, found := Contradicts(c.Older, c.Newer)
		if found {
			n.found++
		}
		if c.Contradicts {
			n.labelled++
		}
		if found && c.Contradicts {
			n.both++
		}
		if found != c.Contradicts && c.Part == "tuned" {
			t.Logf("%s: contradicts %v, labelled %v", c.ID, found, c.Contradicts)
		}
	}
	if cases != 150 {
		t.Errorf("%d pairs, want 150", cases)
	}
	for part, n := range parts {
		if 100*n.both < 90*n.found || 100*n.both < 40*n.labelled {
			t.Errorf("%s: %d of %d found are right (90 %%), of %d labelled (40 %%)", part, n.both, n.found, n.labelled)
		}
	}
}
