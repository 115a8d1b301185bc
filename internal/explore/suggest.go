package explore

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Suggestion is a hint at the type and size of the change an exploration talks about, each
// absent where no word speaks for one. It is never a decision: the user decides.
type Suggestion struct {
	Type       string `json:"type,omitempty"`
	TypeReason string `json:"type_reason,omitempty"`
	Size       string `json:"size,omitempty"`
	SizeReason string `json:"size_reason,omitempty"`
}

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

	{"small", `quick, quicker, quickest, quickly, small, smaller, smallest, small scale, simple, simpler, simplest, simply, trivial, trivially,
		one liner, one liners, minor`},
	{"large", `complex, large, larger, largest, large scale, major, big, bigger, biggest,
		rewrite, rewrites, rewrote, rewritten, rewriting, overhaul, overhauls, overhauled, overhauling`},
}

const (
	typeSigns   = 4  // the signs up to here are of the type
	longestForm = 16 // bytes of a word that has a role, at most
)

// kind is what a word does to a negation, a bit each.
type kind uint32

const (
	notVerb kind = 1 << iota // negates the verb behind it
	notNoun                  // negates the noun phrase behind it
	notWord                  // negates the next word
	gerund                   // negates a verb too, when it is one in -ing
	asks                     // before a subject it negates nothing: "can't we"
	affirms                  // behind a negation it lifts it: "not only"
	carries                  // a verb or noun that hands its negation on: "do not want a"
	auxiliary
	article
	subject
	adverb
	preposition
	to
	or
	and
	ends   // a new clause begins
	comma  // a clause may begin, or the next of a list
	finite // the verb of a sentence whose subject is in -ing
	done   // what is not done yet is still to be done
	yet
	refuses // may begin words that refuse what stands before them
)

// kinds are the words that a negation takes notice of. Any other is a verb or noun with a meaning of its own. A form of two
// words has no more kinds than are given it here.
var kinds = [...]struct {
	kind  kind
	words string
}{
	{notVerb, "not, never, cannot, nobody, nothing, none, neither, nor, no longer, no one"},
	{notVerb | asks, `dont, doesnt, didnt, wont, wouldnt, shouldnt, couldnt, cant, isnt, arent, wasnt, werent, hasnt, havent,
		hadnt, mustnt, neednt`},
	{notNoun, "no, free of, free from"},
	{notNoun | gerund, "without, avoid, avoids, avoiding, instead of, rather than, decide against, decided against"},
	{notWord, "non"},
	{0, "why not, none of, no such, bug free, error free, crash free"},
	{affirms, "only, just, merely"},
	{carries, `want, wants, wanted, need, needs, needed, require, requires, required, plan, plans, planned, planning,
		intend, intends, intended, intention, wish, desire, like, try, trying, attempt, make, makes, making, introduce, introduces,
		introducing, cause, causes, causing, change, changes, changing, touch, touches, touching, break, breaks, breaking, allow,
		allows, accept, propose, suggest, recommend, expect, expects, think, thinks, believe, consider, justify, justifies,
		warrant, warrants, worth, mean, start, begin, use, uses, using, contain, contains, include, includes, including,
		involve, involves, become, bother, dare, call, ask, asked, reason, reasons, point, time, budget, appetite, request,
		requests, interest, interested, necessary, supposed, meant, wise, sensible, worthwhile, allowed, scheduled`},
	{auxiliary | finite, `is, are, was, were, has, will, would, should, could, can, may, might, must, shall, does`},
	{auxiliary, "be, been, being, am, have, had, having, do, did, get, gets, going"},
	{finite, "cost, costs, means, leads, makes, hurts, risks, causes, leaves, keeps, blocks, breaks, loses"},
	{article, "a, an, the, any, this, that, these, those, our, your, my, its, their, his, her, some, every, each, all, another, us"},
	{subject | adverb, "i, we, you, he, she, it, they"},
	{adverb | yet, "yet"},
	{done, `fixed, refactored, restructured, reorganized, reorganised, cleaned up, improved, enhanced, optimized, optimised, upgraded,
		added, created, built, implemented, rewritten, overhauled`},
	{adverb, "ever, even, also, always, often, quite, very, too, so, much, more, most, less, still, now, again, just"},
	{preposition, `for, of, in, on, with, about, at, from, by, into, after, before, during, over, under, through, against,
		between, as, than`},
	{preposition | to, "to"},
	{or, "or, nor"},
	{and, "and"},
	{ends, `but, if, when, while, because, although, though, whereas, until, unless, since, which, who, whose, where, what, how,
		whether, instead, then, why`},
}

