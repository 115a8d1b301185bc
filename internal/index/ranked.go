package index

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// The ranking for a briefing answers a question with the passages that an engineer who knows the project would bring up: those
// that have its words, by BM25, in any of the languages, also when they are misspelt; those that stand beside them in the
// same record, list or session; and a share of what the best of their group and the records that they name have.
//
// The inverted index finds the records; their text, and that of the project's documents, is then weighed passage by passage.

// RankQuery is a question and where to look for its answer. What is empty does not count.
type RankQuery struct {
	Text      string
	Types     []record.Type
	Project   string // filters are compared without case
	Scope     string
	Limit     int        // items, 1 to 400
	Documents []Document // that are looked at beside the records
	Standing  Standing
}

// Document is a text of the project that is no record.
type Document struct {
	Path   string // as the answer shows it
	Title  string
	Source []byte
}

// Ranked is the answer to a RankQuery, best first. It is empty when nothing is known: nothing has a telling word of the question.
type Ranked struct {
	Items   []RankedItem
	Weak    bool     // probably nothing is known: Items are the few that come nearest
	Unknown []string // words of the question that no record and no document has
	Known   []string // the telling ones that some has
}

// RankedItem is a passage.
type RankedItem struct {
	Entry   // of a document only Path and Title
	Score   float64
	Section string // heading of level 2 above it, "" before the first
	Heading string // the nearest deeper one, "" without
	Line    int    // its first
	Text    string // the lines as they stand there
	Item    bool   // it is an item of a list
	Of      int    // how many passages the text has
	Why     Why
	Source  []byte // the file as it was ranked; not to be changed

	outline []heading
}

// All returns the passages of the text that i is one of, in their order, without scores.
func (i *RankedItem) All() []RankedItem {
	list := passagesOf(i.Source, i.outline)
	out := make([]RankedItem, len(list))
	for n, p := range list {
		out[n] = RankedItem{Entry: i.Entry, Section: p.section, Heading: p.heading, Line: p.line, Item: p.item, Of: len(list), Source: i.Source,
			Text: p.text(i.Source)}
	}
	return out
}

// Why is what brought a passage into the answer.
type Why struct {
	Words     []string // of the question that it has, in any form
	Neighbour string   // the record or group ("domain auth") that gives it the larger share
	By        string   // how it is tied to that: next, domain, module, code_ref, session, or the key of the link
}

const (
	maxRanked   = 400
	rankPool    = 160     // records with the best scores that are read
	rankBytes   = 2 << 20 // and how much text, of long records
	readInAny   = 16      // records that are read however long they are
	maxNodes    = 448     // records that are read
	lookers     = 4       // that read at once
	nearMost    = 80      // passages that are shown when nothing is known
	knownLeast  = 36      // how much of a question some record has to have, in percent
	groupLeast  = 50      // or some group
	mostOfPage  = 2       // passages of a document that count in full
	pageCover   = 30      // how much of the question's words a passage of a document has, in percent of the best passage
	shortCover  = 60      // the same of a question with few telling words
	shortAsked  = 3       // as many are few
	pageLeast   = 33      // of the best score by own words that it has, in percent
	pageBeside  = 80      // what counts of its score where a record answers, in percent
	mostOfPages = 16      // passages of documents
	lastShare   = 3       // of the best score that the last passage of a record has, in percent
)

// Rank returns the passages that answer q. Like Query it takes any text for data, reads a file
// again that changed since it was indexed, and needs a Refresh before it to see every change.
func (ix *Index) Rank(ctx context.Context, q RankQuery) (Ranked, error) {
	if q.Limit < 1 || q.Limit > maxRanked {
		return Ranked{}, fault.New(fault.Invalid, "limit is %d, allowed are 1 to %d", q.Limit, maxRanked).For("limit")
	}
	if err := ix.ready(ctx); err != nil {
		return Ranked{}, err
	}
	for try := 0; ; try++ {
		r := &ranking{ix: ix, q: &q, at: map[int]int{}}
		out, err := r.run(ctx)
		if err != nil || len(r.stale) == 0 || try == maxRestarts {
			return out, err
		}
		if err := ix.apply(ctx, r.stale); err != nil {
			return Ranked{}, err
		}
	}
}

