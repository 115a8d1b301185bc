package index

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// segmentWriter writes the parts of a segment in order. It keeps the dictionary in memory until finish.
type segmentWriter struct {
	w      io.Writer
	err    error
	size   uint64 // bytes written
	start  uint64 // start of the current part
	sizes  []uint64
	terms  []byte
	blocks []byte
	count  uint64
	last   []byte // the term before
	at     uint64 // where the next postings start
}

var errTooLarge = errors.New("the index segment is too large")

func newSegmentWriter(w io.Writer) *segmentWriter {
	sw := &segmentWriter{w: w}
	sw.write([]byte(segmentMagic))
	sw.start = sw.size
	return sw
}

func (sw *segmentWriter) write(b []byte) {
	if sw.err != nil {
		return
	}
	sw.size += uint64(len(b))
	_, sw.err = sw.w.Write(b)
}

func (sw *segmentWriter) endPart() {
	sw.sizes = append(sw.sizes, sw.size-sw.start)
	sw.start = sw.size
}

// writeTerm writes a term and its postings. Terms come in ascending order.
func (sw *segmentWriter) writeTerm(term, postings []byte) {
	if sw.count%blockTerms == 0 {
		if len(sw.terms) > math.MaxUint32 {
			sw.err = errTooLarge
		}
		sw.blocks = binary.LittleEndian.AppendUint32(sw.blocks, uint32(len(sw.terms)))
		sw.terms = binary.AppendUvarint(sw.terms, sw.at)
		sw.last = sw.last[:0]
	}
	shared := 0
	for shared < len(term) && shared < len(sw.last) && term[shared] == sw.last[shared] {
		shared++
	}
	sw.terms = binary.AppendUvarint(sw.terms, uint64(shared))
	sw.terms = appendBytes(sw.terms, term[shared:])
	sw.terms = binary.AppendUvarint(sw.terms, uint64(len(postings)))
	sw.last = append(sw.last[:shared], term[shared:]...)
	sw.count++
	sw.at += uint64(len(postings))
	sw.write(postings)
}

func (sw *segmentWriter) finish() error {
	sw.endPart()
	sw.write(sw.terms)
	sw.endPart()
	sw.write(sw.blocks)
	sw.endPart()
	var foot []byte
	for _, n := range append(sw.sizes, sw.count) {
		foot = binary.LittleEndian.AppendUint64(foot, n)
	}
	sw.write(append(foot, segmentMagic...))
	return sw.err
}
