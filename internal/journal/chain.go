package journal

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
)

// lineage is one file of a record: a candidate and the record made from it have one id but two files.
type lineage struct{ record, folder uint64 }

// chain lists which entries changed which sections of a lineage, oldest first. It is made at the first read, and kept up to date.
type chain struct {
	upto     int32 // the last entry included
	sections map[string][]int32
	given    map[int][]int32 // by the revision of their result
}

const mostChains = 64

func (j *Journal) chain(of lineage) *chain {
	c := j.chains[of]
	if c == nil {
		if len(j.chains) >= mostChains {
			clear(j.chains)
		}
		c = &chain{upto: -1, sections: map[string][]int32{}, given: map[int][]int32{}}
		j.chains[of] = c
	}
	last, ok := j.records[of.record]
	if !ok {
		return c
	}
	var todo []int32
	for n := last; n > c.upto; n = j.entries[n].prev {
		todo = append(todo, n)
	}
	for _, n := range slices.Backward(todo) {
		if j.entries[n].writes() && j.entries[n].folder == of.folder {
			c.take(j, n)
		}
	}
	c.upto = last
	return c
}

func (c *chain) take(j *Journal, n int32) {
	if j.entries[n].after == 0 {
		clear(c.sections) // the new file may lack the earlier texts
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
		name := FoldName(change.Name)
		if at := c.sections[name]; len(at) == 0 || at[len(at)-1] != n {
			c.sections[name] = append(at, n)
		}
	}
}

// Loss is the part of an acknowledged change to one section that the file no longer has.
type Loss struct {
	Entry  Entry // without its sections
	n      int32 // its position in the journal
	change Change
	whole  bool // the entry changed no other section
	in     *past
	at     int // among the changes of in
}

// past holds the changes of one section, oldest first. A line belongs to the last change of it: what a later one replaced is not lost.
type past struct {
	changes        []Loss
	added, removed []lineSet      // lines whose last change this was
	byTools        func() lineSet // lines that any tool ever added
	since          map[string]int // the first change whose texts have the line
}

// past loads the changes of the section by the last of the entries.
func (j *Journal) past(name string, all []int32, last int) *past {
	p := &past{since: map[string]int{}}
	entries, byTools := all[max(0, len(all)-last):], lineSet{}
	p.byTools = sync.OnceValue(func() lineSet {
		if len(entries) < len(all) {
			return j.past(name, all, len(all)).byTools()
		}
		return byTools
	})
	for _, n := range entries {
		e, ok := j.load(n)
		if !ok {
			continue
		}
		all := e.Sections
		e.Sections, e.Patch = nil, nil
		for _, c := range all {
			if FoldName(c.Name) == name {
				p.changes = append(p.changes, Loss{Entry: e, n: n, change: c, whole: len(all) == 1, in: p, at: len(p.changes)})
			}
		}
	}
	later := lineSet{} // lines that a later change added or removed
	p.added, p.removed = make([]lineSet, len(p.changes)), make([]lineSet, len(p.changes))
	for i, a := range slices.Backward(p.changes) {
		added, removed := a.change.added(), a.change.removed()
		p.added[i], p.removed[i] = added.without(later), removed.without(later)
		if a.Entry.Op == Undo {
			p.removed[i] = nil // a removed line that came back is no loss
		}
		maps.Copy(later, added)
		maps.Copy(later, removed)
		maps.Copy(byTools, added)
		for line := range linesOf(a.change.Before, a.change.After) {
			p.since[line] = i
		}
	}
	return p
}

// replaced reports whether later changes removed all that a change added, or restored all that it removed.
func (p *past) replaced(i int) bool {
	c := p.changes[i].change
	switch {
	case len(c.added()) > 0:
		return len(p.added[i]) == 0
	case len(c.removed()) > 0:
		return len(p.removed[i]) == 0
	}
	return i < len(p.changes)-1 // the change only moved or spaced lines
}