// ranking is one call of Rank.
type ranking struct {
	ix    *Index
	q     *RankQuery
	in    *inquiry
	n     int     // records in all
	nodes []*node // records and documents
	at    map[int]int
	teams []*team
	edges []edge
	stale []string // paths of files that changed

	recorded bool // a record answers, not only documents
}

// node is a record, or a document, that may answer.
type node struct {
	Entry
	sortKey
	outline  []heading
	lang     language
	rank     uint8 // how exactly the question names it
	wanted   bool  // passes the filters
	document bool
	standing uint64 // what its status leaves of its score, in percent
	src      []byte
	head     []hit // what its title and front matter have
	units    []unit
	cover    uint64
	worth    uint64 // of all its passages together, each word once
	most     [maxConcepts]uint64
}

func (r *ranking) run(ctx context.Context) (Ranked, error) {
	if err := r.choose(ctx); err != nil {
		return Ranked{}, err
	}
	r.read()
	if err := ctx.Err(); err != nil || len(r.stale) > 0 {
		return Ranked{}, err
	}
	known, near := r.weigh()
	out := Ranked{Unknown: r.in.unknown(), Known: r.in.known()}
	if known || near {
		out.Weak = !known
		out.Items = r.items(out.Weak)
	}
	return out, ctx.Err()
}

// choose takes the question apart and finds the records that are read: the best by their words, those that they are tied to,
// and those that stand beside them.
func (r *ranking) choose(ctx context.Context) error {
	ix := r.ix
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	s := newSearch(ctx, ix.contents)
	s.begin()
	defer s.end()
	r.n = s.n
	r.in = s.inquire(r.q.Text)
	if err := s.find(r.in); err != nil {
		return err
	}
	ranks := r.named(s)
	wanted := ix.contents.newFilter(&Query{Types: r.q.Types, Project: r.q.Project, Scope: r.q.Scope, Standing: r.q.Standing})
	best := top{n: rankPool}
	err := s.eachSlot(false, ranks, func(slot int, l *live, doc int) {
		x := candidate{sortKey{rank: ranks[slot], score: s.scores[slot], created: l.seg.created(doc)}, slot}
		if best.tooLate(&x.sortKey) || l.dead.has(doc) || !wanted.wants(l, doc) {
			return
		}
		x.id, x.path = l.seg.id(doc), l.seg.path(doc)
		best.offer(x)
	})
	if err != nil {
		return err
	}
	t := tying{ranking: r, s: s, wanted: wanted}
	size := int64(0)
	for i, x := range best.list {
		l, doc := s.at(x.slot)
		if size += int64(l.seg.u32(doc, atSize)); size > rankBytes && i >= readInAny {
			break
		}
		r.nodes[t.node(x.slot)].rank = ranks[x.slot]
	}
	t.tieAll()
	for _, d := range r.q.Documents {
		r.nodes = append(r.nodes, &node{Entry: Entry{Path: d.Path, Title: d.Title}, sortKey: sortKey{created: noDate, path: []byte(d.Path)},
			src: d.Source, document: true, wanted: true, standing: 100})
	}
	return nil
}

// named returns the slots of the records that the question, or a word of it, is a name of.
func (r *ranking) named(s *search) map[int]uint8 {
	ranks := s.named(r.ix.contents, r.q.Text)
	if ranks == nil {
		ranks = map[int]uint8{}
	}
	for _, name := range r.in.names {
		r.ix.contents.named(name, func(l *live, doc int, by nameKind) {
			if by&(byID|byPath|byTopicKey) != 0 {
				slot := s.base[slices.Index(s.segs, l)] + doc
				ranks[slot] = max(ranks[slot], namedRank)
			}
		})
	}
	return ranks
}

