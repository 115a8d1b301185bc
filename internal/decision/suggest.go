package decision

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"sdd/internal/record"
)

// Suggestion is a decision that one may be related to. A link is made only by a call that names it.
type Suggestion struct {
	For      string  `json:"for"` // the decision that would get the link
	ID       string  `json:"id"`
	Relation string  `json:"relation"` // supersedes, depends_on or relates_to
	Score    float64 `json:"score"`    // 0 to 1
	Text     string  `json:"text"`     // the title of ID
}

const (
	mostSuggested = 3
	leastLikeness = 0.3 // from which a decision is suggested
	mostCompared  = 30
	sameSubject   = 0.5 // likeness from which one may replace the other
)

// suggest returns decisions that the one with that id may be related to, the most alike first.
func (d *Decisions) suggest(ctx context.Context, id string) ([]Suggestion, error) {
	s, err := d.cache.sync(ctx)
	if err != nil {
		return nil, err
	}
	me, ok := s.byID[id]
	if !ok {
		return nil, nil
	}
	self := &s.list[me]
	r := s.ranking()
	title := content(self.Title + " " + self.Chosen)
	causes := strings.Join(slices.Concat(self.Alternatives, self.Because, self.Constraints, self.Assumptions), " ")
	words := slices.Compact(slices.Sorted(slices.Values(slices.Concat(title, content(causes)))))
	linked := map[int]bool{me: true}
	for _, e := range slices.Concat(s.out[me], s.in[me]) {
		linked[e.from], linked[e.to] = true, true
	}
	near := map[int]bool{}
	var out []Suggestion
	for _, about := range [][]string{title, words} {
		for _, h := range r.near(about, mostCompared) {
			o := &s.list[h]
			if near[h] || linked[h] || o.Effective() == superseded || o.Effective() == rejected {
				continue
			}
			near[h] = true
			if relation, score := r.relation(self, o); score >= leastLikeness {
				out = append(out, Suggestion{For: id, ID: o.ID, Relation: relation, Score: math.Round(score*100) / 100, Text: record.Inline(o.Title)})
			}
		}
	}
	slices.SortFunc(out, func(a, b Suggestion) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out[:min(len(out), mostSuggested)], nil
}

// near returns at most n decisions that have any of the words, those with the rarest ones first.
func (r *ranking) near(words []string, n int) (out []int) {
	scores := map[int32]float64{}
	for _, w := range words {
		if p, ok := r.stems[w]; ok {
			for _, at := range r.post[p] {
				scores[at.at] += r.rarity(w)
			}
		}
	}
	all := make([]int32, 0, len(scores))
	for at := range scores {
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	for _, at := range all[:min(len(all), n)] {
		out = append(out, int(at))
	}
	return out
}

// rarity is the weight of a word.
func (r *ranking) rarity(w string) float64 {
	df := 1
	if p, ok := r.stems[w]; ok {
		df = max(1, len(r.post[p]))
	}
	return math.Log(1 + float64(len(r.list))/float64(df))
}

// relation is the likely relation of a new decision to an older one, and its score: it supersedes an option that it turned down or
// another answer to the same question, and depends on what its causes name.
func (r *ranking) relation(d, other *Decision) (string, float64) {
	theirs := content(other.Title + " " + other.Chosen)
	title := content(d.Title + " " + d.Chosen)
	if of := r.share(theirs, content(strings.Join(d.Alternatives, " "))); of >= sameSubject {
		return supersedesLink, min(1, 0.5+of/2)
	}
	alike := r.dice(title, theirs)
	if alike >= sameSubject && alike < 1 {
		return supersedesLink, alike
	}
	causes := content(strings.Join(slices.Concat(d.Because, d.Constraints, d.Assumptions), " "))
	if of := r.share(theirs, causes); of >= sameSubject && of > alike {
		return dependsOnLink, min(1, of)
	}
	rest := content(strings.Join(slices.Concat(other.Because, other.Alternatives, other.Constraints, other.Consequences), " "))
	return relatesToLink, max(alike, 0.6*r.dice(slices.Concat(title, causes), slices.Concat(theirs, rest)))
}

// share is how much of the words is among others, by rarity.
func (r *ranking) share(words, others []string) float64 {
	var all, in float64
	for _, w := range words {
		weight := r.rarity(w)
		all += weight
		if slices.Contains(others, w) {
			in += weight
		}
	}
	if all == 0 {
		return 0
	}
	return in / all
}

// dice is the share of words that two texts have in common, by rarity.
func (r *ranking) dice(a, b []string) float64 {
	a, b = slices.Compact(slices.Sorted(slices.Values(a))), slices.Compact(slices.Sorted(slices.Values(b)))
	var all, in float64
	for _, w := range a {
		all += r.rarity(w)
		if slices.Contains(b, w) {
			in += 2 * r.rarity(w)
		}
	}
	for _, w := range b {
		all += r.rarity(w)
	}
	if all == 0 {
		return 0
	}
	return in / all
}
