package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// start measures the time from the start of the process to the first answers.
func (b *bench) start(c *corpus) error {
	list := func(int) error {
		s, err := b.ready(c.root)
		if err != nil {
			return err
		}
		_, err = s.call("tools/list", nil)
		go s.close()
		return err
	}
	bare := func(int) error { return exec.Command(b.sdd, "version").Run() }
	if _, _, err := inTurn(1, list, bare); err != nil {
		return err
	}
	took, floor, err := inTurn(b.starts, list, bare)
	if err != nil {
		return err
	}
	r := timed("start to tools/list answered", c.size, took).against("sdd version", ms(median(floor)))
	b.add(r.must(r.Value <= 15, "≤ 15 ms"))

	first := func() (time.Duration, error) {
		var s *server
		took, err := timing(func() (err error) {
			if s, err = b.ready(c.root); err != nil {
				return err
			}
			return s.look(rareWord(c.size/2), 1)
		})
		if s != nil {
			err = firstOf(err, s.close()) // writes the cache
		}
		return took, err
	}
	if _, err := first(); err != nil { // writes the cache
		return err
	}
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
			if err := f.before(); err != nil {
				return err
			}
			t, err := first()
			if err != nil {
				return err
			}
			took = append(took, t)
			if t, err = timing(func() error { return f.least(c.explore()) }); err != nil {
				return err
			}
			floor = append(floor, t)
		}
		r := timed(f.name, c.size, took).against(f.floor, ms(median(floor)))
		if most, ok := f.bar[c.size]; ok {
			r = r.must(r.Value <= most, "≤ %s ms", grouped(int(most)))
		}
		b.add(r)
	}
	return nil
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
