package index

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// sortKey orders results: exact names, records that still count, score, own before other repositories, newest, id, path.
type sortKey struct {
	rank    uint8 // how exactly the query names the record
	gone    bool  // the record no longer counts
	score   uint32
	created int64
	id      []byte
	path    []byte
}

// before returns a negative number when a comes before b.
func (a *sortKey) before(b *sortKey) int {
	switch {
	case a.rank != b.rank:
		return int(b.rank) - int(a.rank)
	case a.gone != b.gone:
		return falseFirst(a.gone)
	case a.score != b.score:
		return cmp.Compare(b.score, a.score)
	case a.far() != b.far():
		return falseFirst(a.far())
	case a.created != b.created:
		return cmp.Compare(b.created, a.created)
	}
	return cmp.Or(bytes.Compare(a.id, b.id), bytes.Compare(a.path, b.path))
}

func falseFirst(a bool) int {
	if a {
		return 1
	}
	return -1
}

// far reports whether the record is another repository's. A list without scores has the newest first, wherever they are.
func (a *sortKey) far() bool {
	return a.score > 0 && bytes.Contains(a.path, elsewhere)
}

var elsewhere = []byte("/@") // in the paths of record.InRepository

// candidate is a record that may be in the page.
type candidate struct {
	sortKey
	slot int
}

// top keeps the first n candidates, in order.
type top struct {
	n    int
	list []candidate
}

func (t *top) offer(c candidate) {
	at := len(t.list)
	for at > 0 && t.list[at-1].before(&c.sortKey) >= 0 {
		at--
	}
	if at < t.n {
		t.list = slices.Insert(t.list[:min(len(t.list), t.n-1)], at, c)
	}
}

// tooLate reports whether a candidate comes after a full list, whatever its id and path are: most records need neither read.
func (t *top) tooLate(x *sortKey) bool {
	if len(t.list) < t.n {
		return false
	}
	last := &t.list[t.n-1].sortKey
	if x.rank == last.rank && x.gone == last.gone && x.score == last.score {
		return x.created < last.created && !last.far()
	}
	return x.before(last) > 0
}

// A cursor holds the sort key of the last record shown and a hash of the query: saves in between do not change its meaning.
const (
	cursorVersion = 1
	goneBit       = 0x80 // of the byte of the rank
)

// fingerprint is a hash of the query and its filters.
func (q *Query) fingerprint() uint32 {
	h := fnv.New32a()
	for _, s := range []string{q.Text, q.Project, q.Scope, q.Status, q.Session} {
		h.Write(appendBytes(nil, strings.ToLower(s)))
	}
	for _, t := range q.Types {
		h.Write(appendBytes(appendBytes(nil, string(t.Kind)), t.Color))
	}
	return h.Sum32()
}

func (a *sortKey) cursor(q *Query) string {
	b := []byte{cursorVersion}
	b = binary.LittleEndian.AppendUint32(b, q.fingerprint())
	rank := a.rank
	if a.gone {
		rank |= goneBit
	}
	b = append(b, rank)
	b = binary.AppendUvarint(b, uint64(a.score))
	b = binary.AppendVarint(b, a.created)
	b = appendBytes(b, a.id)
	b = appendBytes(b, a.path)
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseCursor is the reverse of cursor. nil is the start.
func (q *Query) parseCursor() (*sortKey, error) {
	if q.Cursor == "" {
		return nil, nil
	}
	bad := func(what string) error {
		return fault.New(fault.Invalid, "cursor %s", what).For("cursor").
			With("give next_cursor of the page before, with the same query and filters, or omit it for the first page")
	}
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(q.Cursor))
	if err != nil || len(b) < 6 || b[0] != cursorVersion {
		return nil, bad("is not one that a search returned")
	}
	if binary.LittleEndian.Uint32(b[1:]) != q.fingerprint() {
		return nil, bad("belongs to another query")
	}
	k := &sortKey{rank: b[5] &^ goneBit, gone: b[5]&goneBit != 0}
	d := decoder{b: b[6:]}
	k.score = uint32(d.int(1<<32 - 1))
	created, n := binary.Varint(d.b)
	if d.bad || n <= 0 {
		return nil, bad("is not one that a search returned")
	}
	d.b = d.b[n:]
	k.created = created
	k.id, k.path = d.bytes(), d.bytes()
	if d.bad || len(d.b) > 0 {
		return nil, bad("is not one that a search returned")
	}
	return k, nil
}
