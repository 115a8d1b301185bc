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
