// Package prose finds the passages of a documentation that answer a question in plain words.
package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

const maxWord = 64 // bytes; longer words are ignored

// words yields every word of a text, identifiers whole and by their parts, and pairs of characters of scripts without blanks.
func words(text string, yield func(word string)) {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && !ascii(c) {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unspaced(r):
			i = pairs(text, i, yield)
		case wordRune(r):
			end := i + n
			for end < len(text) {
				r, n := utf8.DecodeRuneInString(text[end:])
				if !wordRune(r) || unspaced(r) {
					break
				}
				end += n
			}
			identifier(text[i:end], yield)
			i = end
		default:
			i += n
		}
	}
}

func ascii(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}

func pairs(text string, i int, yield func(string)) int {
	start, before := i, -1
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unspaced(r) {
			break
		}
		if before >= 0 {
			yield(text[before : i+n])
		}
		before = i
		i += n
	}
	if before == start {
		yield(text[start:i])
	}
	return i
}

// identifier yields a word and, if it has several parts, those too: read_text, readText, HTTPServer.
func identifier(w string, yield func(string)) {
	w = strings.Trim(w, "_")
	if w == "" || len(w) > maxWord {
		return
	}
	start, parts := 0, 0
	emit := func(end int) {
		if end > start && (start > 0 || end < len(w)) {
			yield(strings.ToLower(w[start:end]))
			parts++
		}
		start = end
	}
	for i := 1; i < len(w); i++ {
		a, b := w[i-1], w[i]
		switch {
		case b == '_':
			emit(i)
		case a == '_':
			start = i
		case lower(a) && upper(b), upper(a) && upper(b) && i+1 < len(w) && lower(w[i+1]):
			emit(i)
		}
	}
	emit(len(w))
	if whole := strings.ToLower(w); parts != 1 {
		yield(whole)
	}
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func upper(c byte) bool { return 'A' <= c && c <= 'Z' }

func stem(w string) string {
	if len(w) < 3 || w[0] >= utf8.RuneSelf {
		return w
	}
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	return env.Current()
}

// empty reports whether a word is a stop word.
func empty(w string) bool {
	switch w {
	case "a", "an", "the", "is", "are", "was", "were", "be", "been", "do", "does", "did", "can", "could", "should", "would", "will",
		"may", "might", "must", "i", "you", "we", "it", "its", "my", "your", "me", "this", "that", "these", "those", "there", "of", "to",
		"in", "on", "at", "by", "for", "from", "with", "and", "or", "but", "as", "if", "so", "than", "then", "how", "what", "which",
		"when", "where", "why", "who", "way", "want", "need", "have", "has", "had", "get", "use", "using", "used", "make", "some", "any",
		"one", "about", "into", "when's", "what's", "please", "happens", "mean", "means", "best", "possible":
		return true
	}
	return false
}

// Question returns the number of words that are not stop words, and whether the text has the form of a question.
func Question(text string) (content int, question bool) {
	first := true
	words(text, func(w string) {
		w = strings.ToLower(w)
		if first {
			switch w {
			case "how", "what", "which", "when", "where", "why", "who", "can", "does", "is", "are", "should", "do":
				question = true
			}
			first = false
		}
		if !empty(w) {
			content++
		}
	})
	return content, question || strings.HasSuffix(strings.TrimSpace(text), "?")
}
