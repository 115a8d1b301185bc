package classify

import (
	"regexp"
	"strings"

	"sdd/internal/pattern"
)

// Verdict is an answer and its reason.
type Verdict struct {
	Value string
	Rule  string // for people: the name of the rule, and in quotes the words that matched, in lower case
}

// label is a row of a table of labels: a text that has the words is evidence for the label. The first row that matches names the reason.
type label struct {
	value  string
	name   string
	weight int
	words  func() *regexp.Regexp
}

// row makes a label. The words are a regular expression over the text in lower case, with a blank between tokens.
func row(value, name string, weight int, words string) label {
	return label{value, name, weight, pattern.Late(`(?:^| )(?:` + words + `)(?: |$)`)}
}

// plain is a text as the tables read it, without its questions: lower case, a blank between tokens, "." between sentences. asks is true when
// it has questions only.
func plain(toks []token) (text string, asks bool) {
	var b strings.Builder
	questions := 0
	sentences(toks, func(s []token, question bool) {
		if question {
			questions++
			return
		}
		for _, t := range s {
			b.WriteString(t.text)
			b.WriteByte(' ')
		}
		b.WriteString(". ")
	})
	return strings.TrimSpace(b.String()), questions > 0 && b.Len() == 0
}

// reason is the name of a label with the words that it matched.
func (l label) reason(text string) string {
	at := l.words().FindStringIndex(text)
	if at == nil {
		return l.name
	}
	return l.name + `: "` + strings.Trim(text[at[0]:at[1]], " .") + `"`
}
