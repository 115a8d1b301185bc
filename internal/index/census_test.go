package index

import (
	"context"
	"testing"

	"sdd/internal/record"
)

// A census of damaged postings is an error or a census, never a panic; what AppendListed writes, EachListed reads.
func FuzzCensus(f *testing.F) {
	var list []byte
	list = AppendListed(list, -1, 3, 7, 120, 0x14)
	list = AppendListed(list, 3, 200, 1, 70_000, 0x0f)
	f.Add(list, 300, 0, 3, 7, 120, byte(4))
	f.Add([]byte{0x80, 0x80, 0x80}, 10, -5, 0, 0, 0, byte(255))
	f.Fuzz(func(t *testing.T, list []byte, size, first, doc, weight, length int, traits byte) {
		if size < 0 || size > 1<<20 {
			return
		}
		c, err := NewCensus(Collection{
			Records: size, Words: uint64(size), Size: size,
			Lists:  map[string][]CensusList{"retry": {{first, list}, {first, list}}, nameTerm + "retry": {{0, list}}},
			Common: map[string]int{"the": size},
		})
		if err == nil {
			for _, ranked := range []bool{false, true} {
				best, err := c.Best(context.Background(), "retry the", ranked, []record.Type{{Kind: record.Fact}}, 10)
				if err != nil {
					t.Error(err)
				}
				for _, n := range best {
					if n < 0 || n >= size {
						t.Errorf("record %d of %d", n, size)
					}
				}
			}
		}
		if doc < 0 || doc > 1<<30 || weight < 0 || weight > 1<<30 || length < 0 || length > 1<<30 {
			return
		}
		n := 0
		err = EachListed(AppendListed(nil, -1, doc, weight, length, traits), func(d, w, l int, tr byte) {
			if n++; d != doc || w != weight || l != length || tr != traits {
				t.Errorf("%d %d %d %d, want %d %d %d %d", d, w, l, tr, doc, weight, length, traits)
			}
		})
		if err != nil || n != 1 {
			t.Error(n, err)
		}
	})
}
