package markdown

import (
	"cmp"
	"slices"

	"sdd/internal/analysis"
)

// Matching finds which units of two or three outlines are the same: those with the same content in order, then out of order, then in
// another section; the others by similarity, best first. It prefers neither side. Twins, which both sides have and the base lacks, are
// excluded before: else a unit that an earlier merge copied could count as a rewording, and a second merge would change the result.
const (
	similarHere = 0.5  // share of common words for a reworded unit between the same neighbours
	similarAway = 0.6  // and for a reworded unit in another place
	similarBody = 0.5  // share of common units for a section with another heading
	similarWeak = 0.25 // below this, two texts are unrelated
)

// maxAlike limits the search for the right parent among units with the same content.
const maxAlike = 64

type matcher struct {
	out   []*outline // by version
	ids   map[string]int32
	words map[string]int32
	bags  map[*unit][]int32
}

// match sets mates and weak of all units of a base and one or two sides.
func match(out ...*outline) *matcher {
	m := &matcher{out: out, ids: map[string]int32{}, words: map[string]int32{}, bags: map[*unit][]int32{}}
	pairs := [][]*outline{out}
	if len(out) == 3 {
		pairs = [][]*outline{out[:2], {out[inBase], out[inTheirs]}, out[1:]}
	}
	for _, p := range pairs {
		link(p[0].root, p[1].root)
		m.named(p[0], p[1])
	}
	m.renamed()
	for _, p := range pairs {
		m.eachPair(p[0], p[1], m.same)
	}
	m.elsewhere()
	m.reworded()
	m.linkChildren()
	for _, side := range out[1:] {
		m.replaced(out[inBase], side)
	}
	return m
}

// link makes a, b and the units linked to either of them the same unit.
func link(a, b *unit) {
	a.mates[b.of], b.mates[a.of] = b, a
	for v := range a.mates {
		switch x, y := a.mates[v], b.mates[v]; {
		case version(v) == a.of || version(v) == b.of:
		case x != nil:
			x.mates[b.of], b.mates[v] = b, x
		case y != nil:
			y.mates[a.of], a.mates[v] = a, y
		}
	}
}

// twin returns the other side's mate of a unit that the base lacks.
func (u *unit) twin() *unit {
	if u.of == inBase || u.mates[inBase] != nil {
		return nil
	}
	return u.mates[inOurs+inTheirs-u.of]
}

// open reports whether u may still get a mate in version v: it has no mate there, and a side's unit no mate at all.
func (u *unit) open(v version) bool {
	if u.of == inBase {
		return u.mates[v] == nil
	}
	return u.mates[inBase] == nil && u.twin() == nil
}

// id returns a number for a unit's kind and content.
func (m *matcher) id(u *unit) int32 { return numberOf(m.ids, string(rune('a'+u.kind))+u.content()) }

// numberOf returns the number of a key in ids, a new one for a new key.
func numberOf(ids map[string]int32, key string) int32 {
	id, ok := ids[key]
	if !ok {
		id = int32(len(ids))
		ids[key] = id
	}
	return id
}

// guess is a possible pair of a base unit and a side's unit.
type guess struct {
	score      float64
	base, side *unit
}

func sortGuesses(guesses []guess) {
	slices.SortStableFunc(guesses, func(a, b guess) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.base.place, b.base.place), cmp.Compare(a.side.place, b.side.place))
	})
}

// linkBest links guesses, the best first, whose units have no mates yet.
func linkBest(guesses []guess) {
	sortGuesses(guesses)
	for _, g := range guesses {
		if g.base.mates[g.side.of] == nil && g.side.mates[inBase] == nil {
			link(g.base, g.side)
		}
	}
}

// linkGuesses links the pairs that find guesses: twins first, by the guesses for each side, then the units that one side alone has.
func (m *matcher) linkGuesses(find func(side *outline, mayBe func(base, side *unit) bool) []guess) {
	if len(m.out) == 3 {
		twins := func(b, s *unit) bool {
			return b.mates[inOurs] == nil && b.mates[inTheirs] == nil && s.twin() != nil
		}
		linkBest(append(find(m.out[inOurs], twins), find(m.out[inTheirs], twins)...))
	}
	for _, side := range m.out[1:] {
		linkBest(find(side, single))
	}
}

// single reports whether a side's unit and a base unit may be the same: neither has another mate.
func single(b, s *unit) bool { return b.open(s.of) && s.open(inBase) }

