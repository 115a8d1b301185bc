package decision

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/learning/classify"
	"sdd/internal/record"
)

// The score of a decision is the share of the question's words that it contains, each weighed by how rare it is and by its field:
// the decision, the alternatives, the causes, the rest. A word that begins like a word of the question counts less: auth,
// authentication.

// Weights of the fields of a word.
const (
	inTitle  = 4
	inOption = 3
	inCause  = 2
	inText   = 1
)

const (
	prefixShare = 0.7 // weight of a word that only begins alike
	minPrefix   = 4   // runes of a common beginning
	slipShare   = 0.5 // weight of a misspelt word
	minSlip     = 5   // runes of a word that may be misspelt
	slipAlike   = 0.7 // share of pairs of letters that a misspelt word keeps
	leastShare  = 0.3 // of a question's words, from which a decision matches it
	closeTo     = 0.4 // of the best score, from which another is returned
)

// terms are the words of one version of a decision.
type terms struct {
	meanings []string         // of its title and of what was chosen
	weights  map[string]uint8 // by stem: that of the best field that has it
}

func (d *Decision) newTerms() *terms {
	t := &terms{weights: map[string]uint8{}}
	for _, text := range []string{d.Title, d.Chosen} {
		if m := meaning(text); m != "" && !slices.Contains(t.meanings, m) {
			t.meanings = append(t.meanings, m)
		}
	}
	for _, field := range []struct {
		weight uint8
		texts  []string
	}{
		{inTitle, []string{d.Title, d.Chosen}}, {inOption, d.Alternatives},
		{inCause, slices.Concat(d.Because, d.Drivers, d.Consequences, d.Constraints, d.Assumptions)}, {inText, []string{d.body}},
	} {
		for _, w := range content(field.texts...) {
			t.weights[w] = max(t.weights[w], field.weight)
		}
	}
	return t
}

// ranking finds decisions by their words.
type ranking struct {
	list []Decision
	with map[string][]int32 // places of the decisions that have a stem
}

func newRanking(list []Decision) *ranking {
	r := &ranking{list, map[string][]int32{}}
	for i := range list {
		for w := range list[i].terms().weights {
			r.with[w] = append(r.with[w], int32(i))
		}
	}
	return r
}

// byMeaning has the places of decisions by their meanings.
func byMeaning(list []Decision) map[string][]int {
	m := make(map[string][]int, len(list))
	for i := range list {
		for _, meaning := range list[i].terms().meanings {
			m[meaning] = append(m[meaning], i)
		}
	}
	return m
}

// hit is a decision with its score, from 0 to 1.
type hit struct {
	at    int
	score float64
}

// best returns at most n decisions that match words, the best first.
func (r *ranking) best(words []string, n int) (hits []hit) {
	scores, shares := map[int32]float64{}, map[int32]float64{}
	var all float64
	for _, w := range words {
		best := map[int32]float64{} // quality of the match, by decision
		match := func(likeness func(asked, word string) float64) {
			for stem, places := range r.with {
				alike := likeness(w, stem)
				for n := 0; n < len(places) && alike > 0; n++ {
					at := places[n]
					best[at] = max(best[at], alike*float64(4+r.list[at].terms().weights[stem])/(4+inTitle))
				}
			}
		}
		if match(spelt); len(best) == 0 {
			match(misspelt)
		}
		rarity := r.rarity(len(best))
		all += rarity
		for at, quality := range best {
			scores[at] += quality * rarity
			shares[at] += rarity
		}
	}
	for at, score := range scores {
		if record.Gone(r.list[at].Effective()) {
			score *= 0.9 // decisions in force come first
		}
		if shares[at] >= leastShare*all {
			hits = append(hits, hit{int(at), score / all})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at)) })
	for i, h := range hits {
		if i == n || h.score < closeTo*hits[0].score {
			return hits[:i]
		}
	}
	return hits
}

// spelt is how well a word of a decision matches one of a question: 1 when they are equal, less when one begins with the other.
func spelt(asked, word string) float64 {
	if asked == word {
		return 1
	}
	alike := strings.HasPrefix(asked, word) || strings.HasPrefix(word, asked)
	if alike && min(utf8.RuneCountInString(asked), utf8.RuneCountInString(word)) >= minPrefix {
		return prefixShare
	}
	return 0
}

// misspelt is how well they match when the question's word is misspelt: both begin alike and share most pairs of letters.
func misspelt(asked, word string) float64 {
	a, b := []rune(asked), []rune(word)
	if len(a) < minSlip || max(len(a)-len(b), len(b)-len(a)) > 3 || a[0] != b[0] {
		return 0
	}
	pairs, common := map[string]int{}, 0
	for i := range a[1:] {
		pairs[string(a[i:i+2])]++
	}
	for i := range b[1:] {
		if pair := string(b[i : i+2]); pairs[pair] > 0 {
			pairs[pair]--
			common++
		}
	}
	if float64(2*common) < slipAlike*float64(len(a)+len(b)-2) {
		return 0
	}
	return slipShare
}

// rarity is the weight of a word that n decisions have.
func (r *ranking) rarity(n int) float64 { return math.Log(1 + float64(len(r.list))/float64(max(1, n))) }

// weight is how much words weigh together.
func (r *ranking) weight(words []string) (sum float64) {
	for _, w := range words {
		sum += r.rarity(len(r.with[w]))
	}
	return sum
}

// near returns at most n decisions that have any of the words, those with the rarest ones first.
func (r *ranking) near(words []string, n int) []int32 {
	scores := map[int32]float64{}
	for _, w := range words {
		for _, at := range r.with[w] {
			scores[at] += r.rarity(len(r.with[w]))
		}
	}
	all := slices.SortedFunc(maps.Keys(scores), func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return all[:min(len(all), n)]
}

// common is how much the words weigh that two texts have in common.
func (r *ranking) common(a, b []string) float64 {
	return r.weight(slices.DeleteFunc(slices.Clone(a), func(w string) bool { return !slices.Contains(b, w) }))
}

// share is how much of the words is among others, from 0 to 1.
func (r *ranking) share(words, others []string) float64 {
	if len(words) == 0 {
		return 0
	}
	return r.common(words, others) / r.weight(words)
}

// dice is the share of words that two texts have in common, from 0 to 1.
func (r *ranking) dice(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	return 2 * r.common(a, b) / (r.weight(a) + r.weight(b))
}

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
			if near[h] || linked[h] || record.Gone(o.Effective()) {
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

// relation is the likely relation of a new decision to an older one, and its score: it supersedes one that cannot be true beside
// it, an option that it turned down or another answer to the same question, and depends on what its causes name.
func (r *ranking) relation(d, other *Decision) (string, float64) {
	if classify.Disputed(d.Title, other.Title) {
		return supersedesLink, 1
	}
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
