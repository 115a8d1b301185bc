package briefing

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"sdd/internal/fact"
	"sdd/internal/pattern"
)

// mostDerived is how many facts that discovery finds answer a question.
const mostDerived = 3

var saysNothing = pattern.Words(`a an and are can did do does for from has have how i in is it its my of on or our that the their there this to was we what when where which who why will with you your project code run use`)

// derivedFor returns the facts without a file that have words of the question in them, the best first: the index does not know
// them. A word counts by how few of them have it; words that begin alike are one.
func derivedFor(facts []fact.Fact, question string) []*fact.Fact {
	score := map[*fact.Fact]float64{}
	for word := range wordsOf(question) {
		var with []*fact.Fact
		for n := range facts {
			if f := &facts[n]; f.File == "" && f.Live() && wordsOf(f.Content)[word] {
				with = append(with, f)
			}
		}
		for _, f := range with {
			score[f] += 1 / float64(len(with))
		}
	}
	var list []*fact.Fact
	for n := range facts {
		if score[&facts[n]] > 0 {
			list = append(list, &facts[n])
		}
	}
	slices.SortStableFunc(list, func(a, b *fact.Fact) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), importance(a)-importance(b), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(len(list), mostDerived)]
}

// wordsOf are the beginnings of the words of a text that say something.
func wordsOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !saysNothing()[w] && len(w) > 1 {
			set[strings.TrimSuffix(w, "s")] = true
		}
	}
	return set
}
