package classify

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Claim is a learning made ready to be compared with others: what it states, and of what. It is worth making
// once for a learning that is compared often; it is never changed, and safe to use from several goroutines.
type Claim struct {
	content    string
	statements []statement
	words      mask // of the statements
}

// mask has a bit for each word of a set; several words may have the same.
type mask [4]uint64

func (m *mask) add(id uint64) { m[id>>62] |= 1 << (id >> 56 & 63) }

func (m *mask) meets(o *mask) bool {
	return m[0]&o[0]|m[1]&o[1]|m[2]&o[2]|m[3]&o[3] != 0
}

// statement is what one clause says.
type statement struct {
	start, end int // bytes of the clause

	atoms []atom   // its words that mean something, in order
	ids   []uint64 // the same as a set, sorted

	negative  bool // says that something is not, must not, is off
	never     bool // and says it with this word
	always    bool
	changed   bool // no longer, any more
	exception bool // except, unless, only if: holds in part
	additive  bool // also: stands beside what is said elsewhere
	uses      bool // says what is used for something
	is        bool // says what something is
	isAt      int  // so many atoms stand before "is"
	places    bool // says where something is
	gone      int  // so many of the first atoms were removed or replaced

	against []uint64 // Y of "X instead of Y", sorted
}

// atom is a word of a statement in the form in which words are compared.
type atom struct {
	id       uint64
	tok      int32
	family   uint8 // of things one takes one of, 0 for none
	verb     bool
	name     bool // a proper name, or a name of code
	quantity bool
	unit     byte // of a quantity: the dimension, 0 for none
	bare     bool // in small letters, and not formed like an ordinary word: nginx
	place    bool // a path, or a name after a preposition of place
	after    prep // the preposition before it
	path     string
	passive  bool // of a verb: something is done to what stands before it
}

// prep is the kind of a preposition.
type prep uint8

const (
	noPrep prep = iota
	inPrep
	forPrep
	withPrep
)

const (
	maxStatements = 12
	maxAtoms      = 24 // a clause with more says too much to be compared
)

// Prepare reads what a learning states.
func Prepare(content string) *Claim {
	c := &Claim{content: content}
	toks := tokens(head(content, maxClaim))
	sentences(toks, func(toks []token, question bool) {
		if question || vague(toks) {
			return
		}
		c.sentence(toks)
	})
	for i := range c.statements {
		s := &c.statements[i]
		for _, a := range s.atoms {
			if !common()[a.id] && !a.quantity {
				c.words.add(a.id)
			}
		}
		for _, id := range s.against {
			c.words.add(id)
		}
	}
	return c
}

// maxClaim is how much of a learning is read for its statements, in bytes.
const maxClaim = 4 << 10

// vague reports whether a sentence states nothing for now: a guess, or what was once.
func vague(toks []token) bool {
	for i, t := range toks {
		if t.kind != word {
			continue
		}
		if hedges.has(t.text) || t.text == "used" && i+2 < len(toks) && toks[i+1].text == "to" && (i == 0 || !bes.has(toks[i-1].text)) {
			return true
		}
	}
	return false
}

