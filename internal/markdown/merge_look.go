package markdown

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// looks decides the markers and indentation of all descendants of p.
func (m *merger) looks(p *joined) {
	for _, j := range p.kids {
		j.column = p.column
		if j.any().kind == itemUnit {
			j.mergeHead()
		}
	}
	for _, j := range p.kids {
		j.adopt()
	}
	if !m.plain {
		number(p.kids)
	}
	for _, j := range p.kids {
		m.looks(j)
	}
}

// form merges one trait of how j is written. Traits cannot conflict.
func (j *joined) form(trait func(*unit) string) string {
	b, o, t := j.at[inBase], j.at[inOurs], j.at[inTheirs]
	switch {
	case o == nil || t == nil:
		return trait(j.any())
	case b == nil:
		return max(trait(o), trait(t))
	}
	return three(trait(b), trait(o), trait(t))
}

// mergeHead merges the parts of an item's head one by one. Conflicts of boxes are for text to find.
func (j *joined) mergeHead() {
	marker := j.form(func(u *unit) string { h, _ := u.item(); return h.number + h.mark })
	j.head.number = strings.TrimRight(marker, "-*+.)")
	j.head.mark = marker[len(j.head.number):]
	j.head.pad = j.form(func(u *unit) string { h, _ := u.item(); return h.pad })
	state := j.form((*unit).box)
	j.head.box = j.form(func(u *unit) string {
		if h, _ := u.item(); h.state() == state {
			return h.box
		}
		return state + " "
	})
	if state == "" {
		j.head.box = ""
	}
	j.empty = j.form(func(u *unit) string { _, body := u.item(); return strings.Trim(body, blank) }) == ""

	deeper := j.form(func(u *unit) string { // in columns from its parent
		h, _ := u.item()
		return strings.Repeat(" ", max(0, columns(h.indent, 0)-u.parent.column()))
	})
	want := j.column + len(deeper)
	j.head.indent = strings.Repeat(" ", want)
	for _, u := range j.sides() {
		if h, _ := u.item(); columns(h.indent, 0) == want && strings.Contains(h.indent, "\t") {
			j.head.indent = h.indent
		}
	}
	j.column = j.head.column(j.empty)
}

// adopt gives a new item the merged form of its neighbour on its side: a list stays one if the other side changed it from * to -.
func (j *joined) adopt() {
	if j.any().kind != itemUnit || j.fate == disputed || j.at[inBase] != nil {
		return
	}
	var looks []head
	for _, u := range j.sides() {
		if k := u.alike(); k != nil && (k.head.number == "") == (j.head.number == "") {
			looks = append(looks, k.head)
		}
	}
	if len(looks) == 0 {
		return
	}
	now := slices.MaxFunc(looks, func(a, b head) int {
		return cmp.Or(cmp.Compare(a.mark, b.mark), cmp.Compare(a.indent, b.indent), cmp.Compare(a.pad, b.pad))
	})
	j.head.mark, j.head.indent, j.head.pad = now.mark, now.indent, now.pad
	j.column = j.head.column(j.empty)
}

// alike returns the nearest neighbour of a new item that the base has, if both have the same marker and indentation.
func (u *unit) alike() *joined {
	own, _ := u.item()
	for _, step := range []int{-1, 1} {
		k := u.sibling(step)
		for far := 0; k != nil && far < maxAlike; far, k = far+1, k.sibling(step) {
			j := k.is
			if k.kind != itemUnit || j.parent != u.is.parent || j.fate != stays || j.at[inBase] == nil || j.only() != nil {
				continue
			}
			if h, _ := k.item(); h.mark == own.mark && h.indent == own.indent && h.pad == own.pad {
				return j
			}
			return nil
		}
	}
	return nil
}

// number numbers ordered lists again if every version of them was in sequence.
func number(kids []*joined) {
	for len(kids) > 0 {
		n := 0
		for n < len(kids) && kids[n].numbered() && kids[n].head.mark == kids[0].head.mark {
			n++
		}
		if n == 0 {
			kids = kids[1:]
			continue
		}
		if first, ok := inSequence(kids[:n]); ok {
			for i, j := range kids[:n] {
				if at, _ := strconv.Atoi(j.head.number); at != first+i {
					j.head.number = strconv.Itoa(first + i)
					j.column = j.head.column(j.empty)
				}
			}
		}
		kids = kids[n:]
	}
}

func (j *joined) numbered() bool {
	return j.any().kind == itemUnit && j.fate == stays && j.head.number != ""
}

// inSequence reports whether the original lists of a run of items count by one, and their first number.
func inSequence(run []*joined) (first int, ok bool) {
	first = -1
	for _, j := range run {
		for _, u := range j.sides() {
			n := u.number()
			before := u.beforeInList()
			if n < 0 || before != nil && before.number()+1 != n {
				return 0, false
			}
			if before == nil && (first < 0 || n < first) {
				first = n
			}
		}
	}
	return first, first >= 0
}

// number returns an ordered item's number, -1 for others.
func (u *unit) number() int {
	h, _ := u.item()
	n, err := strconv.Atoi(h.number)
	if err != nil {
		return -1
	}
	return n
}

// beforeInList returns the item before u in its ordered list, nil if u is the first.
func (u *unit) beforeInList() *unit {
	if u.index == 0 {
		return nil
	}
	k := u.parent.kids[u.index-1]
	own, _ := u.item()
	if h, _ := k.item(); h.number == "" || h.mark != own.mark {
		return nil
	}
	return k
}