// there reports whether the section's present text has the change i. elsewhere reports whether another section has one of some lines.
func (p *past) there(i int, now string, elsewhere func(lineSet) bool) bool {
	c, added, removed := p.changes[i].change, p.added[i], p.removed[i]
	if sameText(c.After, now) {
		return true
	}
	earlier := lineSet{} // the lines of all texts that the section had before
	for line, first := range p.since {
		if first < i {
			earlier[line] = true
		}
	}
	before, present := linesOf(c.Before), linesOf(now)
	if fresh := added.without(earlier); len(fresh) > 0 {
		if len(fresh.common(present)) > 0 {
			return true
		}
		byHand := present.without(earlier).without(before)
		if len(byHand) > 0 { // what a tool wrote is no rewording by the user
			byHand = byHand.without(p.byTools())
		}
		return reworded(fresh, byHand, earlier, before) || elsewhere(fresh)
	}
	if back := removed.common(present); len(removed) > 0 && 2*len(back) >= len(removed) {
		return false
	}
	switch {
	case len(added) > 0:
		return len(added.common(present)) > 0
	case len(removed) > 0:
		return true
	}
	return !sameText(c.Before, now) // the change only moved or spaced lines
}

// loss returns the change i without the parts that later changes replaced.
func (p *past) loss(i int) Loss {
	a := p.changes[i]
	c := a.change
	added, removed := c.added(), c.removed()
	if len(added) > len(p.added[i]) || len(removed) > len(p.removed[i]) {
		a.change.After = cut(c.After, added.without(p.added[i]))
		a.change.Before = cut(c.Before, removed.without(p.removed[i]))
		a.whole = false
	}
	return a
}

