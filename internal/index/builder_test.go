package index

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"sdd/internal/longtest"
	"sdd/internal/record"
	"sdd/internal/store"
)

// TestBuilderAgain: a builder that made many segments, of records with words that no other has and of large ones, makes what
// a new builder makes, and keeps a bounded number of terms.
func TestBuilderAgain(t *testing.T) {
	b := new(builder)
	for n := range longtest.Of(850, 1500) {
		text := fmt.Sprintf("# Record %d\n\n## Goals\n\n- common words of everybody, and mark%dof%dthis\n- onlyHere%d foo_bar%d\n", n, n, n*7, n, n)
		if n%400 == 399 {
			var large strings.Builder
			for i := range 40_000 {
				fmt.Fprintf(&large, "large%dword%d ", n, i)
			}
			text += large.String() + "\n"
		}
		if n%400 == 199 {
			text += strings.Repeat("the same few words again and again\n", 20_000)
		}
		doc := func() *document {
			return parse(fmt.Sprintf("explore/r-%d.md", n), []byte(text), store.Stat{}, record.Defaults{})
		}
		b.add(doc())
		made := b.finish()
		if n%50 == 49 {
			fresh := new(builder)
			fresh.add(doc())
			if !bytes.Equal(made.data, fresh.finish().data) {
				t.Fatalf("after %d records the segment is another one than that of a new builder", n)
			}
		}
		if b.terms.len() > knownTerms {
			t.Fatalf("after %d records %d terms are kept", n, b.terms.len())
		}
	}
}
