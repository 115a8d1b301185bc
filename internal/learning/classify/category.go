// Package classify reads the one or two sentences of a learning: its impact, its category, its
// similarity to another one, and whether it contradicts one.
//
// Every answer comes with the rule and the words that decided. The functions know English best; in other languages they know a few
// common words, and otherwise return the documented default. They take linear time.
package classify

import (
	"maps"
	"slices"
	"strings"
)

// Categories are the built-in values of Category, in the order of views.
var Categories = []string{"Architecture", "Conventions", "Testing", "Errors", "API", "Dependencies", "Performance", "General"}

// Category returns the subject of a learning, as labels.txt defines it; General when no rule matches. The weights of the matching lines of
// the table add up; of two equal sums the first in the table wins. own are further categories, each with its words or rows of words. One
// of them wins as soon as the content has one of its words in any form; of several, the one with the most words, then the first by name.
func Category(content string, own map[string][]string) Verdict {
	toks := tokens(content)
	if v, ok := ownCategory(toks, own); ok {
		return v
	}
	text, _ := plain(tokens(head(content, maxClaim)))
	sum := map[string]int{}
	best := Verdict{Value: "General", Rule: nothing + "category"}
	most := 0
	for _, l := range labels()["category"] {
		n := len(l.words().FindAllStringIndex(text, 2))
		if n == 0 {
			continue
		}
		if sum[l.value] += l.weight + n - 1; sum[l.value] > most {
			most, best = sum[l.value], Verdict{Value: l.value, Rule: l.reason(text)}
		}
	}
	return best
}

// ownCategory finds the project's own category whose words a text has.
func ownCategory(toks []token, own map[string][]string) (best Verdict, found bool) {
	stems := stemsOf(toks)
	most := 0
	for _, name := range slices.Sorted(maps.Keys(own)) {
		var words []string
		n := 0
		for _, entry := range own[name] {
			row := stemsOf(tokens(strings.Trim(entry, "`")))
			at := 0
			for len(row) > 0 && at+len(row) <= len(stems) && !slices.Equal(stems[at:at+len(row)], row) {
				at++
			}
			if len(row) == 0 || at+len(row) > len(stems) {
				continue
			}
			n++
			for _, t := range toks[at : at+len(row)] {
				words = append(words, `"`+t.text+`"`)
			}
		}
		if n > most {
			best, most = Verdict{name, "word of this project's own: " + strings.Join(words, ", ")}, n
		}
	}
	return best, most > 0
}

func stemsOf(toks []token) []string {
	stems := make([]string, len(toks))
	for i := range toks {
		stems[i] = stem(toks[i].text)
	}
	return stems
}
