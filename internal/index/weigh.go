package index

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"sdd/internal/analysis"
	"sdd/internal/anchor"
	"sdd/internal/record"
)

// The worth of a passage is BM25 over its own words, its headings and, less, the title and the front matter of its
// record; then a share of the passages that it is tied to. Scores are whole numbers, so the order of sums and the
// processor cannot change them.

// Shares in percent.
const (
	headingHit = 100 // a word of a heading
	titleHit   = 60  // of the title or the front matter
	coverShare = 40  // of a score, for a passage with all words of the question
	headBest   = 120 // added to the score of the first passage below a heading whose words the question has
	bareShare  = 70  // of the score of a document's passage that is only code or a table
	linksShare = 10  // of one that is only links, such as a table of contents or badges
	besideWord = 30  // of a synonym, where some record has the word itself
	phraseBest = 40  // added to a score for all words in a row

	nextShare    = 50 // of the passage before, which this one mostly continues or answers
	beforeShare  = 30 // of the passage after
	secondShare  = 25 // of the passages two away
	moduleShare  = 60 // of the mean of a group's best three
	codeShare    = 60
	domainShare  = 50
	sessionShare = 40
	recordShare  = 30
	linkShare    = 35 // of the best passage of a record that names this one or is named by it
)

// unit is a passage with its matches of a question.
type unit struct {
	passage
	hits    []hit
	words   uint64 // its concepts, a bit for each
	pairs   uint64 // neighbours of the question that are neighbours here
	length  int
	release int    // 1 below a version that the question names, -1 below another one
	named   uint64 // the concepts of its heading, for the first passage below a heading with few other words
	own     uint64
	extra   uint64
	cover   uint64 // its share of the words that some text has, by worth, in percent
}

func (in *inquiry) matcher() *matcher {
	m := emptyMatcher(&in.query)
	for i, w := range in.words {
		for _, st := range w.stages {
			percent := 100
			if st.how == bySynonym && w.exact {
				percent = besideWord
			}
			for _, v := range st.variants {
				m.add(v.term, hit{concept: uint8(i), how: st.how, weight: v.weight * percent / 100})
			}
			identifier := st.how == byWord && !w.gram && !strings.ContainsAny(w.text, "/-") // not a path or compound
			for _, parts := range st.parts {
				count, all := len(parts), uint32(0)
				if identifier {
					parts, count = slices.DeleteFunc(slices.Clone(parts), func(p concept) bool { return !p.leaf }), 1
					if all = 1<<len(parts) - 1; len(parts) < 2 || strings.Trim(w.text, "0123456789.") == "" { // the Py of PyPy, and 8.1 in 3.8.1
						continue
					}
					m.parts[uint8(i)] = all // of the only list: st is by the word itself
				}
				for k, p := range parts {
					for _, v := range p.variants {
						m.add(v.term, hit{uint8(i), st.how, 1 << k & all, v.weight * percent / 100 * allParts / 100 / count})
					}
				}
			}
		}
	}
	return m
}

// looker finds the words of a question in texts, one after the other.
type looker struct {
	*matcher
	in *inquiry
}

// row is some parts of an identifier in a row of tokens; end counts the tokens up to the last.
type row struct {
	end   int
	parts uint32
}

// text collects the hits of a text. length is its number of words; pairs is the number of the question's neighbours that
// are neighbours here.
func (k *looker) text(src []byte, lang analysis.Language, percent int, list []hit) (_ []hit, length int, pairs uint64) {
	var before, near uint64
	var rows map[uint8]row
	if len(k.parts) > 0 {
		rows = map[uint8]row{}
	}
	analysis.Tokens(src, func(t analysis.Token) bool {
		if t.Kind == analysis.Pair {
			length-- // the characters of a pair count already
		}
		length++
		hits := k.token(src[t.Start:t.End], t.Kind, lang)
		if t.Kind == analysis.Single && len(hits) == 0 {
			return true
		}
		var now uint64
		for _, h := range hits {
			if h.parts > 0 {
				r := rows[h.concept]
				if r.end+1 < length {
					r.parts = 0
				}
				r = row{length, r.parts | h.parts}
				if rows[h.concept] = r; r.parts != k.parts[h.concept] {
					continue
				}
				h.parts, rows[h.concept] = 0, row{}
			}
			h.weight = h.weight * percent / 100
			list = addHit(list, h, true)
			now |= 1 << h.concept
		}
		near |= before << 1 & now
		before = now
		return true
	})
	return list, length, uint64(bits.OnesCount64(near))
}

