package index

import (
	"cmp"
	"slices"
)

// fuseRank is the constant of reciprocal rank fusion: the larger it is, the less a place counts.
const fuseRank = 60

// Fuse merges rankings by reciprocal rank (Cormack, Clarke and Büttcher 2009). Ties keep the order of the first ranking with them.
func Fuse(rankings ...[]string) []string {
	const one int64 = 1 << 40
	scores := map[string]int64{} // in parts of one
	var names []string
	for _, ranking := range rankings {
		seen := map[string]bool{}
		for place, name := range ranking {
			if seen[name] {
				continue
			}
			seen[name] = true
			if _, known := scores[name]; !known {
				names = append(names, name)
			}
			scores[name] += one / int64(fuseRank+place+1)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	return names
}
