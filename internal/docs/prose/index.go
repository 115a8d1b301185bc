package prose

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/gob"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"strings"

	"sdd/internal/analysis"
)

// Index is an index of a documentation's passages. It is immutable; several goroutines may read it. Callers can store its bytes in a file.
type Index struct {
	Pages    []string
	Passages []Passage
	Terms    []string // stems, sorted
	Starts   []uint32 // of the postings of each term in Posts, and their end
	Posts    []byte   // for each passage of a term: the distance to the one before, and how often it has the term
	Words    int      // of all passages
}

// Passage is a passage of a page.
type Passage struct {
	Page          uint32
	Length        uint32 // in words, which count as often as they weigh
	Anchor, Title string
}

// Hit is a passage about a query.
type Hit struct {
	Page   string
	Anchor string
	Title  string
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
	tokens map[string][]*postings // of the parts of a token
	terms  map[string]*postings   // by stem
	posts  int
	tf     map[*postings]int // of the added passage
	out    Index
}

// postings are the passages with a term, in the form of Index.Posts.
type postings struct {
	last  uint32 // passage
	bytes []byte
}

// NewBuilder returns a builder of an empty index.
func NewBuilder() *Builder {
	return &Builder{tokens: map[string][]*postings{}, terms: map[string]*postings{}, tf: map[*postings]int{}}
}

// Page begins a page; the next passages belong to it.
func (b *Builder) Page(file string) { b.out.Pages = append(b.out.Pages, file) }

// Full reports whether the index is at its limit.
func (b *Builder) Full() bool { return b.posts >= maxPosts }

// count adds the words of a text to the passage and returns their number.
func (b *Builder) count(text string, weight int) (n int) {
	tokens(text, func(tok []byte) {
		list, ok := b.tokens[string(tok)]
		if !ok {
			for _, p := range analysis.Split(tok) {
				s := analysis.Stem(p.Text, analysis.English)
				if b.terms[s] == nil {
					b.terms[s] = &postings{}
				}
				list = append(list, b.terms[s])
			}
			b.tokens[string(tok)] = list
		}
		for _, p := range list {
			b.tf[p] += weight
		}
		n += len(list)
	})
	return n
}

// Add adds a passage to the last page. over is the title of the page, whose words find its passages too.
func (b *Builder) Add(anchor, title, over, text string) {
	clear(b.tf)
	length := b.count(text, 1)
	b.count(title, titleWeight)
	if over != title {
		b.count(over, pageWeight)
	}
	if len(b.tf) == 0 {
		return
	}
	n := uint32(len(b.out.Passages))
	b.out.Passages = append(b.out.Passages, Passage{uint32(len(b.out.Pages) - 1), uint32(length), strings.Clone(anchor), strings.Clone(title)})
	b.out.Words += length
	b.posts += len(b.tf)
	for p, tf := range b.tf {
		p.bytes = append(binary.AppendUvarint(p.bytes, uint64(n-p.last)), uint8(min(tf, maxTF)))
		p.last = n
	}
}

// Index returns the index of the added passages. The caller must not use the builder again.
func (b *Builder) Index() *Index {
	b.out.Terms = slices.Sorted(maps.Keys(b.terms))
	for _, t := range b.out.Terms {
		b.out.Starts = append(b.out.Starts, uint32(len(b.out.Posts)))
		b.out.Posts = append(b.out.Posts, b.terms[t].bytes...)
	}
	b.out.Starts = append(b.out.Starts, uint32(len(b.out.Posts)))
	return &b.out
}

const magic = "sdd prose 3\n"

// Bytes is the index in the form that Read reads.
func (ix *Index) Bytes() []byte {
	var b bytes.Buffer
	b.WriteString(magic + "\x00\x00\x00\x00") // and the checksum
	_ = gob.NewEncoder(&b).Encode(ix)         // a buffer takes everything
	data := b.Bytes()
	binary.LittleEndian.PutUint32(data[len(magic):], checksum(data[len(magic)+4:]))
	return data
}

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// Read returns the index in data; false if it has none or a damaged one.
func Read(data []byte) (*Index, bool) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < 4 || binary.LittleEndian.Uint32(rest) != checksum(rest[4:]) {
		return nil, false
	}
	ix := &Index{}
	return ix, gob.NewDecoder(bytes.NewReader(rest[4:])).Decode(ix) == nil
}

// Search returns at most n passages about a query, the best first. of limits the passages of one page.
func (ix *Index) Search(query string, n, of int) []Hit {
	var terms []string
	for _, all := range []bool{false, true} { // a query of stop words only searches for those
		words(query, func(w string) {
			if s := analysis.Stem(w, analysis.English); (all || !empty(w)) && !slices.Contains(terms, s) && len(terms) < 64 {
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
	mean := max(1, float64(ix.Words)/float64(max(1, len(ix.Passages))))
	for _, t := range terms {
		at, ok := slices.BinarySearch(ix.Terms, t)
		if !ok {
			continue
		}
		posts := ix.Posts[ix.Starts[at]:ix.Starts[at+1]]
		with := 0 // passages
		for rest := posts; len(rest) > 0; with++ {
			_, size := binary.Uvarint(rest)
			rest = rest[size+1:]
		}
		idf := math.Log(1 + (float64(len(ix.Passages)-with)+0.5)/(float64(with)+0.5))
		weight += idf
		for passage := uint32(0); len(posts) > 0; {
			d, size := binary.Uvarint(posts)
			passage += uint32(d)
			length, tf := float64(ix.Passages[passage].Length), float64(posts[size])
			scores[passage] += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*length/mean))
			covered[passage] += idf
			posts = posts[size+1:]
		}
	}
	type found struct {
		passage uint32
		score   float64
	}
	all := make([]found, 0, len(scores))
	for p, s := range scores {
		s *= 0.2 + 0.8*covered[p]/weight
		if news(ix.Pages[ix.Passages[p].Page]) {
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
		p := ix.Passages[f.passage]
		if perPage[p.Page] == of {
			continue
		}
		perPage[p.Page]++
		out = append(out, Hit{ix.Pages[p.Page], p.Anchor, p.Title})
	}
	return out
}

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
