package markdown

import "slices"

// turns merges two new orders of the same units. Merging an order with one whose moves it contains must give the
// first order, even if either of two neighbours may have moved past the other. Therefore turns works on
// pairs: if only one side reversed two units, they get that side's order. Units have their index in ours.
type turns struct {
	m      *merger
	units  []*joined
	base   []int  // place in the base, -1 for a unit that is new here on both sides
	theirs []int  // place in theirs
	more   int    // how many more pairs ours reversed than theirs
	runs   [3]run // the units that each side left in the base's order
}

func newTurns(m *merger, p *joined, ours, theirs []*joined) *turns {
	t := &turns{m: m, units: ours, base: make([]int, len(ours)), theirs: make([]int, len(ours))}
	at := make(map[*joined]int, len(ours))
	for i, j := range theirs {
		at[j] = i
	}
	for i, j := range ours {
		t.base[i], t.theirs[i] = -1, at[j]
		if was := j.at[inBase]; was != nil && was.parent.is == p {
			t.base[i] = was.index
		}
	}
	t.eachPair(func(i, k int) {
		if t.turnedBy(inOurs, i, k) {
			t.more++
		}
		if t.turnedBy(inTheirs, i, k) {
			t.more--
		}
	})
	t.runs[inOurs], t.runs[inTheirs] = t.left(inOurs), t.left(inTheirs)
	return t
}

// order returns the merged order. If there is none, culprit is a unit that prevents it.
func (t *turns) order() (order []*joined, culprit *joined) {
	if i := t.apart(); i >= 0 {
		return nil, t.units[i]
	}
	all := make([]int, len(t.units))
	for i := range all {
		all[i] = i
	}
	found := t.byPairs(all)
	if found == nil {
		found = t.byMoves()
	}
	if found == nil {
		return nil, t.units[t.mostTurned()]
	}
	for _, i := range found {
		order = append(order, t.units[i])
	}
	return order, nil
}

// apart returns a unit that both sides certainly moved, to different places among the units that certainly stayed; -1 if
// there is none.
func (t *turns) apart() int {
	o, u := t.runs[inOurs], t.runs[inTheirs]
	gaps := t.gaps(func(i int) bool { return o.sure[i] && u.sure[i] })
	for i := range t.units {
		if o.out[i] && u.out[i] && gaps[inOurs][i] != gaps[inTheirs][i] {
			return i
		}
	}
	return -1
}

// eachPair calls do with all pairs i, k, in the order of ours.
func (t *turns) eachPair(do func(i, k int)) {
	for i := range t.units {
		for k := i + 1; k < len(t.units); k++ {
			do(i, k)
		}
	}
}

// turnedBy reports whether a side reversed two units of the base.
func (t *turns) turnedBy(side version, i, k int) bool {
	if t.base[i] < 0 || t.base[k] < 0 {
		return false
	}
	inBase := t.base[i] < t.base[k]
	if side == inTheirs {
		return inBase != (t.theirs[i] < t.theirs[k])
	}
	return inBase != (i < k)
}

// asOurs reports whether i comes first in the merged order. Ours has i before k.
func (t *turns) asOurs(i, k int) bool {
	b, c := t.base[i], t.base[k]
	switch {
	case t.theirs[i] < t.theirs[k]:
		return true
	case b >= 0 && c >= 0:
		return b > c
	case t.more != 0: // one is new on both sides: take the order of the side that reversed more pairs
		return t.more > 0
	case b < 0 && c < 0:
		return t.m.compare(t.units[i], t.units[k]) < 0
	}
	return b < 0 // the sides have the new unit at two places: take the earlier one
}

// byPairs orders units by deciding each pair by itself. It returns nil if the decisions form a circle.
func (t *turns) byPairs(units []int) []int {
	before := make([]int, len(units)) // how many come before each
	for a, i := range units {
		for b := a + 1; b < len(units); b++ {
			if t.asOurs(i, units[b]) {
				before[b]++
			} else {
				before[a]++
			}
		}
	}
	order := make([]int, len(units))
	taken := make([]bool, len(units))
	for a, i := range units {
		if taken[before[a]] {
			return nil
		}
		taken[before[a]] = true
		order[before[a]] = i
	}
	return order
}

