package index

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/analysis"
	"sdd/internal/fault"
)

const (
	fuzzyTerms = 8 // most words that a misspelt word may mean
	slipEnding = 8 // most bytes by which the stem of a misspelling differs in length
)

type mistyped struct {
	word    string
	first   string // letter
	runes   []rune
	letters uint64
	endings bool // a word with another ending also matches
}

func newMistyped(w string, endings bool) mistyped {
	runes := []rune(w)
	return mistyped{w, string(runes[:1]), runes, lettersOf([]byte(w)), endings}
}

// far returns the number of letters by which stem differs from the word; more than 2 when it is no misspelling.
func (m *mistyped) far(stem []byte) int {
	if n := len(stem) - len(m.word); n > slipEnding || n < -slipEnding || string(stem) == m.word || !bytes.HasPrefix(stem, []byte(m.first)) {
		return 3
	}
	// Each edit removes at most one letter and adds at most one.
	if letters := lettersOf(stem); bits.OnesCount64(m.letters&^letters) <= 2 && bits.OnesCount64(letters&^m.letters) <= 2 {
		var mem [64]rune
		if d := distance(m.runes, appendRunes(mem[:0], stem), 2); d <= 2 {
			return d
		}
	}
	if m.endings && (bytes.HasPrefix(stem, []byte(m.word)) || strings.HasPrefix(m.word, string(stem))) {
		return 2 // a mistake in an ending gives another stem
	}
	return 3
}

// slip is a term that a misspelt word may mean, with the number of letters that differ.
type slip struct {
	term string
	far  int
}

// slips calls yield for each term of a class that a misspelt word may mean, with its distance and postings.
func (s *segment) slips(class string, m mistyped, yield func(term []byte, far int, list []byte)) {
	start := []byte(class + m.first)
	for c := s.seek(string(start)); c.next() && bytes.HasPrefix(c.term, start); {
		if far := m.far(c.term[len(class):]); far <= 2 {
			yield(c.term[len(class):], far, c.postings)
		}
	}
}

// slips returns the terms of a class that a misspelt word may mean, the nearest first.
func (s *search) slips(class string, m mistyped) (list []slip) {
	for _, l := range s.segs {
		l.seg.slips(class, m, func(term []byte, far int, postings []byte) {
			if l.anyAlive(postings) {
				list = append(list, slip{string(term), far})
			}
		})
	}
	slices.SortFunc(list, func(a, b slip) int { return cmp.Or(a.far-b.far, strings.Compare(a.term, b.term)) })
	list = slices.Compact(list)
	return list[:min(len(list), fuzzyTerms)]
}

func appendRunes(runes []rune, word []byte) []rune {
	for _, r := range string(word) {
		runes = append(runes, r)
	}
	return runes
}

// IsSlip reports a typing mistake: two letters swapped, one missing or wrong, never the first, which is rare. The
// longer the word, the more: in a short one a wrong letter makes another word, in a very long one two may be wrong.
func IsSlip(a, b string) bool {
	ra, rb := []rune(analysis.Bare(a)), []rune(analysis.Bare(b))
	if len(ra) < 4 || len(rb) < 4 || ra[0] != rb[0] || !analysis.OnlyLetters(a) || !analysis.OnlyLetters(b) {
		return false
	}
	d := distance(ra, rb, 2)
	switch short := min(len(ra), len(rb)); {
	case d == 0:
		return true
	case d == 1 && len(ra) != len(rb):
		return short >= 6
	case d == 1:
		return short >= 8 || swapped(ra, rb)
	case d == 2:
		return short >= 11
	}
	return false
}

// abbreviates reports whether one word is an abbreviation of the other, as auth of authentication and config of configuration.
func abbreviates(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	const least, cut = 4, 4 // least letters that remain and that are cut: port does not abbreviate portal
	return analysis.OnlyLetters(b) && strings.HasPrefix(b, a) && utf8.RuneCountInString(a) >= least &&
		utf8.RuneCountInString(b[len(a):]) >= cut
}

func swapped(a, b []rune) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// lettersOf returns a set of the letters of a word, a bit for each; different letters may share a bit.
func lettersOf(word []byte) (set uint64) {
	for _, r := range string(word) {
		set |= 1 << (r & 63)
	}
	return set
}

// distance returns the number of edits that make b from a, at most limit+1. An edit inserts, deletes or changes a
// letter, or swaps two neighbours.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return min(fault.Distance(a, b), limit+1)
}
