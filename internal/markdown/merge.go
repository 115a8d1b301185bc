package markdown

import (
	"bytes"
	"cmp"
	"strings"
)

// MergeConflict is a place where the sides changed the same thing in different ways, with each version's text, "" for none.
type MergeConflict struct {
	Section            string // the name of the section that contains it, "" before the first section
	Base, Ours, Theirs string
	Line               int // 1-based line of its first marker in Merged.Out
}

// Merged is the result of a merge. With conflicts, Out has git's markers around each of them.
type Merged struct {
	Out       []byte
	Conflicts []MergeConflict
}

// MergeLabels are the labels of the conflict markers. The zero value means ours, theirs and 7.
type MergeLabels struct {
	Ours, Theirs string
	MarkerSize   int
}

// Merge merges the changes of ours and theirs to base, bodies without front matter, by sections, items and other blocks. It guarantees:
//
//   - If only one side differs from base, or both are alike, the result is that side byte for byte.
//   - The result has the units that one side added or changed, and lacks those that one side deleted and the other did not change. A unit
//     moved on one side and reworded on the other is both. If a deleted unit or its neighbour may have moved, Merge deletes the unit.
//   - A thing changed in two ways is a conflict, never a guess: reworded differently, replaced twice, deleted and changed or moved, moved
//     to two places. The markers enclose only that thing.
//   - A change of words overrides a change of form (wrapping, list markers, indentation, line ends).
//   - Swapping the sides gives the same result, or the same conflicts with their sides swapped. Merging a side again changes nothing, as
//     long as the texts tell what the sides did: a new unit that is similar to a deleted one could be its rewording (a conflict).
//   - A clean result parses back as the merged units, else (after an unclosed fence, say) it is a conflict.
//
// order lists the known sections, and sorts sections that both sides add at one place.
func Merge(base, ours, theirs []byte, order []Known, l MergeLabels) Merged {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(theirs, base):
		return Merged{Out: bytes.Clone(ours)}
	case bytes.Equal(ours, base):
		return Merged{Out: bytes.Clone(theirs)}
	}
	b, o, t := formOf(base), formOf(ours), formOf(theirs)
	form := mergedForm(b, o, t)
	r := &renderer{labels: MergeLabels{cmp.Or(l.Ours, "ours"), cmp.Or(l.Theirs, "theirs"), cmp.Or(max(0, l.MarkerSize), 7)}}
	switch {
	case o.text == t.text, t.text == b.text:
		r.text(o.text)
	case o.text == b.text:
		r.text(t.text)
	case o.text < t.text:
		r.merge(b.text, o.text, t.text, order)
	default: // always in one order, so that swapped sides give the same decisions
		r.swapped = true
		r.merge(b.text, t.text, o.text, order)
	}
	m := Merged{Out: form.write(r.out.String(), r.open)}
	for _, c := range r.conflicts {
		c.Base, c.Ours, c.Theirs = form.ends(c.Base), form.ends(c.Ours), form.ends(c.Theirs)
		m.Conflicts = append(m.Conflicts, c)
	}
	return m
}

// merge writes the merge of three different texts, which have the form of formOf.
func (r *renderer) merge(base, ours, theirs string, order []Known) {
	m := &merger{order: order}
	for v, text := range []string{base, ours, theirs} {
		o, err := outlineOf(text, version(v))
		if err != nil { // past the limits of Parse: merge by lines, as git does
			r.parts("", mergeLines(base, ours, theirs))
			return
		}
		m.out[v] = o
	}
	match(m.out[:]...)
	if !m.merge() || !m.render(r) {
		r.reset()
		r.differing(base, ours, theirs)
	}
}

// differing writes one conflict around all lines in which ours and theirs differ. It is the last resort.
func (r *renderer) differing(base, ours, theirs string) {
	o, t := linesOf(ours), linesOf(theirs)
	start := 0
	for start < min(len(o), len(t)) && o[start] == t[start] {
		start++
	}
	end := 0
	for end < min(len(o), len(t))-start && o[len(o)-1-end] == t[len(t)-1-end] {
		end++
	}
	r.text(strings.Join(o[:start], ""))
	r.clash("", base, strings.Join(o[start:len(o)-end], ""), strings.Join(t[start:len(t)-end], ""))
	r.text(strings.Join(o[len(o)-end:], ""))
}

// three merges three forms of a thing that cannot conflict, such as indentation: the side's change, of two the greater one.
func three[T cmp.Ordered](base, ours, theirs T) T {
	switch {
	case ours == theirs, theirs == base:
		return ours
	case ours == base:
		return theirs
	}
	return max(ours, theirs)
}
