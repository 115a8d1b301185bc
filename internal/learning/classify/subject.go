package classify

import (
	"slices"
	"sync"
	"unicode/utf8"
)

// Subject returns the words of a learning that say what it is about, as stems, sorted, each once. Of two learnings
// that contradict each other at least one word is the same: an index of the words finds all candidates.
func Subject(content string) []string {
	var out []string
	for _, t := range tokens(head(content, maxClaim)) {
		switch {
		case t.kind == code:
			out = append(out, codeName(t.text))
		case t.kind == word && utf8.RuneCountInString(t.text) > 1:
			w, known := lexicon()[t.text]
			switch {
			case !known:
				out = append(out, stem(t.text))
			case w.drop || w.be || w.prep != noPrep || w.negates || w.count || common()[w.id]:
			default:
				out = append(out, w.form)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Filter tells from the text of a learning alone whether it may speak of the same things as another one. It is much quicker
// than reading what the learning states, and lets through all that the other one could contradict, and some more.
type Filter struct {
	beginnings [1 << 15 / 64]uint64 // of words, three letters each
}

// Filter returns the filter for older learnings that c may contradict.
func (c *Claim) Filter() *Filter {
	f := &Filter{}
	for _, w := range Subject(c.content) {
		f.add(w)
		for _, s := range spellings()[w] {
			f.add(s)
		}
		if len(w) == 3 && w[2] == 'i' { // the stem of try and tries
			f.add(w[:2] + "y")
		}
	}
	return f
}

func (f *Filter) add(w string) {
	for i := 0; i < len(w); i++ {
		if letterOf(w[i]) != 0 {
			n := beginning(w[i:])
			f.beginnings[n/64] |= 1 << (n % 64)
			if len(w)-i < 3 { // db, dbs
				n = beginning(w[i:] + "s")
				f.beginnings[n/64] |= 1 << (n % 64)
			}
			return
		}
	}
}

// Match reports whether c may contradict the learning.
func (f *Filter) Match(content string) bool {
	content = head(content, maxClaim)
	last := byte(0)
	for i := 0; i < len(content); i++ {
		l := letterOf(content[i])
		if l != 0 && (last == 0 || last == digitLetter && l != digitLetter) {
			n := beginning(content[i:])
			if f.beginnings[n/64]&(1<<(n%64)) != 0 {
				return true
			}
		}
		last = l
	}
	return false
}

const (
	digitLetter   = 27
	foreignLetter = 28 // of a script in which case is not looked at here
)

// letterOf numbers the letters, whatever their case; 0 is no letter.
func letterOf(c byte) byte {
	switch l := c | 0x20; {
	case 'a' <= l && l <= 'z' && c < utf8.RuneSelf:
		return l - 'a' + 1
	case '0' <= c && c <= '9':
		return digitLetter
	case c >= utf8.RuneSelf:
		return foreignLetter
	}
	return 0
}

// beginning returns a number for the first three letters of a word.
func beginning(w string) int {
	n := 0
	for i := range 3 {
		l := byte(0)
		if i < len(w) {
			l = letterOf(w[i])
		}
		n = n<<5 | int(l)
		if l == 0 {
			return n << (5 * (2 - i))
		}
	}
	return n
}

// spellings are the words that are compared as one, by their common form, and the forms of a stem that begin otherwise.
var spellings = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{"die": {"dying"}, "lie": {"lying"}, "tie": {"tying"}, "sky": {"skies"}}
	for w, e := range lexicon() {
		if w != e.form && !e.drop && e.prep == noPrep {
			m[e.form] = append(m[e.form], w)
		}
	}
	return m
})
