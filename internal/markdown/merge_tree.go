package markdown

import (
	"cmp"
	"slices"
)

// A merge joins the units of three outlines into one tree, then decides which units stay (fates), the parent of each and the side whose
// order places it (places), the order among siblings (ordered), and the written form (render).

// joined is one unit of up to three versions.
type joined struct {
	at   [3]*unit
	fate fate

	parent *joined
	by     [3]bool // the sides whose order places it
	kids   []*joined

	moved [3]bool // the side put it under another parent, or to another place among its siblings

	head   head // of an item, merged
	column int  // the indentation of its kids
	empty  bool // an item without text of its own
}

type fate uint8

const (
	stays fate = iota
	goes
	disputed // a conflict: the markers enclose both sides' texts with their kids
)

type merger struct {
	out   [3]*outline
	order []Known

	root   *joined
	all    []*joined
	plain  bool // number no ordered list again, and put a blank line between units that no version has side by side
	failed bool // no tree can contain both sides
}

// any returns one of j's units, for uses independent of the side.
func (j *joined) any() *unit { return cmp.Or(j.at[inOurs], j.at[inTheirs], j.at[inBase]) }

// sides returns the units of the sides that have j.
func (j *joined) sides() []*unit {
	return slices.DeleteFunc([]*unit{j.at[inOurs], j.at[inTheirs]}, func(u *unit) bool { return u == nil })
}

// only returns the unit of the only side that has j; nil if both or none have it.
func (j *joined) only() *unit {
	switch {
	case j.at[inOurs] == nil:
		return j.at[inTheirs]
	case j.at[inTheirs] == nil:
		return j.at[inOurs]
	}
	return nil
}

// merge makes the merged tree. It returns false if no tree can contain both sides.
func (m *merger) merge() bool {
	m.join()
	for side := inOurs; side <= inTheirs; side++ {
		m.moves(side)
	}
	m.fates()
	return m.place()
}

// place gives every unit its place, again after a unit is split, whose kids go with it; false if no tree can contain both sides.
func (m *merger) place() bool {
	for {
		n := len(m.all)
		if m.places(); len(m.all) > n {
			continue
		}
		if !m.rooted() {
			return false
		}
		if m.arrange(m.root); len(m.all) == n {
			return !m.failed
		}
	}
}

// join makes the joined units from the mates.
func (m *merger) join() {
	for _, o := range m.out {
		for _, u := range o.all {
			if u.is != nil {
				continue
			}
			j := &joined{}
			m.all = append(m.all, j)
			j.put(u)
			for _, mate := range u.mates {
				if mate != nil {
					j.put(mate)
				}
			}
			if u.of == inBase && u.weak[inOurs] != nil && u.weak[inTheirs] != nil && j.only() == nil && j.at[inOurs] == nil {
				j.put(u.weak[inOurs])
				j.put(u.weak[inTheirs])
				j.fate = disputed
			}
		}
	}
	m.root = m.out[inBase].root.is
}

func (j *joined) put(u *unit) {
	j.at[u.of] = u
	u.is = j
}

// moves finds what a side moved.
func (m *merger) moves(side version) {
	for _, p := range m.out[inBase].all {
		var kept []*joined
		var places []int
		for _, k := range p.kids {
			switch there := k.is.at[side]; {
			case there == nil:
			case there.parent.is != p.is:
				k.is.moved[side] = true
			default:
				kept = append(kept, k.is)
				places = append(places, there.index)
			}
		}
		for i, out := range ascending(places).out { // a unit in no longest run has moved
			kept[i].moved[side] = out
		}
	}
}

// fates decides which units stay. A unit that one side deleted goes, unless the other changed or moved it.
func (m *merger) fates() {
	for _, j := range m.all {
		u := j.only()
		switch {
		case j.fate == disputed || j.at[inBase] == nil:
		case j.at[inOurs] == nil && j.at[inTheirs] == nil:
			j.fate = goes
		case u == nil:
		case j.moved[u.of]:
			j.fate = disputed
		case touched(u):
			j.fate = disputed
			m.againstReplacement(j, u)
		default:
			j.fate = goes
		}
	}
}

