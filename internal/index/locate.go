package index

import (
	"bytes"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// matcher finds the words of a query in the bytes of a record, with the analysis that indexed
// them: where the best match stands, and which words stand side by side.
type matcher struct {
	query   *query
	terms   map[string]uint64 // the concepts that a term stands for, a bit for each
	parts   map[string]uint64 // those of which it is a part
	initial [256]bool         // first bytes of terms and prefixes
	starts  [1 << 15]bool     // first three letters of those in ASCII
	cache   [latins + 1]map[string]found
	scratch []part
	after   [maxConcepts][]uint8 // for a concept the pairs in which it comes second
}

// dying is the end of the few words whose stem does not begin with the same three letters (die).
var dying = []byte("ying")

// start numbers the first three letters of a word of ASCII letters; of other words any number.
func start[T string | []byte](w T) int {
	return int(w[0]&31)<<10 | int(w[1]&31)<<5 | int(w[2]&31)
}

// found are the concepts that a token stands for, and those of which it has a prefix or part.
type found struct{ exact, weak uint64 }

const maxCached = 1 << 14

func newMatcher(q *query) *matcher {
	m := &matcher{query: q, terms: map[string]uint64{}, parts: map[string]uint64{}}
	begins := func(term string) {
		m.initial[term[0]] = true
		if len(term) >= 3 {
			m.starts[start(term)] = true
		}
	}
	for i, c := range q.concepts {
		for _, v := range c.variants {
			m.terms[v.term] |= 1 << i
			begins(v.term)
		}
		for _, p := range c.parts {
			for _, v := range p.variants {
				m.parts[v.term] |= 1 << i
				begins(v.term)
			}
		}
		if c.prefix != "" {
			begins(c.prefix)
		}
	}
	for i := range q.pairs() {
		second := q.sequence[i+1]
		m.after[second] = append(m.after[second], uint8(i))
	}
	for i := range m.cache {
		m.cache[i] = map[string]found{}
	}
	return m
}

// token returns the concepts that a token of a record in that language stands for.
func (m *matcher) token(tok []byte, kind tokenKind, lang language) found {
	if c := tok[0]; c < utf8.RuneSelf && (!m.initial[c|0x20] || len(tok) > 2 && !m.starts[start(tok)] && !bytes.HasSuffix(tok, dying)) {
		if simpleWord(tok) {
			return found{}
		}
	}
	if f, ok := m.cache[lang][string(tok)]; ok {
		return f
	}
	var f found
	m.scratch = termsOf(m.scratch[:0], tok, kind, lang, func(term string) {
		f.exact |= m.terms[term]
		if !m.initial[term[0]] {
			return
		}
		f.weak |= m.parts[term]
		for i := range m.query.concepts {
			if p := m.query.concepts[i].prefix; p != "" && strings.HasPrefix(term, p) {
				f.weak |= 1 << i
			}
		}
	})
	f.weak &^= f.exact
	if len(m.cache[lang]) < maxCached {
		m.cache[lang][string(tok)] = f
	}
	return f
}

// spot is where in a record a query matched best.
type spot struct {
	line    int
	section string
	snippet string
	text    string // the line, at most longestLine bytes of it
	pairs   int    // neighbours in the query that are neighbours here
}

// How much a line counts by its zone, in percent. The text is worth more than a title that the
// result shows anyway.
var zoneWeight = [...]uint64{silent: 0, front: 60, title: 50, headed: 90, body: 100}

// look returns the best spot of a record: the first of the lines with the most weight of
// different words. Without a match it is the line of the title, else the first.
func (m *matcher) look(titleText string, src []byte, outline []heading, lang language) spot {
	type line struct {
		n     int
		score uint64
		text  []byte
		match token
		zone  zone
	}
	var best, heading, first line
	var pairs uint64
	var before uint64 // the concepts of the token before
	walk := func(b []byte, z zone, n int) {
		var exact, weak, near uint64
		var strongest token
		var strength uint32
		tokens(b, func(t token) bool {
			tok := b[t.start:t.end]
			f := m.token(tok, t.kind, lang)
			if t.kind == single && f.exact == 0 {
				return true
			}
			if before != 0 {
				for mask := f.exact | f.weak; mask != 0; mask &= mask - 1 {
					for _, i := range m.after[bits.TrailingZeros64(mask)] {
						if before&(1<<m.query.sequence[i]) != 0 {
							near |= 1 << i
						}
					}
				}
			}
			before = f.exact | f.weak
			if before == 0 {
				return true
			}
			exact |= f.exact
			weak |= f.weak
			for mask := before; mask != 0; mask &= mask - 1 {
				i := bits.TrailingZeros64(mask)
				w := m.query.concepts[i].idf
				if f.exact&(1<<i) == 0 {
					w = w * byPrefix / 100
				}
				if w > strength {
					strength, strongest = w, t
				}
			}
			return true
		})
		pairs |= near
		if n == 0 {
			return
		}
		var score uint64
		for mask := exact | weak; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros64(mask)
			c := &m.query.concepts[i]
			w := uint64(c.idf) * uint64(c.weight)
			if exact&(1<<i) == 0 {
				w = w * byPrefix / 100
			}
			score += w
		}
		for mask := near; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros64(mask)
			score += uint64(m.query.concepts[m.query.sequence[i]].idf) * 50
		}
		if score = score * zoneWeight[z]; score > best.score {
			best = line{n, score, b, strongest, z}
		}
	}
	walk([]byte(titleText), title, 0)
	before = 0
	lines(src, outline, func(n int, b []byte, z zone) bool {
		if z == silent {
			return true
		}
		if heading.n == 0 && z == title {
			heading = line{n: n, text: b}
		}
		if first.n == 0 && z == body && len(bytes.TrimSpace(b)) > 0 {
			first = line{n: n, text: b}
		}
		walk(b, z, n)
		return true
	})
	s := spot{line: 1, pairs: bits.OnesCount64(pairs)}
	switch {
	case best.n > 0:
		s.line, s.snippet, s.text = best.n, snippet(best.text, best.match), lineOf(best.text)
	case heading.n > 0:
		s.line, s.snippet, s.text = heading.n, snippet(first.text, token{}), lineOf(first.text)
	default:
		s.snippet, s.text = snippet(first.text, token{}), lineOf(first.text)
	}
	for _, h := range outline {
		if h.line > s.line {
			break
		}
		s.section = h.name
	}
	return s
}

