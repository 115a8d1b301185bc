package index

import (
	"cmp"
	"slices"
)

// fuseRank is the constant of reciprocal rank fusion: the larger it is, the less a place counts.
const fuseRank = 60

// Fuse merges rankings of the same things, best first, into one: a thing scores the sum over the
// rankings of 1/(60+place), so that no score of one kind has to be compared with one of another
// (reciprocal rank fusion, Cormack, Clarke and Büttcher 2009). A name that occurs twice in a
// ranking counts at its first place. Ties keep the order of the first ranking that has them.
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