func (k *looker) node(n *node) {
	n.head = nil
	if n.document {
		n.lang = languageOf(n.src)
	}
	if n.Kind == record.Exploration || n.Kind == record.Decision || n.document {
		n.head, _, _ = k.text([]byte(n.Title), n.lang, titleHit, n.head)
	}
	if n.document {
		n.head, _, _ = k.text([]byte(n.Path), n.lang, titleHit, n.head)
	} else {
		eachLine(n.src, n.outline, func(_ int, line []byte, z zone) bool {
			if z == front {
				n.head, _, _ = k.text(line, n.lang, titleHit, n.head)
			}
			return z == silent || z == front || z == title
		})
	}
	if day := n.day(); day != "" {
		for i := range k.in.concepts {
			if asked, ok := strings.CutPrefix(k.in.concepts[i].variants[0].term, groupTerm+dateGroup); ok && strings.HasPrefix(day, asked) {
				n.head = addHit(n.head, hit{concept: uint8(i), how: byWord, weight: 100}, true)
			}
		}
	}
	list, src := passagesOf(n.src, n.outline), n.src
	if n.found = n.Kind == record.Fact && bytes.Contains(src[:frontEnd(src)], []byte("\nsource: "+record.CommitSource)); n.found {
		list = slices.DeleteFunc(list, func(p passage) bool { return p.section != "" })
		src = withoutPath(src, n.Anchors)
	}
	n.units = make([]unit, len(list))
	section, sub := "", ""
	var above []hit
	aboveLength := 0
	matched := false
	for i, p := range list {
		u := &n.units[i]
		u.passage = p
		u.hits, u.length, u.pairs = k.text(src[p.from:p.to], n.lang, 100, nil)
		if p.section != section || p.heading != sub {
			section, sub = p.section, p.heading
			above, _, _ = k.text([]byte(section+"\n"+sub), n.lang, headingHit, nil)
			aboveLength = contentWords(cmp.Or(sub, section), n.lang)
		}
		if p.first && n.document && len(above) > 0 && aboveLength <= 2*len(above) {
			u.named = concepts(above)
		}
		for _, h := range above {
			u.hits = addHit(u.hits, h, true)
		}
		matched = matched || len(u.hits) > 0
	}
	if len(n.units) == 0 && !n.document { // a record with only a title
		n.units = []unit{{passage: passage{line: 1}}}
	}
	for i := range n.units {
		u := &n.units[i]
		own := len(u.hits) > 0 || !matched && i == 0
		if n.found {
			own = slices.ContainsFunc(u.hits, func(h hit) bool { return !k.in.words[h.concept].idle })
		}
		if own {
			for _, h := range n.head {
				u.hits = addHit(u.hits, h, true)
			}
		}
		u.words = concepts(u.hits)
	}
}

// withoutPath blanks the path of a record's code in its text, where all facts from that file have it: its words count as front matter does.
func withoutPath(src []byte, code []anchor.Anchor) []byte {
	if len(code) == 0 || code[0].Path == "" {
		return src
	}
	return bytes.ReplaceAll(src, []byte(code[0].Path), bytes.Repeat([]byte(" "), len(code[0].Path)))
}

// contentWords is the number of words of a heading that are no stop words.
func contentWords(heading string, l analysis.Language) (n int) {
	analysis.Tokens([]byte(heading), func(t analysis.Token) bool {
		if t.Kind == analysis.Word && idleness(analysis.Lower(heading[t.Start:t.End]), l, l < analysis.Other) < stopword {
			n++
		}
		return true
	})
	return n
}

// languageOf guesses the language of a document from its start.
func languageOf(src []byte) analysis.Language {
	var g guess
	count := 0
	analysis.Tokens(src, func(t analysis.Token) bool {
		g.add(hintOf(src[t.Start:t.End]))
		count++
		return count < languageTokens
	})
	return g.language()
}

