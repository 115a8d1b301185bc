package store

import (
	"math"
	"strings"
)

// chain lists, for one record, which entries changed which of its sections, oldest first.
// Chains are made for records that were looked at, and kept up to date from then on.
type chain struct {
	upto     int32 // the last entry taken in
	sections map[string][]int32
	given    map[int][]int32 // by the revision that they gave
}

const mostChains = 64

// foldName is how section names are compared.
func foldName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

func (j *journal) chain(record uint64) *chain {
	c := j.chains[record]
	if c == nil {
		if len(j.chains) >= mostChains {
			clear(j.chains)
		}
		c = &chain{upto: -1, sections: map[string][]int32{}, given: map[int][]int32{}}
		j.chains[record] = c
	}
	last, ok := j.records[record]
	if !ok {
		return c
	}
	var todo []int32
	for n := last; n > c.upto; n = j.entries[n].prev {
		todo = append(todo, n)
	}
	for i := len(todo) - 1; i >= 0; i-- {
		if n := todo[i]; j.entries[n].writes() {
			c.take(j, n)
		}
	}
	c.upto = last
	return c
}

func (c *chain) take(j *journal, n int32) {
	if j.entries[n].is(OpRemove) {
		clear(c.sections) // what was said before is not expected in a new file
		clear(c.given)
		return
	}
	e, ok := j.load(n)
	if !ok {
		return
	}
	if e.Revision > 0 {
		c.given[e.Revision] = append(c.given[e.Revision], n)
	}
	for _, change := range e.Sections {
		name := foldName(change.Name)
		if at := c.sections[name]; len(at) == 0 || at[len(at)-1] != n {
			c.sections[name] = append(at, n)
		}
	}
}

// acked is what an acknowledged change did to one section.
type acked struct {
	id       string
	entry    int32
	revision int
	change   SectionChange
	meant    bool // where it is gone: on purpose
}

// changes loads what the entries did to the section, oldest first.
func (j *journal) changes(name string, entries []int32) []acked {
	var out []acked
	for _, n := range entries {
		e, ok := j.load(n)
		if !ok {
			continue
		}
		for _, c := range e.Sections {
			if foldName(c.Name) == name {
				out = append(out, acked{id: e.ID, entry: n, revision: e.Revision, change: c})
			}
		}
	}
	return out
}

// lost returns the changes of acknowledged saves that are not in the record's sections now,
// newest first, by section. A text that tells a revision was made from the save which gave it that
// revision, so what that save and those before it brought is gone on purpose. That says nothing of
// changes known to be lost before that save: they were not in what it was made from.
func (j *journal) lost(record uint64, d Description) map[string][]acked {
	c := j.chain(record)
	texts := map[string]string{}
	for _, s := range d.Sections {
		name := foldName(s.Name)
		if was, twice := texts[name]; twice {
			texts[name] = was + "\n" + s.Text
		} else {
			texts[name] = s.Text
		}
	}
	source := j.source(c, d.Revision, texts)
	var out map[string][]acked
	for name, entries := range c.sections {
		last := j.changes(name, entries[len(entries)-1:])
		if len(last) == 0 || sameText(last[0].change.After, texts[name]) {
			continue
		}
		history := j.changes(name, entries[max(0, len(entries)-mostEarlier):])
		elsewhere := func(lines lineSet) bool { return j.elsewhere(c, name, texts, lines) }
		if gone := lostOf(history, made(history, d.Revision, source), texts[name], elsewhere); len(gone) > 0 {
			if out == nil {
				out = map[string][]acked{}
			}
			out[name] = gone
		}
	}
	return out
}

// source returns the save that the text with these sections and that revision was made from: the one that gave it that revision
// and whose words stand in the text, since each branch may have given it once. Where none is found it is taken to be the last.
func (j *journal) source(c *chain, revision int, texts map[string]string) int32 {
	given := c.given[revision]
	for i := len(given) - 1; i >= 0; i-- {
		e, ok := j.load(given[i])
		if !ok {
			continue
		}
		for _, s := range e.Sections {
			if len(linesOf(s.After).without(linesOf(s.Before)).common(linesOf(texts[foldName(s.Name)]))) > 0 {
				return given[i]
			}
		}
	}
	return math.MaxInt32
}

// made returns how many of the changes a text of that revision was made from, as far as it tells. None is
// later than source.
func made(history []acked, revision int, source int32) int {
	for i := len(history) - 1; i >= 0 && revision > 0; i-- {
		if r := history[i].revision; r > 0 && r <= revision && history[i].entry <= source {
			return i + 1
		}
	}
	return 0
}

// lostOf walks back over the changes of one section while they are not there any more: a
// stale buffer can be older than several saves. What a later save replaced is not lost. The text
// was made from so many of them.
func lostOf(history []acked, from int, now string, elsewhere func(lineSet) bool) []acked {
	since := map[string]int{} // the first change whose texts have the line
	for i, h := range history {
		for line := range linesOf(h.change.Before, h.change.After) {
			if _, ok := since[line]; !ok {
				since[line] = i
			}
		}
	}
	var gone []acked
	alive := lineSet(nil)
	for i := len(history) - 1; i >= 0; i-- {
		c := history[i].change
		after := linesOf(c.After)
		if alive == nil {
			alive = after
		} else {
			alive = alive.common(after)
			if len(alive.without(linesOf(c.Before))) == 0 {
				continue // a later save took its words away, or it only took some away itself
			}
		}
		earlier := lineSet{}
		for line, first := range since {
			if first < i {
				earlier[line] = true
			}
		}
		if there(c, now, earlier, alive, elsewhere) {
			break
		}
		lost := history[i]
		lost.meant = i < from
		gone = append(gone, lost)
	}
	return gone
}

// elsewhere reports whether one of the lines stands in another section where no tool wrote it:
// somebody moved it by hand.
func (j *journal) elsewhere(c *chain, name string, texts map[string]string, lines lineSet) bool {
	for other, text := range texts {
		if other == name {
			continue
		}
		here := lines.common(linesOf(text))
		if len(here) == 0 {
			continue
		}
		entries := c.sections[other]
		for _, a := range j.changes(other, entries[max(0, len(entries)-mostEarlier):]) {
			here = here.without(linesOf(a.change.Before, a.change.After))
		}
		if len(here) > 0 {
			return true
		}
	}
	return false
}
