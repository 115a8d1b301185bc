package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"sdd/internal/analysis"
	"sdd/internal/record"
)

// A segment is an immutable index of some records in compact bytes, on the heap or mapped from
// a cache file:
//
//	magic
//	documents   documentSize bytes each: what filters, ranking and order need
//	texts       what else an Entry holds, and the outline
//	postings    for each term the records that have it, ascending, and how much each has of it
//	dictionary  the terms in byte order, with the lengths of their postings, in blocks
//	blocks      where each block of the dictionary starts
//	footer      the sizes of these parts, magic
//
// Reading never fails and never reads outside the data: damaged bytes only give other records and terms.
type segment struct {
	data      []byte
	unmap     func() // set when data is mapped
	documents []byte
	texts     []byte
	postings  []byte
	terms     []byte
	blocks    []byte
	termCount uint64
	lookups   *lookups // not nil in an empty segment that collects what is looked up
}

const (
	segmentMagic = "sddseg7\n"
	documentSize = 24
	blockTerms   = 16
)

// Offsets in a document.
const (
	atCreated  = 0  // 8 bytes, milliseconds; noDate without
	atText     = 8  // 4 bytes
	atLength   = 12 // 4 bytes, words
	atSize     = 16 // 4 bytes
	atKind     = 20 // 1 byte each
	atLanguage = 21
	atFlags    = 22
)

const (
	flagProblem = 1 << iota
	flagGone    // its status in the file no longer counts
)

const noDate = math.MinInt64

// Classes of terms that are not text: the first byte of the term. Text never starts with so low a byte.
const (
	nameTerm    = "\x01" // a name for Lookup; the weight is its nameKind
	titleTerm   = "\x02" // a stem of a word of the title; the weight is the number of words of the title
	sessionTerm = "\x04" // a session in lower case
	groupTerm   = "\x05" // a group of the record, its kind first
	firstText   = "\x06"
)

const footerSize = 6*8 + len(segmentMagic)

var errSegment = errors.New("no index segment")

// openSegment reads the parts of a segment. It checks only the sizes and the magic.
func openSegment(data []byte) (*segment, error) {
	s := &segment{data: data}
	if len(data) < len(segmentMagic)+footerSize || string(data[:len(segmentMagic)]) != segmentMagic ||
		!bytes.HasSuffix(data, []byte(segmentMagic)) {
		return nil, errSegment
	}
	end := uint64(len(data) - footerSize)
	foot := decoder{b: data[end:]}
	at := uint64(len(segmentMagic))
	for _, part := range []*[]byte{&s.documents, &s.texts, &s.postings, &s.terms, &s.blocks} {
		size := foot.uint64()
		if size > end-at {
			return nil, errSegment
		}
		*part = data[at : at+size : at+size]
		at += size
	}
	s.termCount = foot.uint64()
	if at != end || len(s.documents)%documentSize != 0 || len(s.documents)/documentSize > math.MaxInt32 ||
		len(s.blocks)%4 != 0 || uint64(len(s.blocks)/4) != (s.termCount+blockTerms-1)/blockTerms {
		return nil, errSegment
	}
	return s, nil
}

func (s *segment) close() {
	if s.unmap != nil {
		s.unmap()
		s.unmap = nil
	}
}

func (s *segment) len() int { return len(s.documents) / documentSize }

func (s *segment) document(i int) []byte { return s.documents[i*documentSize : (i+1)*documentSize] }

func (s *segment) u32(i, at int) uint32 {
	return binary.LittleEndian.Uint32(s.documents[i*documentSize+at:])
}

func (s *segment) length(i int) uint32 { return s.u32(i, atLength) }
func (s *segment) created(i int) int64 {
	return int64(binary.LittleEndian.Uint64(s.documents[i*documentSize+atCreated:]))
}
func (s *segment) language(i int) analysis.Language {
	return analysis.Language(min(s.document(i)[atLanguage], uint8(analysis.Other)))
}
func (s *segment) flag(i int, f byte) bool { return s.document(i)[atFlags]&f != 0 }
func (s *segment) kind(i int) record.Kind {
	if k := int(s.document(i)[atKind]); k < len(record.Kinds) {
		return record.Kinds[k]
	}
	return ""
}

// text returns a decoder at the start of document i in texts: path first, then id.
func (s *segment) text(i int) decoder {
	return decoder{b: slice(s.texts, uint64(s.u32(i, atText)), uint64(len(s.texts)))}
}

