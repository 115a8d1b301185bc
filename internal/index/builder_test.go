package index

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"sdd/internal/record"
	"sdd/internal/store"
)

// TestSingleBuilder has the builder of an index take in thousands of records, with words that no other has, and large ones.
// It makes what a new builder makes, and does not keep what it has read.
func TestSingleBuilder(t *testing.T) {
	b := &builder{single: true}
	for n := range 1500 {
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
		if b.terms.len() > fewTerms || cap(b.terms.text) > 64*fewTerms || cap(b.counts) > 4*fewTerms || cap(b.postings) > 4*fewTerms || cap(b.texts) > 64*fewTerms || cap(b.stream) > 4*fewTerms {
			t.Fatalf("after %d records %d terms are kept, %d bytes of them, %d counts, %d postings, %d bytes of text, %d tokens", n,
				b.terms.len(), cap(b.terms.text), cap(b.counts), cap(b.postings), cap(b.texts), cap(b.stream))
		}
	}
}