// againstReplacement puts the other side's unit in u's place into the same conflict.
func (m *merger) againstReplacement(j *joined, u *unit) {
	put := j.at[inBase].weak[inOurs+inTheirs-u.of]
	if put == nil || put.is.at[inBase] != nil || put.is.only() != put {
		return
	}
	put.is.fate = goes
	j.put(put)
}

// touched reports whether a side changed u, which the other side deleted, or anything in it that the other side has not kept elsewhere.
func touched(u *unit) bool {
	was := u.mates[inBase]
	if u.content() != was.content() || u.box() != was.box() {
		return true
	}
	for _, k := range u.kids {
		before := k.mates[inBase]
		switch {
		case before == nil || before.parent != was:
			return true
		case before.mates[inOurs+inTheirs-u.of] != nil: // has its own fate
		case k.is.moved[u.of] || touched(k):
			return true
		}
	}
	return false
}

// contested reports whether a conflict around u or one of its ancestors shows u's text.
func (u *unit) contested() bool {
	for ; u != nil; u = u.parent {
		if u.is.fate == disputed {
			return true
		}
	}
	return false
}

// places decides under which parent each unit comes, and by which side's order: that of the side that moved it, if only one did.
func (m *merger) places() {
	for i := 0; i < len(m.all); i++ { // splitting appends
		j := m.all[i]
		if j == m.root || j.fate == goes {
			continue
		}
		j.parent, j.by = nil, [3]bool{}
		if u := j.only(); u != nil {
			j.goTo(u)
			continue
		}
		o, t, b := j.at[inOurs], j.at[inTheirs], j.at[inBase]
		contested := [2]bool{o.parent.contested(), t.parent.contested()}
		switch op, tp := o.parent.is, t.parent.is; {
		case contested == [2]bool{true, false}:
			j.goTo(t)
		case contested == [2]bool{false, true}:
			j.goTo(o)
		case op == tp && j.moved[inOurs] == j.moved[inTheirs]:
			j.goTo(o)
			j.goTo(t)
		case op == tp && j.moved[inOurs]:
			j.goTo(o)
		case op == tp:
			j.goTo(t)
		case b == nil:
			j.goTo(m.higher(o, t))
		case op == b.parent.is:
			j.goTo(t)
		case tp == b.parent.is:
			j.goTo(o)
		default:
			m.split(j)
		}
	}
}

func (j *joined) goTo(u *unit) {
	j.parent = u.parent.is
	j.by[u.of] = true
}

// higher chooses between two places of a unit that both sides added: the less deep one, then the parent with the lesser content.
func (m *merger) higher(o, t *unit) *unit {
	if do, dt := o.depth(), t.depth(); do < dt || do == dt && o.parent.content() < t.parent.content() {
		return o
	}
	return t
}

// split makes two conflicts of a unit that the sides moved to two places. In each, only one side has it.
func (m *merger) split(j *joined) {
	j.fate = goes
	for side := inOurs; side <= inTheirs; side++ {
		half := &joined{fate: disputed}
		half.put(j.at[side])
		half.at[inBase] = j.at[inBase]
		half.goTo(j.at[side])
		m.all = append(m.all, half)
	}
}

// rooted reports whether the root is an ancestor of every unit. It is not if the sides put two units into each other.
func (m *merger) rooted() bool {
	known := map[*joined]bool{m.root: true}
	for _, j := range m.all {
		if j.fate == goes {
			continue
		}
		var path []*joined
		for at := j; !known[at]; at = at.parent {
			path = append(path, at)
			if at.parent == nil || at.parent.fate == goes || len(path) > len(m.all) {
				return false
			}
		}
		for _, at := range path {
			known[at] = true
		}
	}
	return true
}
