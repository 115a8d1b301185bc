package classify

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"sdd/internal/pattern"
)

// Verdict is an answer with its reason.
type Verdict struct {
	Value string
	Rule  string // for people: the name of the rule, and in quotes the words that matched, in lower case
}

// label is a row of a table of labels: its words in a text are evidence for the label. The first matching row names the reason.
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

// plain returns a text for the tables, without its questions, in lower case, with a blank between tokens and "." between sentences.
// asks is true when the text has only questions.
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

// reason returns the name of a label with the words that it matched.
func (l label) reason(text string) string {
	return l.name + `: "` + strings.Trim(l.words().FindString(text), " .") + `"`
}

//go:embed labels.txt
var labelsFile string

//go:embed words.txt
var wordsFile string

// labels are the tables of labels.txt by name.
var labels = sync.OnceValue(func() map[string][]label {
	tables := map[string][]label{}
	for name, lines := range parts(labelsFile) {
		for _, line := range lines {
			f := strings.Split(line, "\t")
			weight, _ := strconv.Atoi(f[2])
			tables[name] = append(tables[name], row(f[0], f[1], weight, f[3]))
		}
	}
	return tables
})

// parts returns the lines of a file, without comments, by the name in the line "== name" above them.
func parts(file string) map[string][]string {
	out, name := map[string][]string{}, ""
	for line := range strings.Lines(file) {
		line = strings.TrimSuffix(line, "\n")
		if title, ok := strings.CutPrefix(line, "== "); ok {
			name = title
		} else if line != "" && !strings.HasPrefix(line, "#") {
			out[name] = append(out[name], line)
		}
	}
	return out
}

var wordLists = pattern.Lists(wordsFile)

// in reports whether a list of words.txt has a word.
func in(list, word string) bool { return wordLists()[list][word] }