// byMoves keeps the order of the units that stayed on both sides, and puts each unit that a side moved at that
// side's place among them. It ignores whether two moved units passed each other. It returns nil if both
// sides moved a unit to different places, or if the result would undo a move.
func (t *turns) byMoves() []int {
	stable := func(i int) bool { return t.runs[inOurs].keep[i] && t.runs[inTheirs].keep[i] }
	gaps := t.gaps(stable)
	byGap := map[int][]int{}
	var order []int
	last := 0
	for i := range t.units {
		b, o, u := gaps[inBase][i], gaps[inOurs][i], gaps[inTheirs][i]
		g := o
		switch {
		case stable(i) || o == u || t.base[i] >= 0 && u == b:
		case t.base[i] >= 0 && o == b:
			g = u
		case t.base[i] >= 0:
			return nil
		case t.more < 0 || t.more == 0 && u < o:
			g = u
		}
		if stable(i) {
			g = 2*g + 1
		} else {
			g = 2 * g
		}
		byGap[g] = append(byGap[g], i)
		last = max(last, g)
	}
	for g := range last + 1 {
		if group := byGap[g]; len(group) > 0 {
			sorted := t.byPairs(group)
			if sorted == nil {
				return nil
			}
			order = append(order, sorted...)
		}
	}
	if !t.keepsMoves(order) {
		return nil
	}
	return order
}

// left finds the units that a side left in the base's order.
func (t *turns) left(side version) run {
	var units, places []int
	for i := range t.units {
		if t.base[i] >= 0 {
			units = append(units, i)
		}
	}
	slices.SortFunc(units, func(i, k int) int { return t.base[i] - t.base[k] })
	for _, i := range units {
		if side == inTheirs {
			places = append(places, t.theirs[i])
		} else {
			places = append(places, i)
		}
	}
	r := ascending(places)
	n := len(t.units)
	all := run{make([]bool, n), make([]bool, n), make([]bool, n)}
	for at, i := range units {
		all.keep[i], all.sure[i], all.out[i] = r.keep[at], r.sure[at], r.out[at]
	}
	return all
}

// gaps returns for each version how many stable units come before each unit.
func (t *turns) gaps(stable func(int) bool) [3][]int {
	var gaps [3][]int
	for v := range gaps {
		units := make([]int, len(t.units))
		for i := range units {
			units[i] = i
		}
		switch version(v) {
		case inBase:
			slices.SortStableFunc(units, func(i, k int) int { return t.base[i] - t.base[k] })
		case inTheirs:
			slices.SortFunc(units, func(i, k int) int { return t.theirs[i] - t.theirs[k] })
		}
		gaps[v] = make([]int, len(t.units))
		n := 0
		for _, i := range units {
			gaps[v][i] = n
			if stable(i) {
				n++
			}
		}
	}
	return gaps
}

// keepsMoves reports whether an order keeps each side's moves. If it does not keep a side's reversal of two units, then
// each of them that the side moved must keep the side's reversal with another unit.
func (t *turns) keepsMoves(order []int) bool {
	place := make([]int, len(order))
	for n, i := range order {
		place[i] = n
	}
	kept := func(side version, i, k int) bool {
		if side == inTheirs {
			return (t.theirs[i] < t.theirs[k]) == (place[i] < place[k])
		}
		return (i < k) == (place[i] < place[k])
	}
	for side := inOurs; side <= inTheirs; side++ {
		shows := slices.Clone(t.runs[side].keep)
		t.eachPair(func(i, k int) {
			if t.turnedBy(side, i, k) && kept(side, i, k) {
				shows[i], shows[k] = true, true
			}
		})
		ok := true
		t.eachPair(func(i, k int) {
			if t.turnedBy(side, i, k) && !kept(side, i, k) {
				ok = ok && shows[i] && shows[k]
			}
		})
		if !ok {
			return false
		}
	}
	return true
}

// mostTurned returns the unit of which the sides reversed the most pairs.
func (t *turns) mostTurned() int {
	turned := make([]int, len(t.units))
	t.eachPair(func(i, k int) {
		for side := inOurs; side <= inTheirs; side++ {
			if t.turnedBy(side, i, k) {
				turned[i]++
				turned[k]++
			}
		}
	})
	worst := 0
	for i := range t.units {
		if turned[i] > turned[worst] || turned[i] == turned[worst] && t.m.compare(t.units[i], t.units[worst]) < 0 {
			worst = i
		}
	}
	return worst
}
