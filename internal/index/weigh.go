package index

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"sdd/internal/record"
)

// What a passage is worth: BM25 over its own words, its headings and, less, the title and the front matter of its record, in
// whole numbers, so that neither the order of sums nor the processor can change it; then what it is tied to.

// Shares in percent.
const (
	headingHit = 100 // a word of a heading, of one that the passage has itself
	titleHit   = 60  // of the title or the front matter
	coverShare = 40  // of a score for having all words of the question
	headBest   = 120 // added to the score of the first passage below a heading that the question names
	bareShare  = 70  // of the score of a passage of a document that is nothing but code or a table
	besideWord = 30  // of a synonym, where some record has the word itself
	phraseBest = 40  // added to a score for having them all in a row

	nextShare    = 50 // of the passage before, which is mostly what this one answers or goes on with
	beforeShare  = 30 // of the passage behind
	secondShare  = 25 // of those two away
	moduleShare  = 60 // of the mean of the best three of a group
	codeShare    = 60
	domainShare  = 50
	sessionShare = 40
	recordShare  = 30
	linkShare    = 35 // of the best passage of a record that names this one, or that it names
)

// unit is a passage with what it has of a question.
type unit struct {
	passage
	hits   []hit
	words  uint64 // the concepts that it has, a bit for each
	pairs  int
	length int
	named  uint64 // the concepts of its heading, of the first passage below one with few other words
	own    uint64
	extra  uint64
	cover  uint64 // how much of the words that something has, in percent of what they are worth
	why    Why
}

// matcher finds what passages have of the question: its words in every way in which they are looked for.
func (in *inquiry) matcher() *matcher {
	m := emptyMatcher(&in.query)
	for i, w := range in.words {
		for _, st := range w.stages {
			percent := 100
			if st.how == bySynonym && w.exact {
				percent = besideWord
			}
			for _, v := range st.variants {
				m.add(v.term, hit{uint8(i), st.how, v.weight * percent / 100})
			}
			for _, parts := range st.parts {
				for _, p := range parts {
					for _, v := range p.variants {
						m.add(v.term, hit{uint8(i), st.how, v.weight * percent / 100 * allParts / 100 / len(parts)})
					}
				}
			}
		}
	}
	return m
}

// looker looks for a question in texts, one after the other.
type looker struct {
	*matcher
	in *inquiry
}

// text collects what a text has; length is its words, pairs the neighbours in the question that are neighbours here.
func (k *looker) text(src []byte, lang language, percent int, list []hit) (_ []hit, length, pairs int) {
	var before, near uint64
	tokens(src, func(t token) bool {
		if t.kind == pair {
			length-- // its characters count
		}
		length++
		hits := k.token(src[t.start:t.end], t.kind, lang)
		if t.kind == single && len(hits) == 0 {
			return true
		}
		for _, h := range hits {
			h.weight = h.weight * percent / 100
			list = addHit(list, h, true)
		}
		now := concepts(hits)
		near |= k.neighbours(before, now)
		before = now
		return true
	})
	return list, length, bits.OnesCount64(near)
}

// node looks at a record or document.
func (k *looker) node(n *node) {
	if n.document {
		n.lang = languageOf(n.src)
	}
	if n.Kind == record.Exploration || n.Kind == record.Decision || n.document {
		n.head, _, _ = k.text([]byte(n.Title), n.lang, titleHit, n.head)
	}
	if n.document {
		n.head, _, _ = k.text([]byte(n.Path), n.lang, titleHit, n.head)
	} else {
		lines(n.src, n.outline, func(_ int, line []byte, z zone) bool {
			if z == front {
				n.head, _, _ = k.text(line, n.lang, titleHit, n.head)
			}
			return z == silent || z == front || z == title
		})
	}
	if day := n.day(); day != "" {
		for i := range k.in.concepts {
			if asked, ok := strings.CutPrefix(k.in.concepts[i].variants[0].term, groupTerm+dateGroup); ok && strings.HasPrefix(day, asked) {
				n.head = addHit(n.head, hit{uint8(i), byWord, 100}, true)
			}
		}
	}
	list := passagesOf(n.src, n.outline)
	n.units = make([]unit, len(list))
	section, sub := "", ""
	var above []hit
	aboveLength := 0
	matched := false
	for i, p := range list {
		u := &n.units[i]
		u.passage = p
		u.hits, u.length, u.pairs = k.text(n.src[p.from:p.to], n.lang, 100, nil)
		if p.section != section || p.heading != sub {
			section, sub = p.section, p.heading
			above, _, _ = k.text([]byte(section+"\n"+sub), n.lang, headingHit, nil)
			aboveLength = len(strings.Fields(cmp.Or(sub, section)))
		}
		if p.first && n.document && len(above) > 0 && aboveLength <= 2*len(above) {
			u.named = concepts(above)
		}
		for _, h := range above {
			u.hits = addHit(u.hits, h, true)
		}
		matched = matched || len(u.hits) > 0
	}
	if len(n.units) == 0 && !n.document { // a title alone
		n.units = []unit{{passage: passage{line: 1}}}
	}
	for i := range n.units {
		u := &n.units[i]
		if len(u.hits) > 0 || !matched && i == 0 {
			for _, h := range n.head {
				u.hits = addHit(u.hits, h, true)
			}
		}
		u.words = concepts(u.hits)
	}
}

