package grep

import (
	"slices"
	"testing"
)

// TestConstants finds the constants beside a function and those that it uses, where they have a word of the query.
func TestConstants(t *testing.T) {
	work := "\twork()\n\twork()\n\twork()\n\twork()\n\twork()\n\twork()\n\twork()\n\twork()\n\twork()\n"
	far := "func other() {\n" + work + work + "}\n\n"
	dir := plant(t, map[string]string{
		"a.go": "package a\n\n// spoolLimit bounds the spool.\nconst spoolLimit = 3\n\n" + far + far +
			"// unrelated is 4.\nconst unrelated = 4\n\n// nearSize is the size of the spool.\nconst nearSize = 64\n\n" +
			"// drain drains the spool by its size.\nfunc drain(spool Spool) {\n" + work + "\tspool.drain(spoolLimit, spool.size)\n}\n",
	})
	got := ranges(search(t, dir, Query{Query: "how is the spool drained by its size"}).Hits)
	for _, want := range []string{"a.go:3-4", "a.go:51-66"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %q", want, got)
		}
	}
	o := outlineOf("a.rs", []byte("/// The size.\npub(crate) const SIZE: usize = 64;\nlet x = y;\nstatic final int Most = 3;\nMAX_LEN = 4\nif SIZE == 3 {\n"))
	for l, want := range []string{"", "SIZE", "", "Most", "MAX_LEN", ""} {
		if got := string(o.constantIn(unit{l, l})); got != want {
			t.Errorf("line %d defines %q, want %q", l+1, got, want)
		}
	}
}
