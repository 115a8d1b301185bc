package bench

import (
	"os"
	"path/filepath"
	"time"

	"sdd/internal/eval/must"
)

// start measures the time from the start of the process to the first answers.
func (b *bench) start(c *corpus) {
	list := func(int) error {
		s := must.Get(b.ready(c.root))
		defer func() { go s.close() }()
		_, err := s.call("tools/list", nil)
		return err
	}
	inTurn(1, list, b.version)
	took, floor := inTurn(b.starts, list, b.version)
	r := timed("start to tools/list answered", c.size, took).against("sdd version", ms(median(floor)))
	b.add(r.must(r.Value <= 15, "≤ 15 ms"))

	first := func() time.Duration {
		var s *server
		took := timing(func() error {
			s = must.Get(b.ready(c.root))
			return s.look(rareWord(c.size/2), 1)
		})
		must.Check(s.close()) // writes the cache
		return took
	}
	first() // writes the cache
	for _, f := range []struct {
		name, floor string
		times       int
		before      func() error
		least       func(string) error
		bar         map[int]float64
	}{
		{"start to first search, with cache", "stat of all files", b.starts, func() error { return nil }, statAll,
			map[int]float64{10_000: 150, 100_000: 400}},
		{"start to first search, cache deleted", "read of all files", max(3, b.starts/4), c.dropCache, readAll,
			map[int]float64{10_000: 1000, 100_000: 15_000}},
	} {
		var took, floor []time.Duration
		for range f.times {
			must.Check(f.before())
			took = append(took, first())
			floor = append(floor, timing(func() error { return f.least(c.explore()) }))
		}
		b.add(timed(f.name, c.size, took).against(f.floor, ms(median(floor))).atMost(f.bar))
	}
}

// dropCache deletes sdd's derived files, which git does not contain.
func (c *corpus) dropCache() error {
	for _, derived := range []string{".local", "views"} {
		if err := os.RemoveAll(filepath.Join(c.root, ".sdd", derived)); err != nil {
			return err
		}
	}
	return nil
}
