package index

import (
	"slices"

	"sdd/internal/record"
	"sdd/internal/store"
)

// Elsewhere is records in other folders of the project, which a query searches with those of the store.
type Elsewhere struct {
	contents *contents
	sources  map[string][]byte // by path
}

// NewElsewhere indexes records, whose paths lead out of .sdd, by their texts. Without any it returns nil.
func NewElsewhere(list []record.Record, sources [][]byte) *Elsewhere {
	if len(list) == 0 {
		return nil
	}
	b, build := &Elsewhere{newContents(), map[string][]byte{}}, new(builder)
	for i, r := range list {
		b.sources[r.File] = sources[i]
		build.add(documentOf(r, sources[i], store.Stat{}))
		if build.full() || i == len(list)-1 {
			n := build.len()
			b.contents.add(&live{seg: build.finish(), stats: make([]store.Stat, n)})
		}
	}
	return b
}

// with returns the contents together with those beside them.
func (c *contents) with(b *Elsewhere) *contents {
	if b == nil || c.census != nil {
		return c
	}
	both := *c
	both.segs = slices.Concat(c.segs, b.contents.segs)
	both.count, both.words = c.count+b.contents.count, c.words+b.contents.words
	return &both
}

// Entries returns all of them.
func (b *Elsewhere) Entries() []Entry {
	if b == nil {
		return nil
	}
	return b.contents.entries(func(*segment, int) bool { return true })
}

func (b *Elsewhere) source(path string) (src []byte, ok bool) {
	if b != nil {
		src, ok = b.sources[path]
	}
	return src, ok
}
