package markdown

import (
	"iter"
	"slices"
	"sync"
)

// reworded links the remaining units by similarity: inside a section, then where the other side moved them.
func (m *matcher) reworded() {
	base := m.out[inBase]
	m.linkGuesses(func(side *outline, mayBe func(b, s *unit) bool) []guess {
		near := sync.OnceValue(func() *neighbours { return m.neighbours(side) })
		var found []guess
		m.eachPair(base, side, func(_, _ *outline, s, t *unit) {
			found = append(found, m.guesses(base.under(s), side.under(t), side.root.of, mayBe, near)...)
		})
		return found
	})
	if len(m.out) == 3 {
		m.followed(m.out[inOurs], m.out[inTheirs])
		m.followed(m.out[inTheirs], m.out[inOurs])
	}
}

// followed finds base units on a side by the other side's version: its content anywhere, or its words in the section of its parent.
func (m *matcher) followed(side, other *outline) {
	base := m.out[inBase]
	missing := map[*unit][]*unit{} // by section
	var sections []*unit
	var withID map[int32][]*unit
	for _, b := range base.all {
		there := b.mates[other.root.of]
		if there == nil || b.mates[side.root.of] != nil || b.kind <= sectionUnit {
			continue
		}
		if withID == nil {
			withID = map[int32][]*unit{}
			for _, s := range side.all {
				if s.open(inBase) && s.kind > sectionUnit {
					withID[m.id(s)] = append(withID[m.id(s)], s)
				}
			}
		}
		if found := withID[m.id(there)]; len(found) > 0 {
			link(b, found[0])
			withID[m.id(there)] = found[1:]
			continue
		}
		s := there.section().mates[side.root.of]
		if p := there.parent.mates[side.root.of]; p != nil {
			s = p.section()
		}
		if s != nil && s != b.section().mates[side.root.of] {
			if missing[s] == nil {
				sections = append(sections, s)
			}
			missing[s] = append(missing[s], b)
		}
	}
	for _, s := range sections {
		linkBest(m.guesses(missing[s], side.under(s), side.root.of, single, nil))
	}
}

// neighbours holds, by place, the nearest unit before and after that has a mate on the other of two versions.
type neighbours struct{ before, after [3][]*unit }

func (m *matcher) neighbours(side *outline) *neighbours {
	n := &neighbours{}
	last := func(units iter.Seq2[int, *unit], size int, mate version) []*unit {
		list := make([]*unit, size)
		var last *unit
		for i, u := range units {
			if list[i] = last; u.mates[mate] != nil {
				last = u
			}
		}
		return list
	}
	for o, mate := range map[*outline]version{m.out[inBase]: side.root.of, side: inBase} {
		n.before[o.root.of] = last(slices.All(o.all), len(o.all), mate)
		n.after[o.root.of] = last(slices.Backward(o.all), len(o.all), mate)
	}
	return n
}

// inPlace reports whether b and s have the same neighbour before or after them.
func (n *neighbours) inPlace(b, s *unit) bool {
	same := func(x, y *unit) bool { return x == y || x != nil && y != nil && x.mates[y.of] == y }
	return same(n.before[b.of][b.place], n.before[s.of][s.place]) || same(n.after[b.of][b.place], n.after[s.of][s.place])
}

const (
	maxPairs  = 1 << 17 // up to so many pairs, guesses compares all; else each unit only with those at about the same place,
	maxAside  = 8       // of which it compares at least so many on each side
	maxShared = 12      // up to so many sections that have a same unit are compared
)

// guesses returns the pairs of a base unit and a side's unit that are similar enough.
func (m *matcher) guesses(bases, sides []*unit, of version, mayBe func(b, s *unit) bool, near func() *neighbours) []guess {
	bases, sides = without(bases, of), without(sides, inBase)
	if len(bases) == 0 || len(sides) == 0 {
		return nil
	}
	var found []guess
	aside := max(maxAside, maxPairs/len(bases))
	for i, b := range bases {
		at := i * len(sides) / len(bases)
		for _, s := range sides[max(0, at-aside):min(len(sides), at+aside)] {
			if b.kind != s.kind || !mayBe(b, s) {
				continue
			}
			score := m.similar(b, s)
			if b.kind == headingUnit && score < similarHere { // by what is below it, after all that have similar words
				if below := m.shared(b.kids, s.kids); below >= similarAway || below >= similarHere && near != nil && near().inPlace(b, s) {
					found = append(found, guess{below / 2, b, s})
					continue
				}
			}
			if score >= similarHere && near != nil && near().inPlace(b, s) {
				found = append(found, guess{score + 0.1, b, s})
			} else if score >= similarAway {
				found = append(found, guess{score, b, s})
			}
		}
	}
	return found
}

// without returns the units that have no mate in version v.
func without(units []*unit, v version) []*unit {
	return slices.DeleteFunc(slices.Clone(units), func(u *unit) bool { return u.mates[v] != nil })
}

// replaced pairs units of one kind without a mate between the same neighbours. They are not one unit, but changing both is one change.
func (m *matcher) replaced(base, side *outline) {
	for _, p := range base.all {
		if q := p.mates[side.root.of]; q != nil && len(p.kids) > 0 && len(q.kids) > 0 && p.kind != wholeUnit {
			m.replacedIn(p, q)
		}
	}
}

func (m *matcher) replacedIn(p, q *unit) {
	type place struct{ before, after *unit } // neighbours in the base
	byPlace := map[place][]*unit{}
	for _, r := range runs(q, p) {
		for _, s := range r.units {
			if s.open(inBase) {
				at := place{r.before, r.after}
				byPlace[at] = append(byPlace[at], s)
			}
		}
	}
	if len(byPlace) == 0 {
		return
	}
	for _, r := range runs(p, q) {
		sides := byPlace[place{r.before, r.after}]
		if len(sides) == 0 {
			continue
		}
		var likely []guess
		if len(r.units)*len(sides) <= maxPairs {
			for _, b := range r.units {
				for _, s := range sides {
					if score := m.similar(b, s); b.kind == s.kind && score >= similarWeak {
						likely = append(likely, guess{score, b, s})
					}
				}
			}
		}
		sortGuesses(likely)
		for _, g := range likely {
			replaceWeakly(g.base, g.side)
		}
		for _, b := range r.units { // in order
			i := slices.IndexFunc(sides, func(s *unit) bool { return b.kind == s.kind && s.weak[inBase] == nil })
			if i >= 0 {
				replaceWeakly(b, sides[i])
			}
			for len(sides) > 0 && sides[0].weak[inBase] != nil {
				sides = sides[1:]
			}
		}
	}
}

func replaceWeakly(b, s *unit) {
	if b.weak[s.of] == nil && s.weak[inBase] == nil {
		b.weak[s.of], s.weak[inBase] = s, b
	}
}

// gapRun is a run of kids without a mate between two kids with one, which it has as units of the base.
type gapRun struct {
	before, after *unit
	units         []*unit
}

// runs splits the kids of u, whose mate is v.
func runs(u, v *unit) []gapRun {
	var all []gapRun
	var open gapRun
	for _, k := range u.kids {
		mate := k.mates[v.of]
		if mate == nil {
			open.units = append(open.units, k)
		}
		if mate == nil || mate.parent != v {
			continue
		}
		anchor := k
		if k.of != inBase {
			anchor = mate
		}
		open.after = anchor
		if len(open.units) > 0 {
			all = append(all, open)
		}
		open = gapRun{before: anchor}
	}
	if len(open.units) > 0 {
		all = append(all, open)
	}
	return all
}