// cut returns text without those lines.
func cut(text string, lines lineSet) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !lines[strings.TrimSpace(line)] {
			b.WriteString(line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// lost returns the acknowledged changes that the record's present sections lack and that have no note. A text with a revision was made from
// the save of that revision, so its author removed on purpose what that save had and the text lacks.
func (j *Journal) lost(of lineage, d File) []Loss {
	c := j.chain(of)
	texts := d.texts()
	sources := j.sources(of.record, c, d.Revision, texts)
	var out []Loss
	for name, entries := range c.sections {
		elsewhere := func(lines lineSet) bool { return j.elsewhere(c, name, texts, lines) }
		last := entries[len(entries)-1]
		if latest := j.past(name, entries, 1).changes; len(latest) == 0 ||
			sameText(latest[0].change.After, texts[name]) && !j.unsure(of.record, last) {
			continue
		}
		for n := mostEarlier; ; n *= 4 {
			p := j.past(name, entries, n)
			gone, more := j.lostOf(p, of, d, sources, texts[name], elsewhere)
			if !more || n >= len(entries) {
				out = append(out, gone...)
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.n, b.n), strings.Compare(a.change.Name, b.change.Name))
	})
	return out
}

// lostOf walks back over the changes of one section, because a stale buffer can be older than several saves, to a change that the text has:
// its author had read the file as it was then, since every save first looks for losses. more is true when earlier ones may be lost too.
func (j *Journal) lostOf(p *past, of lineage, d File, sources []int32, now string, elsewhere func(lineSet) bool) (gone []Loss, more bool) {
	next := 0           // the oldest change that the last of gone was made from
	made := int32(none) // the last change that the text has, or that it was made from
	for i, a := range slices.Backward(p.changes) {
		switch {
		case j.noticed(of, a):
			continue
		case p.replaced(i):
			// A text from before several replacements is one step behind the last.
			if n := len(gone) - 1; n >= 0 && next == i+1 && len(p.removed[i].common(linesOf(now))) > 0 &&
				sameText(a.change.After, gone[n].change.Before) {
				next, gone[n].whole, gone[n].change.Before = i, false, a.change.Before
			}
			continue
		case made != none && !j.absent(of, a, made):
			continue
		case p.there(i, now, elsewhere), j.source(of, a, d, sources):
			made = max(made, a.n)
			continue
		case a.Entry.Before == "" && d.Made:
			continue // no text is older than the file
		}
		gone, next = append(gone, p.loss(i)), i
	}
	return gone, made == none || j.unsure(of.record, made)
}

// absent reports whether a change was known to be lost at the entry at, and put back only later.
func (j *Journal) absent(of lineage, a Loss, at int32) bool {
	return slices.ContainsFunc(j.noted[of.record], func(n *Note) bool {
		c, closed := n.closed[FoldName(a.change.Name)]
		return n.n < at && closed && c.n > at && n.isAbout(a)
	})
}

// unsure reports whether a change of the record was missing from the file at the entry at, and put back later.
func (j *Journal) unsure(record uint64, at int32) bool {
	return slices.ContainsFunc(j.noted[record], func(n *Note) bool {
		return n.n < at && slices.ContainsFunc(slices.Collect(maps.Values(n.closed)), func(c closing) bool { return c.back && c.n > at })
	})
}

// lostSince reports whether the record has an open note newer than the entry at.
func (j *Journal) lostSince(record uint64, at int32) bool {
	return slices.ContainsFunc(j.noted[record], func(n *Note) bool { return n.n > at && len(n.Open()) > 0 })
}

// noticed reports whether a change is known to be lost, and was not put back since.
func (j *Journal) noticed(of lineage, a Loss) bool {
	return slices.ContainsFunc(j.noted[of.record], func(n *Note) bool {
		c, closed := n.closed[FoldName(a.change.Name)]
		return !(closed && c.back) && n.isAbout(a)
	})
}

// source reports whether the text was made from a version with the change. In doubt it returns false.
func (j *Journal) source(of lineage, a Loss, d File, sources []int32) bool {
	return a.Entry.Revision > 0 && a.Entry.Revision <= d.Revision &&
		!slices.ContainsFunc(sources, func(n int32) bool { return a.n > n || j.absent(of, a, n) })
}

// sources returns the saves that gave a text its revision. Stale texts and branches may repeat one; then those whose words the text has,
// else those with the most of the words that they added, first the ones that no note reports as lost.
func (j *Journal) sources(record uint64, c *chain, revision int, texts map[string]string) (best []int32) {
	given := slices.DeleteFunc(slices.Clone(c.given[revision]), func(n int32) bool { // an undo gives the version of a save again
		return slices.ContainsFunc(c.given[revision], func(later int32) bool { return later > n && j.entries[later].after == j.entries[n].after })
	})
	if len(given) < 2 {
		return given
	}
	most := -1.0
	for _, n := range given {
		e, ok := j.load(n)
		if !ok {
			continue
		}
		score := e.keptIn(texts)
		if score < 1 && slices.ContainsFunc(j.noted[record], func(n *Note) bool { return slices.Contains(n.Entry.Source, e.ID) }) {
			score -= 0.001
		}
		if score > most {
			most, best = score, nil
		}
		if score == most {
			best = append(best, n)
		}
	}
	if best == nil { // no entry can be read
		return given
	}
	return best
}

// keptIn returns 1 when a file has all lines of a save's sections, else the share of the added words in new lines, at most 0.9.
func (e *Entry) keptIn(texts map[string]string) float64 {
	added, kept, all := 1, 0, true
	for _, c := range e.Sections {
		text, there := texts[FoldName(c.Name)]
		now := linesOf(text)
		all = all && len(linesOf(c.After).without(now)) == 0
		if c.Before == "" {
			added++
			if there {
				kept++
			}
		}
		fresh := now.without(linesOf(c.Before)).words()
		for w := range c.added().words() {
			if added++; fresh[w] {
				kept++
			}
		}
	}
	if all {
		return 1
	}
	return 0.9 * float64(kept) / float64(added)
}

// elsewhere reports whether another section has one of the lines and no tool wrote it there: the user moved it by hand.
func (j *Journal) elsewhere(c *chain, name string, texts map[string]string, lines lineSet) bool {
	for other, text := range texts {
		if other == name {
			continue
		}
		here := lines.common(linesOf(text))
		if len(here) == 0 {
			continue
		}
		for line := range j.past(other, c.sections[other], math.MaxInt).since {
			delete(here, line)
		}
		if len(here) > 0 {
			return true
		}
	}
	return false
}