// read reads the records and looks for the words of the question in them.
func (r *ranking) read() {
	words := r.in.matcher()
	stale := make([]bool, len(r.nodes))
	divide(len(r.nodes), lookers, func(numbers iter.Seq[int]) {
		look := looker{words.clone(), r.in}
		for i := range numbers {
			n := r.nodes[i]
			if !n.document {
				f, err := r.ix.st.Read(n.Path)
				if err != nil || record.Etag(f.Bytes) != n.Etag {
					stale[i] = n.Etag != ""
					continue
				}
				if n.src = f.Bytes; bytes.Contains(n.src, []byte("\n<<<<<<< ")) { // the sides of a merge conflict are put in words
					n.src, n.outline = []byte(record.InWords(string(n.src))), nil
				}
			}
			look.node(n)
		}
	})
	for i, is := range stale {
		if is {
			r.stale = append(r.stale, r.nodes[i].Path)
		}
	}
}

// items are the passages of the answer, in order.
func (r *ranking) items(weak bool) []RankedItem {
	type place struct {
		sortKey
		node, unit int
	}
	var list []place
	var most, bestOwn, bestCover uint64
	for _, n := range r.nodes {
		for k := range n.units {
			bestOwn, bestCover = max(bestOwn, n.units[k].own), max(bestCover, n.units[k].cover)
		}
	}
	leastCover := bestCover * pageCover / 100
	if len(r.in.known()) <= shortAsked {
		leastCover = bestCover * shortCover / 100
	}
	for i, n := range r.nodes {
		if !n.wanted || n.standing == 0 {
			continue
		}
		for k := range n.units {
			u := &n.units[k]
			score := (u.own + u.extra) * n.standing / 100
			if score == 0 && (n.rank == 0 || k > 0) {
				continue
			}
			if n.document { // what it does not answer by itself is noise
				if u.cover < leastCover || u.own*100 < bestOwn*pageLeast {
					continue
				}
				if r.recorded {
					score = score * pageBeside / 100
				}
			}
			most = max(most, score)
			key := n.sortKey
			key.rank, key.score = n.rank, uint32(min(score, 1<<32-1))
			list = append(list, place{key, i, k})
		}
	}
	list = slices.DeleteFunc(list, func(p place) bool {
		return p.rank == 0 && uint64(p.score)*100 < most*lastShare
	})
	order := func(a, b place) int {
		if c := a.before(&b.sortKey); c != 0 {
			return c
		}
		return a.unit - b.unit
	}
	slices.SortFunc(list, order)
	told := map[int]int{} // passages of a document that are better: the next adds less than one of another document
	for i := range list {
		if p := &list[i]; r.nodes[p.node].document {
			if told[p.node]++; told[p.node] > mostOfPage {
				p.score = uint32(uint64(p.score) * mostOfPage / uint64(told[p.node]))
			}
		}
	}
	slices.SortFunc(list, order)
	pages := 0
	list = slices.DeleteFunc(list, func(p place) bool {
		if r.nodes[p.node].document {
			pages++
		}
		return r.nodes[p.node].document && pages > mostOfPages
	})
	limit := r.q.Limit
	if weak {
		limit = min(limit, nearMost)
	}
	list = list[:min(len(list), limit)]
	out := make([]RankedItem, len(list))
	for i, p := range list {
		n := r.nodes[p.node]
		u := &n.units[p.unit]
		it := RankedItem{Entry: n.Entry, Score: shownScore(p.rank, p.score), Section: u.section, Heading: u.heading, Line: u.line,
			Text: u.text(n.src), Item: u.item, Of: len(n.units), Why: u.why, Source: n.src, outline: n.outline}
		if u.extra <= u.own/8 {
			it.Why.Neighbour, it.Why.By = "", ""
		}
		it.Why.Words = r.in.telling(u.words)
		out[i] = it
	}
	return out
}

// unknown returns the telling words that nothing has.
func (in *inquiry) unknown() (words []string) {
	for i := range in.words {
		if a := &in.words[i]; !a.idle && !a.gram && a.absent {
			words = append(words, a.text)
		}
	}
	return words
}

// known returns the telling words that something has.
func (in *inquiry) known() (words []string) {
	for i := range in.words {
		if a := &in.words[i]; !a.idle && !a.gram && !a.absent {
			words = append(words, a.text)
		}
	}
	return words
}

// telling returns the telling ones of these words.
func (in *inquiry) telling(set uint64) (words []string) {
	for i := range in.words {
		if a := &in.words[i]; set&(1<<i) != 0 && !a.idle {
			words = append(words, a.text)
		}
	}
	return words
}
