package decision

import (
	"cmp"
	"context"
	"math"
	"slices"

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
	title := []string{self.Title, self.Chosen}
	causes := slices.Concat(title, self.Alternatives, self.Because, self.Constraints, self.Assumptions)
	linked := map[int]bool{me: true}
	for _, e := range slices.Concat(s.out[me], s.in[me]) {
		linked[e.from], linked[e.to] = true, true
	}
	near := map[int]bool{}
	var out []Suggestion
	for _, texts := range [][]string{title, causes} {
		for _, at := range r.near(content(texts...), mostCompared) {
			h, o := int(at), &s.list[at]
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

// relation is the likely relation of a new decision to an older one, and its score: it supersedes an option that it turned down or
// another answer to the same question, and depends on what its causes name.
func (r *ranking) relation(d, other *Decision) (string, float64) {
	title, theirs := content(d.Title, d.Chosen), content(other.Title, other.Chosen)
	if of := r.share(theirs, content(d.Alternatives...)); of >= sameSubject {
		return supersedesLink, min(1, 0.5+of/2)
	}
	alike := r.dice(title, theirs)
	if alike >= sameSubject && alike < 1 {
		return supersedesLink, alike
	}
	causes := slices.Concat(d.Because, d.Constraints, d.Assumptions)
	if of := r.share(theirs, content(causes...)); of >= sameSubject && of > alike {
		return dependsOnLink, min(1, of)
	}
	words := content(append(causes, d.Title, d.Chosen)...)
	its := []string{other.Title, other.Chosen}
	rest := content(slices.Concat(its, other.Because, other.Alternatives, other.Constraints, other.Consequences)...)
	return relatesToLink, max(alike, 0.6*r.dice(words, rest))
}
