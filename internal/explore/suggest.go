package explore

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
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
// that "fixed" counts and "prefix" does not. A form of two words is matched in a row.
type sign struct {
	answer string
	forms  string
}

// Of the signs of the type, and of those of the size, the first with a match wins.
var signs = [...]sign{
	{"fix", `fix, fixes, fixed, fixing, bug, bugs, bugfix, bugfixes, crash, crashes, crashed, crashing,
		error, errors, broken`},
	{"refactor", `refactor, refactors, refactored, refactoring, refactorings,
		restructure, restructures, restructured, restructuring,
		reorganize, reorganizes, reorganized, reorganizing, reorganise, reorganises, reorganised, reorganising,
		clean up, cleans up, cleaned up, cleaning up, cleanup, cleanups`},
	{"enhancement", `improve, improves, improved, improving, improvement, improvements,
		enhance, enhances, enhanced, enhancing, enhancement, enhancements,
		optimize, optimizes, optimized, optimizing, optimization, optimizations,
		optimise, optimises, optimised, optimising, optimisation, optimisations,
		better, upgrade, upgrades, upgraded, upgrading`},
	{"feature", `new, newer, newest, add, adds, added, adding, create, creates, created, creating,
		build, builds, built, building, implement, implements, implemented, implementing`},

	{"small", `quick, quicker, quickest, small, smaller, smallest, simple, simpler, simplest, trivial,
		one liner, one liners, minor`},
	{"large", `complex, large, larger, largest, major, big, bigger, biggest,
		rewrite, rewrites, rewrote, rewritten, rewriting, overhaul, overhauls, overhauled, overhauling`},
}

const (
	typeSigns   = 4  // the signs up to here are of the type
	longestForm = 16 // bytes of a word that has a role, at most
)

// negations are words by the number of words to the right, within their clause, that they reach.
var negations = [...]string{1: "non", 2: "no nor neither", 3: "not never without avoid avoids avoiding cannot"}

// role is what a word is for a suggestion. Most words have none.
type role struct {
	signs  uint8 // for which it speaks, a bit each
	reach  uint8 // of a negation
	begins bool  // it may be the first word of a form of two
	ends   bool  // nothing before it reaches further: "but", and the end of a clause
	not    bool  // "not only" affirms
	only   bool
}

// roles are those of words, and of the forms of two words.
var roles = sync.OnceValue(func() map[string]role {
	m := map[string]role{"but": {ends: true}, "only": {only: true}}
	set := func(w string, change func(*role)) {
		r := m[w]
		change(&r)
		m[w] = r
	}
	for reach, list := range negations {
		for w := range strings.FieldsSeq(list) {
			set(w, func(r *role) { r.reach, r.not = uint8(reach), w == "not" })
		}
	}
	for i, s := range signs {
		for form := range strings.SplitSeq(s.forms, ",") {
			form = strings.TrimSpace(form)
			set(form, func(r *role) { r.signs |= 1 << i })
			if first, _, two := strings.Cut(form, " "); two {
				set(first, func(r *role) { r.begins = true })
			}
		}
	}
	return m
})

// suggest reads the sections that say what is to be done, in their fixed order.
func suggest(goals, constraints, context string) Suggestion {
	r := reading{roles: roles()}
	r.read("Goals", goals)
	r.read("Constraints", constraints)
	r.read("Context", context)
	out := Suggestion{Type: "feature", TypeReason: noSignal, Size: "medium", SizeReason: noSignal}
	for i := len(signs) - 1; i >= 0; i-- {
		f := r.found[i]
		if f.words == "" {
			continue
		}
		if reason := strconv.Quote(f.words) + " stands in " + f.section; i < typeSigns {
			out.Type, out.TypeReason = signs[i].answer, reason
		} else {
			out.Size, out.SizeReason = signs[i].answer, reason
		}
	}
	return out
}

// reading finds for each sign the first words that speak for it and are not negated, as they are written. It makes no list of
// the words of a text, for every save reads some.
type reading struct {
	roles   map[string]role
	found   [len(signs)]struct{ words, section string }
	section string
	before  [3]role // of the words before the one in hand, the nearest first
	first   string  // the word before, when it may be the first of two and is not negated
}

