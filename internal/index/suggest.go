package index

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"sdd/internal/lines"
)

const (
	suggestRunes = 200  // runes of a name that are compared
	suggestLeast = 0.34 // least similarity of a name
)

// Suggest returns at most n records whose id, slug or title resembles ref, the most similar first, for hints.
func (ix *Index) Suggest(ref string, n int) []Entry {
	ref = strings.TrimSpace(ref)
	if ref == "" || n <= 0 || ix.ready(ix.ctx) != nil {
		return nil
	}
	runes := []rune(strings.ToValidUTF8(ref[:lines.Border(ref, suggestRunes*utf8.UTFMax)], "")) // names of a caller may have megabytes
	ref = nameKey(string(runes[:min(len(runes), suggestRunes)]))
	short := fileName(ref)
	words := titleWords(strings.ReplaceAll(short, "-", " "))

	ix.mu.RLock()
	defer ix.mu.RUnlock()
	s := newSearch(ix.ctx, ix.contents)
	alike := map[int]float64{}
	// Names that begin with ref.
	for _, n := range []string{ref, short} {
		like := newLikeness(n)
		if like == nil {
			continue
		}
		for k, l := range s.segs {
			c := l.seg.seek(nameTerm + like.first)
			for c.next() && bytes.HasPrefix(c.term[1:], []byte(like.first)) && c.term[0] == nameTerm[0] {
				likeness := like.to(c.term[len(nameTerm):])
				if likeness < suggestLeast {
					continue
				}
				for p := l.seg.read(c.postings); p.next(); {
					slot := s.base[k] + p.doc
					alike[slot] = max(alike[slot], likeness)
				}
			}
		}
	}
	// Titles with the words of ref, misspelt ones included.
	shared := map[int]int{}
	total := map[int]int{}
	for _, w := range words {
		for _, x := range append(s.slips(titleTerm, newMistyped(w, true)), slip{term: w}) {
			for l, p := range having(s.segs, titleTerm+x.term) {
				slot := s.slot(l, p.doc)
				shared[slot]++
				total[slot] = p.w
			}
		}
	}
	for slot, n := range shared {
		likeness := min(1, float64(n)/float64(max(len(words)+total[slot]-n, 1)))
		alike[slot] = max(alike[slot], likeness)
	}

	best := top{n: n}
	for slot, likeness := range alike {
		l, doc := s.at(slot)
		if likeness < suggestLeast || l.dead.has(doc) {
			continue
		}
		best.offer(candidate{sortKey{
			score: uint32(likeness * 1000), created: l.seg.created(doc), id: l.seg.id(doc), path: l.seg.path(doc),
		}, slot})
	}
	var list []Entry
	for _, x := range best.list {
		l, doc := s.at(x.slot)
		e, _ := l.seg.entry(doc)
		list = append(list, e)
	}
	return list
}

// likeness compares other names with one name.
type likeness struct {
	name  []byte
	runes []rune
	first string // rune
	limit int    // most letters that may differ
	other []rune
}

func newLikeness(name string) *likeness {
	runes := []rune(name)
	if len(runes) == 0 {
		return nil
	}
	return &likeness{name: []byte(name), runes: runes, first: string(runes[0]), limit: max(1, min(len(runes)/4, 6))}
}

// to returns the similarity of a name, 1 for the same. A name that continues where the other ends is fairly similar.
func (l *likeness) to(other []byte) float64 {
	if len(l.runes) >= minPrefix && bytes.HasPrefix(other, l.name) {
		return max(0.5, float64(len(l.runes))/float64(utf8.RuneCount(other)))
	}
	if n := len(other) - len(l.name); n > l.limit*utf8.UTFMax || n < -l.limit*utf8.UTFMax {
		return 0
	}
	l.other = appendRunes(l.other[:0], other)
	d := distance(l.runes, l.other, l.limit)
	if d > l.limit {
		return 0
	}
	return 1 - float64(d)/float64(len(l.runes)+1)
}
