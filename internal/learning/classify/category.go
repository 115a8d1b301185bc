package classify

import (
	"maps"
	"slices"
	"strings"
)

// Categories are the values of Category without those of a project's own, in the order of views.
var Categories = []string{"Architecture", "Conventions", "Testing", "Errors", "API", "Dependencies", "Performance", "General"}

// Category says what a learning is about: Architecture (where things are, how modules are built), Conventions
// (naming, formatting, patterns), Testing, Errors (what goes wrong, and its fix), API (endpoints, formats,
// authentication), Dependencies (libraries, versions, their quirks) or Performance; General when nothing
// speaks for one of them.
//
// own are further categories, each with its words or rows of words. One of those wins as soon as one of its
// words stands in the content, in any form (migration, migrations); the one with the most words, then the
// first by name. Case, blanks around the text and a full stop at its end do not change the value.
func Category(content string, own map[string][]string) Verdict {
	toks := tokens(content)
	if len(own) > 0 {
		if v, ok := ownCategory(toks, own); ok {
			return v
		}
	}
	value, reason := categoryModel.decide(toks, "General")
	if reason.name == "" {
		return Verdict{Value: value, Rule: nothing + "category"}
	}
	return verdict(value, reason.name, reason.toks)
}

var categoryModel = &model{values: Categories, rules: categoryRules, table: loaded("category", Categories), skip: func(bool) bool { return false }}

// ownCategory finds the category of the project's own whose words stand in a text.
func ownCategory(toks []token, own map[string][]string) (Verdict, bool) {
	stems := make([]string, len(toks))
	for i := range toks {
		stems[i] = stem(toks[i].text)
	}
	var best Verdict
	most := 0
	for _, name := range slices.Sorted(maps.Keys(own)) {
		var found []token
		n := 0
		for _, entry := range own[name] {
			row := tokens(strings.Trim(entry, "`"))
			if at := rowAt(stems, row); at >= 0 {
				found = append(found, toks[at:at+len(row)]...)
				n++
			}
		}
		if n > most {
			best, most = verdict(name, "word of this project's own", found), n
		}
	}
	return best, most > 0
}

// rowAt returns where a row of words stands in a text, -1 when it does not.
func rowAt(stems []string, row []token) int {
	for i := 0; len(row) > 0 && i+len(row) <= len(stems); i++ {
		k := 0
		for k < len(row) && stems[i+k] == stem(row[k].text) {
			k++
		}
		if k == len(row) {
			return i
		}
	}
	return -1
}