// languageOf guesses the language of a document from its start.
func languageOf(src []byte) language {
	var g guess
	count := 0
	tokens(src, func(t token) bool {
		g.add(hintOf(src[t.start:t.end]))
		count++
		return count < languageTokens
	})
	return g.language()
}

// weigh scores every passage. known reports whether some record, or group, has enough of what the question is about; near,
// whether something has any of it.
func (r *ranking) weigh() (known, near bool) {
	in := r.in
	// Passages are counted as records are: where a record that was read has several, each is one.
	n, words, length := r.n, make([]int, len(in.concepts)), 0
	units := 0
	var exact uint64 // words that a document has
	for _, x := range r.nodes {
		var all uint64
		for i := range x.units {
			u := &x.units[i]
			all |= u.words
			for _, h := range u.hits {
				if x.document && h.how == byWord {
					exact |= 1 << h.concept
				}
			}
			units++
			length += u.length
			for mask := u.words; mask != 0; mask &= mask - 1 {
				words[bits.TrailingZeros64(mask)]++
			}
		}
		n += len(x.units)
		if !x.document {
			n--
			for mask := all; mask != 0; mask &= mask - 1 {
				words[bits.TrailingZeros64(mask)]--
			}
		}
		for mask := all; mask != 0; mask &= mask - 1 {
			in.words[bits.TrailingZeros64(mask)].absent = false
		}
	}
	mean := max(1, length/max(1, units))
	idfs := make([]uint64, len(in.concepts))
	var need uint64 // of all telling words
	telling := 0
	var subject, present uint64 // the telling words that something has, and what they are worth
	for i := range in.concepts {
		a := &in.words[i]
		idfs[i] = uint64(idf(max(1, n), max(0, a.df+words[i]))) * uint64(in.concepts[i].weight) / 100
		switch {
		case a.idle:
		case !a.absent:
			telling++
			need += idfs[i]
			present += idfs[i]
			subject |= 1 << i
		case a.gram:
			need += idfs[i] / 3
		default:
			need += idfs[i]
		}
	}
	if telling == 0 {
		return r.anyNamed(), false
	}
	pairs := uint64(in.pairs())
	for _, x := range r.nodes {
		var best, most [maxConcepts]uint64 // of the record: how well it has each word, and what that is worth
		for i := range x.units {
			u := &x.units[i]
			var cover uint64
			for _, h := range u.hits {
				c := h.concept
				weight := uint64(h.weight)
				if h.how == bySynonym && !in.words[c].exact && exact&(1<<c) != 0 {
					weight = weight * besideWord / 100
				}
				worth := idfs[c] * relevance(weight, uint64(u.length), uint64(mean)) >> relBits
				u.own += worth
				most[c] = max(most[c], worth)
				if !in.words[c].idle {
					cover += idfs[c] * matchWeight[h.how] / 100
					best[c] = max(best[c], idfs[c]*matchWeight[h.how]/100)
				}
			}
			u.cover = cover * 100 / max(1, present)
			u.own = u.own * (100 - coverShare + coverShare*min(cover, need)/need) / 100
			if x.document && (x.src[u.from] == '`' || x.src[u.from] == '|') {
				u.own = u.own * bareShare / 100
			}
			if u.named&subject == subject && subject != 0 {
				u.own += u.own * headBest / 100
			}
			if pairs > 0 {
				u.own += u.own * phraseBest * uint64(u.pairs) / pairs / 100
			}
		}
		for c, b := range best {
			x.cover += b
			x.worth += most[c]
		}
		x.most = most
		near = near || x.wanted && x.cover > 0
		if x.rank > 0 || x.wanted && x.cover*100 >= knownLeast*need {
			known = true
			r.recorded = r.recorded || !x.document
		}
	}
	for _, t := range r.teams {
		var best, most [maxConcepts]uint64
		for _, m := range t.members {
			for c, w := range r.nodes[m].most {
				most[c] = max(most[c], w)
			}
			for i := range r.nodes[m].units {
				for _, h := range r.nodes[m].units[i].hits {
					if c := h.concept; !in.words[c].idle {
						best[c] = max(best[c], idfs[c]*matchWeight[h.how]/100)
					}
				}
			}
		}
		sum := uint64(0)
		for c, b := range best {
			sum += b
			t.worth += most[c]
		}
		known = known || sum*100 >= groupLeast*need
	}
	r.share()
	return known, near
}