// sentence cuts a sentence into clauses, and reads each.
func (c *Claim) sentence(toks []token) {
	start := 0
	var topic []token // what stands before a colon: "State management: Redux"
	var given []token // a condition before the comma: "When offline, the app does not sync"
	cut := func(end, next int, sign string) {
		if end > start {
			clause := toks[start:end]
			switch {
			case sign == ":" && end-start <= 4 && start == 0 && !hasVerb(clause):
				topic = clause
			case sign == "," && conditions.has(clause[0].text) && given == nil && topic == nil && (start == 0 || toks[start-1].text == ";"):
				given = clause
			case start > 0 && len(c.statements) > 0 && given == nil && (lexicon()[clause[0].text].ends || conditions.has(clause[0].text) && toks[start-1].text == ","):
				c.statements[len(c.statements)-1].exception = true // holds under a condition that follows
			default:
				c.clause(topic, given, clause, toks[0].start)
			}
			if sign == ";" {
				topic, given = nil, nil
			}
		}
		start = next
	}
	for i, t := range toks {
		switch {
		case t.kind == pause:
			cut(i, i+1, t.text)
		case t.kind == word && cuts.has(t.text) && !(t.text == "since" && i+1 < len(toks) && toks[i+1].kind == number):
			cut(i, i+1, "")
			if reasons.has(t.text) { // what follows is a reason, not a claim
				for start < len(toks) && toks[start].kind != pause {
					start++
				}
				if start+1 < len(toks) {
					c.sentence(toks[start+1:])
				}
				return
			}
		}
	}
	cut(len(toks), len(toks), "")
}

func hasVerb(toks []token) bool {
	for _, t := range toks {
		if w, ok := lexicon()[t.text]; ok && (w.verb || w.be) {
			return true
		}
	}
	return false
}

// clause reads one clause, and adds what it states.
func (c *Claim) clause(topic, given, toks []token, sentenceStart int) {
	if len(c.statements) == maxStatements {
		return
	}
	s := statement{start: toks[0].start, end: toks[len(toks)-1].end}
	r := reader{s: &s, content: c.content, first: sentenceStart}
	if len(topic) > 0 {
		s.start = topic[0].start
		r.read(topic)
		s.is, s.isAt = true, len(s.atoms)
	}
	if len(given) > 0 {
		s.start = given[0].start
		r.read(given)
		r.began = false
	}
	r.read(toks)
	if r.past && s.gone == 0 && !r.leaving {
		return
	}
	// ", not Y" and ", instead of Y" belong to the clause before.
	if n := len(c.statements); r.tail && len(s.atoms) > 0 && n > 0 && c.statements[n-1].end < s.start {
		last := &c.statements[n-1]
		for _, a := range s.atoms {
			last.against = append(last.against, a.id)
		}
		last.against = sorted(last.against)
		last.end = s.end
		return
	}
	if r.tail {
		if !r.denies {
			return
		}
		s.negative = !s.negative
	}
	if len(s.atoms) == 0 || len(s.atoms) > maxAtoms {
		return
	}
	for _, a := range s.atoms {
		s.ids = append(s.ids, a.id)
	}
	s.ids = sorted(s.ids)
	s.against = sorted(s.against)
	c.statements = append(c.statements, s)
}

func sorted(ids []uint64) []uint64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// reader reads the words of a clause into a statement.
type reader struct {
	s       *statement
	content string
	first   int  // where the sentence starts: a capital there tells nothing
	began   bool // a word was read
	tail    bool // begins with "instead of" or "not", and belongs to the clause before
	denies  bool // with "not"
	be      bool // is, are, be stood just before
	past    bool // tells of the past
	against bool // behind "instead of"
	leaving bool // behind "replaced" and "moved"
	article bool // the, a, our stood just before
	prep    prep // the preposition just before
}

