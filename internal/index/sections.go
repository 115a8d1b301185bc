package index

import (
	"cmp"
	"math/bits"
	"slices"

	"sdd/internal/record"
)

// An exploration is long and about several things, so the answer holds its sections: those that
// have as much of the question as the best of them, nearly.

const (
	maxSections  = 3
	sectionLeast = 45 // of what the best section has of the question, in percent
	recordShare  = 40 // of the score of a section that it has from its record, in percent
)

// show returns the items of the answer: where in each record the words of the question stand.
func (r *ranking) show(list []chosen) []RankedItem {
	q := r.in.found()
	m := newMatcher(q)
	type shown struct {
		RankedItem
		sortKey
		part int
	}
	var items []shown
	for i := range list {
		c := &list[i]
		src, ok := r.file(&c.Entry)
		add := func(sp spot, score uint32, words uint64) {
			why := c.why
			for w := words; w != 0; w &= w - 1 {
				if a := &r.in.words[bits.TrailingZeros64(w)]; !a.idle && !a.feedback {
					why.Words = append(why.Words, a.text)
				}
			}
			key := c.sortKey
			key.score = score
			items = append(items, shown{RankedItem{
				Entry: c.Entry, Score: shownScore(c.rank, score), Section: sp.section, Line: max(sp.line, 1), Why: why, Source: src,
			}, key, len(items)})
		}
		if !ok {
			add(spot{}, c.score, 0)
			continue
		}
		sections := m.sections(c, src)
		if len(sections) == 0 {
			sp := m.look(c.Title, src, c.outline, c.lang)
			add(sp, c.score, sp.words)
			continue
		}
		best := sections[0].worth
		for k, s := range sections {
			if k == maxSections || s.worth*100 < best*sectionLeast {
				break
			}
			score := uint64(c.score) * (recordShare + (100-recordShare)*s.worth/best) / 100
			add(spot{line: s.line, section: s.name}, uint32(score), s.words)
		}
	}
	slices.SortFunc(items, func(a, b shown) int {
		if c := a.before(&b.sortKey); c != 0 {
			return c
		}
		return a.part - b.part
	})
	out := make([]RankedItem, 0, min(len(items), r.q.Limit))
	for _, it := range items[:min(len(items), r.q.Limit)] {
		out = append(out, it.RankedItem)
	}
	return out
}

// section is what a section of a record has of a question.
type section struct {
	name  string
	line  int // of the line that has most, else of the heading
	words uint64
	worth uint64
}

// sections returns the sections of an exploration that have words of the question, those with most
// first; none for other records and for one without sections.
func (m *matcher) sections(c *chosen, src []byte) []section {
	if c.Kind != record.Exploration || len(c.outline) < 2 {
		return nil
	}
	worth := func(words uint64) (sum uint64) {
		for w := words; w != 0; w &= w - 1 {
			x := &m.query.concepts[bits.TrailingZeros64(w)]
			sum += uint64(x.idf) * uint64(x.weight)
		}
		return sum
	}
	var list []section
	at, most := section{}, uint64(0)
	next := c.outline
	flush := func() {
		if at.worth = worth(at.words); at.worth > 0 && at.line > 0 {
			list = append(list, at)
		}
		at, most = section{}, 0
	}
	lines(src, c.outline, func(n int, b []byte, z zone) bool {
		if z == silent || z == front || z == title {
			return true
		}
		if len(next) > 0 && next[0].line == n {
			flush()
			at.name, at.line = next[0].name, n
			next = next[1:]
		}
		var words uint64
		tokens(b, func(t token) bool {
			words |= m.token(b[t.start:t.end], t.kind, c.lang).exact
			return true
		})
		if w := worth(words); w > most {
			most, at.line = w, n
		}
		at.words |= words
		return true
	})
	flush()
	slices.SortStableFunc(list, func(a, b section) int { return cmp.Compare(b.worth, a.worth) })
	return list
}
