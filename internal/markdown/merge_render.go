package markdown

import (
	"strings"
)

// renderer writes the merged text and collects the units that parsing it again must give.
type renderer struct {
	labels  MergeLabels
	swapped bool // the merge's ours is the caller's theirs

	out       strings.Builder
	conflicts []MergeConflict
	meant     []meantUnit
	lines     int  // line ends written
	open      bool // the last line written is a marker
}

type meantUnit struct {
	kind    unitKind
	depth   int
	own     string
	section *joined
}

// render writes the tree and checks a clean result by parsing it; failing that in a plainer way, and at last with a conflict.
func (m *merger) render(r *renderer) bool {
	for _, m.plain = range []bool{false, true} {
		m.write(r)
		if len(r.conflicts) > 0 {
			return true
		}
		at, ok := r.check()
		if ok {
			return true
		}
		if m.plain && m.dispute(r, at) {
			m.write(r)
			return true
		}
	}
	return false
}

func (m *merger) write(r *renderer) {
	r.reset()
	m.looks(m.root)
	r.kids(m, m.root, 0, nil)
	r.text(three(m.out[inBase].tail, m.out[inOurs].tail, m.out[inTheirs].tail))
}

func (r *renderer) reset() {
	*r = renderer{labels: r.labels, swapped: r.swapped}
}

// check parses the result and finds the first unit that differs from the merged one.
func (r *renderer) check() (at int, ok bool) {
	o, err := outlineOf(r.out.String(), inBase)
	if err != nil {
		return 0, false
	}
	got := o.all[1:]
	for i, want := range r.meant {
		if i >= len(got) || got[i].kind != want.kind || got[i].own != want.own || got[i].depth() != want.depth {
			return i, false
		}
	}
	return len(r.meant), len(got) == len(r.meant)
}

func (u *unit) depth() int {
	n := 0
	for p := u.parent; p != nil && p.parent != nil; p = p.parent {
		n++
	}
	return n
}

// dispute makes a conflict of the section in which the result first differs; for a heading, of the section before it.
func (m *merger) dispute(r *renderer, at int) bool {
	if len(r.meant) == 0 {
		return false
	}
	at = min(at, len(r.meant)-1)
	if r.meant[at].kind == sectionUnit && at > 0 {
		at--
	}
	s := r.meant[at].section
	o, t := s.at[inOurs], s.at[inTheirs]
	if o == nil || t == nil || m.out[inOurs].raw(o) == m.out[inTheirs].raw(t) {
		return false
	}
	s.fate = disputed
	return m.place()
}

func (r *renderer) kids(m *merger, p *joined, depth int, section *joined) {
	var before *joined
	for _, j := range p.kids {
		r.text(m.gap(p, before, j))
		before = j
		in := section
		if j.any().kind == sectionUnit {
			in = j
		}
		r.unit(m, j, depth, in)
	}
}

func (r *renderer) unit(m *merger, j *joined, depth int, section *joined) {
	name := section.name()
	if j.fate == disputed {
		raw := func(v version) string {
			if j.at[v] == nil {
				return ""
			}
			return m.out[v].raw(j.at[v])
		}
		r.clash(name, raw(inBase), raw(inOurs), raw(inTheirs))
		return
	}
	start := r.out.Len()
	r.parts(name, m.text(j))
	r.meant = append(r.meant, meantUnit{j.any().kind, depth, r.out.String()[start:], section})
	r.kids(m, j, depth+1, section)
}

// name returns the section's name, in the base's spelling if the base has the section.
func (j *joined) name() string {
	b, o, t := j.at[inBase], j.at[inOurs], j.at[inTheirs]
	switch {
	case b != nil:
		return b.name
	case o != nil && t != nil:
		return min(o.name, t.name)
	}
	return j.any().name
}

func (r *renderer) parts(section string, parts []part) {
	for _, p := range parts {
		if p.clash {
			r.clash(section, p.base, p.ours, p.theirs)
		} else {
			r.text(p.text)
		}
	}
}

func (r *renderer) text(s string) {
	if s == "" {
		return
	}
	r.out.WriteString(s)
	r.lines += strings.Count(s, "\n")
	r.open = false
}

func (r *renderer) clash(section, base, ours, theirs string) {
	if r.swapped {
		ours, theirs = theirs, ours
	}
	r.conflicts = append(r.conflicts, MergeConflict{Section: section, Base: base, Ours: ours, Theirs: theirs, Line: r.lines + 1})
	marker := func(c, label string) string {
		return strings.TrimRight(strings.Repeat(c, r.labels.MarkerSize)+" "+label, " ") + "\n"
	}
	r.text(marker("<", r.labels.Ours) + ours + marker("=", "") + theirs + marker(">", r.labels.Theirs))
	r.open = true
}

// gap returns the blank space before j: merged if versions have both side by side, else newGap. before is nil for the first kid.
func (m *merger) gap(p, before, j *joined) string {
	var gaps [3]string
	var side [3]bool
	for v := range gaps {
		u := j.at[v]
		if u == nil || u.parent.is != p {
			continue
		}
		if u.index == 0 && before == nil || u.index > 0 && before != nil && u.parent.kids[u.index-1].is == before {
			gaps[v], side[v] = u.gap, true
		}
	}
	switch {
	case side[inOurs] && side[inTheirs] && side[inBase]:
		return three(gaps[inBase], gaps[inOurs], gaps[inTheirs])
	case side[inOurs] || side[inTheirs]:
		return max(gaps[inOurs], gaps[inTheirs])
	case side[inBase] && !m.plain:
		return gaps[inBase]
	}
	return m.newGap(p, before, j)
}

// newGap returns the space between kids that no version has side by side: the one around them, between items that of another item.
func (m *merger) newGap(p, before, j *joined) string {
	kind := j.any().kind
	inList := before != nil && !m.plain && before.any().kind == kind && (kind == itemUnit || kind == referenceUnit)
	space := ""
	for _, v := range []version{inOurs, inTheirs} {
		u := j.at[v]
		if before == nil && p.at[v] != nil && len(p.at[v].kids) > 0 {
			u = p.at[v].kids[0]
		}
		if u != nil && (before == nil || u.index > 0) && (!inList || u.sibling(-1).kind == kind) {
			space = max(space, u.gap)
		}
	}
	if !inList && !strings.Contains(space, "\n") && (before != nil || kind != itemUnit || p.any().kind != itemUnit) {
		return "\n"
	}
	return space
}

// sibling returns the kid of the same parent that is step kids after u, or nil.
func (u *unit) sibling(step int) *unit {
	if i := u.index + step; i >= 0 && i < len(u.parent.kids) {
		return u.parent.kids[i]
	}
	return nil
}
