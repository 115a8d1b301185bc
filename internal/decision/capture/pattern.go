package capture

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pattern is a sequence of elements, separated by blanks, that words of a sentence match in order:
//
//	word        that word; * at its end or start stands for any letters
//	a|b|<c>     one of them; <c> is a class of the grammar, "," a comma
//	…?          the element may be missing
//	!a|b        the next word is none of them (takes no word)
//	~3          up to three words of the same clause
//	~~3         the same, across commas
//	^           the start of a clause: nothing, punctuation or a joining word stands before
//	^^          the start of the sentence
//	$           the end of the sentence, or of a clause
//	@           the statement begins here
type element struct {
	op       op
	set      *wordSet
	optional bool
	max      int
}

type op uint8

const (
	opWord op = iota
	opNot
	opGap      // within the clause
	opGapComma // across commas
	opClause
	opSentence
	opEnd
	opHere
)

// wordSet is a set of words, some given by their start or end.
type wordSet struct {
	exact    map[string]bool
	prefixes []string
	suffixes []string
}

func (s *wordSet) has(w string) bool {
	if s.exact[w] {
		return true
	}
	for _, p := range s.prefixes {
		if strings.HasPrefix(w, p) {
			return true
		}
	}
	for _, x := range s.suffixes {
		if len(w) > len(x) && strings.HasSuffix(w, x) {
			return true
		}
	}
	return false
}

func (s *wordSet) add(w string) {
	switch {
	case len(w) > 1 && strings.HasSuffix(w, "*"):
		s.prefixes = append(s.prefixes, w[:len(w)-1])
	case len(w) > 1 && strings.HasPrefix(w, "*"):
		s.suffixes = append(s.suffixes, w[1:])
	default:
		s.exact[w] = true
	}
}

func (s *wordSet) union(o *wordSet) {
	for w := range o.exact {
		s.exact[w] = true
	}
	s.prefixes = append(s.prefixes, o.prefixes...)
	s.suffixes = append(s.suffixes, o.suffixes...)
}

func newSet(words ...string) *wordSet {
	s := &wordSet{exact: map[string]bool{}}
	for _, w := range words {
		s.add(w)
	}
	return s
}

// compile reads a pattern. Patterns are part of the program, so a mistake in one panics.
func compile(pattern string, classes map[string]*wordSet) []element {
	var out []element
	for _, f := range strings.Fields(pattern) {
		e := element{}
		switch {
		case f == "^":
			e.op = opClause
		case f == "^^":
			e.op = opSentence
		case f == "$":
			e.op = opEnd
		case f == "@":
			e.op = opHere
		case f[0] == '~':
			e.op = opGap
			if strings.HasPrefix(f, "~~") {
				e.op = opGapComma
			}
			if _, err := fmt.Sscanf(strings.TrimLeft(f, "~"), "%d", &e.max); err != nil {
				panic("capture: no number in " + f + " of " + pattern)
			}
		default:
			if f[0] == '!' {
				e.op, f = opNot, f[1:]
			} else if len(f) > 1 && strings.HasSuffix(f, "?") {
				e.optional, f = true, f[:len(f)-1]
			}
			e.set = newSet()
			for _, w := range strings.Split(f, "|") {
				if w[0] != '<' {
					e.set.add(w)
					continue
				}
				class := classes[strings.Trim(w, "<>")]
				if class == nil {
					panic("capture: no class " + w + " for " + pattern)
				}
				e.set.union(class)
			}
		}
		out = append(out, e)
	}
	return out
}

// span is a match: words from..to, the statement from here on (-1 when the pattern does not say).
type span struct{ from, to, here int }

// sentenceWords is a sentence as patterns see it.
type sentenceWords struct {
	text    string
	words   []word
	joining *wordSet // words after which a clause starts anew
}

const maxJoined = 6 // joining words in a row

func (s *sentenceWords) clauseStart(i int) bool {
	if i == 0 {
		return true
	}
	for n := 0; i > 0 && n < maxJoined; n++ {
		w := s.words[i-1]
		if w.kind == stopWord || w.kind == commaWord {
			return true
		}
		if !s.joining.has(w.text) {
			return false
		}
		i--
	}
	return i == 0
}

