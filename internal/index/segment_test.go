package index

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFindAgainstWalk: find gives for every term what a walk through all of them gives, and nothing for any other.
func TestFindAgainstWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 60 {
		terms := map[string][]byte{}
		for range r.IntN(120) {
			term := make([]byte, 1+r.IntN(6))
			for i := range term {
				term[i] = "\x02abé日"[r.IntN(8)]
			}
			if r.IntN(20) == 0 {
				term = append(term, bytes.Repeat([]byte{'a'}, 200)...) // a length of two bytes
			}
			terms[string(term)] = bytes.Repeat([]byte{1}, r.IntN(5)*r.IntN(60))
		}
		var order []string
		for term := range terms {
			order = append(order, term)
		}
		slices.Sort(order)
		var out bytes.Buffer
		sw := newSegmentWriter(&out)
		sw.endPart()
		sw.endPart()
		for _, term := range order {
			sw.writeTerm([]byte(term), terms[term])
		}
		if err := sw.finish(); err != nil {
			t.Fatal(err)
		}
		seg, err := openSegment(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		c := seg.seek("")
		for i := 0; c.next(); i++ {
			if string(c.term) != order[i] || !bytes.Equal(c.postings, terms[order[i]]) {
				t.Fatalf("term %d is %q", i, c.term)
			}
		}
		for term := range terms {
			for _, asked := range []string{term, term + "a", term + "\xff", term[:len(term)-1], term[:len(term)-1] + "\x01", term[:len(term)-1] + "z"} {
				want, known := terms[asked]
				if got := seg.find(asked); !bytes.Equal(got, want) || known != (got != nil) {
					t.Fatalf("%q has %d bytes, %v", asked, len(got), known)
				}
				at, _ := slices.BinarySearch(order, asked)
				c := seg.seek(asked)
				if ok := c.next(); ok != (at < len(order)) || ok && string(c.term) != order[at] {
					t.Fatalf("seek %q finds %q", asked, c.term)
				}
			}
		}
	}
}
