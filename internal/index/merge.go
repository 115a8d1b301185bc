package index

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
)

// input is a segment to merge; the merge leaves out its dead records.
type input struct {
	seg  *segment
	dead bitmap
}

// dropped replaces the new number of a record that was dead when the merge began.
const dropped = math.MaxUint32

// merged is the result of a merge.
type merged struct {
	numbers [][]uint32 // for each input the new number of each of its records, or dropped
	docs    int
}

// bytesBetweenRelease is how much a merge reads or writes before it gives mapped pages back.
const bytesBetweenRelease = 4 << 20

// merge writes one segment with the living records of the inputs, in their order. It needs memory for the longest
// postings, and for the dictionary when aside is nil. It calls stop now and then, and ends with the error of stop.
func merge(w io.Writer, aside io.ReadWriteSeeker, inputs []input, stop func() error) (merged, error) {
	m := merged{numbers: make([][]uint32, len(inputs))}
	sw := newSegmentWriter(w, aside)
	paused := uint64(0)
	pause := func() error {
		if sw.size-paused < bytesBetweenRelease {
			return nil
		}
		paused = sw.size
		for _, in := range inputs {
			in.seg.release()
		}
		return stop()
	}
	facets := facetTable{}
	texts := uint64(0)
	for i, in := range inputs {
		m.numbers[i] = make([]uint32, in.seg.len())
		for doc := range in.seg.len() {
			if in.dead.has(doc) {
				m.numbers[i][doc] = dropped
				continue
			}
			m.numbers[i][doc] = uint32(m.docs)
			m.docs++
			var d [documentSize]byte
			copy(d[:], in.seg.document(doc))
			binary.LittleEndian.PutUint32(d[atText:], uint32(texts))
			for _, at := range []int{atProject, atScope, atStatus, atColor} {
				binary.LittleEndian.PutUint32(d[at:], facets.id(in.seg.facet(in.seg.u32(doc, at))))
			}
			texts += uint64(len(in.seg.textBytes(doc)))
			sw.write(d[:])
		}
	}
	if texts > math.MaxUint32 {
		return m, errTooLarge
	}
	sw.endPart()
	for _, in := range inputs {
		for doc := range in.seg.len() {
			if !in.dead.has(doc) {
				sw.write(in.seg.textBytes(doc))
				if err := pause(); err != nil {
					return m, err
				}
			}
		}
	}
	sw.endPart()
	sw.writeFacets(facets.list)

	var sources sourceHeap
	for i, in := range inputs {
		x := &source{input: i, cursor: in.seg.seek("")}
		if x.next() {
			sources = append(sources, x)
		}
	}
	for i := len(sources)/2 - 1; i >= 0; i-- {
		sources.down(i)
	}
	var term, list []byte
	for len(sources) > 0 {
		term = append(term[:0], sources[0].term...)
		list = list[:0]
		last := -1
		for len(sources) > 0 && bytes.Equal(sources[0].term, term) {
			x := sources[0]
			numbers := m.numbers[x.input]
			p := inputs[x.input].seg.read(x.postings)
			for p.next() {
				if n := numbers[p.doc]; n != dropped && int(n) > last {
					list = appendPosting(list, last, int(n), p.w)
					last = int(n)
				}
			}
			if !x.next() {
				end := len(sources) - 1
				sources[0] = sources[end]
				sources = sources[:end]
			}
			sources.down(0)
		}
		if len(list) > 0 {
			sw.writeTerm(term, list)
		}
		if err := pause(); err != nil {
			return m, err
		}
	}
	return m, sw.finish()
}

// textBytes returns the bytes of document i in texts.
func (s *segment) textBytes(i int) []byte {
	to := uint64(len(s.texts))
	if i+1 < s.len() {
		to = uint64(s.u32(i+1, atText))
	}
	return slice(s.texts, uint64(s.u32(i, atText)), to)
}

// source is an input at one of its terms.
type source struct {
	input int
	head  uint64
	cursor
}

func (x *source) next() bool {
	ok := x.cursor.next()
	x.head = termHead(x.term)
	return ok
}

// sourceHeap has the smallest term on top. Sources at the same term are in the order of their inputs, so that postings
// come out ascending.
type sourceHeap []*source

func (h sourceHeap) less(i, j int) bool {
	if h[i].head != h[j].head {
		return h[i].head < h[j].head
	}
	if c := bytes.Compare(h[i].term, h[j].term); c != 0 {
		return c < 0
	}
	return h[i].input < h[j].input
}

// down moves source i down to its place.
func (h sourceHeap) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h.less(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// facetTable numbers the facets of a new segment.
type facetTable struct {
	ids  map[string]uint32
	list []string
}

func (t *facetTable) id(f []byte) uint32 {
	if id, ok := t.ids[string(f)]; ok {
		return id
	}
	if t.ids == nil {
		t.ids = map[string]uint32{}
	}
	id := uint32(len(t.list))
	t.list = append(t.list, string(f))
	t.ids[t.list[id]] = id
	return id
}

// bitmap is a set of records of a segment. The zero bitmap is empty.
type bitmap []uint64

func (b bitmap) has(i int) bool { return i>>6 < len(b) && b[i>>6]&(1<<(i&63)) != 0 }

// add sets bit i of a bitmap that has room for n records.
func (b *bitmap) add(i, n int) {
	if *b == nil {
		*b = make(bitmap, (n+63)/64)
	}
	(*b)[i>>6] |= 1 << (i & 63)
}
