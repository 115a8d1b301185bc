package analysis

import (
	"cmp"
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

// Language is the language whose stemmer reads a record's Latin words. Cyrillic words get the Russian stemmer in every record.
type Language uint8

const (
	English Language = iota // also the default for a text that shows no language
	Spanish
	German
	French
	Portuguese
	Other  // a text in a Latin language without a stemmer here
	Latins = int(Other)
)

var stemmers = [Latins]func(*snowballstem.Env) bool{
	English: english.Stem, Spanish: spanish.Stem, German: german.Stem, French: french.Stem, Portuguese: portuguese.Stem,
}

// Stem returns the stem of a lower-case word, without accents; the word itself when it has none, as one with a digit.
func Stem(w string, l Language) string {
	if !OnlyLetters(w) {
		return w
	}
	r, _ := utf8.DecodeRuneInString(w)
	var f func(*snowballstem.Env) bool
	switch {
	case 0x400 <= r && r <= 0x481 || r == 0x4D1:
		if strings.ContainsAny(w, "іїєґўћђџљњј") {
			return w
		}
		f, w = russian.Stem, strings.ReplaceAll(w, "ё", "е")
	case r < 0x250 && int(l) < Latins:
		f = stemmers[l]
		if l == English {
			w = cmp.Or(presents()[w], w)
		}
		if l == Portuguese { // the stemmer treats decisões and decisão as two words
			w = withEnding(w, 0, "ão", "ões", "ães")
		}
	default:
		return w
	}
	env := snowballstem.NewEnv(w)
	f(env)
	s := env.Current()
	if Cyrillic(s) { // the vowel before the last к comes and goes: ошибок is a form of ошибка
		s = withEnding(s, 3, "к", "ок", "ек")
	}
	s = Bare(s)
	if len(s) < 2 {
		return w
	}
	return s
}

// presents are the irregular past forms of English verbs, which the stemmer treats as other words, with the verbs.
var presents = Pairs(`began begin begun begin bound bind broke break broken break built build caught catch chose choose chosen choose
	dealt deal drawn draw driven drive drove drive fed feed forgot forget forgotten forget froze freeze frozen freeze gave give given give
	held hold hid hide hidden hide kept keep lost lose overridden override overrode override overwritten overwrite overwrote overwrite
	paid pay ran run rebuilt rebuild resent resend rewritten rewrite rewrote rewrite sent send shown show shrank shrink shrunk shrink
	spent spend stolen steal taken take taught teach threw throw thrown throw took take understood understand
	withheld withhold written write wrote write`)

// Pairs returns a function that splits the list at white space on its first call: it returns the second word of each pair by the first.
// Several goroutines may call it.
func Pairs(list string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		words, second := strings.Fields(list), map[string]string{}
		for i := 0; i+1 < len(words); i += 2 {
			second[words[i]] = words[i+1]
		}
		return second
	})
}

// Cyrillic reports whether w has the same stemmer in every record, because it is Cyrillic.
func Cyrillic(w string) bool {
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