// sentenceStart also holds after joining words with commas, and after the name of who speaks. (The "src:"
// of a commit's subject is none.)
func (s *sentenceWords) sentenceStart(i int) bool {
	for n := 0; i > 0 && n < maxJoined && (s.words[i-1].kind == commaWord || s.joining.has(s.words[i-1].text)); n++ {
		i--
	}
	return i == 0 || i == 2 && s.words[1].text == ":" && s.names(0)
}

// names reports whether word i is the name of a speaker: it has a capital, or is one of the usual ones.
func (s *sentenceWords) names(i int) bool {
	return s.capital(i) || speakers.has(s.words[i].text)
}

var speakers = newSet("user", "assistant", "human", "ai", "system", "me", "bot", "agent", "q", "a")

func (s *sentenceWords) capital(i int) bool {
	r, _ := utf8.DecodeRuneInString(s.text[s.words[i].start:])
	return unicode.IsUpper(r)
}

// match matches elements at word i. Gaps are short, so the work for one word is bounded.
func (s *sentenceWords) match(es []element, i int, m *span) bool {
	for k := 0; k < len(es); k++ {
		e := &es[k]
		switch e.op {
		case opClause:
			if !s.clauseStart(i) {
				return false
			}
		case opSentence:
			if !s.sentenceStart(i) {
				return false
			}
		case opEnd:
			if i < len(s.words) && s.words[i].kind != stopWord {
				return false
			}
		case opHere:
			m.here = i
		case opNot:
			if i < len(s.words) && e.set.has(s.words[i].text) {
				return false
			}
		case opGap, opGapComma:
			rest := es[k+1:]
			for n := 0; n <= e.max && i+n <= len(s.words); n++ {
				if s.match(rest, i+n, m) {
					return true
				}
				if i+n == len(s.words) || s.words[i+n].kind == stopWord || s.words[i+n].kind == commaWord && e.op == opGap {
					break
				}
			}
			return false
		case opWord:
			if i < len(s.words) && e.set.has(s.words[i].text) {
				if e.optional && s.match(es[k+1:], i+1, m) {
					return true
				}
				if !e.optional {
					i++
				}
				continue
			}
			if !e.optional {
				return false
			}
		}
	}
	m.to = i
	return true
}

// starts finds the rules that may match at a word, without trying all of them.
type starts struct {
	exact    map[string][]int
	prefixes map[string][]int // by the first runes of the prefix
	suffixes map[string][]int
	any      []int
}

const (
	prefixRunes = 3
	suffixBytes = 4
)

func newStarts() *starts {
	return &starts{exact: map[string][]int{}, prefixes: map[string][]int{}, suffixes: map[string][]int{}}
}

// add registers rule n by the words that it can begin with.
func (t *starts) add(n int, es []element) {
	for _, e := range es {
		switch e.op {
		case opClause, opSentence, opHere, opNot:
			continue
		case opGap, opGapComma, opEnd:
			t.any = append(t.any, n)
			return
		}
		for w := range e.set.exact {
			t.exact[w] = append(t.exact[w], n)
		}
		for _, p := range e.set.prefixes {
			key := firstRunes(p, prefixRunes)
			t.prefixes[key] = append(t.prefixes[key], n)
		}
		for _, x := range e.set.suffixes {
			key := x[max(0, len(x)-suffixBytes):]
			t.suffixes[key] = append(t.suffixes[key], n)
		}
		if !e.optional {
			return
		}
	}
}

// at calls try with each rule that may match at a word, some of them twice.
func (t *starts) at(w string, try func(n int)) {
	for _, n := range t.any {
		try(n)
	}
	for _, n := range t.exact[w] {
		try(n)
	}
	for k := 1; k <= prefixRunes; k++ {
		key := firstRunes(w, k)
		for _, n := range t.prefixes[key] {
			try(n)
		}
		if len(key) == len(w) {
			break
		}
	}
	if len(t.suffixes) > 0 {
		for k := 1; k <= min(suffixBytes, len(w)); k++ {
			for _, n := range t.suffixes[w[len(w)-k:]] {
				try(n)
			}
		}
	}
}

func firstRunes(s string, n int) string {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i]
}
