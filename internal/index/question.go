package index

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"sdd/internal/analysis"
	"sdd/internal/pattern"
)

// Natural questions consist mostly of words that do not name the subject: function words and question words, which the
// ranking drops, and words that fit any question ("handle", "use", "project"), which count little and do not make a
// record an answer.

// idle is the degree to which a word of a question lacks meaning.
type idle uint8

const (
	telling idle = iota
	filler
	general // a filler that names no subject at all
	stopword
)

var kindNames = [...]string{filler: "filler", general: "general", stopword: "stop"} // in words.txt

//go:embed words.txt
var wordLists string

// listed calls yield for each word of a kind in words.txt. The words of Russian have no language: their script shows it.
func listed(kind string, yield func(l analysis.Language, word string)) {
	languages := map[string]analysis.Language{
		"en": analysis.English, "es": analysis.Spanish, "de": analysis.German, "fr": analysis.French,
		"pt": analysis.Portuguese, "ru": analysis.Other, "other": analysis.Other,
	}
	for line := range strings.Lines(wordLists) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == kind {
			for _, w := range fields[2:] {
				yield(languages[fields[1]], w)
			}
		}
	}
}

// idleWords has the degree of each word in each language, the last Russian; without accents, as a question may have none.
var idleWords = sync.OnceValue(func() map[string][analysis.Latins + 1]idle {
	words := map[string][analysis.Latins + 1]idle{}
	for _, kind := range []idle{filler, general, stopword} {
		listed(kindNames[kind], func(l analysis.Language, w string) {
			set := words[analysis.Bare(w)]
			set[l] = max(set[l], kind)
			words[analysis.Bare(w)] = set
		})
	}
	return words
})

// idleness returns the degree of a lower-case word in that language; its highest in any when the question shows none.
func idleness(word string, l analysis.Language, sure bool) idle {
	word = analysis.Bare(word)
	set := idleWords()[word]
	switch {
	case analysis.Cyrillic(word):
		return set[analysis.Other]
	case sure && l < analysis.Other:
		return set[l]
	}
	return slices.Max(set[:])
}

// Stop reports whether a lower-case word only joins others, in English and Russian or in any language; hiragana is mostly grammar.
func Stop(word string, onlyEnglish bool) bool {
	return idleness(word, analysis.English, onlyEnglish) == stopword || hiragana(word) == utf8.RuneCountInString(word)
}

// languageTokens is the number of tokens that decide the language of a question.
const languageTokens = 500

// questionLanguage guesses the language of a question from its function and question words. Without such words it is not sure.
func questionLanguage(src []byte) (l analysis.Language, sure bool) {
	var g guess
	n := 0
	analysis.Tokens(src, func(t analysis.Token) bool {
		if n++; t.Kind != analysis.Word {
			return n < languageTokens
		}
		tok := src[t.Start:t.End]
		h := hintOf(tok)
		g.add(h)
		if h == (hint{}) && len(tok) <= 24 {
			set := idleWords()[analysis.Bare(analysis.Lower(string(tok)))]
			for l, is := range set[:analysis.Latins] {
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

// phrase is a verb of two words, and the one that documentation has for it.
type phrase struct {
	form *regexp.Regexp
	verb string
}

// phrasal are English verbs of two words whose meaning neither has.
var phrasal = sync.OnceValue(func() (list []phrase) {
	listed("verb", func(_ analysis.Language, w string) {
		said, verb, _ := strings.Cut(w, "=")
		between := `{0}`
		first, second, near := strings.Cut(said, "+")
		if !near {
			first, second, _ = strings.Cut(said, "~")
			between = `{0,3}?`
		}
		form := pattern.Late(`(?i)\b(?:` + first + `)((?: [^\s.,;?!]+)` + between + `) (?:` + second + `)([^\w-]|$)`)()
		list = append(list, phrase{form, verb})
	})
	return list
})

// withVerbs returns a question with the usual verb in place of two words: "turn a rule off" is "disable a rule".
func withVerbs(text string) string {
	for _, p := range phrasal() {
		text = p.form.ReplaceAllString(text, p.verb+"$1$2")
	}
	return text
}

// putIn reports whether a word is a verb that withVerbs put into a question.
func putIn(question, word string) bool {
	return !strings.Contains(strings.ToLower(question), word) && strings.Contains(strings.ToLower(withVerbs(question)), word)
}

// unspacedIdle replaces the function words of Chinese and Japanese by spaces.
var unspacedIdle = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	listed("unspaced", func(_ analysis.Language, w string) { pairs = append(pairs, w, " ") })
	return strings.NewReplacer(pairs...)
})

// hiragana returns how many characters of a word are hiragana.
func hiragana(word string) (n int) {
	for _, r := range word {
		if 0x3041 <= r && r <= 0x309F {
			n++
		}
	}
	return n
}
