package index

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Pseudo-relevance feedback (Rocchio 1971): what the best records speak of belongs to the subject of
// the question, though its words do not say so. It never changes the order of the records that have
// the words of the question: with a wrong first record it would take the answer away with it. It
// finds what else stands in the same context, for what is left of the budget.

const (
	feedbackTerms   = 16
	feedbackLetters = 4  // that a word has to have
	feedbackWords   = 60 // of each record that are looked at
	feedbackShare   = 12 // a word that more than every so many'th record has says nothing
)

// common is a word of the best records.
type common struct {
	word string
	stem string
	in   int // of how many
}

// sharing collects the words of the best records.
type sharing struct {
	words map[string]*common // by stem
	order []string           // the stems, as they came
	asked map[string]bool    // terms of the question
}

func newSharing(in *inquiry) *sharing {
	sh := &sharing{words: map[string]*common{}, asked: map[string]bool{}}
	for _, c := range in.found().concepts {
		for _, v := range c.variants {
			sh.asked[v.term] = true
		}
	}
	return sh
}

// add adds the words of a record: the first ones, for the point of a record stands at its start.
func (sh *sharing) add(c *chosen, src []byte) {
	seen := map[string]bool{}
	walk := func(b []byte) {
		tokens(b, func(t token) bool {
			tok := b[t.start:t.end]
			if t.kind != word || len(tok) < feedbackLetters {
				return true
			}
			w := lower(normal(tok))
			if seen[w] || sh.asked[w] || !onlyLetters(w) || utf8.RuneCountInString(w) < feedbackLetters || idleness(w, c.lang, true) != telling {
				return true
			}
			seen[w] = true
			st := stem(w, c.lang)
			if st != w && seen[st] || sh.asked[st] || sh.asked[bare(w)] {
				return true
			}
			seen[st] = true
			if x := sh.words[st]; x != nil {
				x.in++
			} else {
				sh.words[st] = &common{w, st, 1}
				sh.order = append(sh.order, st)
			}
			return len(seen) < feedbackWords
		})
	}
	walk([]byte(c.Title))
	lines(src, c.outline, func(_ int, line []byte, z zone) bool {
		if z == body {
			walk(line)
		}
		return len(seen) < feedbackWords
	})
}

// list returns the words, those that several of the records have first.
func (sh *sharing) list() []common {
	var list []common
	for _, st := range sh.order {
		list = append(list, *sh.words[st])
	}
	slices.SortStableFunc(list, func(a, b common) int { return b.in - a.in })
	return list
}

// feed adds the most telling of those words to the question.
func (in *inquiry) feed(list []common, s *search) {
	type rated struct {
		common
		worth uint64
	}
	var words []rated
	most := s.n / feedbackShare
	for _, x := range list {
		df := s.rarityUpTo(x.word, most+1)
		if df < 2 || df > most {
			continue
		}
		words = append(words, rated{x, uint64(x.in) * uint64(idf(s.n, df))})
	}
	slices.SortStableFunc(words, func(a, b rated) int { return cmp.Compare(b.worth, a.worth) })
	for _, x := range words[:min(len(words), feedbackTerms)] {
		c := concept{variants: []variant{{x.word, everyLanguage, exactly}}, weight: feedbackWeight}
		if x.stem != x.word {
			c.variants = append(c.variants, variant{x.stem, everyLanguage, byStem})
		}
		in.add(c, asked{text: x.word, feedback: true, idle: true})
	}
}
