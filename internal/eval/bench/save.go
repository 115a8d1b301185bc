package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"sdd/internal/eval/must"
)

// save measures inserts and upserts. Each alternates with a raw durable write of the same bytes into a
// folder with as many files.
func (b *bench) save(c *corpus) {
	s := must.Get(b.ready(c.root))
	defer s.close()
	must.Check(s.look(rareWord(0), 1))                // loads the index
	must.Check(s.store(c.record(c.size).arguments())) // creates everything except records

	fresh := c.records(c.size+1, b.samples)
	insert, floor := inTurn(b.samples,
		func(i int) error { return s.store(fresh[i].arguments()) },
		func(i int) error { return writeDurably(filepath.Join(c.twin, fresh[i].file()), fresh[i].markdown()) })
	b.add(saveRow("insert", c.size, insert, floor))

	known := make([]record, b.samples)
	for i := range known {
		known[i] = c.record(i * 7 % c.size)
		known[i].text["goals"] += fmt.Sprintf("\n- goal %d, seen later", i)
	}
	upsert, floor := inTurn(b.samples,
		func(i int) error {
			return s.store(map[string]any{"title": known[i].title, "goals": known[i].text["goals"]})
		},
		func(i int) error { return writeDurably(filepath.Join(c.twin, known[i].file()), known[i].markdown()) })
	b.add(saveRow("upsert", c.size, upsert, floor))

	for i := range fresh { // a search finds each one
		must.Get(os.Stat(filepath.Join(c.explore(), fresh[i].file())))
		must.Check(s.look(rareWord(c.size+1+i), 1))
	}
}

// store saves an exploration; a save without a change is an error.
func (s *server) store(arguments map[string]any) error {
	var saved struct{ Action string }
	if err := s.must("sdd_explore", arguments, &saved); err != nil {
		return err
	}
	if saved.Action != "created" && saved.Action != "updated" {
		return fmt.Errorf("saving %q: %q", arguments["title"], saved.Action)
	}
	return nil
}

// saveRow makes the row of a save figure, with its bar if it has one.
func saveRow(name string, size int, took, floor []time.Duration) row {
	r := timed(name, size, took).against("raw durable write", ms(median(floor)))
	if size == 10_000 {
		return r.must(r.Ratio <= 2, "≤ 2 × floor")
	}
	return r
}

// growth compares inserts into stores of 100 and 10,000 records: whether saves take longer in a larger
// store.
func (b *bench) growth() {
	small, large := b.stores[100], b.stores[10_000]
	if small == nil || large == nil {
		return
	}
	insert := func(c *corpus) (store func(i int) error, end func() error) {
		s := must.Get(b.ready(c.root))
		must.Check(s.look(rareWord(0), 1))
		fresh := c.records(2*c.size+b.samples, b.samples) // other records than those of save
		return func(i int) error { return s.store(fresh[i].arguments()) }, s.close
	}
	few, end := insert(small)
	defer end()
	many, end := insert(large)
	defer end()
	took, floor := inTurn(b.samples, many, few)
	r := timed("insert, growth", large.size, took).against("insert at 100 records", ms(median(floor)))
	b.add(r.must(r.Ratio <= growthNoise, "none (≤ %.1f × is noise)", growthNoise))
}

// growthNoise is the difference between two runs of the same figure on a shared machine.
const growthNoise = 1.3
