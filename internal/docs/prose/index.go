package prose

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"strings"
)

// Index is an index of a documentation's passages. It is immutable; several goroutines may read it. Callers can store its
// bytes in a file.
type Index struct {
	data  []byte
	count struct{ pages, passages, terms int }
	mean  float64 // words of a passage

	pages, passages, terms, pool, posts []byte // parts of data
}

// Hit is a passage about a query.
type Hit struct {
	Page   string
	Anchor string
	Title  string
	Score  float64 // of BM25; comparable only between hits of one query
}

// The weights of words: a word of the passage's or the page's title counts as several words of the text; and the
// parameters of BM25 (Robertson and Zaragoza, 2009).
const (
	titleWeight = 5
	pageWeight  = 1
	k1, b       = 1.2, 0.75
	maxTF       = 255

	// newsShare is the weight of lists of changes: they mention everything and explain little.
	newsShare = 0.4

	maxPosts = 16 << 20 // (word, passage) pairs of an index
)

// Builder builds an index. The caller adds passages in the order of their pages.
type Builder struct {
	ids      map[string]uint32 // numbers of stems by unstemmed word
	terms    []string          // stems
	stems    map[string]uint32
	pages    []string
	passages []passage
	posts    []post
	total    int
	tf       map[uint32]int
}

type passage struct {
	page          uint32
	length        uint32
	anchor, title string
}

type post struct {
	term, passage uint32
	tf            uint8
}

// NewBuilder returns a builder of an empty index.
func NewBuilder() *Builder {
	return &Builder{ids: map[string]uint32{}, stems: map[string]uint32{}, tf: map[uint32]int{}}
}

// Page begins a page; the next passages belong to it.
func (b *Builder) Page(file string) { b.pages = append(b.pages, file) }

// Full reports whether the index is at its limit.
func (b *Builder) Full() bool { return len(b.posts) >= maxPosts }

func (b *Builder) id(w string) uint32 {
	id, ok := b.ids[w]
	if !ok {
		s := stem(strings.ToLower(w))
		if id, ok = b.stems[s]; !ok {
			id = uint32(len(b.terms))
			s = strings.Clone(s)
			b.stems[s] = id
			b.terms = append(b.terms, s)
		}
		b.ids[strings.Clone(w)] = id
	}
	return id
}

// Add adds a passage to the last page. over is the title of the page, whose words find its passages too.
func (b *Builder) Add(anchor, title, over, text string) {
	clear(b.tf)
	length := 0
	words(text, func(w string) { b.tf[b.id(w)]++; length++ })
	words(title, func(w string) { b.tf[b.id(w)] += titleWeight })
	if over != title {
		words(over, func(w string) { b.tf[b.id(w)] += pageWeight })
	}
	if len(b.tf) == 0 {
		return
	}
	n := uint32(len(b.passages))
	b.passages = append(b.passages, passage{uint32(len(b.pages) - 1), uint32(length), strings.Clone(anchor), strings.Clone(title)})
	b.total += length
	for term, tf := range b.tf {
		b.posts = append(b.posts, post{term, n, uint8(min(tf, maxTF))})
	}
}

const (
	magic    = "sdd prose 1\n"
	headSize = len(magic) + 4 + 5*4 + 8
)

// Index returns the index of the added passages. The caller must not use the builder again.
func (b *Builder) Index() *Index {
	order := make([]uint32, len(b.terms)) // sorted
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(b.terms[x], b.terms[y]) })
	rank := make([]uint32, len(b.terms))
	for i, t := range order {
		rank[t] = uint32(i)
	}
	for i := range b.posts {
		b.posts[i].term = rank[b.posts[i].term]
	}
	slices.SortFunc(b.posts, func(x, y post) int { return cmp.Or(cmp.Compare(x.term, y.term), cmp.Compare(x.passage, y.passage)) })

	var pages, passages, terms, pool, posts []byte
	text := func(s string) (at uint32) {
		at = uint32(len(pool))
		pool = append(append(pool, s...), 0)
		return at
	}
	u32 := binary.LittleEndian.AppendUint32
	for _, p := range b.pages {
		pages = u32(pages, text(noNUL(p)))
	}
	for _, p := range b.passages {
		passages = u32(u32(passages, p.page), p.length)
		passages = u32(passages, text(noNUL(p.anchor)))
		text(noNUL(p.title))
	}
	next := 0
	for i, t := range order {
		terms = u32(u32(terms, text(noNUL(b.terms[t]))), uint32(len(posts)))
		last := uint32(0)
		for ; next < len(b.posts) && b.posts[next].term == uint32(i); next++ {
			posts = binary.AppendUvarint(posts, uint64(b.posts[next].passage-last))
			posts = append(posts, b.posts[next].tf)
			last = b.posts[next].passage
		}
	}
	head := make([]byte, 0, headSize)
	head = append(head, magic...)
	head = append(head, 0, 0, 0, 0) // the checksum
	for _, n := range []int{len(b.pages), len(b.passages), len(order), len(pool), len(posts)} {
		head = u32(head, uint32(n))
	}
	head = binary.LittleEndian.AppendUint64(head, uint64(b.total))
	data := bytes.Join([][]byte{head, pages, passages, terms, pool, posts}, nil)
	binary.LittleEndian.PutUint32(data[len(magic):], checksum(data))
	ix, _ := Read(data)
	return ix
}

func noNUL(s string) string { return strings.ReplaceAll(s, "\x00", " ") }

