package index

import (
	"context"
	"iter"
	"strings"

	"sdd/internal/analysis"
	"sdd/internal/fault"
	"sdd/internal/record"
)

const (
	maxLimit     = 100
	maxRestarts  = 3    // when files turn out to have changed
	exactRank    = 2    // the query is the id, file or topic key
	namedRank    = 1    // the query is the title or slug
	namedScore   = 1000 // the score shown for each rank
	maxNameQuery = 512

	hitsPerWorker = 5 // the least number of files for each goroutine that reads them
)

// Query returns the records that match q, best first; without a text all, newest first. Files that changed are indexed again first.
// Nothing in the text is syntax.
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
	return fresh(ctx, ix, func() (Page, []string, error) { return ix.query(ctx, &q, after) })
}

// fresh repeats a call that finds changed files, after the index has read them.
func fresh[T any](ctx context.Context, ix *Index, call func() (out T, stale []string, err error)) (T, error) {
	for try := 0; ; try++ {
		out, stale, err := call()
		if err != nil || len(stale) == 0 || try == maxRestarts {
			return out, err
		}
		if err := ix.apply(ctx, stale); err != nil {
			return *new(T), err
		}
	}
}

// result is a candidate with the fields that a hit needs after the lock is released.
type result struct {
	candidate
	Entry
	outline []heading
	lang    analysis.Language
}

// query runs q over the records as indexed. It returns the paths of the files whose bytes differ from the indexed ones.
func (ix *Index) query(ctx context.Context, q *Query, after *sortKey) (page Page, stale []string, err error) {
	parsed, shown, err := ix.candidates(ctx, q, after, &page)
	if err != nil {
		return Page{}, nil, err
	}
	m := newMatcher(&parsed)
	page.Hits = make([]Hit, len(shown))
	changed := make([]bool, len(shown))
	divide(len(shown), len(shown)/hitsPerWorker+1, func(numbers iter.Seq[int]) {
		m := m.clone()
		for i := range numbers {
			r := &shown[i]
			spot := spot{line: 1}
			if src, ok := q.Elsewhere.source(r.Path); ok && !q.Bare {
				spot = m.look(src, r.outline, r.lang)
			} else if !q.Bare && r.Etag != "" && ctx.Err() == nil {
				f, err := ix.st.Read(r.Path)
				if err != nil || record.Etag(f.Bytes) != r.Etag {
					changed[i] = true
				} else {
					spot = m.look(f.Bytes, r.outline, r.lang)
				}
			}
			page.Hits[i] = Hit{
				Entry: r.Entry, Score: shownScore(r.rank, r.score), Section: spot.section, Line: spot.line, Snippet: spot.snippet, Text: spot.text,
			}
		}
	})
	for i, r := range shown {
		page.cursors = append(page.cursors, r.cursor(q))
		if changed[i] {
			stale = append(stale, r.Path)
		}
	}
	if err := ctx.Err(); err != nil {
		return Page{}, nil, err
	}
	return page, stale, nil
}

// shownScore returns the score for callers, with three decimals.
func shownScore(rank uint8, score uint32) float64 {
	return float64(uint64(rank)*namedScore*1000+uint64(score)*1000>>idfBits) / 1000
}

// candidates returns the best records behind the cursor, and fills in the counts of page.
func (ix *Index) candidates(ctx context.Context, q *Query, after *sortKey, page *Page) (parsed query, shown []result, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	c := ix.contents.with(q.Elsewhere)
	s := newSearch(ctx, c)
	s.begin()
	defer s.end()
	parsed = parseQuery(q.Text, s.rarity)
	if err := s.run(&parsed); err != nil {
		return parsed, nil, err
	}
	ranks := s.named(c, q.Text)
	for _, path := range q.First {
		if at, ok := c.find(path); ok && ranks != nil {
			slot := s.slot(at.live, int(at.doc))
			ranks[slot] = max(ranks[slot], namedRank)
		}
	}
	wanted := c.newFilter(q)
	best := top{n: q.Limit}
	behind := 0
	err = s.eachSlot(strings.TrimSpace(q.Text) == "", ranks, func(slot int, l *live, doc int) {
		if l.bare && !l.dead.has(doc) && c.census.wanted(doc, q.Types) {
			page.Total++
			behind++
		}
		if l.bare || l.dead.has(doc) || !wanted.wants(l, doc) {
			return
		}
		page.Total++
		x := candidate{sortKey{rank: ranks[slot], gone: q.Standing.gone(l, doc), score: s.scores[slot], created: l.seg.created(doc)}, slot}
		if after == nil && best.tooLate(&x.sortKey) {
			behind++
			return
		}
		if x.id, x.path = l.seg.id(doc), l.seg.path(doc); after == nil || x.before(after) > 0 {
			behind++
			best.offer(x)
		}
	})
	for _, x := range best.list {
		l, doc := s.at(x.slot)
		r := result{candidate: x, lang: l.seg.language(doc)}
		r.Entry, r.outline = l.seg.entry(doc)
		r.Status = q.Standing.of(l, doc, r.Status)
		r.id, r.path = []byte(r.ID), []byte(r.Path) // copies: the segment may be closed after the lock is released
		shown = append(shown, r)
	}
	page.After = behind - len(shown)
	return parsed, shown, err
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

// named returns the slots of the records that have the text of a query as a name.
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
		slot := s.slot(l, doc)
		ranks[slot] = max(ranks[slot], rank)
	})
	return ranks
}