func (r *ranking) anyNamed() bool {
	return slices.ContainsFunc(r.nodes, func(n *node) bool { return n.rank > 0 })
}

// relevance is the share of a word in a passage, as BM25 has it, with relBits of fraction. A long passage is set off, a short one is
// no better for it.
func relevance(weight, length, mean uint64) uint64 {
	const k = 100 * saturation
	norm := k * (100*(1-lengthBias) + 100*lengthBias*max(length, mean)/mean) / 100
	return weight * (k + 100) << relBits / (100 * max(1, weight+norm))
}

// share gives passages their shares of what they are tied to.
func (r *ranking) share() {
	give := func(to *unit, add uint64, neighbour, by string, most *uint64) {
		to.extra += add
		if add > *most {
			*most = add
			to.why.Neighbour, to.why.By = neighbour, by
		}
	}
	gave := map[*unit]*uint64{}
	most := func(u *unit) *uint64 {
		if gave[u] == nil {
			gave[u] = new(uint64)
		}
		return gave[u]
	}
	beside := func(count int, at func(i int) (*unit, string)) {
		for i := range count {
			to, _ := at(i)
			if to == nil {
				continue
			}
			for _, x := range [...]struct {
				far   int
				share uint64
			}{{-1, nextShare}, {1, beforeShare}, {-2, secondShare}, {2, secondShare}} {
				if i+x.far < 0 || i+x.far >= count {
					continue
				}
				if from, name := at(i + x.far); from != nil && from.own > 0 {
					give(to, from.own*x.share/100, name, "next", most(to))
				}
			}
		}
	}
	bestOf := func(n *node) (best *unit) {
		for i := range n.units {
			if best == nil || n.units[i].own > best.own {
				best = &n.units[i]
			}
		}
		return best
	}
	for _, n := range r.nodes {
		if len(n.units) < 2 {
			continue
		}
		beside(len(n.units), func(i int) (*unit, string) { return &n.units[i], n.ID })
		share := n.worth * recordShare / 100
		for i := range n.units {
			if u := &n.units[i]; !n.document || u.own > 0 { // a document is about many things
				u.extra += share
			}
		}
	}
	largest := make([]uint64, len(r.nodes)) // share of a group
	beaten := make([]*team, len(r.nodes))
	inOrder := make([]bool, len(r.nodes))
	for _, t := range r.teams {
		share := t.worth * t.share(r.n) / 100
		for _, m := range t.members {
			if share > largest[m] {
				largest[m], beaten[m] = share, t
			}
		}
		for _, run := range t.ordered {
			if slices.ContainsFunc(run, func(m int) bool { return m >= 0 && inOrder[m] }) {
				continue // a narrower group had them
			}
			for _, m := range run {
				if m >= 0 {
					inOrder[m] = true
				}
			}
			beside(len(run), func(i int) (*unit, string) {
				if run[i] < 0 {
					return nil, ""
				}
				n := r.nodes[run[i]]
				return bestOf(n), n.ID
			})
		}
	}
	for m, t := range beaten {
		if t == nil {
			continue
		}
		name, by := t.name()
		for i := range r.nodes[m].units {
			u := &r.nodes[m].units[i]
			give(u, largest[m], name, by, most(u))
		}
	}
	for _, x := range r.edges {
		a, b := bestOf(r.nodes[x.a]), bestOf(r.nodes[x.b])
		if a != nil && b != nil {
			give(a, b.own*x.share/100, r.nodes[x.b].ID, x.by, most(a))
			give(b, a.own*x.share/100, r.nodes[x.a].ID, x.by, most(b))
		}
	}
}

// share is what a record has of the mean of its group's best. In a group of nearly all records nothing follows from being
// in it.
func (t *team) share(n int) (percent uint64) {
	switch _, by := t.name(); by {
	case "session":
		percent = sessionShare
	case "module":
		percent = moduleShare
	case "code_ref":
		percent = codeShare
	default:
		percent = domainShare
	}
	return percent * uint64(idf(n, t.size)) / uint64(idf(n, 1))
}