func checksum(data []byte) uint32 {
	return crc32.Checksum(data[len(magic)+4:], crc32.MakeTable(crc32.Castagnoli))
}

// Bytes is the index in the form that Read reads.
func (ix *Index) Bytes() []byte { return ix.data }

// Passages returns the number of passages.
func (ix *Index) Passages() int { return ix.count.passages }

// Read returns the index in data; false if it has none or a damaged one.
func Read(data []byte) (*Index, bool) {
	if len(data) < headSize || string(data[:len(magic)]) != magic || binary.LittleEndian.Uint32(data[len(magic):]) != checksum(data) {
		return nil, false
	}
	ix := &Index{data: data}
	at := len(magic) + 4
	var n [5]int
	for i := range n {
		n[i] = int(at32(data[at:], 0))
		at += 4
	}
	ix.count.pages, ix.count.passages, ix.count.terms = n[0], n[1], n[2]
	total := binary.LittleEndian.Uint64(data[at:])
	ix.mean = max(1, float64(total)/float64(max(1, n[1])))
	rest := data[headSize:]
	for _, part := range []struct {
		into *[]byte
		size int
	}{{&ix.pages, 4 * n[0]}, {&ix.passages, 12 * n[1]}, {&ix.terms, 8 * n[2]}, {&ix.pool, n[3]}, {&ix.posts, n[4]}} {
		if part.size > len(rest) {
			return nil, false
		}
		*part.into, rest = rest[:part.size], rest[part.size:]
	}
	return ix, len(rest) == 0
}

func at32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

// text returns the text at an offset of the pool, and the offset after it.
func (ix *Index) text(at uint32) (string, uint32) {
	rest := ix.pool[at:]
	n := bytes.IndexByte(rest, 0)
	return string(rest[:n]), at + uint32(n) + 1
}

// Search returns at most n passages about a query, the best first. of limits the passages of one page.
func (ix *Index) Search(query string, n, of int) []Hit {
	var terms []string
	for _, all := range []bool{false, true} { // a query of stop words only searches for those
		words(query, func(w string) {
			w = strings.ToLower(w)
			if s := stem(w); (all || !empty(w)) && !slices.Contains(terms, s) && len(terms) < 64 {
				terms = append(terms, s)
			}
		})
		if len(terms) > 0 {
			break
		}
	}
	scores := map[uint32]float64{}
	covered := map[uint32]float64{} // weight of the query's words in a passage
	weight := 0.0
	for _, t := range terms {
		posts, df := ix.postings(t)
		idf := math.Log(1 + (float64(ix.count.passages)-float64(df)+0.5)/(float64(df)+0.5))
		weight += idf
		passage := uint32(0)
		for len(posts) > 0 {
			d, size := binary.Uvarint(posts)
			if size <= 0 || size >= len(posts) {
				break
			}
			passage += uint32(d)
			tf := float64(posts[size])
			posts = posts[size+1:]
			if int(passage) >= ix.count.passages {
				break
			}
			length := float64(at32(ix.passages, 3*int(passage)+1))
			scores[passage] += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*length/ix.mean))
			covered[passage] += idf
		}
	}
	type found struct {
		passage uint32
		score   float64
	}
	all := make([]found, 0, len(scores))
	for p, s := range scores {
		s *= 0.2 + 0.8*covered[p]/weight
		if news(ix.page(p)) {
			s *= newsShare
		}
		all = append(all, found{p, s})
	}
	slices.SortFunc(all, func(x, y found) int { return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.passage, y.passage)) })
	var out []Hit
	perPage := map[uint32]int{}
	for _, f := range all {
		if len(out) == n || f.score < 0.3*all[0].score {
			break
		}
		page := at32(ix.passages, 3*int(f.passage))
		if perPage[page] == of {
			continue
		}
		perPage[page]++
		anchor, next := ix.text(at32(ix.passages, 3*int(f.passage)+2))
		title, _ := ix.text(next)
		out = append(out, Hit{ix.page(f.passage), anchor, title, f.score})
	}
	return out
}

func (ix *Index) page(passage uint32) string {
	s, _ := ix.text(at32(ix.pages, int(at32(ix.passages, 3*int(passage)))))
	return s
}

// postings returns the passages of a stem and their number.
func (ix *Index) postings(t string) (posts []byte, count int) {
	lo, hi := 0, ix.count.terms
	for lo < hi {
		mid := (lo + hi) / 2
		if s, _ := ix.text(at32(ix.terms, 2*mid)); s < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == ix.count.terms {
		return nil, 0
	}
	if s, _ := ix.text(at32(ix.terms, 2*lo)); s != t {
		return nil, 0
	}
	posts = ix.posts[at32(ix.terms, 2*lo+1):]
	if lo+1 < ix.count.terms {
		posts = ix.posts[at32(ix.terms, 2*lo+1):at32(ix.terms, 2*(lo+1)+1)]
	}
	for rest := posts; len(rest) > 0; count++ {
		_, size := binary.Uvarint(rest)
		if size <= 0 || size >= len(rest) {
			break
		}
		rest = rest[size+1:]
	}
	return posts, count
}

// news reports whether a page lists changes.
func news(page string) bool {
	page = strings.ToLower(page)
	for _, w := range []string{"changelog", "whatsnew", "whats-new", "release-notes", "releases/", "release/", "changes", "history", "news",
		"updates"} {
		if strings.Contains(page, w) {
			return true
		}
	}
	return false
}
