package markdown

import (
	"cmp"
	"slices"
	"strings"
)

// arrange orders the kids of j and of all its descendants.
func (m *merger) arrange(j *joined) {
	if j.fate == disputed {
		return
	}
	j.kids = m.ordered(j)
	for _, k := range j.kids {
		m.arrange(k)
	}
}

// ordered merges the two orders of p's kids: those of both sides (agreed), and behind them the kids that follow them on one side.
func (m *merger) ordered(p *joined) []*joined {
	spine := m.agreed(p)
	body := blocks(spine)
	rank := make(map[*joined]int, len(spine))
	for i, j := range spine {
		rank[j] = i
	}
	var runs [3][][]*joined // by side, the kids before each of the spine and after the last
	for side := inOurs; side <= inTheirs; side++ {
		runs[side] = make([][]*joined, len(spine)+1)
		chain := m.chain(p, side)
		var ranks []int
		for _, j := range chain {
			if shared(j) {
				ranks = append(ranks, rank[j])
			}
		}
		keep := ascending(ranks).keep
		at := 0
		for _, j := range chain {
			switch {
			case !shared(j):
				if j.any().kind == headingUnit {
					at = max(at, body) // it would contain blocks after it
				}
				runs[side][at] = append(runs[side][at], j)
			case keep[0]:
				at = rank[j] + 1
				fallthrough
			default:
				keep = keep[1:]
			}
		}
	}
	var out []*joined
	for i := range len(spine) + 1 {
		var before *joined
		if i > 0 {
			before = spine[i-1]
			out = append(out, before)
		}
		out = append(out, m.interleave(runs[inOurs][i], runs[inTheirs][i], before)...)
	}
	return out
}

// chain returns the kids of p that a side's order places, in that order.
func (m *merger) chain(p *joined, side version) []*joined {
	u := p.at[side]
	if u == nil {
		return nil
	}
	var out []*joined
	for _, k := range u.kids {
		if j := k.is; j.parent == p && j.by[side] && j.fate != goes {
			out = append(out, j)
		}
	}
	return out
}

func shared(j *joined) bool { return j.by[inOurs] && j.by[inTheirs] }

func both(chain []*joined) []*joined {
	return slices.DeleteFunc(slices.Clone(chain), func(j *joined) bool { return !shared(j) })
}

// maxTurned limits the kids that both sides reordered, because the work is quadratic.
const maxTurned = 1000

// agreed returns the kids of both sides in their merged order, and splits those that the sides moved apart into conflicts.
func (m *merger) agreed(p *joined) []*joined {
	for {
		ours, theirs := both(m.chain(p, inOurs)), both(m.chain(p, inTheirs))
		switch {
		case slices.Equal(ours, theirs), inBaseOrder(p, theirs):
			return ours
		case inBaseOrder(p, ours):
			return theirs
		}
		if len(ours) > maxTurned {
			m.failed = true
			return ours
		}
		order, culprit := newTurns(m, p, ours, theirs).order()
		if culprit == nil {
			return order
		}
		m.split(culprit)
	}
}

// inBaseOrder reports whether run lists kids that p has in the base, in the base's order.
func inBaseOrder(p *joined, run []*joined) bool {
	last := -1
	for _, j := range run {
		was := j.at[inBase]
		if was == nil || was.parent.is != p || was.index <= last {
			return false
		}
		last = was.index
	}
	return true
}

// interleave merges the kids that each side alone has between two neighbours: by their text if order does not matter, else side by side.
func (m *merger) interleave(ours, theirs []*joined, before *joined) []*joined {
	if len(ours) == 0 || len(theirs) == 0 {
		return append(slices.Clone(ours), theirs...)
	}
	// What has no heading stays before those that have.
	if i, k := blocks(ours), blocks(theirs); i+k > 0 && i+k < len(ours)+len(theirs) {
		return append(m.interleave(ours[:i], theirs[:k], before), m.interleave(ours[i:], theirs[k:], nil)...)
	}
	var out []*joined
	if before != nil && before.any().kind == itemUnit {
		i, k := leading(ours), leading(theirs)
		out = m.zip(ours[:i], theirs[:k])
		ours, theirs = ours[i:], theirs[k:]
	}
	switch {
	case leading(ours) == len(ours) && leading(theirs) == len(theirs):
		return append(out, m.zip(ours, theirs)...)
	case len(theirs) == 0 || len(ours) > 0 && m.compare(ours[0], theirs[0]) < 0:
		return slices.Concat(out, ours, theirs)
	}
	return slices.Concat(out, theirs, ours)
}

// blocks returns how many units come before the first heading.
func blocks(run []*joined) int {
	i := slices.IndexFunc(run, func(j *joined) bool { return j.any().kind == headingUnit })
	if i < 0 {
		return len(run)
	}
	return i
}

// leading returns how many units interleave may put into any order, until the first that it may not.
func leading(run []*joined) int {
	i := slices.IndexFunc(run, func(j *joined) bool {
		kind := j.any().kind
		return kind != itemUnit && kind != sectionUnit && kind != headingUnit && kind != referenceUnit
	})
	if i < 0 {
		return len(run)
	}
	return i
}

// zip merges two runs by always taking the lesser of their first elements. So three runs give the same order whichever two it merges first.
func (m *merger) zip(a, b []*joined) []*joined {
	var out []*joined
	for len(a) > 0 && len(b) > 0 {
		if m.compare(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// compare orders units whatever their side: known sections in the order of the kind, deeper headings first, all others by text.
func (m *merger) compare(a, b *joined) int {
	x, y := m.lesser(a), m.lesser(b)
	return cmp.Or(cmp.Compare(m.rank(x), m.rank(y)), m.compareUnits(x, y))
}

func (m *merger) compareUnits(x, y *unit) int {
	if c := cmp.Or(strings.Compare(x.content(), y.content()), strings.Compare(x.own, y.own)); c != 0 {
		return c
	}
	return strings.Compare(m.out[x.of].raw(x), m.out[y.of].raw(y))
}

// lesser returns the unit that compare uses for j. It is the same when the sides are swapped.
func (m *merger) lesser(j *joined) *unit {
	o, t := j.at[inOurs], j.at[inTheirs]
	if o != nil && t != nil && m.compareUnits(t, o) < 0 {
		return t
	}
	return j.any()
}

func (m *merger) rank(u *unit) int {
	if u.kind != sectionUnit {
		return -u.level // a heading would contain deeper ones after it
	}
	for i, k := range m.order {
		if k.Under == "" && u.level == 2 && sameName(u.name, k.Name) {
			return i
		}
	}
	return len(m.order)
}
