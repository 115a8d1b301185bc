package index

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// segmentWriter writes the parts of a segment in order: every document, then every text, the facets, and the terms
// ascending. Without an aside file it keeps the dictionary in memory.
type segmentWriter struct {
	w      io.Writer
	aside  io.ReadWriteSeeker
	moved  uint64 // bytes of the dictionary in the aside file
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

// asideFrom is the size of the dictionary above which it moves to the aside file.
const asideFrom = 1 << 20

func newSegmentWriter(w io.Writer, aside io.ReadWriteSeeker) *segmentWriter {
	sw := &segmentWriter{w: w, aside: aside}
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

// endPart ends the current part.
func (sw *segmentWriter) endPart() {
	sw.sizes = append(sw.sizes, sw.size-sw.start)
	sw.start = sw.size
}

// writeFacets writes both parts of the facets.
func (sw *segmentWriter) writeFacets(facets []string) {
	var at, texts []byte
	for _, f := range facets {
		at = binary.LittleEndian.AppendUint32(at, uint32(len(texts)))
		texts = appendBytes(texts, f)
	}
	sw.write(at)
	sw.endPart()
	sw.write(texts)
	sw.endPart()
}

// writeTerm writes a term and its postings. Terms come in ascending order.
func (sw *segmentWriter) writeTerm(term, postings []byte) {
	if sw.count%blockTerms == 0 {
		if sw.aside != nil && len(sw.terms) >= asideFrom {
			sw.putAside()
		}
		at := sw.moved + uint64(len(sw.terms))
		if at > math.MaxUint32 {
			sw.err = errTooLarge
		}
		sw.blocks = binary.LittleEndian.AppendUint32(sw.blocks, uint32(at))
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

// finish writes the dictionary and the footer.
func (sw *segmentWriter) finish() error {
	sw.endPart()
	if sw.moved > 0 && sw.err == nil {
		sw.putAside()
		sw.bringBack()
	}
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

// putAside moves the dictionary from memory to the aside file.
func (sw *segmentWriter) putAside() {
	if sw.err == nil {
		_, sw.err = sw.aside.Write(sw.terms)
		sw.moved += uint64(len(sw.terms))
		sw.terms = sw.terms[:0]
	}
}

// bringBack copies the aside file into the segment.
func (sw *segmentWriter) bringBack() {
	if _, sw.err = sw.aside.Seek(0, io.SeekStart); sw.err != nil {
		return
	}
	buf := make([]byte, 64<<10)
	for left := sw.moved; left > 0 && sw.err == nil; {
		n, err := io.ReadFull(sw.aside, buf[:min(left, uint64(len(buf)))])
		if sw.err = err; err == nil {
			sw.write(buf[:n])
			left -= uint64(n)
		}
	}
}
