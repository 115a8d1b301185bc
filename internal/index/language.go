package index

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
)

// language is the language whose stemmer reads a record's Latin words. Cyrillic words get the Russian stemmer in every record.
type language uint8

const (
	langEnglish language = iota // also the default for a text that shows no language
	langSpanish
	langGerman
	langFrench
	langPortuguese
	langOther // a text in a Latin language without a stemmer here
	latins    = int(langOther)
)

// languages is a set of languages, a bit for each.
type languages uint8

const everyLanguage languages = 1<<(langOther+1) - 1

func (l language) set() languages { return 1 << l }

var stemmers = [latins]func(*snowballstem.Env) bool{
	langEnglish: english.Stem, langSpanish: spanish.Stem, langGerman: german.Stem, langFrench: french.Stem, langPortuguese: portuguese.Stem,
}

// stem returns the stem of a lower-case word, without accents; the word itself when it has none.
func stem(w string, l language) string {
	r, _ := utf8.DecodeRuneInString(w)
	var f func(*snowballstem.Env) bool
	switch {
	case 0x400 <= r && r <= 0x481 || r == 0x4D1:
		if strings.ContainsAny(w, "іїєґўћђџљњј") {
			return w
		}
		f, w = russian.Stem, strings.ReplaceAll(w, "ё", "е")
	case r < 0x250 && int(l) < latins:
		f = stemmers[l]
		if l == langPortuguese { // the stemmer treats decisões and decisão as two words
			w = withEnding(w, 0, "ão", "ões", "ães")
		}
	default:
		return w
	}
	env := snowballstem.NewEnv(w)
	f(env)
	s := env.Current()
	if cyrillic(s) { // the vowel before the last к comes and goes: ошибок is a form of ошибка
		s = withEnding(s, 3, "к", "ок", "ек")
	}
	s = bare(s)
	if len(s) < 2 {
		return w
	}
	return s
}

// cyrillic reports whether w has the same stemmer in every record, because it is Cyrillic.
func cyrillic(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return 0x400 <= r && r <= 0x52F
}

// withEnding replaces the first of some endings that has at least so many letters before it.
func withEnding(w string, least int, by string, ends ...string) string {
	for _, end := range ends {
		if head, ok := strings.CutSuffix(w, end); ok && utf8.RuneCountInString(head) >= least {
			return head + by
		}
	}
	return w
}

// functionWords are the words that identify a language. A word of several languages counts for each.
var functionWords = sync.OnceValue(func() map[string]languages {
	m := map[string]languages{}
	listed("function", func(l language, w string) { m[w] |= l.set() })
	return m
})

// ownLetters are the letters that only some of the languages use.
var ownLetters = map[rune]languages{
	'ñ': langSpanish.set(), 'ß': langGerman.set(), 'ä': langGerman.set() | langOther.set(), 'ö': langGerman.set() | langOther.set(),
	'ü': langGerman.set() | langOther.set(),
	'ç': langFrench.set() | langPortuguese.set(), 'è': langFrench.set(), 'ê': langFrench.set() | langPortuguese.set(),
	'œ': langFrench.set(), 'ù': langFrench.set(), 'û': langFrench.set(),
	'ã': langPortuguese.set(), 'õ': langPortuguese.set(), 'â': langPortuguese.set() | langFrench.set(),
	'ł': langOther.set(), 'ż': langOther.set(), 'ę': langOther.set(), 'ą': langOther.set(), 'ś': langOther.set(), 'å': langOther.set(),
	'ø': langOther.set(),
	'ř': langOther.set(), 'ě': langOther.set(), 'ů': langOther.set(), 'š': langOther.set(), 'č': langOther.set(), 'ı': langOther.set(),
	'ş': langOther.set(), 'ğ': langOther.set(),
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
		if r >= utf8.RuneSelf && r < 0x250 {
			h.letters |= ownLetters[r]
		}
	}
	return h
}

// guess finds the language of a text from the hints of its tokens.
type guess [latins + 1]int

func (g *guess) add(h hint) {
	if h == (hint{}) {
		return
	}
	for l := range language(len(g)) {
		if h.words&l.set() != 0 {
			g[l] += 2
		}
		if h.letters&l.set() != 0 {
			g[l]++
		}
	}
}

// language returns the language with the most hints; English when there is none or a tie with it.
func (g *guess) language() language {
	best := langEnglish
	for l, n := range g {
		if n > g[best] {
			best = language(l)
		}
	}
	return best
}
