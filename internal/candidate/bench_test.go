package candidate

import (
	"fmt"
	"testing"

	_ "sdd/internal/longtest"
)

// BenchmarkRead is what a call that reads pays for the inbox: 1,000 facts, 200 candidates, 20 queued commits of three candidates.
func BenchmarkRead(b *testing.B) {
	d := newRepo(b)
	for n := range 1000 {
		d.write(fmt.Sprintf(".sdd/facts/fact-%012x-f.md", n), fmt.Sprintf("---\nid: fact-%012x\nlevel: 1\nstatus: active\n---\n\nFact number %d\n", n, n))
	}
	for n := range 200 {
		d.write(fmt.Sprintf(".sdd/inbox/fact-a%011x-f.md", n), fmt.Sprintf("---\nid: fact-a%011x\nkind: fact\nconfidence: 0.7\nstatus: pending\n---\n\nCandidate %d\n", n, n))
	}
	for n := range 20 {
		d.commit(fmt.Sprintf("c\n\nfact 0.7: A %d\nfact 0.7: B %d\nfact 0.9: C %d", n, n, n))
	}
	if list, err := d.Queued(b.Context()); err != nil || len(list) != 60 {
		b.Fatal(len(list), err)
	}
	b.Run("queued", func(b *testing.B) {
		for b.Loop() {
			d.Queued(b.Context())
		}
	})
	b.Run("approved", func(b *testing.B) {
		for b.Loop() {
			d.Approved(b.Context())
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			d.List(b.Context(), Filter{})
		}
	})
}
