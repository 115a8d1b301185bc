package classify

import "slices"

// Pair is two texts of a list, by their places in it, of which the newer may contradict the older.
type Pair struct {
	Older, Newer int
	Contradiction
}

// mostHolders is how many texts may share a word that brings two of them together: a commoner one does not tell what a text is about.
const mostHolders = 200

// Among returns the pairs of a list that may contradict each other, the oldest text first in the list; each text stands in at most one
// pair as the older one.
func Among(texts []string) []Pair {
	claims := make([]*Claim, len(texts))
	holders := map[string][]int{}
	for n, t := range texts {
		claims[n] = Prepare(t)
		seen := map[string]bool{}
		for _, s := range claims[n].sentences {
			for _, w := range s.words {
				if !seen[w] {
					seen[w] = true
					holders[w] = append(holders[w], n)
				}
			}
		}
	}
	var out []Pair
	for n := range claims {
		var near []int
		for _, s := range claims[n].sentences {
			for _, w := range s.words {
				if same := holders[w]; len(same) <= mostHolders {
					near = append(near, same...)
				}
			}
		}
		slices.Sort(near)
		for _, k := range slices.Compact(near) {
			if k <= n {
				continue
			}
			if c, ok := claims[k].Contradicts(claims[n]); ok {
				out = append(out, Pair{n, k, c})
				break
			}
		}
	}
	return out
}
