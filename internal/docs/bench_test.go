package docs

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"
)

const pythonDocs = "/usr/share/doc/python3.11/html"

// BenchmarkWarm answers the queries of people on Python's documentation from a reader that knows it.
func BenchmarkWarm(b *testing.B) {
	if _, err := os.Stat(pythonDocs); err != nil {
		b.Skip("not installed: apt-get install python3-doc")
	}
	r := anyPath()
	var queries []string
	for _, q := range handWritten {
		if q[0] == "Python" {
			queries = append(queries, q[1])
		}
	}
	ask := func(q string) {
		if _, err := r.Explore(context.Background(), pythonDocs, q, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range queries {
		ask(q)
	}
	var times []time.Duration
	i := 0
	for b.Loop() {
		start := time.Now()
		ask(queries[i%len(queries)])
		times = append(times, time.Since(start))
		i++
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkCold reads the inventory and five pages.
func BenchmarkCold(b *testing.B) {
	if _, err := os.Stat(pythonDocs); err != nil {
		b.Skip("not installed: apt-get install python3-doc")
	}
	for b.Loop() {
		if _, err := anyPath().Explore(context.Background(), pythonDocs, "read text", Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