func (r *reader) read(toks []token) {
	s := r.s
	for i := 0; i < len(toks); i++ {
		t := &toks[i]
		next := func(k int) string {
			if i+k < len(toks) {
				return toks[i+k].text
			}
			return ""
		}
		if t.kind == number {
			i += r.quantity(toks, i)
			continue
		}
		var w entry
		known := false
		if !t.quoted {
			w, known = lexicon()[t.text]
		}
		switch {
		case t.kind == code:
			name := codeName(t.text)
			a := atom{id: hash(name), tok: int32(t.start), name: true, family: lexicon()[name].family}
			if strings.Contains(t.text, "/") && isPath(t.text) || knownFile(t.text) {
				a.place, a.path = true, name
			}
			r.add(a)
			continue
		case !known:
			r.add(atom{id: hash(stem(t.text)), tok: int32(t.start), name: r.proper(t), bare: !r.article && bareName(t.text)})
			continue
		case t.text == "since": // "since 1.28": "since" as a reason ends a clause
			s.changed = true
			i++
			continue
		case w.count: // two
			r.add(atom{id: w.id, tok: int32(t.start), quantity: true})
			continue
		case w.order:
			r.prep = forPrep
			r.add(atom{id: w.id, tok: int32(t.start)})
			r.prep = forPrep
			continue
		case w.ends: // except, unless
			s.exception = true
			s.end = t.start
			return
		case t.text == "no" && next(1) == "longer", t.text == "any" && (next(1) == "more" || next(1) == "longer"):
			s.negative = s.negative != (t.text == "no")
			s.changed = true
			i++
			continue
		case t.text == "not" && next(1) == "only":
			i++
			continue
		case (t.text == "instead" || t.text == "rather") && (next(1) == "of" || next(1) == "than"):
			r.tail = !r.began
			r.against = r.began
			i++
			continue
		case t.text == "instead" || t.text == "rather":
			continue
		case t.text == "over" && s.uses && !r.against && len(s.atoms) > 0:
			r.against = true
			continue
		case (t.text == "need" || t.text == "needs" || t.text == "has" || t.text == "have") && (next(1) == "to" || next(1) == "not"):
			r.began = true
			continue
		case (t.text == "not" || t.text == "never") && !r.began && next(1) != "" && !lexicon()[next(1)].verb && lexicon()[next(1)].prep == noPrep: // ", not Y"
			r.tail, r.denies, r.began = true, true, true
			s.never = t.text == "never"
			continue
		case t.text == "not" && s.uses && len(s.atoms) > 1 && !s.atoms[len(s.atoms)-1].verb && !r.be: // "use X not Y"
			r.against = true
			continue
		}
		r.began = true
		if w.negates {
			s.negative = !s.negative
			s.never = s.never || t.text == "never"
		}
		s.always = s.always || t.text == "always"
		s.changed = s.changed || w.changed
		s.additive = s.additive || w.additive
		if w.gone {
			switch {
			case w.leaves && len(s.atoms) == 0 || t.text == "replaced" && !r.be: // we replaced X by Y, moved from X to Y
				s.uses = true
				r.leaving = true
				r.against = t.text == "replaced"
				continue
			case !w.leaves:
				s.gone = len(s.atoms)
				continue
			case r.be || len(s.atoms) > 0: // the docs moved from X to Y
				r.leaving = true
			}
		}
		if w.be {
			r.be = true
			r.past = r.past || w.past
			if !s.is {
				s.isAt = len(s.atoms)
			}
			s.is = true
		}
		if w.prep != noPrep {
			r.prep = w.prep
			switch {
			case r.leaving && !s.places && (w.prep == withPrep || t.text == "to"):
				r.against, r.prep = t.text == "from", noPrep
			case r.leaving && !s.places:
				r.against = false
			case r.leaving:
				r.against = t.text == "from"
			}
			if s.places && t.text == "to" {
				r.prep = inPrep
			}
			if t.text == "on" || t.text == "off" {
				// "is on by default", "turned off": no preposition
				if nx := next(1); r.be && (nx == "" || nx == "by" || nx == "in" || nx == "for") {
					r.add(atom{id: enableID(), tok: int32(t.start), verb: true})
				}
			}
			continue
		}
		r.article = w.article
		if w.drop {
			continue
		}
		s.uses = s.uses || w.uses
		s.places = s.places || w.places || w.goes && lexicon()[next(1)].prep == inPrep
		if w.negative && !r.against {
			s.negative = !s.negative
		}
		if w.verb && !w.uses && w.family == 0 && r.capital(t) { // written in Go
			r.add(atom{id: w.id, tok: int32(t.start), name: true})
			continue
		}
		r.add(atom{id: w.id, tok: int32(t.start), verb: w.verb, name: w.family != 0 && !w.verb || !w.verb && r.proper(t), family: w.family, passive: w.verb && r.be})
	}
}

