package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"strings"

	"sdd/internal/record"
	"sdd/internal/store"
)

// A collection may be too large for one machine: a database then keeps its postings, and a question brings only those of
// its own words. They are a census: it counts the records that have each word, and finds the few to read. The index of
// those few ranks them with the counts of the whole collection, by the same code as any index.

// AnalysisVersion differs between versions of the analysis whose terms do not compare.
const AnalysisVersion = analyzer

// Listed is what the postings of a collection hold of one record.
type Listed struct {
	Terms  []ListedTerm
	Length int  // words
	Traits byte // kind, language, and whether the record no longer counts
}

// ListedTerm is a term of a record and how much the record has of it.
type ListedTerm struct {
	Term   string
	Weight int
}

// Lister lists the terms of records, one after the other. It is not safe for concurrent use.
type Lister struct{ b builder }

const (
	maxListedTerm = 512 // bytes
	traitGone     = 1 << 3
	traitKind     = 4 // its first bit
)

// List returns the terms of a record. path is relative to .sdd.
func (l *Lister) List(path string, src []byte, d record.Defaults) Listed {
	doc := parse(path, src, store.Stat{}, d)
	l.b.add(doc)
	out := Listed{Length: int(binary.LittleEndian.Uint32(l.b.documents[atLength:]))}
	out.Traits = l.b.documents[atLanguage] | l.b.documents[atKind]<<traitKind
	if record.Gone(doc.Status) {
		out.Traits |= traitGone
	}
	for _, p := range l.b.postings {
		term := string(l.b.terms.get(p.term))
		if len(term) <= maxListedTerm && !strings.HasPrefix(term, titleTerm) && !strings.HasPrefix(term, titleSet) {
			out.Terms = append(out.Terms, ListedTerm{term, int(p.w)})
		}
	}
	l.b.reset()
	return out
}

// AppendListed appends the posting of record number doc to a list whose last record is last, -1 for none.
func AppendListed(b []byte, last, doc, weight, length int, traits byte) []byte {
	b = binary.AppendUvarint(b, uint64(doc-last-1))
	b = binary.AppendUvarint(b, uint64(weight))
	b = binary.AppendUvarint(b, uint64(length))
	return append(b, traits)
}

// errListed is the error for damaged postings.
var errListed = errors.New("the postings are damaged")

// EachListed calls yield for each posting that AppendListed wrote, numbered from 0.
func EachListed(b []byte, yield func(doc, weight, length int, traits byte)) error {
	last := -1
	for len(b) > 0 {
		var v [3]uint64
		for i := range v {
			n := 0
			if v[i], n = binary.Uvarint(b); n <= 0 || v[i] > 1<<31-1 {
				return errListed
			}
			b = b[n:]
		}
		if len(b) == 0 || uint64(last)+1+v[0] > 1<<31-1 {
			return errListed
		}
		last += 1 + int(v[0])
		yield(last, int(v[1]), int(v[2]), b[0])
		b = b[1:]
	}
	return nil
}

// lookups collects the terms that a search looks up.
type lookups struct{ terms, prefixes []string }

// Wanted returns the terms that Query (Rank, when ranked is set) looks up for a text, and the prefixes that it expands.
func Wanted(text string, ranked bool) (terms, prefixes []string) {
	c, want := newContents(), &lookups{}
	seg := (&builder{}).finish()
	seg.lookups = want
	c.segs[0], c.order = &live{seg: seg}, []uint32{0}
	ignore := func(*live, int, nameKind) {}
	s := newSearch(context.Background(), c)
	s.begin()
	defer s.end()
	if ranked {
		in := s.inquire(text)
		_ = s.find(in) // an empty index fails no search
		for _, name := range in.names {
			c.named(name, ignore)
		}
	} else {
		q := parseQuery(text, s.rarity)
		_ = s.run(&q)
	}
	c.named(text, ignore)
	slices.Sort(want.terms)
	slices.Sort(want.prefixes)
	return slices.Compact(want.terms), slices.Compact(want.prefixes)
}

// CensusList is the postings of one term in a part of a collection. First is the number of the record that the list
// calls 0.
type CensusList struct {
	Term  string
	First int
	List  []byte
}

// Census counts the words of a question in a collection.
type Census struct {
	live
	total   int
	length  uint64
	numbers []int32 // of the collection's records, by their number in the segment
	named   []int32 // records that a name of the question may mean
}

