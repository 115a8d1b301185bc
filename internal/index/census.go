package index

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"sdd/internal/record"
	"sdd/internal/store"
)

// A collection may be too large for one machine: a database then keeps its postings, and a question brings only those of
// its own words. They are a census: it counts the records that have each word, and finds the few to read. The index of
// those few ranks them with the counts of the whole collection, by the same code as any index.

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
	maxListedTerm = 512    // bytes
	traitGone     = 1 << 3 // the bit behind the language
	traitKind     = 4      // its first bit
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
	for _, id := range l.b.used {
		term := string(l.b.terms.get(id))
		if p := (postings{decoder{b: l.b.made[id].b}, -1, 0, 1}); p.next() && len(term) <= maxListedTerm && !strings.HasPrefix(term, titleTerm) {
			out.Terms = append(out.Terms, ListedTerm{term, p.w})
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
	d := decoder{b: b}
	for doc := -1; len(d.b) > 0; {
		doc += 1 + d.int(math.MaxInt32)
		weight, length := d.int(math.MaxInt32), d.int(math.MaxInt32)
		traits := d.take(1)
		if d.bad || doc > math.MaxInt32 {
			return errListed
		}
		yield(doc, weight, length, traits[0])
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
	c.segs = []*live{{seg: seg}}
	ignore := func(*live, int, nameKind) {}
	s := newSearch(context.Background(), c)
	s.begin()
	defer s.end()
	names, _ := s.ask(text, ranked) // an empty index fails no search
	for _, name := range append(names, text) {
		c.named(name, ignore)
	}
	slices.Sort(want.terms)
	slices.Sort(want.prefixes)
	return slices.Compact(want.terms), slices.Compact(want.prefixes)
}

// ask searches as Query does, or as Rank, and returns the words of the text that may be names.
func (s *search) ask(text string, ranked bool) (names []string, err error) {
	if !ranked {
		q := parseQuery(text, s.rarity)
		return nil, s.run(&q)
	}
	in := s.inquire(text)
	return in.names, s.find(in)
}

// CensusList is the postings of one term in a part of a collection. First is the number of the record that the list calls 0.
type CensusList struct {
	First int
	List  []byte
}

// Collection is what a database has of the words of a question.
type Collection struct {
	Records int
	Words   uint64 // in all records
	Size    int    // above the numbers of all records
	Lists   map[string][]CensusList
	Common  map[string]int // terms without lists, and about how many records have them
}

// Census counts the words of a question in a collection.
type Census struct {
	live
	total   int
	length  uint64
	common  map[string]int
	numbers []int32 // of the collection's records, by their number in the segment
	named   []int32 // records that a name of the question may mean
}

// NewCensus returns the census of a collection.
func NewCensus(all Collection) (*Census, error) {
	if all.Size < 0 || all.Size > mostListed {
		return nil, errListed
	}
	c := &Census{total: all.Records, length: all.Words, common: all.Common}
	seen := make(bitmap, (all.Size+63)/64)
	terms := slices.Sorted(maps.Keys(all.Lists))
	for _, term := range terms {
		slices.SortFunc(all.Lists[term], func(a, b CensusList) int { return a.First - b.First })
		for _, l := range all.Lists[term] {
			outside := false
			err := EachListed(l.List, func(doc, _, _ int, _ byte) {
				if doc += l.First; doc < 0 || doc >= all.Size {
					outside = true
				} else {
					seen.add(doc, all.Size)
				}
			})
			if err != nil || outside {
				return nil, errListed
			}
		}
	}
	before := make([]int32, len(seen)) // records before each word of the bitmap
	n := 0
	for i, w := range seen {
		before[i] = int32(n)
		n += bits.OnesCount64(w)
	}
	c.numbers = make([]int32, n)
	b := builder{documents: make([]byte, n*documentSize)}
	for _, term := range terms {
		id, last := b.term(term), -1
		for _, l := range all.Lists[term] {
			_ = EachListed(l.List, func(doc, weight, length int, traits byte) { // which are whole, as the first pass has shown
				doc += l.First
				at := int(before[doc>>6]) + bits.OnesCount64(seen[doc>>6]&(1<<(doc&63)-1))
				if at <= last {
					return // the list comes twice
				}
				b.post(id, at, max(1, weight))
				last = at
				if strings.HasPrefix(term, nameTerm) && len(c.named) < mostNamed {
					c.named = append(c.named, int32(at))
				}
				if c.numbers[at] == 0 {
					c.numbers[at] = int32(doc) + 1
					d := b.documents[at*documentSize:]
					binary.LittleEndian.PutUint32(d[atLength:], uint32(length))
					d[atLanguage], d[atKind] = traits&(traitGone-1), traits>>traitKind
					if traits&traitGone != 0 {
						d[atFlags] = flagGone
					}
				}
			})
		}
	}
	c.live = live{seg: b.finish(), bare: true}
	return c, nil
}

// commonest returns about how many records of the collection have the most frequent of the terms that the census does not list.
func (s *search) commonest(variants []variant) (n int) {
	if s.common != nil {
		for _, v := range variants {
			n = max(n, s.common[v.term])
		}
	}
	return n
}

// mostListed is the largest collection, in numbers of records.
const mostListed = 1 << 28

// mostNamed is the most records that are read because the question may name them.
const mostNamed = 64

// Best returns the n best records for a text and those that it may name; they no longer count. Without a text there are none.
func (c *Census) Best(ctx context.Context, text string, ranked bool, types []record.Type, n int) ([]int, error) {
	s := newSearch(ctx, &contents{census: c})
	s.begin()
	defer s.end()
	if _, err := s.ask(text, ranked); err != nil {
		return nil, err
	}
	best := top{n: n}
	for _, slot := range s.scored {
		x := candidate{sortKey{score: s.scores[slot]}, int(slot)}
		x.gone = !ranked && c.seg.flag(int(slot), flagGone)
		if c.wanted(int(slot), types) {
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

// Take returns those of the numbers that Best has not returned, in order. They no longer count in the census, too.
func (c *Census) Take(numbers []int) (more []int) {
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		slot, counted := slices.BinarySearch(c.numbers, int32(n)+1)
		if !counted || !c.dead.has(slot) {
			more = append(more, n)
		}
		if counted {
			c.dead.add(slot, c.seg.len())
		}
	}
	return more
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
