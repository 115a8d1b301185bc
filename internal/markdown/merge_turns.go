package markdown

import "slices"

// turns merges two new orders of units, by their index in ours: each moved unit takes its place among the others from its mover.
type turns struct {
	m      *merger
	units  []*joined
	base   []int  // place in the base, -1 for a unit that is new here on both sides
	ours   []int  // place in ours: the index itself
	theirs []int  // place in theirs
	stable []bool // no side moved it
}

func newTurns(m *merger, p *joined, ours, theirs []*joined) *turns {
	n := len(ours)
	t := &turns{m: m, units: ours, base: make([]int, n), ours: make([]int, n), theirs: make([]int, n), stable: make([]bool, n)}
	at := make(map[*joined]int, n)
	for i, j := range theirs {
		at[j] = i
	}
	var old []int
	for i, j := range ours {
		t.base[i], t.ours[i], t.theirs[i] = -1, i, at[j]
		if was := j.at[inBase]; was != nil && was.parent.is == p {
			t.base[i] = was.index
			old = append(old, i)
		}
	}
	slices.SortFunc(old, func(i, k int) int { return t.base[i] - t.base[k] })
	places := make([]int, len(old))
	for at, i := range old {
		places[at] = t.theirs[i]
	}
	byOurs, byTheirs := ascending(old).keep, ascending(places).keep
	for at, i := range old {
		t.stable[i] = byOurs[at] && byTheirs[at]
	}
	return t
}

// order returns the merged order. There is none if the sides moved units to different places; culprit is then the one that they moved most.
func (t *turns) order() (order []*joined, culprit *joined) {
	groups := make([][]int, 2*len(t.units)+1) // a group before each stable unit, the unit, and a group after the last
	base, ours, theirs := t.gaps(t.base), t.gaps(t.ours), t.gaps(t.theirs)
	var torn []int
	for i := range t.units {
		b, o, u := base[i], ours[i], theirs[i]
		g := 2 * o
		switch {
		case t.stable[i]:
			g++
		case o == u || t.base[i] >= 0 && u == b:
		case t.base[i] >= 0 && o == b:
			g = 2 * u
		case t.base[i] >= 0:
			torn = append(torn, i)
		case u < o:
			g = 2 * u
		}
		groups[g] = append(groups[g], i)
	}
	if len(torn) > 0 {
		return nil, t.mostTurned(torn)
	}
	for _, group := range groups {
		sorted, ok := t.byPairs(group)
		if !ok {
			return nil, t.mostTurned(group)
		}
		for _, i := range sorted {
			order = append(order, t.units[i])
		}
	}
	return order, nil
}

// gaps returns for each unit how many stable units come before it, by their places in a version.
func (t *turns) gaps(places []int) []int {
	var stable []int
	for i, place := range places {
		if t.stable[i] {
			stable = append(stable, place)
		}
	}
	slices.Sort(stable)
	gaps := make([]int, len(places))
	for i, place := range places {
		gaps[i], _ = slices.BinarySearch(stable, place)
	}
	return gaps
}

// byPairs orders units by deciding each pair by itself. ok is false if the decisions form a circle.
func (t *turns) byPairs(units []int) (order []int, ok bool) {
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
	order = slices.Repeat([]int{-1}, len(units))
	for a, i := range units {
		if order[before[a]] >= 0 {
			return nil, false
		}
		order[before[a]] = i
	}
	return order, true
}

// asOurs reports whether i comes first in the merged order. Ours has i before k.
func (t *turns) asOurs(i, k int) bool {
	b, c := t.base[i], t.base[k]
	switch {
	case t.theirs[i] < t.theirs[k]:
		return true
	case b >= 0 && c >= 0:
		return b > c
	case b < 0 && c < 0:
		return t.m.compare(t.units[i], t.units[k]) < 0
	}
	return b < 0 // one is new on both sides, at two places: take the earlier one
}

// mostTurned returns that of some units of which the sides reversed the most pairs.
func (t *turns) mostTurned(units []int) *joined {
	turned := make([]int, len(t.units))
	for i, b := range t.base {
		for k := i + 1; k < len(t.base) && b >= 0; k++ {
			c := t.base[k]
			for _, reversed := range []bool{c < b, (c < b) == (t.theirs[i] < t.theirs[k])} {
				if c >= 0 && reversed {
					turned[i]++
					turned[k]++
				}
			}
		}
	}
	worst := units[0]
	for _, i := range units {
		if n := turned[i] - turned[worst]; n > 0 || n == 0 && t.m.compare(t.units[i], t.units[worst]) < 0 {
			worst = i
		}
	}
	return t.units[worst]
}
