package explore

import (
	"fmt"
	"strings"
	"unicode"
)

// Suggestion is a hint at the type and size of the change an exploration talks about. It is
// never a decision: the user decides.
type Suggestion struct {
	Type       string `json:"type"`
	TypeReason string `json:"type_reason"`
	Size       string `json:"size"`
	SizeReason string `json:"size_reason"`
}

// noSignal is the reason given where no word speaks for a type or a size.
const noSignal = "Based on limited context — adjust as needed."

// sign is one answer and the words that speak for it. Each word stands with its forms, so
// that "fixed" counts and "prefix" does not. A form of several words is matched in a row.
type sign struct {
	answer string
	words  map[string]bool
}

func words(forms string) map[string]bool {
	set := map[string]bool{}
	for _, f := range strings.Split(forms, ",") {
		set[strings.TrimSpace(f)] = true
	}
	return set
}

// The first sign with a match wins, in this order.
var typeSigns = []sign{
	{"fix", words(`fix, fixes, fixed, fixing, bug, bugs, bugfix, bugfixes, crash, crashes, crashed, crashing,
		error, errors, broken`)},
	{"refactor", words(`refactor, refactors, refactored, refactoring, refactorings,
		restructure, restructures, restructured, restructuring,
		reorganize, reorganizes, reorganized, reorganizing, reorganise, reorganises, reorganised, reorganising,
		clean up, cleans up, cleaned up, cleaning up, cleanup, cleanups`)},
	{"enhancement", words(`improve, improves, improved, improving, improvement, improvements,
		enhance, enhances, enhanced, enhancing, enhancement, enhancements,
		optimize, optimizes, optimized, optimizing, optimization, optimizations,
		optimise, optimises, optimised, optimising, optimisation, optimisations,
		better, upgrade, upgrades, upgraded, upgrading`)},
	{"feature", words(`new, newer, newest, add, adds, added, adding, create, creates, created, creating,
		build, builds, built, building, implement, implements, implemented, implementing`)},
}

var sizeSigns = []sign{
	{"small", words(`quick, quicker, quickest, small, smaller, smallest, simple, simpler, simplest, trivial,
		one liner, one liners, minor`)},
	{"large", words(`complex, large, larger, largest, major, big, bigger, biggest,
		rewrite, rewrites, rewrote, rewritten, rewriting, overhaul, overhauls, overhauled, overhauling`)},
}

// suggest reads the sections that say what is to be done, in their fixed order.
func suggest(goals, constraints, context string) Suggestion {
	sections := []struct {
		name string
		toks []token
	}{{"Goals", wordsOf(goals)}, {"Constraints", wordsOf(constraints)}, {"Context", wordsOf(context)}}
	find := func(signs []sign, fallback string) (string, string) {
		for _, sg := range signs {
			for _, s := range sections {
				if w := match(s.toks, sg.words); w != "" {
					return sg.answer, fmt.Sprintf("%q stands in %s", w, s.name)
				}
			}
		}
		return fallback, noSignal
	}
	var out Suggestion
	out.Type, out.TypeReason = find(typeSigns, "feature")
	out.Size, out.SizeReason = find(sizeSigns, "medium")
	return out
}

// token is a word of running text, or the end of a clause.
type token struct {
	text string // lower case, "" ends a clause
	raw  string
}

// match returns the first word or phrase that is in forms and is not negated, as it is written.
func match(toks []token, forms map[string]bool) string {
	for i, t := range toks {
		switch {
		case t.text == "":
		case forms[t.text] && !negated(toks, i):
			return t.raw
		case phraseStarts[t.text] && i+1 < len(toks) && forms[t.text+" "+toks[i+1].text] && !negated(toks, i):
			return t.raw + " " + toks[i+1].raw
		}
	}
	return ""
}

// phraseStarts are the first words of the forms that have two.
var phraseStarts = words("clean, cleans, cleaned, cleaning, one")

// negations reach this many words to the right, within their clause.
var negations = map[string]int{
	"not": 3, "never": 3, "without": 3, "avoid": 3, "avoids": 3, "avoiding": 3, "cannot": 3,
	"no": 2, "nor": 2, "neither": 2, "non": 1,
}

func negated(toks []token, i int) bool {
	for back := 1; back <= 3 && i-back >= 0; back++ {
		t := toks[i-back].text
		if t == "" || t == "but" {
			return false
		}
		reach := negations[t]
		if strings.HasSuffix(t, "n't") || strings.HasSuffix(t, "n’t") {
			reach = 3
		}
		if back > reach {
			continue
		}
		// "not only" affirms.
		return !(t == "not" && toks[i-back+1].text == "only")
	}
	return false
}

// wordsOf splits text into words. A hyphen parts words; names of code (a_b, a.b, a::b, `a`) are no words.
func wordsOf(text string) []token {
	rs := []rune(text)
	out := make([]token, 0, len(rs)/5)
	inWord := func(i int) bool {
		r := rs[i]
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return true
		}
		if i == 0 || i+1 >= len(rs) {
			return false
		}
		switch r {
		case '\'', '’', '_', '.', ':':
			// Joins only between two letters or digits: a full stop before a blank ends the clause.
			return alnum(rs[i-1]) && alnum(rs[i+1]) || r == ':' && (rs[i-1] == ':' || rs[i+1] == ':')
		}
		return false
	}
	code := false
	for i := 0; i < len(rs); {
		if rs[i] == '`' {
			code = !code
			i++
			continue
		}
		if rs[i] == '\n' {
			code = false
		}
		if !inWord(i) {
			if !unicode.IsSpace(rs[i]) && rs[i] != '-' && rs[i] != '"' && rs[i] != '*' && rs[i] != '_' || rs[i] == '\n' && paragraphEnd(rs, i) {
				out = append(out, token{})
			}
			i++
			continue
		}
		start := i
		for i < len(rs) && inWord(i) {
			i++
		}
		w := string(rs[start:i])
		if code || strings.ContainsAny(w, "_.:") {
			out = append(out, token{text: "\x00", raw: w}) // stands for a name: a word that matches nothing
			continue
		}
		out = append(out, token{text: strings.ToLower(w), raw: w})
	}
	return out
}

func alnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// paragraphEnd reports whether the line end at i ends a clause: a blank line or a list item follows.
func paragraphEnd(rs []rune, i int) bool {
	for i++; i < len(rs); i++ {
		switch r := rs[i]; {
		case r == '\n' || r == '-' || r == '*' || r == '+' || r == '#' || unicode.IsDigit(r):
			return true
		case r == ' ' || r == '\t' || r == '\r':
		default:
			return false
		}
	}
	return true
}
