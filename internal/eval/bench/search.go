package bench

import (
	"fmt"

	"sdd/internal/eval/must"
)

// search measures searches and reads of a record against a ping, which costs only the protocol.
func (b *bench) search(c *corpus) {
	s := must.Get(b.ready(c.root))
	defer s.close()
	must.Check(s.look(rareWord(0), 1))
	known := make([]record, b.samples)
	for i := range known {
		known[i] = c.record(i * 7 % c.size)
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
		}, map[int]float64{10_000: 1.5, 100_000: 10}},
		{"search, no query (list)", func(int) error { return s.look("", c.size) }, nil},
		{"get by title", func(i int) error { return s.get(known[i].title) }, map[int]float64{10_000: 0.9}},
	} {
		took, floor := inTurn(b.samples, q.ask, s.ping)
		b.add(timed(q.name, c.size, took).against("ping", ms(median(floor))).atMost(q.bar))
	}
}

// get reads the record with that title, and fails if the server returns another one.
func (s *server) get(title string) error {
	var r struct{ Title string }
	if err := s.must("sdd_get", map[string]any{"id": title}, &r); err != nil {
		return err
	}
	if r.Title != title {
		return fmt.Errorf("reading %q returned %q", title, r.Title)
	}
	return nil
}
