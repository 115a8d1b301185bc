package decision

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sdd/internal/record"
)

var benchWords = []string{"gateway", "token", "invoice", "cache", "login", "export", "queue", "schema", "worker", "index", "proxy", "retry", "header", "session", "budget", "parser"}

// many writes n decisions, each of which depends on the one before.
func many(b *testing.B, n int) *fixture {
	f := newFixture(b)
	dir := filepath.Join(f.dir, ".sdd", "decisions")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	w := func(i int) string { return benchWords[i%len(benchWords)] }
	for i := range n {
		title := func(i int) string { return fmt.Sprintf("Use option %d for the %s of the %s", i, w(i), w(i/16)) }
		head := ""
		if i > 0 {
			head = "depends_on:\n  - " + record.DecisionID(record.Slug(title(i-1)), record.Project) + "\n"
		}
		text := fmt.Sprintf("---\ntitle: %s\nstatus: accepted\ndate: 2026-01-02\n%screated: 2026-01-02\n---\n\n## Decision Outcome\n\nChosen option: \"%s\", because\n\n"+
			"- the %s is slow without it\n- file%d.go needs the %s\n\n### Consequences\n\n- the %s is built twice\n", title(i), head, title(i), w(i/7), i%1000, w(i/3), w(i/5))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("d%05d.md", i)), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	if all, err := f.All(context.Background()); err != nil || len(all) != n {
		b.Fatal(len(all), err)
	}
	return f
}

// BenchmarkAll lists 10,000 decisions that are known.
func BenchmarkAll(b *testing.B) {
	f := many(b, 10_000)
	for b.Loop() {
		if _, err := f.All(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkChains answers a question from 10,000 decisions.
func BenchmarkChains(b *testing.B) {
	f := many(b, 10_000)
	ask := func() {
		if c, err := f.Chains(context.Background(), "why do we use option 4711 for the gateway token?", 0); err != nil || len(c) == 0 {
			b.Fatal(c, err)
		}
	}
	ask()
	for b.Loop() {
		ask()
	}
}

// BenchmarkRecord records one more decision beside 10,000.
func BenchmarkRecord(b *testing.B) {
	f := many(b, 10_000)
	f.record(Input{Decision: "warm"})
	i := 0
	for b.Loop() {
		f.record(Input{Decision: fmt.Sprintf("Take plan %d", i), Causes: record.Causes{Reasons: []string{"the gateway needs it"}}})
		i++
	}
}

// BenchmarkFresh reads 10,000 decisions for the first time.
func BenchmarkFresh(b *testing.B) {
	f := many(b, 10_000)
	for b.Loop() {
		d := New(f.st, f.ix)
		if _, err := d.All(context.Background()); err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}
