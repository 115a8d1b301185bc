package answer

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/decision"
	"sdd/internal/fact"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/record"
	"sdd/internal/store"
)

// withFacts makes the answers of a store with n facts.
func withFacts(tb testing.TB, n int) *Answers {
	tb.Helper()
	dir := tb.TempDir()
	words := strings.Fields(`auth token session gateway ledger invoice queue worker retry cache redis postgres schema migration index shard
		replica deploy rollback canary metric alert trace span login oauth refresh cookie proxy docker helm secret vault rotate backup`)
	r := rand.New(rand.NewPCG(1, 1))
	pick := func() string { return words[r.IntN(len(words))] }
	if err := os.MkdirAll(filepath.Join(dir, ".sdd", "facts"), 0o755); err != nil {
		tb.Fatal(err)
	}
	for i := range n {
		content := fmt.Sprintf("The %s %s uses %s with a %s of %d because the %s must not lose its %s.", pick(), pick(), pick(), pick(), i, pick(), pick())
		id := record.HexID("fact", content, nil)
		level := 0
		if i >= 20 {
			level = 1 + r.IntN(3)
		}
		text := fmt.Sprintf("---\nid: %s\nlevel: %d\ndomain: %s\nstatus: active\ncreated: \"2026-11-%02d\"\n---\n\n%s\n", id, level, pick(), 1+r.IntN(20), content)
		if err := os.WriteFile(filepath.Join(dir, ".sdd", "facts", id+".md"), []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	ix := index.Open(st)
	b := New(Sources{Store: st, Index: ix, Facts: fact.New(st, ix), Decisions: decision.New(st, ix), Learnings: learning.New(st, ix)})
	tb.Cleanup(func() {
		b.Close()
		b.Facts.Close()
		b.Decisions.Close()
		b.Learnings.Close()
		ix.Close()
		st.Close()
	})
	return b
}

func BenchmarkBrief(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := withFacts(b, n)
			questions := []string{"why redis retry", "ledger invoice schema", "who rotates the vault secret", "canary rollback metric", "почему redis"}
			for i := 0; b.Loop(); i++ {
				if _, err := s.Brief(b.Context(), Query{Query: questions[i%len(questions)], Mode: Route}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
