package classify

import (
	"maps"
	"slices"
	"strings"
)

// Categories are the values of Category without those of a project's own, in the order of views.
var Categories = []string{"Architecture", "Conventions", "Testing", "Errors", "API", "Dependencies", "Performance", "General"}

// Category returns what a learning is about: Architecture (where things are, how modules are built), Conventions
// (naming, formatting, patterns), Testing, Errors (what goes wrong, and its fix), API (endpoints, formats,
// authentication), Dependencies (libraries, versions, their quirks) or Performance; General when nothing
// speaks for one of them. The lines of the table that match add up; of two that weigh the same the first of the table wins.
//
// own are further categories, each with its words or rows of words. One of those wins as soon as one of its
// words is in the content, in any form (migration, migrations); the one with the most words, then the
// first by name. Case, blanks around the text and a full stop at its end do not change the value.
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

// ownCategory finds the category of the project's own whose words are in a text.
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
