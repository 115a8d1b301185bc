package bench

import "fmt"

// memory measures the peak of one process, after saves and searches and then after counting tokens, with and
// without the cache.
func (b *bench) memory(c *corpus) error {
	for _, cache := range []string{"cache deleted", "with cache"} {
		if cache == "cache deleted" {
			if err := c.dropCache(); err != nil {
				return err
			}
		}
		s, err := b.ready(c.root)
		if err != nil {
			return err
		}
		err = b.peaks(s, c, cache)
		if err = firstOf(err, s.close()); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) peaks(s *server, c *corpus, note string) error {
	for i := range b.samples {
		if err := s.look(rareWord(i*13%c.size), 1); err != nil {
			return err
		}
		if err := s.look(commonWord(i%min(commonWords, c.size)), withCommon(c.size, i%min(commonWords, c.size))); err != nil {
			return err
		}
		r := c.record(i * 11 % c.size)
		if err := s.store(map[string]any{"title": r.title, "unknowns": fmt.Sprintf("- what of %d, %s?", i, note)}); err != nil {
			return err
		}
	}
	peak := func(figure string, bar map[int]float64) error {
		mib, err := peakMemory(s.pid())
		if err != nil {
			return skipOr(err)
		}
		r := row{Figure: figure, Records: c.size, Unit: "MiB", Value: mib, Note: note}
		if most, ok := bar[c.size]; ok {
			r = r.must(mib <= most, "≤ %g MiB", most)
		}
		b.add(r)
		return nil
	}
	if err := peak("peak memory, saves and searches", map[int]float64{10_000: 48, 100_000: 160}); err != nil {
		return err
	}
	for i := range b.samples {
		id := "explore/" + c.record(i*17%c.size).slug()
		if err := s.must("sdd_get", map[string]any{"id": id, "max_tokens": 200 + i%400}, &struct{}{}); err != nil {
			return err
		}
		if err := s.must("sdd_search", map[string]any{"query": commonWord(i % min(commonWords, c.size)), "limit": 100, "max_tokens": 300 + i},
			&struct{}{}); err != nil {
			return err
		}
	}
	return peak("peak memory, after token counting", map[int]float64{10_000: 64, 100_000: 160})
}
