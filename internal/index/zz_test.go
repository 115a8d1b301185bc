package index

import (
	"context"
	"fmt"
	"os"
	"sdd/internal/index/indextest"
	"slices"
	"syscall"
	"testing"
	"time"
)

func cpuNow() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestZZ(t *testing.T) {
	var n int
	fmt.Sscan(os.Getenv("ZN"), &n)
	dir := fmt.Sprintf("/tmp/w-rank/bench-%d", n)
	s := &shelf{t, dir}
	if _, err := os.Stat(dir); err != nil {
		os.MkdirAll(dir, 0o755)
		if err := indextest.New(20_000).Write(dir, 0, n); err != nil {
			t.Fatal(err)
		}
		s.write("config.yaml", "project: demo\n")
	}
	ix := s.open()
	for _, q := range []string{
		"How does the percentile of this topic work?",
		"why " + indextest.RareWord(17) + " and not ADR-016",
		"what did we decide about percentile in 2024",
		"Как работает percentile в topic?",
		"percentille of topik " + indextest.RareWord(3),
		"internal/index/find.go",
		"nothing known whatsoever zzzz",
	} {
		var took []time.Duration
		c0 := cpuNow()
		for range 40 {
			st := time.Now()
			r, err := ix.Rank(context.Background(), RankQuery{Text: q, Limit: 40})
			if err != nil {
				t.Fatal(err)
			}
			_ = r
			took = append(took, time.Since(st))
		}
		cpu := (cpuNow() - c0) / 40
		slices.Sort(took)
		fmt.Printf("%7d cpu %v min %v med %v p95 %v  %s\n", n, cpu.Round(10*time.Microsecond), took[0].Round(10*time.Microsecond), took[20].Round(10*time.Microsecond), took[38].Round(10*time.Microsecond), q)
	}
}
