package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"sdd/internal/analysis"
	"sdd/internal/record"
	"sdd/internal/store"
)

// builder makes segments from documents. finish empties it, but it keeps its terms, which saves work on the next documents.
type builder struct {
	lexicon
	stream   []said     // the tokens of the current document
	counts   []uint16   // how often the current document has each term
	touched  []uint32   // the terms of the current document
	made     []termList // the postings of each term
	used     []uint32   // the terms with postings
	postings int        // in made

	documents []byte
	texts     []byte
	stats     []store.Stat
}

// said is one occurrence of a token in a document.
type said struct {
	token  uint32
	weight uint8
	kind   analysis.TokenKind
}

// termList is the postings of a term.
type termList struct {
	b    []byte
	docs int // of the segment up to the last posting
}

// Limits of one segment, and of the terms that a builder keeps for the next one.
const (
	buildPostings = 64 << 10
	buildTexts    = 4 << 20
	buildDocs     = math.MaxUint16
	knownTerms    = 50_000
)

func (b *builder) len() int { return len(b.stats) }

func (b *builder) full() bool {
	return b.postings >= buildPostings || len(b.texts) >= buildTexts || b.len() >= buildDocs
}

func (b *builder) add(d *document) {
	length := 0
	var g guess
	b.stream = b.stream[:0]
	d.words(func(tok []byte, kind analysis.TokenKind, weight int) {
		id := b.token(tok)
		g.add(b.lexicon.words[id].hint)
		b.stream = append(b.stream, said{id, uint8(weight), kind})
		if kind != analysis.Pair {
			length++
		}
	})
	lang := g.language()
	for _, t := range b.stream {
		for _, id := range b.list(t.token, t.kind, lang) {
			b.count(id, int(t.weight))
		}
	}
	for _, n := range d.names() {
		b.count(b.term(nameTerm+n.key), int(n.by))
	}
	words := titleWords(d.Title)
	for _, w := range words {
		b.count(b.term(titleTerm+w), len(words))
	}
	for _, s := range d.Sessions {
		b.count(b.term(sessionTerm+analysis.Lower(s)), 1)
	}
	d.tieTerms(func(term string) { b.count(b.term(term), 1) })
	for _, id := range b.touched {
		b.post(id, b.len(), int(b.counts[id]))
		b.counts[id] = 0
	}
	b.touched = b.touched[:0]

	var fixed [documentSize]byte
	le := binary.LittleEndian
	flags := byte(0)
	if len(d.Problems) > 0 {
		flags |= flagProblem
	}
	if record.Gone(d.Status) {
		flags |= flagGone
	}
	le.PutUint64(fixed[atCreated:], uint64(dateMillis(d.Created)))
	le.PutUint32(fixed[atText:], uint32(len(b.texts)))
	le.PutUint32(fixed[atLength:], uint32(length))
	le.PutUint32(fixed[atSize:], uint32(max(0, min(d.Size, math.MaxUint32))))
	fixed[atKind] = byte(slices.Index(record.Kinds, d.Kind))
	fixed[atLanguage] = byte(lang)
	fixed[atFlags] = flags
	b.documents = append(b.documents, fixed[:]...)
	texts := coder{write: true, out: b.texts}
	texts.entry(&d.Entry, &d.outline)
	b.texts = texts.out
	b.stats = append(b.stats, d.stat)
}

func (b *builder) count(id uint32, weight int) {
	for int(id) >= len(b.counts) {
		b.counts = append(b.counts, 0)
	}
	if b.counts[id] == 0 {
		b.touched = append(b.touched, id)
	}
	b.counts[id] = uint16(min(int(b.counts[id])+weight, math.MaxUint16))
}

// post adds a posting. Those of a term come in the order of the documents.
func (b *builder) post(id uint32, doc, weight int) {
	for int(id) >= len(b.made) {
		b.made = append(b.made, termList{})
	}
	l := &b.made[id]
	if l.docs == 0 {
		b.used = append(b.used, id)
	}
	l.b = appendPosting(l.b, l.docs-1, doc, weight)
	l.docs = doc + 1
	b.postings++
}

// finish returns a segment with the documents added since the last finish.
func (b *builder) finish() *segment {
	type ordered struct {
		head uint64 // first bytes of the term; they decide most comparisons
		id   uint32
	}
	order := make([]ordered, len(b.used)) // the terms that occur, in byte order
	for i, id := range b.used {
		order[i] = ordered{termHead(b.terms.get(id)), id}
	}
	slices.SortFunc(order, func(x, y ordered) int {
		if x.head != y.head {
			return cmp.Compare(x.head, y.head)
		}
		return bytes.Compare(b.terms.get(x.id), b.terms.get(y.id))
	})
	var out bytes.Buffer
	out.Grow(len(b.documents) + len(b.texts) + b.postings*2 + len(order)*8)
	sw := newSegmentWriter(&out)
	sw.write(b.documents)
	sw.endPart()
	sw.write(b.texts)
	sw.endPart()
	for _, o := range order {
		sw.writeTerm(b.terms.get(o.id), b.made[o.id].b)
	}
	sw.finish() // writes to a buffer do not fail
	data := out.Bytes()
	if cap(data) > len(data)+len(data)/8 {
		data = bytes.Clone(data)
	}
	seg, err := openSegment(data)
	if err != nil {
		panic("index: a segment that was just built does not open: " + err.Error())
	}
	b.reset()
	return seg
}

// termHead returns the first bytes of a term as a number that sorts as they do.
func termHead(term []byte) uint64 {
	if len(term) >= 8 {
		return binary.BigEndian.Uint64(term)
	}
	var head [8]byte
	copy(head[:], term)
	return binary.BigEndian.Uint64(head[:])
}

// reset empties b and keeps the memory that the next segment can use.
func (b *builder) reset() {
	for _, id := range b.used {
		b.made[id] = termList{}
	}
	b.used = b.used[:0]
	if b.terms.len() > knownTerms {
		b.lexicon = lexicon{}
		b.counts, b.made = b.counts[:0], b.made[:0]
	}
	b.postings = 0
	b.documents, b.texts = b.documents[:0], b.texts[:0]
	b.stats = nil
}