// NewCensus returns the census of a collection of that many records with that many words in all, whose numbers are below
// size.
func NewCensus(records int, words uint64, size int, lists []CensusList) (*Census, error) {
	c := &Census{total: records, length: words}
	slices.SortFunc(lists, func(a, b CensusList) int {
		if a.Term != b.Term {
			return strings.Compare(a.Term, b.Term)
		}
		return a.First - b.First
	})
	seen := make(bitmap, (size+63)/64)
	outside := false
	for _, l := range lists {
		err := EachListed(l.List, func(doc, _, _ int, _ byte) {
			if doc += l.First; doc < 0 || doc >= size {
				outside = true
				return
			}
			seen[doc>>6] |= 1 << (doc & 63)
		})
		if err != nil || outside {
			return nil, errListed
		}
	}
	before := make([]int32, len(seen)) // records before each word of the bitmap
	n := 0
	for i, w := range seen {
		before[i] = int32(n)
		n += bits.OnesCount64(w)
	}
	c.numbers = make([]int32, n)
	documents := make([]byte, n*documentSize)
	rank := func(doc int) int {
		return int(before[doc>>6]) + bits.OnesCount64(seen[doc>>6]&(1<<(doc&63)-1))
	}
	type term struct {
		term string
		list []byte
	}
	var terms []term
	for len(lists) > 0 {
		t := term{term: lists[0].Term}
		last := -1
		for len(lists) > 0 && lists[0].Term == t.term {
			l := lists[0]
			lists = lists[1:]
			_ = EachListed(l.List, func(doc, weight, length int, traits byte) {
				doc += l.First
				at := rank(doc)
				if at <= last {
					return // the list comes twice
				}
				t.list = appendPosting(t.list, last, at, max(1, weight))
				last = at
				if strings.HasPrefix(t.term, nameTerm) && len(c.named) < mostNamed {
					c.named = append(c.named, int32(at))
				}
				if d := documents[at*documentSize:]; c.numbers[at] == 0 {
					c.numbers[at] = int32(doc) + 1
					binary.LittleEndian.PutUint32(d[atLength:], uint32(length))
					d[atLanguage], d[atKind] = traits&(traitGone-1), traits>>traitKind
					d[atFlags] = traits & traitGone
				}
			})
		}
		terms = append(terms, t)
	}
	var out bytes.Buffer
	sw := newSegmentWriter(&out, nil)
	sw.write(documents)
	sw.endPart()
	sw.endPart() // no texts
	sw.writeFacets(nil)
	for _, t := range terms {
		sw.writeTerm([]byte(t.term), t.list)
	}
	if err := sw.finish(); err != nil {
		return nil, err
	}
	seg, err := openSegment(out.Bytes())
	c.live = live{seg: seg, bare: true}
	return c, err
}

// mostNamed is the most records that are read because the question may name them.
const mostNamed = 64

// Best returns the numbers of the n records with the best scores for a text, and of those that it may name. These
// records no longer count in the census: the caller indexes them. Without a text there are none.
func (c *Census) Best(ctx context.Context, text string, ranked bool, types []record.Type, n int) ([]int, error) {
	s := newSearch(ctx, &contents{census: c})
	s.begin()
	defer s.end()
	var err error
	if ranked {
		err = s.find(s.inquire(text))
	} else {
		q := parseQuery(text, s.rarity)
		err = s.run(&q)
	}
	if err != nil {
		return nil, err
	}
	best := top{n: n}
	for _, slot := range s.scored {
		x := candidate{sortKey{score: s.scores[slot]}, int(slot)}
		x.gone = !ranked && c.seg.document(int(slot))[atFlags]&traitGone != 0
		if c.wanted(int(slot), types) && !best.tooLate(&x.sortKey) {
			best.offer(x)
		}
	}
	var numbers []int
	take := func(slot int) {
		if !c.dead.has(slot) {
			c.dead.add(slot, c.seg.len())
			numbers = append(numbers, int(c.numbers[slot])-1)
		}
	}
	for _, x := range best.list {
		take(x.slot)
	}
	for _, slot := range c.named {
		take(int(slot))
	}
	return numbers, nil
}

// wanted reports whether a record may be of one of the types; colors are unknown here.
func (c *Census) wanted(slot int, types []record.Type) bool {
	return len(types) == 0 || slices.ContainsFunc(types, func(t record.Type) bool { return t.Kind == c.seg.kind(slot) })
}

// OpenPart returns the index of st for one question, as OpenOnce does: st has the records of a collection that c counted and
// named, and ranks them as parts of it. The files must not change. It writes no cache.
func OpenPart(ctx context.Context, st *store.Store, c *Census) (*Index, error) {
	ix := OpenOnce(st)
	ix.part = true
	if err := ix.Refresh(ctx); err != nil {
		ix.Close()
		return nil, err
	}
	ix.contents.census = c
	return ix, nil
}
