package index

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/analysis"
	"sdd/internal/lines"
	"sdd/internal/record"
)

// matcher finds a query's words in texts, with the analysis of the index. Only one goroutine at a time may use it.
type matcher struct {
	concepts []concept
	terms    map[string][]hit // the concepts of a term
	prefixes []string         // by concept, "" where the concept is no prefix
	initial  [256]bool        // first bytes of terms and prefixes
	foreign  bool             // one of them is not ASCII
	starts   bitmap           // first three letters of those in ASCII
	cache    [analysis.Latins + 1]map[string][]hit
	parts    map[uint8]uint32 // all parts of an identifier, by concept: they count where they are in a row
}

// hit is the weight of a concept in a text, in percent of one occurrence, and the way in which the text has it.
type hit struct {
	concept uint8
	how     how
	parts   uint32 // of an identifier: those that a token has, a bit for each; 0 if it has the identifier
	weight  int
}

// dying ends the few words whose stem begins with other letters (dying, die).
var dying = []byte("ying")

// start numbers the first three letters of an ASCII word; of other words the number is arbitrary.
func start[T string | []byte](w T) int {
	return int(w[0]&31)<<10 | int(w[1]&31)<<5 | int(w[2]&31)
}

const maxCached = 1 << 14

// newMatcher returns a matcher of the words of a query, their parts and prefixes.
func newMatcher(q *query) *matcher {
	m := emptyMatcher(q)
	for i, c := range q.concepts {
		for _, v := range c.variants {
			m.add(v.term, hit{concept: uint8(i), how: byWord, weight: exactly})
		}
		for _, p := range c.parts {
			for _, v := range p.variants {
				m.add(v.term, hit{concept: uint8(i), how: byPart, weight: byPrefix})
			}
		}
		m.prefixes = append(m.prefixes, c.prefix)
		m.begins(c.prefix)
	}
	return m
}

func emptyMatcher(q *query) *matcher {
	return &matcher{concepts: q.concepts, terms: map[string][]hit{}, starts: make(bitmap, 1<<15/64), parts: map[uint8]uint32{}}
}

func (m *matcher) clone() *matcher {
	c := *m
	c.cache = [len(m.cache)]map[string][]hit{}
	return &c
}

// add maps a term to a concept; of two hits of one concept the heavier counts.
func (m *matcher) add(term string, h hit) {
	m.begins(term)
	list := m.terms[term]
	switch at := slices.IndexFunc(list, func(x hit) bool { return x.concept == h.concept }); {
	case at < 0:
		m.terms[term] = append(list, h)
	case list[at].parts > 0 && h.parts > 0:
		list[at].parts |= h.parts
	case list[at].weight < h.weight:
		list[at] = h
	}
}

// begins records the first letters of a term or prefix.
func (m *matcher) begins(term string) {
	if term != "" {
		m.initial[term[0]] = true
		m.foreign = m.foreign || term[0] >= utf8.RuneSelf
	}
	if len(term) >= 3 {
		m.starts.add(start(term), 1<<15)
	}
}

// possible reports whether a token may have a wanted term. It is false for nearly every token, and much faster than the terms.
func (m *matcher) possible(tok []byte) bool {
	if analysis.SimpleWord(tok) {
		return m.initial[tok[0]|0x20] && (len(tok) < 3 || m.starts.has(start(tok)) || bytes.HasSuffix(tok, dying))
	}
	for _, r := range string(tok) { // each may begin a part
		switch {
		case r < utf8.RuneSelf:
			if m.initial[r|0x20] {
				return true
			}
		case m.foreign:
			return true
		case 0xC0 <= r && r <= 0x24F: // accented Latin
			if plain := analysis.Bare(analysis.Lower(string(r))); m.initial[plain[0]] {
				return true
			}
		case !ownLetter(r):
			return true
		}
	}
	return false
}

// ownLetter reports whether r is a letter of a script whose terms contain no ASCII: it has no accent and no other form.
func ownLetter(r rune) bool {
	return 0x400 <= r && r <= 0x52F || 0x4E00 <= r && r <= 0x9FFF || 0xAC00 <= r && r <= 0xD7A3 ||
		0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FA
}

// token returns the concepts of a token of a record in that language, each once.
func (m *matcher) token(tok []byte, kind analysis.TokenKind, lang analysis.Language) (list []hit) {
	if !m.possible(tok) {
		return nil
	}
	if known, ok := m.cache[lang][string(tok)]; ok {
		return known
	}
	termsOf(tok, kind, lang, func(term string) {
		if !m.initial[term[0]] {
			return
		}
		for _, h := range m.terms[term] {
			list = addHit(list, h, false)
		}
		for i, p := range m.prefixes {
			if p != "" && strings.HasPrefix(term, p) {
				list = addHit(list, hit{concept: uint8(i), how: byBeginning, weight: byPrefix}, false)
			}
		}
	})
	if m.cache[lang] == nil {
		m.cache[lang] = map[string][]hit{}
	}
	if len(m.cache[lang]) < maxCached {
		m.cache[lang][string(tok)] = list
	}
	return list
}

