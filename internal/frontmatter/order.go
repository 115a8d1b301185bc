package frontmatter

import (
	"slices"
	"strconv"
	"strings"
)

// maxMerged is how many keys, items or comment lines are put in order when both sides changed them.
const maxMerged = 1000

// mergeOrder puts the names in keep into one order. Names that both sides have get the order of
// the side that moved them (mergeShared). Names that one side has follow the name they
// follow there; where both sides have some, the group with the smaller name comes first.
// Swapping the sides does not change the result.
func mergeOrder(base, ours, theirs []string, keep map[string]bool) []string {
	inOurs, inTheirs := members(ours), members(theirs)
	shared := slices.DeleteFunc(slices.Clone(ours), func(name string) bool { return !keep[name] || !inTheirs[name] })
	after := map[string][][]string{} // groups of names by the name they follow, "" at the start
	group := func(names []string, other map[string]bool) {
		anchor := ""
		var run []string
		flush := func() {
			if len(run) > 0 {
				after[anchor] = append(after[anchor], run)
			}
			run = nil
		}
		for _, name := range names {
			switch {
			case !keep[name]:
			case other[name]:
				flush()
				anchor = name
			default:
				run = append(run, name)
			}
		}
		flush()
	}
	group(ours, inTheirs)
	group(theirs, inOurs)

	out := make([]string, 0, len(keep))
	for _, name := range append([]string{""}, mergeShared(base, ours, theirs, shared)...) {
		if name != "" {
			out = append(out, name)
		}
		groups := after[name]
		slices.SortFunc(groups, slices.Compare[[]string])
		for _, run := range groups {
			out = append(out, run...)
		}
	}
	return out
}

func members(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, s := range names {
		m[s] = true
	}
	return m
}

// mergeShared orders names that both sides have: as the side that moved some of them has them, and if both did, as the side
// that comes first in the alphabet.
func mergeShared(base, ours, theirs, names []string) []string {
	only := func(all, wanted []string) []string {
		in := members(wanted)
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !in[name] })
	}
	o, t := only(ours, names), only(theirs, names)
	old := only(base, names)
	switch oursKept, theirsKept := slices.Equal(only(o, old), old), slices.Equal(only(t, old), old); {
	case theirsKept && !oursKept, oursKept == theirsKept && slices.Compare(o, t) < 0:
		return o
	}
	return t
}

// keepMerged returns the names that a three-way merge of sets keeps: those that no side
// removed and those that a side added.
func keepMerged(base, ours, theirs []string) map[string]bool {
	keep := map[string]bool{}
	for _, s := range ours {
		if !slices.Contains(base, s) || slices.Contains(theirs, s) {
			keep[s] = true
		}
	}
	for _, s := range theirs {
		if !slices.Contains(base, s) {
			keep[s] = true
		}
	}
	return keep
}

// mergeLines merges comment and blank lines. It has no conflicts: of a line reworded on both
// sides it keeps both wordings. Swapping the sides does not change the result.
func mergeLines(base, ours, theirs string) string {
	if merged, ok := three(base, ours, theirs); ok {
		return merged
	}
	b, o, t := numbered(base), numbered(ours), numbered(theirs)
	if len(o)+len(t) > maxMerged {
		return max(ours, theirs)
	}
	var out strings.Builder
	for _, line := range mergeOrder(b, o, t, keepMerged(b, o, t)) {
		text, _, _ := strings.Cut(line, "\x00")
		out.WriteString(text)
	}
	return out.String()
}

// numbered splits text into lines and makes equal lines different by a number.
func numbered(text string) []string {
	var out []string
	seen := map[string]int{}
	for line := range strings.Lines(text) {
		seen[line]++
		out = append(out, line+"\x00"+strconv.Itoa(seen[line]))
	}
	return out
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
