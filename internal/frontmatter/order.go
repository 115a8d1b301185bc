package frontmatter

import (
	"cmp"
	"slices"
	"strings"
)

// maxMerged is how many keys, items or comment lines are put in order when both sides changed them.
const maxMerged = 1000

// unit is a key, an item of a list, or a line between them.
type unit struct {
	text   string
	isLine bool // a comment or blank
	nth    int  // among equal units of a version
}

// linesOf splits the text between two keys or items.
func linesOf(text string) (units []unit) {
	for line := range strings.Lines(text) {
		units = append(units, unit{text: line, isLine: true})
	}
	return units
}

// numbered makes equal units different.
func numbered(units []unit) []unit {
	seen := map[unit]int{}
	for i, u := range units {
		units[i].nth = seen[u]
		seen[u]++
	}
	return units
}

// mergeUnits returns the units that no side removed or that a side added, in order; of keys those that keeps accepts. Units of both sides
// get the order of the side that moved them, the others follow the unit they follow there; of two groups the smaller text comes first, but
// a comment stays above what it is about. Swapping the sides does not change the result.
func mergeUnits(base, ours, theirs []unit, keeps func(key string) bool) []unit {
	inBase, inOurs, inTheirs := members(base), members(ours), members(theirs)
	keep := map[unit]bool{}
	for _, u := range slices.Concat(ours, theirs) {
		if _, done := keep[u]; done {
			continue
		}
		if keep[u] = !inBase[u] || inOurs[u] && inTheirs[u]; keeps != nil && !u.isLine {
			keep[u] = keeps(u.text)
		}
	}
	after := map[unit][][]unit{} // groups of units by the unit they follow, the zero one at the start
	group := func(units []unit, other map[unit]bool) {
		anchor := unit{}
		var run []unit
		for _, u := range units {
			switch {
			case !keep[u]:
			case !other[u]:
				run = append(run, u)
			default:
				after[anchor] = append(after[anchor], run)
				anchor, run = u, nil
			}
		}
		after[anchor] = append(after[anchor], run)
	}
	group(ours, inTheirs)
	group(theirs, inOurs)
	shared := func(units []unit) []unit {
		return slices.DeleteFunc(slices.Clone(units), func(u unit) bool { return !keep[u] || !inOurs[u] || !inTheirs[u] })
	}
	var out []unit
	for _, u := range append([]unit{{}}, mergeShared(shared(base), shared(ours), shared(theirs))...) {
		if u != (unit{}) {
			out = append(out, u)
		}
		slices.SortFunc(after[u], compareRuns)
		out = append(out, slices.Concat(after[u]...)...)
	}
	return out
}

func members(units []unit) map[unit]bool {
	m := make(map[unit]bool, len(units))
	for _, u := range units {
		m[u] = true
	}
	return m
}

func compareRuns(a, b []unit) int {
	above := func(run []unit) int { // whether it ends with a comment on what follows
		if len(run) > 0 && run[len(run)-1].isLine {
			return 1
		}
		return 0
	}
	return cmp.Or(above(a)-above(b), slices.CompareFunc(a, b, compareUnits))
}

func compareUnits(a, b unit) int {
	return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.nth, b.nth))
}

// mergeShared orders units of both sides as the side that moved some (keys and items before lines), else as the first in the alphabet.
func mergeShared(base, ours, theirs []unit) []unit {
	inBase := members(base)
	for _, withLines := range []bool{false, true} {
		old := func(units []unit) []unit {
			return slices.DeleteFunc(slices.Clone(units), func(u unit) bool { return !inBase[u] || u.isLine && !withLines })
		}
		oursKept, theirsKept := slices.Equal(old(ours), old(base)), slices.Equal(old(theirs), old(base))
		switch {
		case theirsKept && !oursKept:
			return ours
		case oursKept && !theirsKept:
			return theirs
		}
	}
	if slices.CompareFunc(ours, theirs, compareUnits) < 0 {
		return ours
	}
	return theirs
}

// three merges texts as a whole: it returns the changed one, or false if both sides changed.
func three(base, ours, theirs string) (merged string, ok bool) {
	switch {
	case ours == theirs, theirs == base:
		return ours, true
	case ours == base:
		return theirs, true
	}
	return "", false
}
