package grep

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGramsMissNothing holds the quick look against one at every place, over texts made of what the query has and of
// what comes close to it.
func TestGramsMissNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for _, query := range []string{"handshake timeout checked", "conn cfg reset", "db of things", "naïve café", "ReadDeadline http2", "identifier", "x1 42 ab"} {
		w, err := parseQuery(Query{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		parts := []string{" ", "_", "\n", ".", "(", "e", "a", "É", "s", "S"}
		for _, f := range w.forms {
			parts = append(parts, string(f.key), string(f.key[:len(f.key)-1]), string(f.key[1:]), f.word, string(f.key[0]-32)+string(f.key[1:]))
		}
		for range 400 {
			var src []byte
			for range r.IntN(12) {
				src = append(src, parts[r.IntN(len(parts))]...)
			}
			if len(src) < 2 {
				continue
			}
			s := newScanner(t.Context(), w)
			var got, want []match
			s.each(src, func(m match) { got = append(got, m) })
			for i := 0; i+1 < len(src); i++ {
				if list := w.first[uint16(fold[src[i]])<<8|uint16(fold[src[i+1]])]; list != 0 {
					s.at(src, i, w.starts[list], func(m match) { want = append(want, m) })
				}
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(match{})); diff != "" {
				t.Fatalf("%q in %q (-want +got):\n%s", query, src, diff)
			}
		}
	}
}
