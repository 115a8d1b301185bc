package index

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/record"
)

const (
	maxLimit     = 100
	pool         = 32      // records whose text is looked at for neighbouring words
	poolBytes    = 4 << 20 // and how much text at most
	maxRestarts  = 3       // when files turn out to have changed
	exactRank    = 2       // the query is the id, file or topic key
	namedRank    = 1       // the query is the title or slug
	namedScore   = 1000    // what a rank adds to the score that is shown
	maxNameQuery = 512

	phraseWeight = 2 // a word beside its neighbour is worth as much as one that fills a record, nearly
)

// Query returns the records that match q: with a text those that have any of its words, best
// first, without one all, newest first. Nothing in the text is syntax. The words of a hit are
// those in the file now: a file that changed since it was indexed is indexed again first.
func (ix *Index) Query(ctx context.Context, q Query) (Page, error) {
	if q.Limit < 1 || q.Limit > maxLimit {
		return Page{}, fault.New(fault.Invalid, "limit is %d, allowed are 1 to %d", q.Limit, maxLimit).For("limit")
	}
	after, err := q.parseCursor()
	if err != nil {
		return Page{}, err
	}
	if err := ix.ready(ctx); err != nil {
		return Page{}, err
	}
	if q.Session != "" {
		q.saved = ix.st.SavedIn(q.Session)
	}
	for try := 0; ; try++ {
		page, stale, err := ix.query(ctx, &q, after)
		if err != nil || len(stale) == 0 || try == maxRestarts {
			return page, err
		}
		if err := ix.apply(ctx, stale); err != nil {
			return Page{}, err
		}
	}
}

// result is a candidate with what is needed to show it after the lock is gone.
type result struct {
	candidate
	Entry
	outline []heading
	lang    language
	spot    spot
	looked  bool
}

// query runs q over the records as they are indexed and returns the paths of those that turned
// out to have other bytes.
func (ix *Index) query(ctx context.Context, q *Query, after *sortKey) (page Page, stale []string, err error) {
	parsed, head, rest, behind, total, err := ix.candidates(ctx, q, after)
	if err != nil {
		return Page{}, nil, err
	}
	m := newMatcher(&parsed)
	read := 0
	look := func(r *result) {
		if r.looked = true; r.Etag == "" {
			r.spot = spot{line: 1}
			return
		}
		f, err := ix.st.Read(r.Path)
		if err != nil || record.Etag(f.Bytes) != r.Etag {
			stale = append(stale, r.Path)
			return
		}
		read += len(f.Bytes)
		r.spot = m.look(r.Title, f.Bytes, r.outline, r.lang)
	}
	// Words that stand side by side as in the query count once more.
	if n := parsed.pairs(); n > 0 && !q.Bare {
		var idf uint64
		for _, c := range parsed.sequence {
			idf += uint64(parsed.concepts[c].idf)
		}
		for i := range head {
			if err := ctx.Err(); err != nil {
				return Page{}, nil, err
			}
			if read > poolBytes {
				break
			}
			look(&head[i])
			head[i].score += uint32(phraseWeight * idf * uint64(head[i].spot.pairs) / uint64(n))
		}
		slices.SortFunc(head, func(a, b result) int { return a.before(&b.sortKey) })
	}
	if after != nil {
		head = slices.DeleteFunc(head, func(r result) bool { return r.before(after) <= 0 })
	}
	page.Total = total
	shown := append(head, rest...)
	page.After = len(head) + behind
	shown = shown[:min(len(shown), q.Limit)]
	page.After -= len(shown)
	for i := range shown {
		r := &shown[i]
		if err := ctx.Err(); err != nil {
			return Page{}, nil, err
		}
		if !r.looked && !q.Bare {
			look(r)
		}
		page.cursors = append(page.cursors, r.cursor(q))
		page.Hits = append(page.Hits, Hit{
			Entry: r.Entry, Score: shownScore(r.rank, r.score), Section: r.spot.section, Line: max(r.spot.line, 1), Snippet: r.spot.snippet, Text: r.spot.text,
		})
	}
	return page, stale, nil
}

