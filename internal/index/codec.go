package index

import (
	"encoding/binary"
	"math"

	"sdd/internal/anchor"
	"sdd/internal/record"
)

// decoder reads a byte slice with arbitrary contents. Past its end, or after an invalid value, every read returns zero.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uvarint() uint64 {
	if len(d.b) > 0 && d.b[0] < 1<<7 {
		v := d.b[0]
		d.b = d.b[1:]
		return uint64(v)
	}
	return d.longUvarint()
}

func (d *decoder) longUvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b, d.bad = nil, true
		return 0
	}
	d.b = d.b[n:]
	return v
}

// int reads a number that must not be larger than max.
func (d *decoder) int(max int) int {
	v := d.uvarint()
	if v > uint64(max) {
		d.b, d.bad = nil, true
		return 0
	}
	return int(v)
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.b, d.bad = nil, true
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

// bytes reads a length and that many bytes. The result aliases the decoder's bytes.
func (d *decoder) bytes() []byte { return d.take(d.int(len(d.b))) }

func (d *decoder) string() string { return string(d.bytes()) }

func (d *decoder) uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func appendBytes[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// slice returns b[from:to], nil when that is not inside b.
func slice(b []byte, from, to uint64) []byte {
	if from > to || to > uint64(len(b)) {
		return nil
	}
	return b[from:to:to]
}

// term reads a dictionary's term: the bytes shared with the one before, its other bytes, and the size of its postings.
func (d *decoder) term(before int) (shared int, rest []byte, size uint64) {
	if b := d.b; len(b) > 2 && b[0]|b[1] < 0x80 && int(b[0]) <= before && int(b[1])+2 < len(b) && b[b[1]+2] < 0x80 {
		end := b[1] + 2 // nearly every term: each number in a byte
		d.b = b[end+1:]
		return int(b[0]), b[2:end:end], uint64(b[end])
	}
	shared = d.int(before)
	rest = d.bytes()
	return shared, rest, min(d.uvarint(), math.MaxInt32)
}

// coder reads or writes the fields of an entry in the texts of a segment. One list of fields serves both directions.
type coder struct {
	decoder
	write bool
	out   []byte
}

func (c *coder) entry(e *Entry, outline *[]heading) {
	for _, s := range [...]*string{
		&e.Path, &e.ID, &e.Project, &e.Scope, &e.Status, &e.Color, // in the order of the constants of texted
		&e.TopicKey, &e.Slug, &e.Title, &e.Etag, &e.Created, &e.Domain, &e.Module, &e.Code, &e.Date,
	} {
		c.text(s)
	}
	c.number(&e.Revision)
	codeList(c, &e.Sessions, c.text)
	codeList(c, &e.Links, func(l *Link) {
		c.text(&l.By)
		c.text(&l.To)
	})
	codeList(c, &e.Anchors, c.anchor)
	codeList(c, &e.Problems, func(p *record.Problem) {
		c.number(&p.Line)
		c.text(&p.Code)
		c.text(&p.Text)
	})
	codeList(c, outline, func(h *heading) {
		c.number(&h.line)
		c.text(&h.name)
	})
}

func (c *coder) anchor(a *anchor.Anchor) {
	for _, s := range [...]*string{&a.Path, &a.Symbol, &a.Text} {
		c.text(s)
	}
	mention := 0
	if a.Mention {
		mention = 1
	}
	for _, n := range [...]*int{&a.First, &a.Last, &a.Line, &mention} {
		c.number(n)
	}
	a.Mention = mention == 1
	codeList(c, &a.Seen, func(s *anchor.Seen) {
		c.text((*string)(&s.How))
		c.number(&s.Size)
		c.text(&s.Print)
	})
}

func (c *coder) text(s *string) {
	if c.write {
		c.out = appendBytes(c.out, *s)
	} else {
		*s = c.string()
	}
}

// fixed reads or writes a number of eight bytes.
func (c *coder) fixed(v *uint64) {
	if c.write {
		c.out = binary.LittleEndian.AppendUint64(c.out, *v)
	} else {
		*v = c.uint64()
	}
}

// number reads or writes a number that is not negative.
func (c *coder) number(n *int) {
	if c.write {
		c.out = binary.AppendUvarint(c.out, uint64(max(*n, 0)))
	} else {
		*n = c.int(math.MaxInt32)
	}
}

func codeList[T any](c *coder, list *[]T, item func(*T)) {
	n := len(*list)
	if c.number(&n); !c.write {
		*list = nil
	}
	for i := 0; i < n && !c.bad; i++ {
		if !c.write {
			*list = append(*list, *new(T))
		}
		item(&(*list)[i])
	}
}