// Words that refuse what stands before them, as they are and behind a negation.
var (
	refusals = pattern(`out of scope, off the table, unnecessary, unwanted, undesired, undesirable, unneeded, forbidden, excluded, overkill,
		non goal, non goals`)
	unwanted = pattern(`wanted, needed, required, planned, necessary, desired, intended, worthwhile, welcome, requested, scheduled,
		in scope, an option, a goal, the goal, part of, worth it, allowed, accepted, considered, attempted, done`)
)

func pattern(list string) (out [][]string) {
	for form := range strings.SplitSeq(list, ",") {
		out = append(out, strings.Fields(form))
	}
	return out
}

// role is what a word is for a suggestion. Most words have none.
type role struct {
	kind   kind
	signs  uint8 // for which it speaks, a bit each
	begins bool  // it may be the first word of a form of two
}

// roles are those of words, and of the forms of two words.
var roles = sync.OnceValue(func() map[string]role {
	m := map[string]role{}
	set := func(list string, k kind, signs uint8) {
		for form := range strings.SplitSeq(list, ",") {
			form = strings.TrimSpace(form)
			r := m[form]
			m[form] = role{r.kind | k, r.signs | signs, r.begins}
			if first, _, two := strings.Cut(form, " "); two {
				r := m[first]
				r.begins = true
				m[first] = r
			}
		}
	}
	for i, s := range signs {
		set(s.forms, 0, 1<<i)
	}
	for _, k := range kinds {
		set(k.words, k.kind, 0)
	}
	for _, list := range [...][][]string{refusals, unwanted} {
		for _, words := range list {
			set(words[0], refuses, 0)
		}
	}
	return m
})

// suggest reads the sections that say what is to be done, in their fixed order.
func suggest(goals, constraints, context string) Suggestion {
	r := reading{roles: roles(), words: make([]word, 0, 64)}
	r.read("Goals", goals)
	r.read("Constraints", constraints)
	r.read("Context", context)
	var out Suggestion
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

// reading finds for each sign the first words that speak for it and are not refused, as they are written. It lists the words
// of one sentence at a time, for every save reads some.
type reading struct {
	roles   map[string]role
	found   [len(signs)]struct{ words, section string }
	section string
	words   []word // of the sentence in hand
	signs   bool   // there are some in it
	off     bool   // it is refused by what stands before a colon
}

// word is a word of a sentence, a form of two, or a comma.
type word struct {
	text string
	role
	refused bool
}

func (r *reading) read(section, text string) {
	r.section, r.off = section, false
	code, hyphen := false, false
	chunk := 0 // the end of what stands together without blanks
	for i := 0; i < len(text); {
		if i >= chunk && !code {
			var path int
			if path, chunk = r.pathEnd(text, i); path > i {
				r.add(word{}, false)
				i = path
				continue
			}
		}
		if end, ascii, name := wordEnd(text, i); end > i {
			if code || name {
				r.add(word{}, hyphen)
			} else {
				r.add(word{text: text[i:end], role: r.role(text[i:end], ascii)}, hyphen)
			}
			i, hyphen = end, false
			continue
		}
		c, n := utf8.DecodeRuneInString(text[i:])
		hyphen = c == '-' && joins(text, i, c, n)
		i += n
		switch {
		case c == '`':
			code = !code
		case c == '\n':
			code = false
			if paragraphEnd(text[i:]) {
				r.end()
			}
		case c == ':':
			off := banner(r.words)
			r.end()
			r.off = off
		case c == ',':
			r.put(word{role: role{kind: comma}})
		case c == '/' && !code:
			r.put(word{role: role{kind: or}})
		case hyphen || c == '"' || c == '*' || c == '_' || unicode.IsSpace(c):
		default:
			r.end()
		}
	}
	r.end()
}

// role looks a word up.
func (r *reading) role(w string, ascii bool) role {
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
		now.kind |= notVerb | asks
	}
	return now
}

// endsIn reports whether the end of w is suffix, in small letters or not.
func endsIn(w, suffix string) bool {
	return len(w) >= len(suffix) && strings.EqualFold(w[len(w)-len(suffix):], suffix)
}