func (r *reading) read(section, text string) {
	r.section = section
	r.pass(role{ends: true})
	code := false
	for i := 0; i < len(text); {
		if end, ascii, name := wordEnd(text, i); end > i {
			if code || name {
				r.pass(role{})
			} else {
				r.word(text[i:end], ascii)
			}
			i = end
			continue
		}
		c, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case c == '`':
			code = !code
		case c == '\n':
			code = false
			if paragraphEnd(text[i:]) {
				r.pass(role{ends: true})
			}
		case c == '-' || c == '"' || c == '*' || c == '_' || unicode.IsSpace(c):
		default:
			r.pass(role{ends: true})
		}
	}
}

// word takes the next word of a text.
func (r *reading) word(w string, ascii bool) {
	var mem [longestForm]byte
	lower := mem[:0]
	switch {
	case !ascii:
		lower = append(lower, strings.ToLower(w)...)
	case len(w) <= longestForm:
		lower = append(lower, w...)
		for i, c := range lower {
			if 'A' <= c && c <= 'Z' {
				lower[i] = c + 'a' - 'A'
			}
		}
	}
	now := r.roles[string(lower)]
	if c := w[len(w)-1]; (c == 't' || c == 'T') && (endsIn(w, "n't") || endsIn(w, "n’t")) {
		now.reach = 3
	}
	if r.first != "" {
		if two := r.roles[strings.ToLower(r.first)+" "+string(lower)]; two.signs != 0 {
			r.find(two.signs, r.first+" "+w)
		}
	}
	first := ""
	if (now.signs != 0 || now.begins) && !r.negated(now) {
		r.find(now.signs, w)
		if now.begins {
			first = w
		}
	}
	r.pass(now)
	r.first = first
}

// endsIn reports whether the end of w is suffix, in small letters or not.
func endsIn(w, suffix string) bool {
	return len(w) >= len(suffix) && strings.EqualFold(w[len(w)-len(suffix):], suffix)
}

// find notes words that speak for signs.
func (r *reading) find(signs uint8, words string) {
	for i := range r.found {
		if f := &r.found[i]; signs&(1<<i) != 0 && f.words == "" {
			f.words, f.section = words, r.section
		}
	}
}

// pass goes on behind a word.
func (r *reading) pass(now role) {
	r.before[2] = r.before[1]
	r.before[1] = r.before[0]
	r.before[0] = now
	r.first = ""
}

// negated reports whether a word before the one in hand negates it.
func (r *reading) negated(now role) bool {
	behind := now
	for i, w := range r.before {
		if w.ends {
			return false
		}
		if int(w.reach) > i {
			return !(w.not && behind.only)
		}
		behind = w
	}
	return false
}

// wordEnd returns the end of the word at text[i:], i when there is none, and whether it is a name. A hyphen parts words; names
// of code (a_b, a.b, a::b) are no words.
func wordEnd(text string, i int) (end int, ascii, name bool) {
	ascii = true
	for end = i; end < len(text); {
		c, n := rune(text[end]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRuneInString(text[end:])
		}
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '\'', c == '’', c == '_', c == '.', c == ':':
			if !joins(text, end, c, n) {
				return end, ascii, name
			}
			name = name || c == '_' || c == '.' || c == ':'
		case c < utf8.RuneSelf, !alnum(c) && !unicode.IsMark(c):
			return end, ascii, name
		}
		ascii = ascii && n == 1
		end += n
	}
	return end, ascii, name
}

// joins reports whether the mark c of n bytes at text[i:] joins what stands around it: a full stop before a blank ends the clause.
func joins(text string, i int, c rune, n int) bool {
	if i == 0 || i+n >= len(text) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	behind, _ := utf8.DecodeRuneInString(text[i+n:])
	return alnum(before) && alnum(behind) || c == ':' && (before == ':' || behind == ':')
}

func alnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// paragraphEnd reports whether the line end before text ends a clause: a blank line or a list item follows.
func paragraphEnd(text string) bool {
	for _, c := range text {
		switch {
		case c == '\n' || c == '-' || c == '*' || c == '+' || c == '#' || unicode.IsDigit(c):
			return true
		case c == ' ' || c == '\t' || c == '\r':
		default:
			return false
		}
	}
	return true
}
