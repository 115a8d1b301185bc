package index

import (
	"bytes"
	"hash/maphash"
)

// interner numbers strings from 0, without pointers, so that the garbage collector skips the many words of a load.
type interner struct {
	text  []byte
	ends  []uint32 // end of string i in text
	table []uint64 // by hash: half of the hash, and number+1; 0 is empty. Its length is a power of 2
	seed  maphash.Seed
}

func (t *interner) len() int { return len(t.ends) }

// get returns string id. It is valid until the next add.
func (t *interner) get(id uint32) []byte {
	start := uint32(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.text[start:t.ends[id]]
}

// add returns the number of s. new reports whether this call added it.
func (t *interner) add(s []byte) (id uint32, new bool) {
	if len(t.ends)*2 >= len(t.table) {
		t.grow()
	}
	mask := uint32(len(t.table) - 1)
	h := maphash.Bytes(t.seed, s)
	at, half := uint32(h)&mask, h&^(1<<32-1)
	for ; t.table[at] != 0; at = (at + 1) & mask {
		if e := t.table[at]; e&^(1<<32-1) == half {
			if id := uint32(e) - 1; bytes.Equal(t.get(id), s) {
				return id, false
			}
		}
	}
	id = uint32(len(t.ends))
	t.text = append(t.text, s...)
	t.ends = append(t.ends, uint32(len(t.text)))
	t.table[at] = half | uint64(id+1)
	return id, true
}

func (t *interner) grow() {
	if t.table == nil {
		t.seed = maphash.MakeSeed()
	}
	t.table = make([]uint64, max(256, 2*len(t.table)))
	mask := uint32(len(t.table) - 1)
	for id := range uint32(len(t.ends)) {
		h := maphash.Bytes(t.seed, t.get(id))
		at := uint32(h) & mask
		for t.table[at] != 0 {
			at = (at + 1) & mask
		}
		t.table[at] = h&^(1<<32-1) | uint64(id+1)
	}
}
