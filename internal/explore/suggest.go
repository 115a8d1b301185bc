package explore

import (
	"strconv"
	"strings"
	"sync"
)

// Suggestion is a hint at the type and size of the change that an exploration describes, each "" without a sign of one.
type Suggestion struct {
	Type       string `json:"type,omitempty"`
	TypeReason string `json:"type_reason,omitempty"`
	Size       string `json:"size,omitempty"`
	SizeReason string `json:"size_reason,omitempty"`
}

// signs are the answers with their words in all forms ("prefix" is none); of the first four, and the last two, the first one wins.
var signs = [...]struct{ answer, words string }{
	{"fix", `fix fixes fixed fixing bug bugs bugfix bugfixes bug-fix bug-fixes crash crashes crashed crashing broken`},
	{"refactor", `refactor refactors refactored refactoring refactorings restructure restructures restructured restructuring
		reorganize reorganizes reorganized reorganizing reorganise reorganises reorganised reorganising
		clean_up cleans_up cleaned_up cleaning_up clean-up clean-ups cleanup cleanups`},
	{"enhancement", `improve improves improved improving improvement improvements enhance enhances enhanced enhancing enhancement
		enhancements optimize optimizes optimized optimizing optimization optimizations optimise optimises optimised optimising
		optimisation optimisations better upgrade upgrades upgraded upgrading`},
	{"feature", `new add adds added adding create creates created creating build builds built building implement
		implements implemented implementing`},
	{"small", `quick quickly small small-scale simple simply trivial trivially
		one-liner one-liners one_liner one_liners minor`},
	{"large", `complex large large-scale major big rewrite rewrites rewrote rewritten rewriting
		overhaul overhauls overhauled overhauling`},
}

const (
	types  = 4  // the first entries of signs are types, the rest sizes
	refuse = -1 // in words: the clause does not count
	turn   = -2 // in words: a clause begins
	first  = -3 // in words: with the next word it may be one of words
)

// words maps each word, and each two words joined by "_", to its place in signs, or to refuse or turn.
var words = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	set := func(list string, to int) {
		for w := range strings.FieldsSeq(list) {
			m[w] = to
		}
	}
	set("clean cleans cleaned cleaning one instead rather decided out off", first)
	for i, s := range signs {
		set(s.words, i)
	}
	set(`no non not never without cannot nobody nothing none neither nor free avoid avoids avoiding unnecessary overkill non-goal non-goals
		dont doesnt didnt wont wouldnt shouldnt couldnt cant isnt arent wasnt werent hasnt havent hadnt mustnt neednt
		instead_of rather_than decided_against out_of off_the`, refuse)
	set(`but if when while because although though since until unless so - – —`, turn)
	return m
})

// suggest reads the sections about the work to do. Words in code, paths, compounds and clauses with "not", "no", "without" and the like do
// not count: no hint is better than a wrong one. Punctuation other than a comma ends a clause.
func suggest(goals, constraints, context string) Suggestion {
	words := words()
	var found [len(signs)]string
	for _, s := range [...]struct{ name, text string }{{"Goals", goals}, {"Constraints", constraints}, {"Context", context}} {
		var clause [len(signs)]string
		refused, listed, code, before := false, false, false, "" // listed: the list below a line such as "Non-goals:" is refused
		end := func() {
			for i, w := range clause {
				if w != "" && !refused && found[i] == "" {
					found[i] = strconv.Quote(w) + " stands in " + s.name
				}
			}
			clause, refused, before = [len(signs)]string{}, false, ""
		}
		for line := range strings.Lines(s.text) {
			if line = strings.TrimSpace(line); line == "" || strings.ContainsAny(line[:1], "-*+#0123456789") {
				end()
				listed = listed && line != ""
				refused, line = listed, strings.TrimLeft(line, "-*+# ")
			}
			for field := range strings.FieldsSeq(line) {
				word := strings.Trim(field, "\"'*_.,;:!?()[]")
				if n := strings.Count(field, "`"); n > 0 || code {
					word, code = "", code != (n%2 == 1)
				}
				lower := strings.ToLower(word)
				to, ok := words[lower]
				if before != "" {
					if two, is := words[strings.ToLower(before)+"_"+lower]; is {
						to, ok, word = two, true, before+" "+word
					}
				}
				before = ""
				switch {
				case strings.HasSuffix(lower, "n't"), strings.HasSuffix(lower, "n’t"):
					refused = true
				case !ok:
				case to == turn:
					end()
				case to == refuse:
					refused = true
				case to == first:
					before = word
				case clause[to] == "":
					clause[to] = word
				}
				if strings.ContainsAny(field[len(field)-1:], ".;!?)") {
					end()
				}
			}
			listed, code = listed || refused && strings.HasSuffix(line, ":"), false
		}
		end()
	}
	var out Suggestion
	for i := len(signs) - 1; i >= 0; i-- {
		if found[i] == "" {
			continue
		}
		if i < types {
			out.Type, out.TypeReason = signs[i].answer, found[i]
		} else {
			out.Size, out.SizeReason = signs[i].answer, found[i]
		}
	}
	return out
}
