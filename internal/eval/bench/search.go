package bench

// search measures searches against a ping, which costs only the protocol.
func (b *bench) search(c *corpus) error {
	s, err := b.ready(c.root)
	if err != nil {
		return err
	}
	defer s.close()
	ping := func(int) error {
		_, err := s.call("ping", nil)
		return err
	}
	if err := s.look(rareWord(0), 1); err != nil {
		return err
	}
	for _, q := range []struct {
		name string
		ask  func(i int) error
		bar  map[int]float64 // maximum milliseconds, by size
	}{
		{"search, rare word", func(i int) error { return s.look(rareWord(i*13%c.size), 1) }, map[int]float64{10_000: 1, 100_000: 10}},
		{"search, word in 1 % of records", func(i int) error {
			k := i % min(commonWords, c.size)
			return s.look(commonWord(k), withCommon(c.size, k))
		}, map[int]float64{10_000: 3, 100_000: 10}},
		{"search, no query (list)", func(int) error { return s.look("", c.size) }, nil},
	} {
		took, floor, err := inTurn(b.samples, q.ask, ping)
		if err != nil {
			return err
		}
		r := timed(q.name, c.size, took).against("ping", ms(median(floor)))
		if most, ok := q.bar[c.size]; ok {
			r = r.must(r.Value <= most, "≤ %g ms", most)
		}
		b.add(r)
	}
	return nil
}
