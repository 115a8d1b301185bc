package index

import (
	"context"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// The ranking for a briefing answers a question with the records that somebody who knows the
// project would bring up: those that have its words, by BM25, in any of the languages, also when
// they are misspelt; a little of those that have what the best records have in common (feedback);
// and a share of the score of what a record is tied to: its domain, module, code and session, each
// scored as if it were one document, and the records that name each other.

// Feature is a step of Rank beyond BM25. Features can be left out to measure what they are worth.
type Feature uint8

// Features of Rank.
const (
	Feedback  Feature = 1 << iota // words that the best records have in common
	Spelling                      // misspelt words and compounds
	Synonyms                      // other words for the same, in any language
	Structure                     // what records are tied to
)

// RankQuery is a question and where to look for its answer. What is empty does not count.
type RankQuery struct {
	Text    string
	Types   []record.Type
	Project string // filters are compared without case
	Scope   string
	Limit   int     // items, 1 to 200
	Without Feature // left out, to measure

	Standing Standing
}

// Ranked is the answer to a RankQuery, best first. It is empty when nothing is known: no record
// has enough of what the question is about.
type Ranked struct {
	Items   []RankedItem
	Weak    bool     // probably nothing is known: Items are the few records that come nearest
	Unknown []string // words of the question that no record has
}

// RankedItem is a record, or of an exploration one section.
type RankedItem struct {
	Entry
	Score   float64
	Section string // heading of the section with the match, "" before the first
	Line    int    // of the match, else of the title
	Why     Why
	Source  []byte // the file as it was ranked; not to be changed
}

// Why says what brought a record into the answer.
type Why struct {
	Words     []string // of the question that it has, in any form
	Feedback  bool     // words that the best records have in common count in its score
	Neighbour string   // the record or group ("domain auth") that gives it the larger share
	By        string   // how it is tied to that: domain, module, code_ref, session, or the key of the link
}

const (
	maxRanked    = 200
	rankPool     = 96 // records with the best scores that are looked at further
	closePool    = 10 // of which the text is read before the others are scored
	feedbackPool = 4  // of which the words are looked at
)

// Rank returns the records that answer q. Like Query it takes any text for data, reads a file
// again that changed since it was indexed, and needs a Refresh before it to see every change.
func (ix *Index) Rank(ctx context.Context, q RankQuery) (Ranked, error) {
	if q.Limit < 1 || q.Limit > maxRanked {
		return Ranked{}, fault.New(fault.Invalid, "limit is %d, allowed are 1 to %d", q.Limit, maxRanked).For("limit")
	}
	if err := ix.ready(ctx); err != nil {
		return Ranked{}, err
	}
	for try := 0; ; try++ {
		r := &ranking{ix: ix, q: &q, read: map[string][]byte{}}
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
	read  map[string][]byte // files by path
	stale []string          // paths of files that changed

	spot   map[string]spot // where the words stand in the records that were looked at, by path
	common []common        // words that the best records have in common
	weak   bool
}

// chosen is a record of the answer.
type chosen struct {
	candidate
	Entry
	outline []heading
	lang    language
	why     Why
}

func (r *ranking) run(ctx context.Context) (Ranked, error) {
	best, err := r.probe(ctx)
	if err != nil {
		return Ranked{}, err
	}
	r.compare(best)
	if err := ctx.Err(); err != nil || len(r.stale) > 0 {
		return Ranked{}, err
	}
	list, err := r.answer(ctx)
	if err != nil {
		return Ranked{}, err
	}
	items := r.show(list)
	return Ranked{Items: items, Weak: r.weak, Unknown: r.in.unknown()}, ctx.Err()
}

// probe takes the question apart and returns the records with the best scores by words alone.
func (r *ranking) probe(ctx context.Context) ([]chosen, error) {
	ix := r.ix
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	s := newSearch(ctx, ix.contents)
	s.begin()
	defer s.end()
	r.in = s.inquire(r.q.Text)
	if err := s.find(r.in, r.q.Without); err != nil {
		return nil, err
	}
	pool, err := r.pool(s, closePool)
	if err != nil {
		return nil, err
	}
	var list []chosen
	for _, x := range pool {
		l, doc := s.at(x.slot)
		c := chosen{lang: l.seg.language(doc)}
		c.Entry, c.outline = l.seg.entry(doc)
		c.Status = r.q.Standing.of(l, doc, c.Status)
		list = append(list, c)
	}
	return list, nil
}

// pool returns the n records that pass the filters and have the best scores so far.
func (r *ranking) pool(s *search, n int) ([]candidate, error) {
	wanted := r.ix.contents.newFilter(&Query{Types: r.q.Types, Project: r.q.Project, Scope: r.q.Scope, Standing: r.q.Standing})
	best := top{n: n}
	err := s.eachSlot(false, r.named(s), func(slot int, l *live, doc int) {
		x := candidate{sortKey{score: s.scores[slot], created: l.seg.created(doc)}, slot}
		if len(best.list) == n && worse(&x.sortKey, &best.list[0].sortKey) || l.dead.has(doc) || !wanted.wants(l, doc) {
			return
		}
		x.id, x.path = l.seg.id(doc), l.seg.path(doc)
		best.offer(x)
	})
	return best.sorted(), err
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

// compare reads the best records: which words of the question stand side by side in them, and what
// they have in common.
func (r *ranking) compare(best []chosen) {
	r.spot = map[string]spot{}
	m := newMatcher(r.in.found())
	m.answers = true
	shared := newSharing(r.in)
	for i := range best {
		c := &best[i]
		if i >= feedbackPool && r.in.pairs() == 0 {
			break
		}
		src := r.fetch(&c.Entry)
		if src == nil {
			if c.Etag != "" {
				r.stale = append(r.stale, c.Path)
			}
			continue
		}
		r.read[c.Path] = src
		r.spot[c.Path] = m.look(c.Title, src, c.outline, c.lang)
		if i < feedbackPool && r.q.Without&Feedback == 0 {
			shared.add(c, src)
		}
	}
	r.common = shared.list()
}

// fetch returns the bytes of a record as it was indexed, nil where it is not that any more. Several may fetch at once.
func (r *ranking) fetch(e *Entry) []byte {
	if e.Etag == "" {
		return nil
	}
	if src, ok := r.read[e.Path]; ok {
		return src
	}
	f, err := r.ix.st.Read(e.Path)
	switch {
	case err != nil || record.Etag(f.Bytes) != e.Etag:
		return nil
	case f.Bytes == nil:
		return []byte{}
	}
	return f.Bytes
}

// answer scores every record with all that is known by now and returns the best, in order.
func (r *ranking) answer(ctx context.Context) ([]chosen, error) {
	ix := r.ix
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	s := newSearch(ctx, ix.contents)
	s.begin()
	defer s.end()
	r.in.feed(r.common, s)
	if err := s.find(r.in, r.q.Without); err != nil {
		return nil, err
	}
	pool, err := r.pool(s, rankPool)
	if err != nil || len(pool) == 0 {
		return nil, err
	}
	w := newWeb(r, s, pool)
	if err := w.score(); err != nil {
		return nil, err
	}
	known, near := w.known()
	switch {
	case known:
		return w.best(), nil
	case near:
		r.weak = true
		return w.nearest(), nil
	}
	return nil, nil
}

// unknown returns the telling words that no record has.
func (in *inquiry) unknown() (words []string) {
	for i := range in.words {
		if a := &in.words[i]; !a.idle && !a.feedback && !a.gram && a.absent {
			words = append(words, a.text)
		}
	}
	return words
}

// found returns the query with everything by which its words were found, for the matcher.
func (in *inquiry) found() *query {
	q := &query{sequence: in.sequence}
	for i, c := range in.concepts {
		if in.words[i].feedback {
			break // they are the last
		}
		c.variants = slices.Clone(c.variants)
		for _, st := range in.words[i].stages[min(1, len(in.words[i].stages)):] {
			c.variants = append(c.variants, st.variants...)
			for _, pairs := range st.unspaced {
				for _, p := range pairs {
					c.variants = append(c.variants, variant{p, everyLanguage, synonymous})
				}
			}
		}
		c.prefix = ""
		q.concepts = append(q.concepts, c)
	}
	return q
}