// weigh scores every passage. known: some record has enough of the telling words; near: some text has any of them.
func (r *ranking) weigh() (known, near bool) {
	in := r.in
	// Each passage counts as a record does: a record with several passages counts several times.
	n, words, length := r.n, make([]int, len(in.concepts)), 0
	units := 0
	var exact uint64 // words that a document has as written
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
	var need uint64 // worth of all telling words
	telling := 0
	var subject, present uint64 // subject: the telling words that some text has; present: their worth
	for i := range in.concepts {
		a := &in.words[i]
		idfs[i] = uint64(idf(max(1, n), max(0, a.df+words[i]))) * uint64(in.concepts[i].weight) / 100
		switch {
		case a.idle:
		case !a.absent:
			a.reworded = !a.exact && exact&(1<<i) == 0
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
		return slices.ContainsFunc(r.nodes, func(n *node) bool { return n.rank > 0 }), false
	}
	for _, x := range r.nodes {
		var best, most [maxConcepts]uint64 // of the record: how well it has each word, and the worth of that
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
			switch {
			case !x.document:
			case x.src[u.from] == '`' || x.src[u.from] == '|':
				u.own = u.own * bareShare / 100
			case onlyLinks(x.src[u.from:u.to]):
				u.own = u.own * linksShare / 100
			}
			if u.named&subject == subject && subject != 0 {
				u.own += u.own * headBest / 100
			}
			if in.pairs > 0 {
				u.own += u.own * phraseBest * u.pairs / in.pairs / 100
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
			r.recorded = r.recorded || x.told()
		}
	}
	for _, t := range r.teams {
		var most [maxConcepts]uint64
		for _, m := range t.members {
			for c, w := range r.nodes[m].most {
				most[c] = max(most[c], w)
			}
		}
		for _, w := range most {
			t.worth += w
		}
	}
	r.share()
	return known, near
}

// onlyLinks reports whether most words of a text are the names of its links.
func onlyLinks(text []byte) bool {
	names, inside, all, depth, target := 0, 0, 0, 0, false
	for i, c := range text {
		switch {
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			if depth--; depth == 0 { // a bracket that nothing closes, such as that of [0, n), has no name
				names, inside = names+inside, 0
			}
			target = i+1 < len(text) && text[i+1] == '('
		case c == ')' && target:
			target = false
		case target || c < '0' && c != '`':
		case depth > 0:
			inside++
			all++
		default:
			all++
		}
	}
	return names*4 > all*3
}

// relevance is the share of a word in a passage by BM25, with relBits of fraction. A long passage loses; a short one gains nothing.
func relevance(weight, length, mean uint64) uint64 {
	const k = 100 * saturation
	norm := k * (100*(1-lengthBias) + 100*lengthBias*max(length, mean)/mean) / 100
	return weight * (k + 100) << relBits / (100 * max(1, weight+norm))
}

// share gives each passage its shares of the passages that it is tied to.
func (r *ranking) share() {
	for _, n := range r.nodes {
		if len(n.units) < 2 {
			continue
		}
		units := make([]*unit, len(n.units))
		for i := range n.units {
			units[i] = &n.units[i]
		}
		shareBeside(units)
		for _, u := range units {
			if !n.document || u.own > 0 { // a document has many subjects, so passages without own matches get nothing
				u.extra += n.worth * recordShare / 100
			}
		}
	}
	largest := make([]uint64, len(r.nodes)) // the largest share from a group
	inOrder := make([]bool, len(r.nodes))
	for _, t := range r.teams {
		share := t.worth * t.share(r.n) / 100
		for _, m := range t.members {
			largest[m] = max(largest[m], share)
		}
		for _, run := range t.ordered {
			if slices.ContainsFunc(run, func(m int) bool { return m >= 0 && inOrder[m] }) {
				continue // a narrower group has counted them
			}
			units := make([]*unit, len(run))
			for i, m := range run {
				if m >= 0 {
					inOrder[m] = true
					units[i] = r.nodes[m].best()
				}
			}
			shareBeside(units)
		}
	}
	for m, share := range largest {
		for i := range r.nodes[m].units {
			r.nodes[m].units[i].extra += share
		}
	}
	for _, x := range r.edges {
		if a, b := r.nodes[x.a].best(), r.nodes[x.b].best(); a != nil && b != nil {
			a.extra += b.own * linkShare / 100
			b.extra += a.own * linkShare / 100
		}
	}
}

// shareBeside gives each of some passages in a row its shares of those before and after it. nil is a passage that was not read.
func shareBeside(units []*unit) {
	for i, to := range units {
		for _, x := range [...]struct {
			far   int
			share uint64
		}{{-1, nextShare}, {1, beforeShare}, {-2, secondShare}, {2, secondShare}} {
			if at := i + x.far; to != nil && at >= 0 && at < len(units) && units[at] != nil {
				to.extra += units[at].own * x.share / 100
			}
		}
	}
}

func (n *node) best() (best *unit) {
	for i := range n.units {
		if best == nil || n.units[i].own > best.own {
			best = &n.units[i]
		}
	}
	return best
}

// share returns the percentage of the mean of its group's best that a record gets. A group of nearly all records means nothing.
func (t *team) share(n int) uint64 {
	percent := uint64(domainShare)
	switch {
	case strings.HasPrefix(string(t.group), sessionTerm):
		percent = sessionShare
	case strings.HasPrefix(string(t.group), groupTerm+moduleGroup):
		percent = moduleShare
	case strings.HasPrefix(string(t.group), groupTerm+codeGroup):
		percent = codeShare
	}
	return percent * uint64(idf(n, t.size)) / uint64(idf(n, 1))
}