// longestLine is how many bytes of a line are told whole.
const longestLine = 1600

func lineOf(line []byte) string {
	if len(line) > longestLine {
		line = line[:longestLine]
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(line), "")), " ")
}

const (
	snippetRunes = 160
	snippetLead  = 50 // runes before the match
	ellipsis     = "…"
)

// snippet returns the part of a line around a match: one line of text, cut between words, at
// most snippetRunes runes long.
func snippet(line []byte, match token) string {
	clean := func(b []byte) []rune {
		return []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(b), "\uFFFD"), func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r)
		}), " "))
	}
	// Of a very long line only the surroundings are looked at.
	const near = 4 * snippetRunes * utf8.UTFMax
	from := max(0, match.start-near)
	if from > 0 {
		for from < match.start && !utf8.RuneStart(line[from]) {
			from++
		}
	}
	to := min(len(line), match.end+near)
	if to < len(line) {
		for to > match.end && !utf8.RuneStart(line[to]) {
			to--
		}
	}
	text := clean(line[from:to])
	at := len(clean(line[from:match.start]))
	cutLeft, cutRight := from > 0, to < len(line)
	start := 0
	if len(text) > snippetRunes && at > snippetLead {
		start = min(at-snippetLead, len(text)-(snippetRunes-2))
		if start > 0 && text[start-1] != ' ' {
			if i := indexRune(text[start:min(at, start+snippetLead)], ' '); i >= 0 {
				start += i + 1
			}
		}
		cutLeft = true
	}
	room := snippetRunes
	if cutLeft {
		room--
	}
	end := len(text)
	if end-start > room || cutRight {
		room--
		if end-start > room {
			end = start + room
			if i := lastRune(text[start:end], ' '); text[end] != ' ' && i > room/2 {
				end = start + i
			}
		}
		cutRight = true
	}
	out := strings.TrimSpace(string(text[start:end]))
	if cutLeft {
		out = ellipsis + out
	}
	if cutRight {
		out += ellipsis
	}
	return out
}

func indexRune(rs []rune, r rune) int {
	for i, x := range rs {
		if x == r {
			return i
		}
	}
	return -1
}

func lastRune(rs []rune, r rune) int {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i] == r {
			return i
		}
	}
	return -1
}
