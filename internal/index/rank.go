package index

import (
	"bytes"
	"context"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// Ranking is BM25 over weighted words: a word of the title counts as several of the body. Scores are whole numbers
// computed from the living records alone, so the order of sums, the history of the index and the processor cannot change
// them.

const (
	saturation = 1.2  // k1
	lengthBias = 0.5  // b
	relBits    = 14   // fraction of a relevance
	idfBits    = 16   // fraction of idf and score
	ctxEvery   = 4096 // records between two checks of the context
)

// search is one search over the contents, under their lock.
type search struct {
	ctx    context.Context
	segs   []*live
	base   []int // number of the first record of each segment among all
	slots  int
	n      int
	mean   float64        // mean length of a record
	common map[string]int // see Collection

	some int
	*work
}

// work is memory that searches reuse. Between searches scores and best are 0.
type work struct {
	scores []uint32 // by slot
	scored []uint32 // slots with a score
	best   []uint16 // relevance of the current concept, by slot
	hits   []uint32 // slots with best
}

var works = sync.Pool{New: func() any { return new(work) }}

// begin takes memory for the search; end returns it.
func (s *search) begin() {
	s.work = works.Get().(*work)
	if len(s.scores) < s.slots {
		s.scores, s.best = make([]uint32, s.slots), make([]uint16, s.slots)
	}
}

func (s *search) end() {
	for _, slot := range s.scored {
		s.scores[slot] = 0
	}
	for _, slot := range s.hits {
		s.best[slot] = 0
	}
	s.scored, s.hits = s.scored[:0], s.hits[:0]
	works.Put(s.work)
}

func newSearch(ctx context.Context, c *contents) *search {
	s := &search{ctx: ctx, n: c.count, segs: c.segs}
	words := c.words
	if c.census != nil {
		s.segs = append(slices.Clone(c.segs), &c.census.live)
		s.n, words, s.common = c.census.total, c.census.length, c.census.common
	}
	for _, l := range s.segs {
		s.base = append(s.base, s.slots)
		s.slots += l.seg.len()
	}
	s.mean = 1
	if s.n > 0 && words > 0 {
		s.mean = float64(words) / float64(s.n)
	}
	return s
}

func (s *search) at(slot int) (*live, int) {
	i, found := slices.BinarySearch(s.base, slot)
	if !found {
		i--
	}
	for i+1 < len(s.base) && s.base[i+1] == slot { // skip empty segments
		i++
	}
	return s.segs[i], slot - s.base[i]
}

func (s *search) slot(l *live, doc int) int { return s.base[slices.Index(s.segs, l)] + doc }

func (s *search) run(q *query) error {
	for i := 0; i < len(q.concepts); i++ {
		n, err := s.score(&q.concepts[i])
		if err != nil {
			return err
		}
		if n == 0 && len(q.concepts[i].parts) > 0 && len(q.concepts)+len(q.concepts[i].parts) <= maxConcepts {
			q.open(i)
		}
	}
	return nil
}

// how is the way in which a record matches a word of the query, the best first.
type how uint8

const (
	byWord how = iota // in one of the word's forms
	bySynonym
	byBeginning
	bySpelling
	byPart // by the parts of an identifier
)

// stage is one way to search for a word. When several stages find a record, the first counts.
type stage struct {
	how      how
	variants []variant
	parts    [][]concept // parts of identifiers; a record needs all parts of one
}

// score adds the worth of a concept to the scores and returns the number of records that have it.
func (s *search) score(c *concept) (n int, err error) {
	defer s.endConcept()
	df, idf, err := s.scoreStage(stage{byWord, c.variants, [][]concept{c.parts}}, c.weight)
	if err != nil || c.prefix == "" {
		c.idf = idf
		return df, err
	}
	found, rest, err := s.scoreStage(s.beginnings(c), c.weight)
	if c.idf = idf; df == 0 {
		c.idf = rest
	}
	return df + found, err
}

// beginnings returns the stage of the words that begin with a concept.
func (s *search) beginnings(c *concept) stage {
	st := stage{how: byBeginning}
	for _, term := range s.expand(c.prefix) {
		st.variants = append(st.variants, variant{term, everyLanguage, byPrefix})
	}
	return st
}

// endConcept clears the memory for the relevances of a concept.
func (s *search) endConcept() {
	for _, slot := range s.hits {
		s.best[slot] = 0
	}
	s.hits = s.hits[:0]
}

// scoreStage adds to the scores of the records that this stage finds and no earlier stage found. It returns how many they are.
func (s *search) scoreStage(st stage, weight int) (found int, rarity uint32, err error) {
	from := len(s.hits)
	if err := s.takeAll(st.variants, 100); err != nil {
		return 0, 0, err
	}
	for _, parts := range st.parts {
		if err := s.takeParts(parts); err != nil {
			return 0, 0, err
		}
	}
	found = max(len(s.hits)-from, s.commonest(st.variants))
	rarity = idf(s.n, max(from, found))
	for _, slot := range s.hits[from:] {
		if s.scores[slot] == 0 {
			s.scored = append(s.scored, slot)
		}
		s.scores[slot] += uint32(max(uint64(s.best[slot])*uint64(rarity)*uint64(weight)/100>>relBits, 1))
		s.best[slot] = scored
	}
	return found, rarity, nil
}

func (s *search) takeAll(variants []variant, percent int) error {
	for _, v := range variants {
		for k, l := range s.segs {
			if err := s.take(k, l.seg.find(v.term), v.in, v.weight*percent/100); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeParts sets the relevance of the records that have all parts of an identifier: that of the part that they have least.
func (s *search) takeParts(parts []concept) error {
	type match struct {
		slot uint32
		rel  uint16
	}
	own := s.work
	defer func() { s.work = own }()
	var left []match // records with every part so far
	parts = slices.DeleteFunc(slices.Clone(parts), func(c concept) bool { return !c.leaf })
	for i, p := range parts {
		s.begin()
		err := s.takeAll(p.variants, allParts)
		both := left[:0]
		if i == 0 {
			for _, slot := range s.hits {
				both = append(both, match{slot, s.best[slot]})
			}
		}
		for _, m := range left {
			if rel := s.best[m.slot]; rel > 0 {
				both = append(both, match{m.slot, min(m.rel, rel)})
			}
		}
		left = both
		s.end()
		if err != nil {
			return err
		}
	}
	for _, m := range left {
		if own.best[m.slot] == 0 {
			own.best[m.slot] = m.rel
			own.hits = append(own.hits, m.slot)
		}
	}
	return nil
}

// take sets the relevance of a list of records, where it is better than the present one.
func (s *search) take(k int, list []byte, in languages, weight int) error {
	l := s.segs[k]
	p := l.seg.read(list)
	for p.next() {
		if s.some++; s.some%ctxEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if l.dead.has(p.doc) || in != everyLanguage && in&setOf(l.seg.language(p.doc)) == 0 {
			continue
		}
		slot := s.base[k] + p.doc
		rel := s.relevance(p.w, l.seg.length(p.doc), weight)
		switch old := s.best[slot]; {
		case old == 0:
			s.hits = append(s.hits, uint32(slot))
			s.best[slot] = rel
		case old < rel && old != scored:
			s.best[slot] = rel
		}
	}
	return nil
}

// scored marks the records that already have their score for the current concept.
const scored = 1<<16 - 1

// relevance is the share of a word in a record: its weight, the record's length, and how well the term matches, in percent.
func (s *search) relevance(w int, length uint32, percent int) uint16 {
	// The conversions round each product, so that every processor computes the same number.
	long := float64(float64(lengthBias) * float64(float64(length)/s.mean))
	norm := float64(saturation * float64(1-lengthBias+long))
	share := uint16(max(1, float64(float64(w)*(saturation+1)*(1<<relBits))/float64(float64(w)+norm)))
	return max(1, uint16(uint32(share)*uint32(percent)/100))
}

// idf is the weight of a word that is in df of n records: log2 of (n+1)/(df+½).
func idf(n, df int) uint32 {
	return max(1, log2(uint64(2*n+2))-min(log2(uint64(2*n+2)), log2(uint64(2*df+1))))
}

// log2 returns the logarithm of x with idfBits of fraction.
func log2(x uint64) uint32 {
	whole := uint32(bits.Len64(x) - 1)
	m := x << (63 - whole) // 1 to 2, with 63 bits of fraction
	var fraction uint32
	for range idfBits {
		hi, lo := bits.Mul64(m, m)
		fraction <<= 1
		if hi&(1<<63) != 0 { // 2 or more
			fraction |= 1
			m = hi
		} else {
			m = hi<<1 | lo>>63
		}
	}
	return whole<<idfBits | fraction
}

// expand returns the terms that start with prefix, except prefix itself: those of living records, the shortest first, then by the alphabet.
func (s *search) expand(prefix string) []string {
	var terms []string
	worse := func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	}
	for _, l := range s.segs {
		c := l.seg.seek(prefix)
		for c.next() && bytes.HasPrefix(c.term, []byte(prefix)) {
			if len(c.term) == len(prefix) {
				continue
			}
			if len(terms) == expansions && (len(c.term) > len(terms[expansions-1]) ||
				len(c.term) == len(terms[expansions-1]) && string(c.term) > terms[expansions-1]) {
				continue
			}
			at, found := slices.BinarySearchFunc(terms, string(c.term), worse)
			if found || !l.anyAlive(c.postings) {
				continue
			}
			if len(terms) == expansions {
				terms = terms[:expansions-1]
			}
			terms = slices.Insert(terms, at, string(c.term))
		}
	}
	return terms
}

func (l *live) anyAlive(list []byte) bool {
	for p := l.seg.read(list); p.next(); {
		if !l.dead.has(p.doc) {
			return true
		}
	}
	return false
}

// rarity returns the number of living records with term, at most rarityCap.
func (s *search) rarity(term string) int { return s.rarityUpTo(term, rarityCap) }

func (s *search) rarityUpTo(term string, most int) int {
	n := 0
	for range having(s.segs, term) {
		if n++; n == most {
			break
		}
	}
	return n
}
