// Package classify reads the sentence or two of a learning: how much it matters, what it is about,
// which files it names, how near it is to another one, and whether it contradicts one.
//
// All of it is deterministic and pure: words and their classes, negation, hedges, and the shape
// of the sentence decide, and the rule that decided is returned in words. English is read best. Of
// other languages a few plain words count; the rest falls back to the default that the function names.
//
// Every function takes any text, is linear in its length, and may be called from several
// goroutines at once.
package classify

import (
	"strings"
)

// Verdict is an answer and why it was given.
type Verdict struct {
	Value string
	Rule  string // for people: the name of the rule, and in quotes the words that matched, in lower case
}

// verdict names the rule and the words that matched, in the order of the text.
func verdict(value, rule string, toks []token) Verdict {
	var b strings.Builder
	b.WriteString(rule)
	for i, t := range toks {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		b.WriteString(sep)
		b.WriteByte('"')
		b.WriteString(t.text)
		b.WriteByte('"')
	}
	return Verdict{Value: value, Rule: b.String()}
}
