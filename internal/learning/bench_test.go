package learning

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

var benchWords = []string{"gateway", "token", "invoice", "cache", "login", "export", "queue", "schema", "worker", "index", "proxy", "retry", "header", "session", "budget", "parser"}

func benchContent(i int) string {
	w := func(n int) string { return benchWords[n%len(benchWords)] }
	return fmt.Sprintf("The %s of the %s must be set before %s number %d reads the %s in `src/%s/file%04d.go`", w(i), w(i/16), w(i/256), i, w(i/7), w(i/3), i%1000)
}

// BenchmarkLearn stores one more learning beside 10,000; p95 is the time that 95 of 100 stay under.
func BenchmarkLearn(b *testing.B) {
	f := newFixture(b)
	corpus(b, f, 10_000, benchContent)
	f.learn(Input{Content: "warm"})
	var took []time.Duration
	i := 0
	for b.Loop() {
		start := time.Now()
		f.learn(Input{Content: fmt.Sprintf("Learning %d: the %s drops headers over %d KB", i, benchWords[i%16], i), Agent: "ed-001", Parent: "GATE-7"})
		took = append(took, time.Since(start))
		i++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkInject injects from 10,000 learnings.
func BenchmarkInject(b *testing.B) {
	f := newFixture(b)
	corpus(b, f, 10_000, benchContent)
	inject := func() {
		if in, err := f.Inject(context.Background(), "ed-007", "which headers does the gateway need for invoices", 2000); err != nil || len(in.Included) == 0 {
			b.Fatal(in, err)
		}
	}
	inject()
	for b.Loop() {
		inject()
	}
}

// BenchmarkInjectFresh is the first injection of a process, with what another left behind.
func BenchmarkInjectFresh(b *testing.B) {
	f := newFixture(b)
	corpus(b, f, 10_000, benchContent)
	if _, err := f.Inject(context.Background(), "", "", 0); err != nil {
		b.Fatal(err)
	}
	f.Close()
	f.ix.Close()
	for b.Loop() {
		g := open(b, f.dir)
		if in, err := g.Inject(context.Background(), "ed-007", "headers", 2000); err != nil || len(in.Included) == 0 {
			b.Fatal(in, err)
		}
		g.Close()
		g.ix.Close()
	}
}

// BenchmarkOutdated decides on 10,000 learnings anew, after a commit of 1,000 files that they name.
func BenchmarkOutdated(b *testing.B) {
	r := newRepo(b)
	corpus(b, r.fixture, 10_000, benchContent)
	for n := range 1000 {
		for _, w := range benchWords[:2] {
			r.write(fmt.Sprintf("src/%s/file%04d.go", w, n), "one\ntwo\nthree\n")
		}
	}
	r.commit("First version")
	if _, err := r.Check(context.Background(), false); err != nil {
		b.Fatal(err)
	}
	for n := range 1000 {
		r.write(fmt.Sprintf("src/%s/file%04d.go", benchWords[0], n), "one\n2\nthree\n")
	}
	r.commit("A thousand files")
	for b.Loop() {
		r.cache.head = ""
		if err := r.cache.sync(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for _, i := range r.cache.newest() {
		if i.Verdict != nil {
			n++
		}
	}
	if n == 0 {
		b.Fatal("nothing is outdated")
	}
	b.ReportMetric(float64(n), "outdated")
}

// BenchmarkCheck compares 10,000 learnings with each other.
func BenchmarkCheck(b *testing.B) {
	f := newFixture(b)
	corpus(b, f, 10_000, benchContent)
	for b.Loop() {
		if _, err := f.Check(context.Background(), false); err != nil {
			b.Fatal(err)
		}
	}
}