// shownScore is the score as callers see it, with three decimals.
func shownScore(rank uint8, score uint32) float64 {
	return float64(uint64(rank)*namedScore*1000+uint64(score)*1000>>idfBits) / 1000
}

// candidates returns the records that are best by their words alone (head, when words stand in a
// row in q), those behind them that come after the cursor (rest), how many there are of the
// latter in all, and of all.
func (ix *Index) candidates(ctx context.Context, q *Query, after *sortKey) (parsed query, head, rest []result, behind, total int, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	c := ix.contents
	s := newSearch(ctx, c)
	s.begin()
	defer s.end()
	parsed = parseQuery(q.Text, s.rarity)
	listing := strings.TrimSpace(q.Text) == ""
	if err = s.run(&parsed); err != nil {
		return
	}
	ranks := s.named(c, q.Text)
	wanted := c.newFilter(q)
	first := top{}
	if parsed.pairs() > 0 {
		first.n = pool
	}
	next := top{n: q.Limit}
	offer := func(x candidate) {
		if after != nil && x.before(after) <= 0 {
			return
		}
		behind++
		next.offer(x)
	}
	consider := func(slot int, l *live, doc int) {
		if l.dead.has(doc) || !wanted.wants(l, doc) {
			return
		}
		total++
		x := candidate{sortKey{rank: ranks[slot], gone: wanted.gone(l, doc), score: s.scores[slot], created: l.seg.created(doc)}, slot}
		if first.n == 0 && after == nil && len(next.list) == next.n && worse(&x.sortKey, &next.list[0].sortKey) {
			behind++
			return // without a look at its id
		}
		x.id, x.path = l.seg.id(doc), l.seg.path(doc)
		if out, full := first.offer(x); full {
			offer(out)
		}
	}
	if err = s.eachSlot(listing, ranks, consider); err != nil {
		return
	}
	take := func(list []candidate) (rs []result) {
		for _, x := range list {
			l, doc := s.at(x.slot)
			r := result{candidate: x, lang: l.seg.language(doc)}
			r.Entry, r.outline = l.seg.entry(doc)
			r.Status = q.Standing.of(l, doc, r.Status)
			r.id, r.path = []byte(r.ID), []byte(r.Path) // what they were is gone with the lock
			rs = append(rs, r)
		}
		return rs
	}
	return parsed, take(first.sorted()), take(next.sorted()), behind, total, nil
}

// eachSlot calls f for every record, or for those with a score or rank.
func (s *search) eachSlot(all bool, ranks map[int]uint8, f func(slot int, l *live, doc int)) error {
	if all {
		for k, l := range s.segs {
			for doc := range l.seg.len() {
				if doc%ctxEvery == 0 && s.ctx.Err() != nil {
					return s.ctx.Err()
				}
				f(s.base[k]+doc, l, doc)
			}
		}
		return nil
	}
	for slot := range ranks {
		if s.scores[slot] == 0 {
			s.scored = append(s.scored, uint32(slot))
		}
	}
	for i, slot := range s.scored {
		if i%ctxEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		l, doc := s.at(int(slot))
		f(int(slot), l, doc)
	}
	return nil
}

// worse reports whether a comes after b whatever their ids.
func worse(a, b *sortKey) bool {
	if a.rank != b.rank {
		return a.rank < b.rank
	}
	if a.gone != b.gone {
		return a.gone
	}
	if a.score != b.score {
		return a.score < b.score
	}
	return a.created < b.created
}

// named returns the slots of the records whose name the text of a query is.
func (s *search) named(c *contents, text string) map[int]uint8 {
	if len(text) > maxNameQuery {
		return nil
	}
	ranks := map[int]uint8{}
	c.named(text, func(l *live, doc int, by nameKind) {
		rank := uint8(namedRank)
		if by&(byID|byPath|byTopicKey) != 0 {
			rank = exactRank
		}
		slot := s.base[slices.Index(s.segs, l)] + doc
		ranks[slot] = max(ranks[slot], rank)
	})
	return ranks
}