// addHit adds a hit to a list. When the list has its concept, the weight becomes the sum or the larger of the two.
func addHit(list []hit, h hit, sum bool) []hit {
	for i := range list {
		if list[i].concept == h.concept {
			if sum {
				list[i].weight += h.weight
			} else if h.weight > list[i].weight {
				list[i].weight = h.weight
			}
			list[i].how = min(list[i].how, h.how)
			if list[i].parts > 0 && h.parts > 0 {
				list[i].parts |= h.parts
			} else {
				list[i].parts = 0
			}
			return list
		}
	}
	return append(list, h)
}

func concepts(hits []hit) (set uint64) {
	for _, h := range hits {
		set |= 1 << h.concept
	}
	return set
}

// spot is the best match of a query in a record.
type spot struct {
	line    int
	section string
	snippet string
	text    string // the line, at most longestLine bytes of it
}

// Weight of a line by its zone, in percent. A title counts less than the text, because the result shows the title anyway.
var zoneWeight = [...]uint64{silent: 0, front: 60, title: 50, headed: 90, body: 100}

// look returns the best spot of a record: the line whose different words weigh most, else the first line, else the title.
func (m *matcher) look(src []byte, outline []heading, lang analysis.Language) spot {
	type line struct {
		n     int
		score uint64
		text  []byte
		match analysis.Token
	}
	var best, heading, first line
	walk := func(b []byte, z zone, n int) {
		var all []hit
		var strongest analysis.Token
		var strength uint32
		analysis.Tokens(b, func(t analysis.Token) bool {
			hits := m.token(b[t.Start:t.End], t.Kind, lang)
			if t.Kind == analysis.Single && !slices.ContainsFunc(hits, func(h hit) bool { return h.how == byWord }) {
				return true
			}
			for _, h := range hits {
				all = addHit(all, h, false)
				if w := m.concepts[h.concept].idf * uint32(h.weight) / 100; w > strength {
					strength, strongest = w, t
				}
			}
			return true
		})
		var score uint64
		for _, h := range all {
			c := &m.concepts[h.concept]
			score += uint64(c.idf) * uint64(c.weight) * uint64(h.weight) / 100
		}
		if score = score * zoneWeight[z]; score > best.score {
			best = line{n, score, b, strongest}
		}
	}
	eachLine(src, outline, func(n int, b []byte, z zone) bool {
		if z == silent {
			return true
		}
		if heading.n == 0 && z == title {
			heading = line{n: n, text: b}
		}
		if first.n == 0 && z == body && len(bytes.TrimSpace(b)) > 0 {
			first = line{n: n, text: b}
		}
		if len(m.concepts) > 0 {
			walk(b, z, n)
		}
		return true
	})
	s := spot{}
	if best.n == 0 {
		best.text, best.n = first.text, cmp.Or(first.n, heading.n)
	}
	s.line, s.snippet, s.text = max(1, best.n), snippet(pastLead(best.text, best.match)), lineOf(best.text)
	for _, h := range outline {
		if h.line > s.line {
			break
		}
		s.section = h.name
	}
	return s
}

// longestLine is the maximum length of Hit.Text in bytes.
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

// pastLead drops the words in which a decision record names the chosen option, up to the reason; without a reason only the option stays.
func pastLead(line []byte, match analysis.Token) ([]byte, analysis.Token) {
	option, rest, ok := record.ChosenOption(string(line))
	said := []byte(cmp.Or(record.InSentence(rest), option))
	at := bytes.LastIndex(line, said)
	if !ok || len(said) == 0 || at < 0 {
		return line, match
	}
	if match.Start < at || match.End > at+len(said) {
		return said, analysis.Token{}
	}
	match.Start, match.End = match.Start-at, match.End-at
	return said, match
}

// snippet returns the part of a line around a match: one line of text, cut between words, at most snippetRunes runes long.
func snippet(line []byte, match analysis.Token) string {
	clean := func(b []byte) []rune {
		return []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(b), "\uFFFD"), func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r)
		}), " "))
	}
	// In a very long line the snippet uses only the text near the match.
	const near = 4 * snippetRunes * utf8.UTFMax
	from, to := lines.Border(line, max(0, match.Start-near)), lines.Border(line, match.End+near)
	text := clean(line[from:to])
	if len(text) <= snippetRunes && from == 0 && to == len(line) {
		return string(text)
	}
	at := len(clean(line[from:match.Start]))
	cutLeft, cutRight := from > 0, to < len(line)
	start := 0
	if len(text) > snippetRunes && at > snippetLead {
		start = min(at-snippetLead, len(text)-(snippetRunes-2))
		if start > 0 && text[start-1] != ' ' {
			if i := slices.Index(text[start:min(at, start+snippetLead)], ' '); i >= 0 {
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
			for i := end; i > start+room/2; i-- {
				if text[i] == ' ' {
					end = i
					break
				}
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