// add puts a word behind the others of its sentence. Of words that hyphens join the last says what they are: what is big-endian
// need not be big.
func (r *reading) add(w word, hyphen bool) {
	if last := len(r.words) - 1; last >= 0 {
		before := &r.words[last]
		if before.begins {
			two := strings.ToLower(before.text) + " " + strings.ToLower(w.text)
			if both, ok := r.roles[two]; ok {
				*before = word{text: before.text + " " + w.text, role: both}
				r.signs = r.signs || both.signs != 0
				return
			}
		}
		if hyphen && before.kind&notWord == 0 {
			r.words = r.words[:last]
		}
	}
	r.put(w)
}

// longestSentence is how many words are weighed together: text without full stops costs no more time for each than other text.
const longestSentence = 256

func (r *reading) put(w word) {
	if len(r.words) == longestSentence {
		r.end()
	}
	r.words = append(r.words, w)
	r.signs = r.signs || w.signs != 0
}

// end notes the words of the sentence that speak for signs.
func (r *reading) end() {
	if len(r.words) == 0 {
		return
	}
	if r.signs && !r.off {
		weigh(r.words)
		for _, w := range r.words {
			for i := range r.found {
				if f := &r.found[i]; w.signs&(1<<i) != 0 && !w.refused && f.words == "" {
					f.words, f.section = w.text, r.section
				}
			}
		}
	}
	r.words, r.signs, r.off = r.words[:0], false, false
}

// room is how many words of a noun phrase a negation reaches.
const room = 3

// weigh marks the words of a sentence that are refused.
//
// A negation takes the verb behind it, or the noun phrase: "do not reproduce the crash" says nothing against the crash. Some
// verbs and nouns hand it on: "do not want a rewrite", "no need to rewrite". "Or" brings it back.
func weigh(s []word) {
	refuseBefore(s)
	type reach uint8
	const (
		none reach = iota
		verb
		noun
		spent
	)
	var start, now reach
	var carried, inside bool // by a word that hands on; a noun phrase has begun
	var left int
	again := func() { now, carried, inside, left = start, false, false, room }
	for i := range s {
		w := &s[i]
		switch is := w.kind; {
		case is&comma != 0:
			if now != none && listed(s[i+1:]) {
				again()
			} else {
				now = none
			}
		case is&ends != 0:
			now = none
		case is&notWord != 0:
			if i+1 < len(s) {
				s[i+1].refused = true
			}
		case is&(notVerb|notNoun) != 0:
			twice := is&gerund != 0 && now != none
			start = verb
			if is&notNoun != 0 {
				start = noun
			}
			if again(); twice || lifted(s, i) {
				now = none
			}
		case now == none:
		case is&or != 0:
			if again(); i+1 < len(s) && s[i+1].kind&subject != 0 {
				now = none
			}
		case is&and != 0:
			if again(); !s[i-1].refused {
				now = none
			}
		case now == spent:
		case w.signs != 0:
			w.refused = is&done == 0 || s[i-1].kind&yet == 0 && (i+1 == len(s) || s[i+1].kind&yet == 0)
			now, carried, inside = noun, false, start == noun
			left--
		case is&carries != 0:
			now, carried, inside, left = noun, true, false, room
		case is&auxiliary != 0 && now == noun && start == noun:
			now = verb
		case is&(article|adverb|auxiliary) != 0, endsIn(w.text, "ly"):
			if now == noun && inside {
				now = spent
			} else if is&article != 0 {
				now = noun
			}
		case is&preposition != 0:
			switch {
			case now == verb:
			case !carried:
				now = spent
			case is&to != 0:
				now = verb
			default:
				inside = false
			}
		case now == verb, endsIn(w.text, "ing") && s[i-1].kind&gerund != 0:
			now = spent
		default:
			inside = true
			left--
		}
		if now == noun && left == 0 {
			now = spent
		}
	}
}

// listed reports whether s goes on a list that ends in "or": short items of one shape, and no clause of its own.
func listed(s []word) bool {
	item := 0
	for i, w := range s {
		switch {
		case w.kind&or != 0:
			return i == 0 || i+1 < len(s) && s[i+1].kind&article == s[0].kind&article
		case w.kind&comma != 0:
			item = 0
		case w.kind&(ends|notVerb|notNoun|subject) != 0 || item == 4:
			return false
		default:
			item++
		}
	}
	return false
}

