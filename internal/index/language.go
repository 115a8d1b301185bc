package index

import (
	"strings"
	"sync"
	"unicode/utf8"

	"sdd/internal/analysis"
)

// AnalysisVersion is that of the rules of internal/analysis and of this file: terms of another do not compare, and its cache is not used.
const AnalysisVersion = 7

// languages is a set of languages, a bit for each.
type languages uint8

const everyLanguage languages = 1<<(analysis.Other+1) - 1

func setOf(l analysis.Language) languages { return 1 << l }

// functionWords are the words that identify a language. A word of several languages counts for each.
var functionWords = sync.OnceValue(func() map[string]languages {
	m := map[string]languages{}
	listed("function", func(l analysis.Language, w string) { m[w] |= setOf(l) })
	return m
})

// ownLetters are the letters that only some of the languages use.
var ownLetters = [analysis.Latins + 1]string{
	analysis.Spanish: "ñ", analysis.German: "ßäöü", analysis.French: "çèêœùûâ",
	analysis.Portuguese: "çêãõâ", analysis.Other: "äöüłżęąśåøřěůščışğ",
}

// hint is the evidence in a token for the language of its text.
type hint struct {
	words   languages // the languages with this function word
	letters languages // the languages with these letters
}

func hintOf(tok []byte) hint {
	if len(tok) <= 8 {
		var buf [8]byte
		w := buf[:len(tok)]
		for i, c := range tok {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			w[i] = c
		}
		if set := functionWords()[string(w)]; set != 0 {
			return hint{words: set}
		}
	}
	var h hint
	for _, r := range string(tok) {
		for l := range ownLetters {
			if r >= utf8.RuneSelf && r < 0x250 && strings.ContainsRune(ownLetters[l], r) {
				h.letters |= setOf(analysis.Language(l))
			}
		}
	}
	return h
}

// guess finds the language of a text from the hints of its tokens.
type guess [analysis.Latins + 1]int

func (g *guess) add(h hint) {
	if h == (hint{}) {
		return
	}
	for l := range analysis.Language(len(g)) {
		if h.words&setOf(l) != 0 {
			g[l] += 2
		}
		if h.letters&setOf(l) != 0 {
			g[l]++
		}
	}
}

// language returns the language with the most hints; English when there is none or a tie with it.
func (g *guess) language() analysis.Language {
	best := analysis.English
	for l, n := range g {
		if n > g[best] {
			best = analysis.Language(l)
		}
	}
	return best
}
