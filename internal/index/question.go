package index

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Natural questions are mostly words that say nothing of what is asked about: function words and
// question words, which are left out, and words that any question may have ("handle", "use",
// "project"), which count little and do not make a record an answer.

// idle is how little a word of a question means.
type idle uint8

const (
	telling idle = iota
	filler
	stopword
)

var kindNames = [...]string{filler: "filler", stopword: "stop"} // in words.txt

//go:embed words.txt
var wordLists string

// listed calls yield for each word of a kind in words.txt. Russian has no language of its own: the text itself shows it.
func listed(kind string, yield func(l language, word string)) {
	languages := map[string]language{
		"en": langEnglish, "es": langSpanish, "de": langGerman, "fr": langFrench, "pt": langPortuguese, "ru": langOther, "other": langOther,
	}
	for line := range strings.Lines(wordLists) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == kind {
			for _, w := range fields[2:] {
				yield(languages[fields[1]], w)
			}
		}
	}
}

// idleWords has how little each word means in each language, the last one Russian. The words have no accents, so that they are
// found however carefully a question is written.
var idleWords = sync.OnceValue(func() map[string][latins + 1]idle {
	words := map[string][latins + 1]idle{}
	for _, kind := range []idle{filler, stopword} {
		listed(kindNames[kind], func(l language, w string) {
			set := words[bare(w)]
			set[l] = max(set[l], kind)
			words[bare(w)] = set
		})
	}
	return words
})

// idleness returns how little a lower-case word of a question in that language means. Where the
// question shows no language, it is taken for the one in which the word means least.
func idleness(word string, l language, sure bool) idle {
	word = bare(word)
	set := idleWords()[word]
	switch {
	case cyrillic(word):
		return set[langOther]
	case sure && l < langOther:
		return set[l]
	}
	return slices.Max(set[:])
}

// languageTokens is how much of a question is looked at for its language.
const languageTokens = 500

// questionLanguage guesses the language of a question from its function words, question words
// included. It is not sure of one that has none.
func questionLanguage(src []byte) (l language, sure bool) {
	var g guess
	n := 0
	tokens(src, func(t token) bool {
		if n++; t.kind != word {
			return n < languageTokens
		}
		tok := src[t.start:t.end]
		h := hintOf(tok)
		g.add(h)
		if h == (hint{}) && len(tok) <= 24 {
			set := idleWords()[bare(lower(string(tok)))]
			for l, is := range set[:latins] {
				if is == stopword {
					g[l]++
				}
			}
		}
		return n < languageTokens
	})
	l = g.language()
	return l, g[l] > 0
}

// unspacedIdle puts spaces in the place of the function words of Chinese and Japanese.
var unspacedIdle = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	listed("unspaced", func(_ language, w string) { pairs = append(pairs, w, " ") })
	return strings.NewReplacer(pairs...)
})

// hiragana is the share of a pair that is hiragana, which is mostly grammar: 0, 1 or 2.
func hiragana(pair string) (n int) {
	for _, r := range pair {
		if 0x3041 <= r && r <= 0x309F {
			n++
		}
	}
	return n
}