// path returns the path of document i. It aliases the segment.
func (s *segment) path(i int) []byte { return s.texted(i, pathText) }

// id returns the id of document i. It aliases the segment.
func (s *segment) id(i int) []byte { return s.texted(i, idText) }

// The first texts of a document, in their order.
const (
	pathText = iota
	idText
	projectText
	scopeText
	statusText
	colorText
)

// texted returns one of the first texts of document i. It aliases the segment.
func (s *segment) texted(i, which int) []byte {
	d := s.text(i)
	for range which {
		d.bytes()
	}
	return d.bytes()
}

// entry returns copies of all fields of document i, and its outline.
func (s *segment) entry(i int) (Entry, []heading) {
	e := Entry{Kind: s.kind(i), Size: int64(s.u32(i, atSize))}
	var outline []heading
	c := coder{decoder: s.text(i)}
	c.entry(&e, &outline)
	if c.bad {
		return Entry{Path: e.Path, ID: e.ID, Kind: e.Kind}.complete(), nil
	}
	return e.complete(), outline
}

func (s *segment) find(term string) []byte {
	if s.lookups != nil {
		s.lookups.terms = append(s.lookups.terms, term)
		return nil
	}
	if c := s.seek(term); c.next() && string(c.term) == term {
		return c.postings
	}
	return nil
}

// cursor walks through the terms of the dictionary in order.
type cursor struct {
	s        *segment
	n        uint64 // terms read
	d        decoder
	at       uint64 // where the next postings start
	term     []byte // valid until next
	postings []byte
	pending  bool // seek has already read term
}

// seek returns a cursor at the first term that does not sort before term.
func (s *segment) seek(term string) cursor {
	if s.lookups != nil && len(term) >= minPrefix {
		s.lookups.prefixes = append(s.lookups.prefixes, term)
	}
	c := cursor{s: s, n: uint64(s.blockOf(term)) * blockTerms}
	for c.next() {
		if string(c.term) >= term {
			c.pending = true
			break
		}
	}
	return c
}

// blockOf returns the last block whose first term does not sort after term, or block 0.
func (s *segment) blockOf(term string) int {
	lo, hi := 0, len(s.blocks)/4
	for lo < hi {
		mid := (lo + hi) / 2
		d := s.block(mid)
		d.uvarint()
		if _, first, _ := d.term(0); string(first) <= term && !d.bad {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return max(lo-1, 0)
}

func (s *segment) block(i int) decoder {
	at := binary.LittleEndian.Uint32(s.blocks[i*4:])
	return decoder{b: slice(s.terms, uint64(at), uint64(len(s.terms)))}
}

// next reads the next term. It returns false at the end.
func (c *cursor) next() bool {
	if c.pending {
		c.pending = false
		return true
	}
	if c.n >= c.s.termCount {
		return false
	}
	if c.n%blockTerms == 0 {
		c.d = c.s.block(int(c.n / blockTerms))
		c.at = c.d.uvarint()
		c.term = c.term[:0]
	}
	shared, rest, size := c.d.term(len(c.term))
	c.term = append(c.term[:shared], rest...)
	c.postings = slice(c.s.postings, c.at, c.at+size)
	c.at += size
	c.n++
	if c.d.bad {
		c.n = c.s.termCount
		return false
	}
	return true
}

// postings walks through the records that have a term.
type postings struct {
	decoder
	doc int // the record, after next
	w   int // weight of the term in it
	max int // number of records of the segment
}

func (s *segment) read(p []byte) postings { return postings{decoder{b: p}, -1, 0, s.len()} }

func (p *postings) next() bool {
	if len(p.b) == 0 {
		return false
	}
	v := p.uvarint()
	step := v>>1 + 1
	if p.bad || step > uint64(p.max-1-p.doc) {
		p.b = nil
		return false
	}
	p.doc += int(step)
	p.w = 1
	if v&1 != 0 {
		p.w = int(max(1, min(p.uvarint(), math.MaxUint16)))
	}
	return !p.bad
}

// appendPosting is the reverse of next. last is the record before.
func appendPosting(b []byte, last, doc, w int) []byte {
	v := uint64(doc-last-1) << 1
	if w == 1 {
		return binary.AppendUvarint(b, v)
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, v|1), uint64(w))
}
