package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"slices"
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

// merge writes one segment with the living records of the inputs, in order. It calls stop now and then, and ends with its error.
func merge(w io.Writer, inputs []input, stop func() error) (merged, error) {
	m := merged{numbers: make([][]uint32, len(inputs))}
	sw := newSegmentWriter(w)
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

	var sources []*source // those with terms left
	for i, in := range inputs {
		if x := (&source{input: i, cursor: in.seg.seek("")}); x.next() {
			sources = append(sources, x)
		}
	}
	var term, list []byte
	for len(sources) > 0 {
		least := slices.MinFunc(sources, (*source).compare)
		term, list = append(term[:0], least.term...), list[:0]
		head, last := least.head, -1
		for i := 0; i < len(sources); i++ { // in the order of the inputs, so that the postings come out ascending
			x := sources[i]
			if x.head != head || !bytes.Equal(x.term, term) {
				continue
			}
			for p := inputs[x.input].seg.read(x.postings); p.next(); {
				if n := m.numbers[x.input][p.doc]; n != dropped && int(n) > last {
					list = appendPosting(list, last, int(n), p.w)
					last = int(n)
				}
			}
			if !x.next() {
				sources = slices.Delete(sources, i, i+1)
				i--
			}
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
	head  uint64 // the first bytes of the term decide most comparisons
	cursor
}

func (x *source) next() bool {
	ok := x.cursor.next()
	x.head = termHead(x.term)
	return ok
}

func (x *source) compare(y *source) int {
	if x.head != y.head {
		return cmp.Compare(x.head, y.head)
	}
	return bytes.Compare(x.term, y.term)
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
