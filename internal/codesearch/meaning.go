package codesearch

import (
	"cmp"
	"math"
	"slices"
)

const (
	fuseRank    = 60   // reciprocal rank fusion: the larger, the less a place counts
	meaningText = 4000 // bytes of a function that the model reads
)

// byMeaning orders grep's candidates by their places in two orders, that of words and that of the model, which fuse by reciprocal
// rank. Their scores change hands, so that they keep their scale. Without a model nothing changes.
func (st Strategy) byMeaning(query string, list []candidate) {
	list = list[slices.IndexFunc(append(list, candidate{}), func(c candidate) bool { return !math.IsInf(c.score, 1) }):]
	if st.Model == nil || query == "" || len(list) < 2 {
		return
	}
	question := st.Model.Vector(query)
	near, places, scores, fused := make([]float64, len(list)), make([]int, len(list)), make([]float64, len(list)), make([]float64, len(list))
	for i, c := range list {
		places[i], scores[i] = i, c.score
		for k, x := range st.Model.Vector(c.Path + "\n" + c.Text[:min(len(c.Text), meaningText)]) {
			if question != nil {
				near[i] += float64(x) * float64(question[k])
			}
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	for place, i := range places {
		words := 1 / float64(fuseRank+i)
		fused[i] = words + 1/float64(fuseRank+place)
		for l := range list[i].worth {
			list[i].worth[l] *= fused[i] / (2 * words)
		}
		list[i].score = fused[i]
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	for i := range list {
		list[i].score = scores[i]
	}
}
