package index

import (
	"hash/maphash"
	"iter"
	"slices"

	"sdd/internal/store"
)

// live is a segment in use, with its dead records and the Stat of each record's file when it was read.
type live struct {
	seg    *segment
	dead   bitmap
	deaths int
	stats  []store.Stat
	file   *cacheFile
	busy   bool // a merge reads it
	bare   bool // it is a census: its records are counted and never shown
}

func (l *live) alive() int { return l.seg.len() - l.deaths }

func (l *live) kill(doc int) {
	l.dead.add(doc, l.seg.len())
	l.deaths++
}

// place is the position of a record: its segment and its number there.
type place struct {
	*live
	doc int32
}

// contents are the records: segments, and each path's record, alive in at most one. The caller holds the lock of the Index.
type contents struct {
	segs   []*live          // a merge puts its result last
	paths  map[uint64]place // by hash of the path, with a random seed: two paths do not share 64 bits
	seed   maphash.Seed
	count  int
	words  uint64
	census *Census // nil when the records are the whole collection
}

func newContents() *contents {
	return &contents{paths: map[uint64]place{}, seed: maphash.MakeSeed()}
}

func (c *contents) close() {
	for _, l := range c.segs {
		l.seg.close()
	}
}

func (c *contents) find(path string) (place, bool) {
	at, ok := c.paths[maphash.String(c.seed, path)]
	return at, ok
}

func (c *contents) remove(path string) {
	at, ok := c.find(path)
	if !ok {
		return
	}
	delete(c.paths, maphash.String(c.seed, path))
	at.kill(int(at.doc))
	c.words -= uint64(at.seg.length(int(at.doc)))
	c.count--
	c.dropDead(at.live)
}

// dropDead removes a segment without living records, unless a merge reads it.
func (c *contents) dropDead(l *live) {
	if l.alive() == 0 && !l.busy {
		c.drop(l)
	}
}

// drop removes a segment. Its records are dead, or alive in another one.
func (c *contents) drop(l *live) {
	if at := slices.Index(c.segs, l); at >= 0 {
		l.seg.close()
		c.segs = slices.Delete(c.segs, at, at+1)
	}
}

func (c *contents) add(l *live) {
	l.busy = true // so that remove does not drop it meanwhile
	c.segs = append(c.segs, l)
	for doc := range l.seg.len() {
		if l.dead.has(doc) {
			continue
		}
		path := string(l.seg.path(doc))
		c.words += uint64(l.seg.length(doc))
		c.count++
		c.remove(path)
		c.paths[maphash.String(c.seed, path)] = place{l, int32(doc)}
	}
	l.busy = false
	c.dropDead(l)
}

// having yields the living records that have a term: their segments, and their postings.
func having(segs []*live, term string) iter.Seq2[*live, postings] {
	return func(yield func(*live, postings) bool) {
		for _, l := range segs {
			for p := l.seg.read(l.seg.find(term)); p.next(); {
				if !l.dead.has(p.doc) && !yield(l, p) {
					return
				}
			}
		}
	}
}

func (c *contents) each(f func(l *live, doc int) bool) {
	for _, l := range c.segs {
		for doc := range l.seg.len() {
			if !l.dead.has(doc) && !f(l, doc) {
				return
			}
		}
	}
}

// replace puts the merged segment in the place of its inputs. Records that died during the merge are dead in the result too.
func (c *contents) replace(old []*live, seg *segment, numbers [][]uint32, file *cacheFile) {
	l := &live{seg: seg, stats: make([]store.Stat, seg.len()), file: file}
	for i, from := range old {
		for doc, to := range numbers[i] {
			switch {
			case to == dropped:
			case from.dead.has(doc):
				l.kill(int(to))
			default:
				l.stats[to] = from.stats[doc]
				c.paths[maphash.Bytes(c.seed, seg.path(int(to)))] = place{l, int32(to)}
			}
		}
		c.drop(from)
	}
	c.segs = append(c.segs, l)
	c.dropDead(l)
}

// Segments of one size on the heap are merged, eight at a time, up to a size above which a merge would need too much memory.
const (
	mergeWidth  = 8
	mergeInline = 64      // records that are merged at once
	mergeLimit  = 8 << 20 // bytes; a segment above this is not merged again
)

// due returns segments to merge into one, nil when there are none.
func (c *contents) due() []*live {
	bySize := map[int][]*live{}
	for _, l := range c.segs {
		if l.busy || l.file != nil || len(l.seg.data) > mergeLimit {
			continue
		}
		if l.deaths > l.alive() && l.seg.len() > mergeInline {
			return []*live{l}
		}
		size := 0
		for n := l.alive(); n >= mergeWidth; n /= mergeWidth {
			size++
		}
		if bySize[size] = append(bySize[size], l); len(bySize[size]) == mergeWidth {
			return bySize[size]
		}
	}
	return nil
}
