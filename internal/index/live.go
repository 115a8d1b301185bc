package index

import (
	"hash/maphash"
	"slices"

	"sdd/internal/store"
)

// live is a segment in use, with its dead records and the Stat of each record's file when it was read.
type live struct {
	seg    *segment
	dead   bitmap
	deaths int
	stats  []store.Stat
	words  uint64 // total length of the living records
	file   *cacheFile
	busy   bool // a merge reads it
	bare   bool // it is a census: its records are counted and never shown
}

func (l *live) alive() int { return l.seg.len() - l.deaths }

// place is the position of a record: the number of its segment and its number there.
type place struct {
	seg uint32
	doc uint32
}

// contents are the records of the index: segments, and a map from each path to its record. A path is alive in at most
// one segment. The caller of a method holds the lock of the Index.
type contents struct {
	segs   map[uint32]*live
	order  []uint32 // numbers of segs, ascending; a merge puts its result last
	nextID uint32
	paths  map[uint64]place // by hash of the path, with a random seed: two paths do not share 64 bits
	seed   maphash.Seed
	count  int
	words  uint64
	census *Census // nil when the records are the whole collection
}

func newContents() *contents {
	return &contents{segs: map[uint32]*live{}, paths: map[uint64]place{}, seed: maphash.MakeSeed()}
}

// close closes the segments.
func (c *contents) close() {
	for _, l := range c.segs {
		l.seg.close()
	}
}

// find returns the place of the record with that path.
func (c *contents) find(path string) (place, bool) {
	at, ok := c.paths[maphash.String(c.seed, path)]
	return at, ok
}

// remove drops the record with that path. It reports whether the record existed.
func (c *contents) remove(path string) bool {
	at, ok := c.find(path)
	if !ok {
		return false
	}
	delete(c.paths, maphash.String(c.seed, path))
	l := c.segs[at.seg]
	l.dead.add(int(at.doc), l.seg.len())
	l.deaths++
	length := uint64(l.seg.length(int(at.doc)))
	l.words -= length
	c.words -= length
	c.count--
	if l.alive() == 0 && !l.busy {
		c.drop(at.seg)
	}
	return true
}

// drop removes a segment. Its records are dead, or alive in another one.
func (c *contents) drop(id uint32) {
	c.segs[id].seg.close()
	delete(c.segs, id)
	c.order = slices.DeleteFunc(c.order, func(n uint32) bool { return n == id })
}

// add adds a segment. Its records replace those with the same path.
func (c *contents) add(l *live) {
	id := c.nextID
	c.nextID++
	l.busy = true // so that remove does not drop it meanwhile
	c.segs[id] = l
	c.order = append(c.order, id)
	for doc := range l.seg.len() {
		if l.dead.has(doc) {
			continue
		}
		path := string(l.seg.path(doc))
		length := uint64(l.seg.length(doc))
		l.words += length
		c.words += length
		c.count++
		c.remove(path)
		c.paths[maphash.String(c.seed, path)] = place{id, uint32(doc)}
	}
	if l.busy = false; l.alive() == 0 {
		c.drop(id)
	}
}

// each calls f for each living record, until it returns false.
func (c *contents) each(f func(l *live, doc int) bool) {
	for _, id := range c.order {
		l := c.segs[id]
		for doc := range l.seg.len() {
			if !l.dead.has(doc) && !f(l, doc) {
				return
			}
		}
	}
}

// replace puts the merged segment in the place of its inputs. Records that died during the merge are dead in the result
// too.
func (c *contents) replace(ids []uint32, seg *segment, numbers [][]uint32, file *cacheFile) {
	l := &live{seg: seg, stats: make([]store.Stat, seg.len()), file: file}
	id := c.nextID
	c.nextID++
	c.segs[id] = l
	for i, from := range ids {
		old := c.segs[from]
		for doc, to := range numbers[i] {
			switch {
			case to == dropped:
			case old.dead.has(doc):
				l.dead.add(int(to), seg.len())
				l.deaths++
			default:
				l.stats[to] = old.stats[doc]
				l.words += uint64(seg.length(int(to)))
				c.paths[maphash.Bytes(c.seed, seg.path(int(to)))] = place{id, to}
			}
		}
	}
	for _, from := range ids {
		c.drop(from)
	}
	c.order = append(c.order, id)
	if l.alive() == 0 {
		c.drop(id)
	}
}

// Segments on the heap are merged when there are many of one size. Eight of a size make one of the next, up to a size
// above which a merge would need too much memory.
const (
	mergeWidth  = 8
	mergeInline = 64      // records that are merged at once
	mergeLimit  = 8 << 20 // bytes; a segment above this is not merged again
)

// due returns segments to merge into one, nil when there are none.
func (c *contents) due() []uint32 {
	bySize := map[int][]uint32{}
	for _, id := range c.order {
		l := c.segs[id]
		if l.busy || l.file != nil || len(l.seg.data) > mergeLimit {
			continue
		}
		if l.deaths > l.alive() && l.seg.len() > mergeInline {
			return []uint32{id}
		}
		size := 0
		for n := l.alive(); n >= mergeWidth; n /= mergeWidth {
			size++
		}
		if bySize[size] = append(bySize[size], id); len(bySize[size]) == mergeWidth {
			return bySize[size]
		}
	}
	return nil
}

// inputs returns the segments with those ids as inputs of a merge.
func (c *contents) inputs(ids []uint32) []input {
	var in []input
	for _, id := range ids {
		in = append(in, input{c.segs[id].seg, slices.Clone(c.segs[id].dead)})
	}
	return in
}

// hold marks segments as busy, which keeps them, or clears the mark and drops those that are dead by now.
func (c *contents) hold(ids []uint32, busy bool) {
	for _, id := range ids {
		l := c.segs[id]
		if l == nil {
			continue
		}
		if l.busy = busy; !busy && l.alive() == 0 {
			c.drop(id)
		}
	}
}
