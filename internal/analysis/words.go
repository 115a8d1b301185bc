package analysis

import (
	"strings"
	"unicode"
)

// Words returns the words of a text in lower case, in order: the pieces of each token, and of scripts without spaces the pairs.
func Words(text string) (words []string) {
	src := []byte(text)
	Tokens(src, func(t Token) bool {
		switch t.Kind {
		case Word:
			words = append(words, Pieces(src[t.Start:t.End])...)
		case Alone, Pair:
			words = append(words, Lower(Normal(src[t.Start:t.End])))
		}
		return true
	})
	return words
}

// Pieces returns the runs of letters and digits of a token in lower case. C++ and C# are whole.
func Pieces(tok []byte) []string {
	s := Lower(Normal(tok))
	if last := tok[len(tok)-1]; last == '+' || last == '#' {
		return []string{s}
	}
	return strings.FieldsFunc(s, between)
}

// between reports whether a rune of a token is in none of its pieces.
func between(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }

// Set returns the words of a text, each once.
func Set(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range Words(text) {
		set[w] = true
	}
	return set
}

// Shared returns the number of words that two sets have in common.
func Shared(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// Dice is how similar two sets are: twice the number of their common elements, divided by the sum of the sizes.
func Dice(a, b map[string]bool) float64 {
	return 2 * float64(Shared(a, b)) / float64(max(1, len(a)+len(b)))
}
