package index

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Pseudo-relevance feedback: what the best records have in common belongs to the subject of the
// question, though its words do not say so. (Rocchio 1971; here with few terms and a low weight,
// for with many a wrong first record takes the answer away with it.)

const (
	feedbackTerms  = 16
	feedbackLetter = 4  // letters that a word has to have
	feedbackShare  = 12 // a word that more than every so many'th record has says nothing
)

// common is a word that several of the best records have.
type common struct {
	word string
	in   int // of how many
}

// sharing collects the words of the best records.
type sharing struct {
	in     *inquiry
	words  map[string]*common // by stem
	asked  map[string]bool    // terms of the question
	number int
}

func newSharing(in *inquiry) *sharing {
	sh := &sharing{in: in, words: map[string]*common{}, asked: map[string]bool{}}
	for _, c := range in.found().concepts {
		for _, v := range c.variants {
			sh.asked[v.term] = true
		}
	}
	return sh
}

// add adds the words of a record.
func (sh *sharing) add(c *chosen, src []byte) {
	sh.number++
	seen := map[string]bool{}
	walk := func(b []byte) {
		tokens(b, func(t token) bool {
			tok := b[t.start:t.end]
			if t.kind != word || len(seen) > 400 {
				return true
			}
			w := lower(normal(tok))
			if !onlyLetters(w) || utf8.RuneCountInString(w) < feedbackLetter || idleness(w, c.lang, true) != telling {
				return true
			}
			st := stem(w, c.lang)
			if seen[st] || sh.asked[w] || sh.asked[st] || sh.asked[bare(w)] {
				return true
			}
			seen[st] = true
			if x := sh.words[st]; x != nil {
				x.in++
				if w < x.word {
					x.word = w
				}
			} else {
				sh.words[st] = &common{w, 1}
			}
			return true
		})
	}
	walk([]byte(c.Title))
	lines(src, c.outline, func(_ int, line []byte, z zone) bool {
		if z == body {
			walk(line)
		}
		return true
	})
}

// list returns the words that two or more records have, in order.
func (sh *sharing) list() []common {
	var list []common
	for _, x := range sh.words {
		if x.in > 0 {
			list = append(list, *x)
		}
	}
	slices.SortFunc(list, func(a, b common) int { return cmp.Or(b.in-a.in, strings.Compare(a.word, b.word)) })
	return list
}

// feed adds the most telling of those words to the question.
func (in *inquiry) feed(list []common, s *search) {
	type rated struct {
		common
		worth uint64
	}
	var words []rated
	for _, x := range list[:min(len(list), 200)] {
		df := s.rarity(x.word)
		if df < 2 || df*feedbackShare > s.n {
			continue
		}
		words = append(words, rated{x, uint64(x.in) * uint64(idf(s.n, df))})
	}
	slices.SortStableFunc(words, func(a, b rated) int { return cmp.Compare(b.worth, a.worth) })
	for _, x := range words[:min(len(words), feedbackTerms)] {
		in.add(concept{variants: variants(part{x.word, true, true}), weight: feedbackWeight}, asked{text: x.word, feedback: true, idle: true})
	}
}
