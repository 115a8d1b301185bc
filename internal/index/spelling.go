package index

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// A word of a question that no record has may be misspelt, or a compound of words that records
// have. Misspelt words are compared by the sequences of four letters that they share: a letter
// too many or a wrong ending leaves most of them as they are, however long the word; for short
// words, and letters that changed places, by the number of slips.

const (
	spellRunes  = 5  // letters of a word from which on it may be misspelt
	spellTerms  = 3  // words that a misspelt one stands for
	spellLeast  = 55 // how alike they must be, in percent
	spellLonger = 6  // bytes by which one may be longer than the other
	compoundMin = 4  // letters of a part of a compound
	fourLetters = 4
)

// spelling returns the words of the records that w may be meant for, best first, with weights by
// how alike they are. It looks at those that begin with the same letter.
func (s *search) spelling(w string) []variant {
	runes := []rune(w)
	if len(runes) < spellRunes || !onlyLetters(w) || classOfRune(runes[0]) == gram {
		return nil
	}
	type likely struct {
		term  string
		alike int
	}
	var list []likely
	mine := fours(runes)
	letters := letterSet([]byte(w))
	first := string(runes[0])
	for _, l := range s.segs {
		c := l.seg.seek(first)
		for c.next() && bytes.HasPrefix(c.term, []byte(first)) {
			if n := len(c.term) - len(w); n > spellLonger || n < -spellLonger {
				continue
			}
			if bits.OnesCount64(letters&^letterSet(c.term)) > 2 {
				continue // three letters are not there at all
			}
			term := string(c.term)
			if !onlyLetters(term) {
				continue
			}
			alike := likeWords(runes, mine, []rune(term))
			if alike >= spellLeast && l.anyAlive(c.postings) && !slices.ContainsFunc(list, func(x likely) bool { return x.term == term }) {
				list = append(list, likely{term, alike})
			}
		}
	}
	slices.SortFunc(list, func(a, b likely) int { return cmp.Or(b.alike-a.alike, strings.Compare(a.term, b.term)) })
	var found []variant
	for _, x := range list {
		if len(found) == spellTerms || x.alike < list[0].alike-12 {
			break
		}
		found = append(found, variant{x.term, everyLanguage, misspelt * x.alike / 100})
	}
	return found
}

// classOfRune is runeClass for a rune of which the length is not known.
func classOfRune(r rune) class { return runeClass(r, utf8.RuneLen(r)) }

// letterSet is the set of the bytes of a word, folded to 64 bits.
func letterSet(w []byte) (set uint64) {
	for _, c := range w {
		set |= 1 << (c & 63)
	}
	return set
}

// fours returns the sequences of four letters of a word, its start and end marked.
func fours(w []rune) []uint64 {
	at := func(i int) uint64 {
		if i < 0 || i >= len(w) {
			return 1
		}
		return uint64(w[i]) & 0xFFFF
	}
	var list []uint64
	for i := -1; i+fourLetters <= len(w)+1; i++ {
		list = append(list, at(i)<<48|at(i+1)<<32|at(i+2)<<16|at(i+3))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// likeWords returns how alike two words are, in percent.
func likeWords(a []rune, foursOfA []uint64, b []rune) int {
	foursOfB := fours(b)
	shared := 0
	for i, k := 0, 0; i < len(foursOfA) && k < len(foursOfB); {
		switch {
		case foursOfA[i] == foursOfB[k]:
			shared++
			i++
			k++
		case foursOfA[i] < foursOfB[k]:
			i++
		default:
			k++
		}
	}
	alike := 200 * shared / (len(foursOfA) + len(foursOfB))
	limit := 1
	if short := min(len(a), len(b)); short >= 8 {
		limit = 2
	} else if short < spellRunes {
		return 0
	}
	if d := distance(a, b, limit); d <= limit {
		alike = max(alike, 100-d*100/max(len(a), len(b)))
	}
	return alike
}

// compound returns the two words of records of which w is made, none when it is not.
func (s *search) compound(w string) []string {
	runes := []rune(w)
	if len(runes) < 2*compoundMin || len(runes) > 40 || !onlyLetters(w) {
		return nil
	}
	for cut := len(runes) - compoundMin; cut >= compoundMin; cut-- {
		head, rest := string(runes[:cut]), string(runes[cut:])
		if s.rarity(rest) == 0 {
			continue
		}
		for _, link := range []string{"", "s", "n", "en", "es"} {
			if h, ok := strings.CutSuffix(head, link); ok && utf8.RuneCountInString(h) >= compoundMin && s.rarity(h) > 0 {
				return []string{h, rest}
			}
		}
	}
	return nil
}