// lifted reports whether the negation s[i] refuses nothing: "not only", "can't we", and "not fixing this costs money".
func lifted(s []word, i int) bool {
	if i+1 == len(s) {
		return false
	}
	next := s[i+1]
	if next.kind&affirms != 0 || next.kind&subject != 0 && s[i].kind&asks != 0 {
		return true
	}
	if i > 0 && s[i-1].kind&(comma|ends) == 0 || !endsIn(next.text, "ing") {
		return false
	}
	for _, w := range s[i+2:] {
		if w.kind&(comma|ends) != 0 || strings.EqualFold(w.text, "that") {
			return false
		}
		if w.kind&finite != 0 {
			return true
		}
	}
	return false
}

// refuseBefore marks the words that are refused by what stands behind them: "refactoring is out of scope".
func refuseBefore(s []word) {
	for i, w := range s {
		if w.kind&refuses == 0 {
			continue
		}
		var linked, negated bool
		at := i - 1
		for ; at >= 0 && (s[at].kind&(auxiliary|notVerb|adverb|article) != 0 || endsIn(s[at].text, "ly")) && s[at].kind&subject == 0 && s[at].signs == 0; at-- {
			linked = linked || s[at].kind&(auxiliary|asks) != 0
			negated = negated || s[at].kind&notVerb != 0
		}
		forms := refusals
		if negated {
			forms = unwanted
		}
		n := begin(s[i:], forms)
		if n == 0 || !linked && i+n < len(s) && s[i+n].kind&(comma|ends) == 0 {
			continue
		}
		list := false
		for ; at >= 0 && s[at].kind&(ends|auxiliary|notVerb) == 0; at-- {
			if s[at].kind&subject != 0 && (at == 0 || !endsIn(s[at-1].text, "ing")) {
				break // "rewriting it" is one subject, "we rewrite" has another
			}
			list = list || s[at].kind&(or|and) != 0
			if s[at].kind&comma != 0 && !(list && short(s[:at])) {
				break
			}
			if at == 0 || s[at-1].kind&notVerb == 0 {
				s[at].refused = true
			}
		}
	}
}

// banner reports whether s refuses what stands behind its colon: "Out of scope:".
func banner(s []word) bool {
	forms := refusals
	if len(s) > 0 && s[0].kind&notVerb != 0 {
		s, forms = s[1:], unwanted
	}
	return len(s) > 0 && begin(s, forms) == len(s)
}

// short reports whether no more than two words stand before a comma, as in a list.
func short(s []word) bool {
	n := len(s)
	return n < 3 || slices.ContainsFunc(s[n-3:], func(w word) bool { return w.kind&comma != 0 })
}

// begin returns how many words of s are one of the list.
func begin(s []word, list [][]string) int {
	for _, words := range list {
		n := 0
		for n < len(words) && n < len(s) && strings.EqualFold(s[n].text, words[n]) {
			n++
		}
		if n == len(words) {
			return n
		}
	}
	return 0
}

// pathEnd returns the end of the path or address at text[i:], i when there is none, and the end of what stands together there.
// "and/or" is no path, nor are other words with a role.
func (r *reading) pathEnd(text string, i int) (path, chunk int) {
	slash := false
chunk:
	for chunk = i; chunk < len(text); {
		c, n := rune(text[chunk]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRuneInString(text[chunk:])
		}
		switch c {
		case ' ', '\n', '\t', '\r', '(', ')', '[', ']', '<', '>', '"', '`', '*':
			break chunk
		case '/', '\\':
			slash = true
		default:
			if n > 1 && unicode.IsSpace(c) {
				break chunk
			}
		}
		chunk += n
	}
	if chunk == i {
		return i, i + 1
	}
	if !slash {
		return i, chunk
	}
	s := strings.TrimRight(text[i:chunk], ".,;:!?'")
	left, right, one := strings.Cut(s, "/")
	if one && r.roles[strings.ToLower(left)] != (role{}) && r.roles[strings.ToLower(right)] != (role{}) {
		return i, chunk
	}
	return i + len(s), chunk
}

// wordEnd returns the end of the word at text[i:], i when there is none, and whether it is a name. Names of code (a_b, a.b,
// a::b) are no words.
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