// add appends an atom, once.
func (r *reader) add(a atom) {
	r.began = true
	if r.against {
		r.s.against = append(r.s.against, a.id)
		return
	}
	a.after = r.prep
	if r.prep == inPrep && a.name {
		a.place = true
	}
	if !a.verb {
		r.be = false
	}
	r.prep, r.article = noPrep, false
	for _, b := range r.s.atoms {
		if b.id == a.id {
			return
		}
	}
	r.s.atoms = append(r.s.atoms, a)
}

// quantity reads a number with its unit, and returns how many further tokens it took. Durations and sizes are compared
// in one unit: 1 hour is 60 minutes.
func (r *reader) quantity(toks []token, i int) int {
	t := &toks[i]
	value := strings.TrimPrefix(t.text, "v")
	value = strings.TrimRight(strings.TrimRight(value, "x"), ".")
	if i+1 < len(toks) && toks[i+1].kind == word {
		if u, ok := units()[toks[i+1].text]; ok {
			if n, ok := decimal(value); ok {
				r.add(atom{id: hashNumber(u.dimension, n*u.factor), tok: int32(t.start), quantity: true, unit: u.dimension[0]})
				return 1
			}
		}
	}
	r.add(atom{id: hash("#" + value), tok: int32(t.start), quantity: true})
	return 0
}

// decimal reads a small whole number.
func decimal(s string) (int64, bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	var n int64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int64(s[i]-'0')
	}
	return n, true
}

// proper reports whether a word is written like a name: with a capital that no sentence begins with, or with one inside.
func (r *reader) proper(t *token) bool {
	raw := r.content[t.start:t.end]
	for i, c := range raw {
		if i == 0 && t.start == r.first {
			continue
		}
		if unicode.IsUpper(c) || i > 0 && '0' <= c && c <= '9' {
			return true
		}
	}
	return false
}

// capital reports whether a word has a capital at its beginning only, and not because a sentence begins there.
func (r *reader) capital(t *token) bool {
	raw := r.content[t.start:t.end]
	return t.start != r.first && raw[0] >= 'A' && raw[0] <= 'Z' && len(raw) > 1 && raw[1:] == t.text[1:]
}

// codeName puts the spellings of a name of code together: init(), Init, `init`.
func codeName(s string) string {
	if folder, ok := strings.CutSuffix(s, "/"); ok {
		return folder
	}
	s = strings.TrimSuffix(s, "()")
	s = strings.TrimPrefix(strings.ReplaceAll(s, "\\", "/"), "./")
	if len(s) > 2 && plainWord(s) {
		if w, ok := lexicon()[s]; ok && w.family != 0 {
			return s
		}
		return stem(s)
	}
	return s
}

func plainWord(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// bareName reports whether a word in small letters could be a name: it has none of the usual endings of words.
func bareName(w string) bool {
	if len(w) < 3 {
		return false
	}
	for _, ending := range []string{"ing", "ion", "ment", "ness", "ity", "ed", "ly", "al", "ful", "ive", "able", "er", "or", "ic", "ant", "ent"} {
		if strings.HasSuffix(w, ending) {
			return false
		}
	}
	return plainWord(w) && w == stem(w)
}

// hash is FNV-1a: the same for the same text everywhere, its upper bits mixed once more for the mask.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}

func hashNumber(dimension string, n int64) uint64 {
	return mix(hash(dimension) ^ uint64(n)*0x9E3779B97F4A7C15)
}

func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>32
}

// common are words that no learning is about.
var common = sync.OnceValue(func() map[uint64]bool {
	m := map[uint64]bool{}
	for _, w := range strings.Fields("use require allow enable live before after") {
		m[lexicon()[w].id] = true
	}
	return m
})