// eachPair calls do with all linked sections.
func (m *matcher) eachPair(a, b *outline, do func(a, b *outline, s, t *unit)) {
	for _, s := range a.root.kids {
		if t := s.mates[b.root.of]; t != nil {
			do(a, b, s, t)
		}
	}
}

// same links the units of two sections that have the same content: in order, then in any order, those under the same unit first.
func (m *matcher) same(a, b *outline, s, t *unit) {
	us, uids := m.left(a.under(s), b.root.of)
	ts, tids := m.left(b.under(t), a.root.of)
	parentsMatch := func(u, v *unit) bool { return u.parent.mates[v.of] == v.parent }
	for i, j := range align(uids, tids) {
		if j >= 0 && parentsMatch(us[i], ts[j]) {
			link(us[i], ts[j])
		}
	}
	if us, uids = m.left(us, b.root.of); len(us) == 0 {
		return
	}
	for _, anywhere := range []bool{false, a.root.of == inBase} { // new units with the same content under different parents are two
		where := map[int32][]*unit{}
		for i, u := range ts {
			if u.open(a.root.of) {
				where[tids[i]] = append(where[tids[i]], u)
			}
		}
		for i, u := range us {
			found := where[uids[i]]
			near := found[:min(len(found), maxAlike)]
			k := slices.IndexFunc(near, func(v *unit) bool { return u.open(v.of) && parentsMatch(u, v) })
			if k < 0 && anywhere { // now that its parent may have its mate
				k = slices.IndexFunc(near, func(v *unit) bool { return u.open(v.of) })
			}
			if k >= 0 {
				link(u, found[k])
				where[uids[i]] = slices.Delete(found, k, k+1)
			}
		}
	}
}

// left returns the units that may still get a mate in version v, and their ids.
func (m *matcher) left(units []*unit, v version) (open []*unit, ids []int32) {
	for _, u := range units {
		if u.open(v) {
			open = append(open, u)
			ids = append(ids, m.id(u))
		}
	}
	return open, ids
}

// elsewhere links units with the same content in two sections.
func (m *matcher) elsewhere() {
	m.linkGuesses(func(side *outline, mayBe func(b, s *unit) bool) []guess {
		where := map[int32][]*unit{}
		for _, b := range m.out[inBase].all {
			if b.kind > sectionUnit && b.mates[side.root.of] == nil {
				where[m.id(b)] = append(where[m.id(b)], b)
			}
		}
		if len(where) == 0 {
			return nil
		}
		var guesses []guess
		for _, s := range side.all {
			if s.kind <= sectionUnit || s.mates[inBase] != nil {
				continue
			}
			if found := where[m.id(s)]; len(found) > 0 && mayBe(found[0], s) {
				guesses = append(guesses, guess{1, found[0], s})
				where[m.id(s)] = found[1:]
			}
		}
		return guesses
	})
}

// linkChildren links the units that both sides put under one item or heading that one of them moved or reworded.
func (m *matcher) linkChildren() {
	if len(m.out) < 3 {
		return
	}
	for _, u := range m.out[inOurs].all {
		v := u.mates[inTheirs]
		if v == nil || u.kind != itemUnit && u.kind != headingUnit {
			continue
		}
		us, uids := m.left(u.kids, inTheirs)
		vs, vids := m.left(v.kids, inOurs)
		for i, j := range align(uids, vids) {
			if j >= 0 {
				link(us[i], vs[j])
			}
		}
	}
}

// bag returns the numbers of a unit's words, sorted.
func (m *matcher) bag(u *unit) []int32 {
	bag, ok := m.bags[u]
	if !ok {
		for _, w := range analysis.Words(u.content()) {
			bag = append(bag, numberOf(m.words, w))
		}
		slices.Sort(bag)
		m.bags[u] = bag
	}
	return bag
}

// similar returns the share of words that two units have in common (Dice), or 0 if it is small.
func (m *matcher) similar(a, b *unit) float64 {
	x, y := m.bag(a), m.bag(b)
	if 2*float64(min(len(x), len(y))) <= similarWeak*float64(len(x)+len(y)) { // even if they had all in common
		return 0
	}
	total, common := len(x)+len(y), 0
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] == y[0]:
			common++
			x, y = x[1:], y[1:]
		case x[0] < y[0]:
			x = x[1:]
		default:
			y = y[1:]
		}
	}
	return 2 * float64(common) / float64(total)
}
