package bench

import (
	"fmt"

	"sdd/internal/eval/must"
)

// memory measures the peak of one process, after saves and searches and then after counting tokens, with and
// without the cache.
func (b *bench) memory(c *corpus) {
	for _, cache := range []string{"cache deleted", "with cache"} {
		if cache == "cache deleted" {
			must.Check(c.dropCache())
		}
		s := must.Get(b.ready(c.root))
		b.peaks(s, c, cache)
		must.Check(s.close())
	}
}

func (b *bench) peaks(s *server, c *corpus, note string) {
	for i := range b.samples {
		must.Check(s.look(rareWord(i*13%c.size), 1))
		must.Check(s.look(commonWord(i%min(commonWords, c.size)), withCommon(c.size, i%min(commonWords, c.size))))
		r := c.record(i * 11 % c.size)
		must.Check(s.store(map[string]any{"title": r.title, "unknowns": fmt.Sprintf("- what of %d, %s?", i, note)}))
	}
	most := map[int]float64{10_000: 48, 100_000: 160}
	b.peak(s, row{Figure: "peak memory, saves and searches", Records: c.size, Note: note}, most[c.size])
	for i := range b.samples {
		id := "explore/" + c.record(i*17%c.size).slug()
		must.Check(s.must("sdd_get", map[string]any{"id": id, "max_tokens": 200 + i%400}, &struct{}{}))
		query := commonWord(i % min(commonWords, c.size))
		must.Check(s.must("sdd_search", map[string]any{"query": query, "limit": 100, "max_tokens": 300 + i}, &struct{}{}))
	}
	most = map[int]float64{10_000: 64, 100_000: 160}
	b.peak(s, row{Figure: "peak memory, after token counting", Records: c.size, Note: note}, most[c.size])
}

// peak adds the peak memory of a server; most is the bar, 0 for none.
func (b *bench) peak(s *server, r row, most float64) {
	var err error
	r.Unit = "MiB"
	if r.Value, err = peakMemory(s.pid()); err != nil {
		must.Check(skipOr(err))
		return
	}
	b.add(r.atMost(map[int]float64{r.Records: most}))
}
