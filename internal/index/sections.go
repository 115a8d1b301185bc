package index

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"sdd/internal/record"
)

// An exploration is long and about several things, so the answer holds its sections: those that
// have as much of the question as the best of them, nearly.

const (
	maxSections  = 3
	sectionLeast = 45 // of what the best section has of the question, in percent
	recordShare  = 40 // of the score of a section that it has from its record, in percent
)

// lookers is how many records are looked at at once, and looksEach how many make another one worth while.
const (
	lookers   = 4
	looksEach = 8
	looksNext = 16 // records that are looked at before it is asked whether more are needed
)

// show returns the items of the answer: where in each record the words of the question stand. Of an
// exploration no section scores more than the record, so it ends when there are enough items that
// score as much as the records that are left.
func (r *ranking) show(list []chosen) []RankedItem {
	q := r.in.found()
	var items []shown
	for from := 0; from < len(list); from += looksNext {
		enough := 0
		for i := range items {
			if items[i].before(&list[from].sortKey) < 0 {
				enough++
			}
		}
		if enough >= r.q.Limit {
			break
		}
		items = append(items, r.look(q, list[from:min(from+looksNext, len(list))])...)
	}
	slices.SortStableFunc(items, func(a, b shown) int { return a.before(&b.sortKey) })
	out := make([]RankedItem, 0, min(len(items), r.q.Limit))
	for _, it := range items[:min(len(items), r.q.Limit)] {
		out = append(out, it.RankedItem)
	}
	return out
}

// look returns the items of these records, in their order.
func (r *ranking) look(q *query, list []chosen) (items []shown) {
	parts := make([][]shown, len(list))
	sources := make([][]byte, len(list))
	var next atomic.Int64
	var done sync.WaitGroup
	for range max(1, min(lookers, runtime.GOMAXPROCS(0), len(list)/looksEach)) {
		done.Go(func() {
			m := newMatcher(q)
			m.answers = true
			for {
				i := int(next.Add(1)) - 1
				if i >= len(list) {
					return
				}
				if sources[i] = r.fetch(&list[i].Entry); sources[i] != nil {
					parts[i] = r.spots(m, &list[i], sources[i])
				}
			}
		})
	}
	done.Wait()
	for i := range list {
		c := &list[i]
		if sources[i] == nil && c.Etag != "" {
			r.stale = append(r.stale, c.Path)
		}
		if parts[i] == nil {
			parts[i] = []shown{{RankedItem{Line: 1}, c.sortKey}}
		}
		for _, it := range parts[i] {
			it.Entry, it.Source = c.Entry, sources[i]
			it.Score = shownScore(c.rank, it.score)
			it.Why.Neighbour, it.Why.By, it.Why.Feedback = c.why.Neighbour, c.why.By, c.why.Feedback
			items = append(items, it)
		}
	}
	return items
}

// shown is an item on its way into the answer.
type shown struct {
	RankedItem
	sortKey
}

// spots returns the places of a record that are shown.
func (r *ranking) spots(m *matcher, c *chosen, src []byte) (list []shown) {
	add := func(line int, name string, score uint32, words uint64) {
		it := shown{RankedItem: RankedItem{Section: name, Line: line}, sortKey: c.sortKey}
		it.score = score
		for w := words; w != 0; w &= w - 1 {
			if a := &r.in.words[bits.TrailingZeros64(w)]; !a.idle {
				it.Why.Words = append(it.Why.Words, a.text)
			}
		}
		list = append(list, it)
	}
	sp, ok := r.spot[c.Path]
	if !ok {
		sp = m.look(c.Title, src, c.outline, c.lang)
	}
	sections := m.query.answering(c, &sp)
	if len(sections) == 0 {
		add(sp.line, sp.section, c.score, sp.words)
		return list
	}
	best := sections[0].worth
	for _, s := range sections[:min(len(sections), maxSections)] {
		if s.worth*100 < best*sectionLeast {
			break
		}
		add(s.line, s.name, uint32(uint64(c.score)*(recordShare+(100-recordShare)*s.worth/best)/100), s.words)
	}
	return list
}

// section is what a section of a record has of a question.
type section struct {
	name  string
	line  int // of the line that has most, else of the heading
	words uint64
	worth uint64
}

// worth is what these concepts count together.
func (q *query) worth(words uint64) (sum uint64) {
	for w := words; w != 0; w &= w - 1 {
		c := &q.concepts[bits.TrailingZeros64(w)]
		sum += uint64(c.idf) * uint64(c.weight)
	}
	return sum
}

// answering returns the sections of a spot in an exploration that have words of the question, those
// with most first; none for other records and for one without sections.
func (q *query) answering(c *chosen, sp *spot) (list []section) {
	if c.Kind != record.Exploration || len(c.outline) < 2 {
		return nil
	}
	for _, s := range sp.sections {
		if s.worth = q.worth(s.words); s.worth > 0 {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b section) int { return cmp.Compare(b.worth, a.worth) })
	return list
}
