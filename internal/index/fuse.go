package index

import (
	"cmp"
	"slices"
)

// fuseRank is the constant of reciprocal rank fusion: how slowly a place loses its worth.
const fuseRank = 60

// Fuse merges rankings of the same things, best first, into one: a thing scores the sum over the
// rankings of 1/(60+place), so that no score of one kind has to be compared with one of another
// (reciprocal rank fusion, Cormack, Clarke and Büttcher 2009). A name that stands twice in a
// ranking counts at its first place. Ties keep the order of the first ranking that has them.
func Fuse(rankings ...[]string) []string {
	type fused struct {
		name  string
		score int64 // in parts of one
		first int
	}
	const one int64 = 1 << 40
	at := map[string]int{}
	var list []fused
	for _, ranking := range rankings {
		seen := map[string]bool{}
		for place, name := range ranking {
			if seen[name] {
				continue
			}
			seen[name] = true
			n, ok := at[name]
			if !ok {
				n = len(list)
				at[name] = n
				list = append(list, fused{name: name, first: n})
			}
			list[n].score += one / int64(fuseRank+place+1)
		}
	}
	slices.SortFunc(list, func(a, b fused) int { return cmp.Or(cmp.Compare(b.score, a.score), a.first-b.first) })
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = x.name
	}
	return names
}
