// Package prose finds the passages of a documentation that answer a question in plain words.
package prose

import (
	"strings"

	"sdd/internal/analysis"
	"sdd/internal/index"
)

// tokens yields the words of a text as written, and pairs of characters of scripts without blanks.
func tokens(text string, yield func(tok []byte)) {
	src := []byte(text)
	analysis.Tokens(src, func(t analysis.Token) bool {
		if t.Kind != analysis.Single {
			yield(src[t.Start:t.End])
		}
		return true
	})
}

// words yields every word of a text in lower case, identifiers whole and by their parts.
func words(text string, yield func(word string)) {
	tokens(text, func(tok []byte) {
		for _, p := range analysis.Split(tok) {
			yield(p.Text)
		}
	})
}

// empty reports whether a word is a stop word. In other languages "os" is one.
func empty(w string) bool { return index.Stop(w, true) }

// Question returns the number of words that are not stop words, and whether the text has the form of a question.
func Question(text string) (content int, question bool) {
	first := true
	words(text, func(w string) {
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
