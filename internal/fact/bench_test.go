package fact

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var benchWords = []string{"gateway", "token", "invoice", "cache", "login", "export", "queue", "schema", "worker", "index", "proxy", "retry", "header", "session", "budget", "parser"}

// corpus makes a store of n facts.
func corpus(tb testing.TB, n int, more string) *fixture {
	f := newFixture(tb)
	folder := filepath.Join(f.dir, ".sdd", "facts")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		tb.Fatal(err)
	}
	w := func(i int) string { return benchWords[i%len(benchWords)] }
	for i := range n {
		content := fmt.Sprintf("The %s of the %s must be set before %s number %d reads the %s", w(i), w(i/16), w(i/256), i, w(i/7))
		id := idOf(content)
		text := fmt.Sprintf("---\nid: %s\nlevel: %d\ndomain: %s\nstatus: active\nsource: README.md\ncreated: \"2026-11-%02dT10:00:00Z\"\n%s---\n\n%s\n", id, i%4, w(i), 1+i%20, more, content)
		if err := os.WriteFile(filepath.Join(folder, id+".md"), []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	if _, err := f.All(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return f
}

// p95 reports the time that 95 of 100 stay under.
func p95(b *testing.B, f func()) {
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		f()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

func BenchmarkAll(b *testing.B) {
	f := corpus(b, 10_000, "")
	p95(b, func() {
		if all, err := f.All(context.Background()); err != nil || len(all) != 10_000 {
			b.Fatal(len(all), err)
		}
	})
}

// BenchmarkAllRefreshOn is All where every fact depends on files of a git work tree.
func BenchmarkAllRefreshOn(b *testing.B) {
	f := corpus(b, 10_000, "ttl: {refresh_on: \"src/**\"}\nseen: \"0123456789ab\"\n")
	f.git("init", "-q")
	for i := range 1000 {
		f.write(fmt.Sprintf("src/d%d/f%d.go", i%20, i), fmt.Sprint(i))
	}
	f.git("add", "src")
	p95(b, func() {
		if all, err := f.All(context.Background()); err != nil || len(all) != 10_000 {
			b.Fatal(len(all), err)
		}
	})
}

// BenchmarkAllAfterChange is All after one file has changed.
func BenchmarkAllAfterChange(b *testing.B) {
	f := corpus(b, 10_000, "")
	i := 0
	p95(b, func() {
		f.write(".sdd/facts/changing.md", fmt.Sprintf("---\nid: fact-000000000001\n---\n\nText %d\n", i))
		i++
		if all, err := f.All(context.Background()); err != nil || len(all) != 10_001 {
			b.Fatal(len(all), err)
		}
	})
}

// BenchmarkAllFresh is the first All of a process.
func BenchmarkAllFresh(b *testing.B) {
	f := corpus(b, 10_000, "")
	f.Close()
	f.ix.Close()
	p95(b, func() {
		g := open(b, f.dir)
		if all, err := g.All(context.Background()); err != nil || len(all) != 10_000 {
			b.Fatal(len(all), err)
		}
		g.Close()
		g.ix.Close()
	})
}

func BenchmarkAdd(b *testing.B) {
	f := corpus(b, 10_000, "")
	i := 0
	p95(b, func() {
		f.add(Input{Content: fmt.Sprintf("Fact %d: the %s drops headers over %d KB", i, benchWords[i%16], i), Level: i % 4})
		i++
	})
}

// BenchmarkDiscover is the call that finds nothing to do.
func BenchmarkDiscover(b *testing.B) {
	f := project(b)
	f.git("init", "-q")
	f.git("add", "-A")
	f.git("commit", "-qm", "first")
	f.discover(false)
	p95(b, func() { f.discover(false) })
}
