package fault

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns up to three of names that are close to name, best first.
func Nearest(name string, names []string) []string {
	type match struct {
		name string
		far  int
	}
	word := []rune(strings.ToLower(Cut(name, 64)))
	if len(word) == 0 {
		return nil
	}
	var found []match
	for _, n := range names {
		other := []rune(strings.ToLower(n))
		far := Distance(word, other)
		switch {
		case isNear(far, word, other):
			found = append(found, match{n, far})
		case len(word) >= 3 && (strings.Contains(string(other), string(word)) || strings.Contains(string(word), string(other))):
			found = append(found, match{n, len(other) + far})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return a.far - b.far })
	var out []string
	for _, m := range found[:min(3, len(found))] {
		out = append(out, m.name)
	}
	return out
}

// isNear reports whether far letters are few for the lengths of a and b. In a short word, two letters make another word.
func isNear(far int, a, b []rune) bool { return far <= max(1, min(len(a), len(b))/3) }

// Near reports whether name is close enough to other to be a misspelling of it.
func Near(name, other string) bool {
	a, b := []rune(strings.ToLower(Cut(name, 64))), []rune(strings.ToLower(other))
	return len(a) > 0 && isNear(Distance(a, b), a, b)
}

// DidYouMean returns ` (did you mean "a" or "b"?)` with what is Nearest to name, "" if nothing is near.
func DidYouMean(name string, names []string) string {
	near := Nearest(name, names)
	if len(near) == 0 {
		return ""
	}
	for i, n := range near {
		near[i] = fmt.Sprintf("%q", n)
	}
	return " (did you mean " + strings.Join(near, " or ") + "?)"
}

// Distance counts the letters to insert, remove, replace or swap with their neighbour that turn a into b.
func Distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
