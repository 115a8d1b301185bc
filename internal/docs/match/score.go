package match

import (
	"cmp"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/pattern"
)

// The scores of a name's similarity to the query. A higher one is a better match.
const (
	scoreSame       = 100 // the same name
	scoreFolded     = 99  // the same name, ignoring case
	scoreSqueezed   = 98  // the same name, ignoring separators
	scoreDotted     = 96  // its last components, as written
	scoreLast       = 95  // its last component
	ScoreExact      = 95  // the lowest score that counts as exact
	scoreTail       = 94  // its last components, ignoring separators; also the maximum for a title
	scoreTokens     = 85  // to 93: every word of the query is a word of it
	scoreStarts     = 76  // to 84: every word of the query begins a word of it
	scorePrefix     = 70  // to 82: it, or its last component, begins with the query
	scoreSubstring  = 60  // to 75: it contains the query
	similarity      = 94  // times the ratio, for the rest
	leastSimilarity = 0.3
)

// nameScore returns the similarity of a name to the query, 0 to 100.
func (q *query) nameScore(name string) int {
	if name == q.raw || name == q.plain {
		return scoreSame
	}
	n := fold(name)
	if n == q.folded {
		return scoreFolded
	}
	if q.folded == "" {
		return 0
	}
	if strings.HasSuffix(n, q.folded) && len(n) > len(q.folded) && separates(n[len(n)-len(q.folded)-1]) {
		if q.dotted {
			return scoreDotted
		}
		if !q.words {
			return scoreLast
		}
	}
	if q.squeezed != "" {
		if tail, whole := q.squeezedTail(n); whole {
			return scoreSqueezed
		} else if tail {
			return scoreTail
		}
	}
	return q.loose(name, n)
}

// displayScore is nameScore for a title, which is never the name itself.
func (q *query) displayScore(title string) int {
	n := fold(title)
	if n == q.folded || q.squeezed != "" && q.squeezed == squeeze(n) {
		return scoreTail
	}
	if q.folded == "" {
		return 0
	}
	return min(q.loose(title, n), scoreTail-1)
}

func separates(c byte) bool { return c == '.' || c == ':' || c == '/' || c == '#' || c == '!' }

// squeezedTail compares the query with the last components of n, both without separators.
func (q *query) squeezedTail(n string) (tail, whole bool) {
	last, _ := utf8.DecodeLastRuneInString(n)
	if letter(last) && !strings.HasSuffix(q.squeezed, string(last)) {
		return false, false // of most names, without making a squeezed form
	}
	if squeeze(n) == q.squeezed {
		return true, true
	}
	for i := range len(n) {
		if separates(n[i]) && squeeze(n[i+1:]) == q.squeezed {
			return true, false
		}
	}
	return false, false
}

// loose scores a name that nameScore does not find equal or at the end, below scoreTail.
func (q *query) loose(name, n string) int {
	best := 0
	length := utf8.RuneCountInString(n)
	if len(q.tokens) > 0 {
		best = q.tokenScore(name, n)
	}
	at := strings.Index(n, q.folded)
	if at >= 0 {
		share := float64(len(q.folded)) / float64(len(n))
		best = max(best, scoreSubstring+int(15*share))
		if last := n[lastComponent(n):]; strings.HasPrefix(last, q.folded) {
			best = max(best, scorePrefix+int(12*float64(len(q.folded))/float64(len(last))))
		} else if at == 0 {
			best = max(best, scorePrefix+int(12*share))
		}
	}
	if like := q.alike(n, length, max(leastSimilarity, float64(best)/similarity)); like > best {
		best = like
	}
	return best
}

// alike is the similarity of spelling: the best of the whole name, its last component, and as many of its last components as the query has.
func (q *query) alike(n string, length int, least float64) int {
	r := q.aligned.ratio(n, length, least)
	if at := lastComponent(n); at > 0 && !q.words {
		tail := n[at:]
		if q.dotted {
			tail = n[lastComponents(n, q.parts):]
		}
		// A little less than for the whole name, so that the whole name ranks first.
		r = max(r, 0.99*q.aligned.ratio(tail, utf8.RuneCountInString(tail), max(r, least)))
	}
	return int(similarity * r)
}

func lastComponent(n string) int { return lastComponents(n, 1) }

// lastComponents returns the offset of the last k components of n, 0 if it has fewer.
func lastComponents(n string, k int) int {
	for i := len(n) - 1; i > 0; i-- { // a separator at the start or end separates nothing
		if separates(n[i-1]) && i-1 > 0 {
			if k--; k == 0 {
				return i
			}
		}
	}
	return 0
}

// tokenScore scores names that contain every word of the query, in any order: as words, or as prefixes of words.
func (q *query) tokenScore(name, n string) int {
	if len(name) != len(n) {
		name = n // folding moved the bytes, so capitals are unknown
	}
	covered, whole := 0, true
	for _, t := range q.tokens {
		start, end := false, false
		for from := 0; from+len(t) <= len(n); {
			i := strings.Index(n[from:], t)
			if i < 0 {
				break
			}
			i += from
			if border(name, i) {
				start = true
				if border(name, i+len(t)) {
					end = true
					break
				}
			}
			from = i + 1
		}
		if !start {
			return 0
		}
		whole = whole && end
		covered += len(t)
	}
	letters := 0
	for i := range len(n) {
		if n[i] >= utf8.RuneSelf || letter(rune(n[i])) {
			letters++
		}
	}
	share := int(8 * min(1, float64(covered)/float64(max(1, letters))))
	if whole {
		return scoreTokens + share
	}
	return scoreStarts + share
}

// border reports whether a word begins or ends at i: beside a separator, or at a capital of camelCase.
func border(s string, i int) bool {
	if i == 0 || i == len(s) {
		return true
	}
	a, _ := utf8.DecodeLastRuneInString(s[:i])
	b, _ := utf8.DecodeRuneInString(s[i:])
	switch {
	case !letter(a) || !letter(b):
		return true
	case unicode.IsUpper(b):
		if unicode.IsLower(a) || unicode.IsDigit(a) {
			return true
		}
		// HTTPServer: the last capital of a run begins a word.
		_, size := utf8.DecodeRuneInString(s[i:])
		if i+size < len(s) {
			c, _ := utf8.DecodeRuneInString(s[i+size:])
			return unicode.IsLower(c)
		}
	}
	return false
}

// query is the searched name, in the forms that the scores compare.
type query struct {
	raw      string // without blanks around it
	plain    string // without the marks of reStructuredText and of calls; in its own case
	folded   string
	squeezed string // folded, letters and digits only
	tokens   []string
	dotted   bool // has more than one component
	words    bool // has a blank
	aligned  *aligned
	parts    int // components
}

var (
	roleMark  = pattern.Late("^:[A-Za-z0-9_+.:-]+:`(.*)`$")
	titleMark = pattern.Late("^[^<>`]*<([^<>`]+)>$")
	arguments = pattern.Late(`^([^\s()]+)\s?\(.*\)$`)
)

// plainForm strips the markup around a name: :py:meth:`~a.b`, `a.b`, @a.b, a.b(x, y), a::b.
func plainForm(s string) string {
	s = strings.TrimSpace(s)
	if m := roleMark().FindStringSubmatch(s); m != nil {
		s = m[1]
		if m := titleMark().FindStringSubmatch(s); m != nil {
			s = m[1]
		}
	}
	s = strings.Trim(s, "`")
	s = strings.TrimLeft(s, "~!@")
	if m := arguments().FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	s = strings.TrimSuffix(s, "()")
	return strings.TrimSpace(strings.ReplaceAll(s, "::", "."))
}

func newQuery(s string) *query {
	q := &query{raw: strings.TrimSpace(s)}
	q.plain = cmp.Or(plainForm(s), q.raw) // only marks: the query means them
	q.folded = fold(q.plain)
	q.squeezed = squeeze(q.folded)
	q.tokens = strings.FieldsFunc(q.folded, func(r rune) bool { return !letter(r) })
	q.parts = 1 + strings.Count(q.folded, ".")
	q.dotted = q.parts > 1
	q.words = strings.ContainsFunc(q.folded, unicode.IsSpace)
	q.aligned = newAligned(q.folded)
	return q
}

// fold returns s in lower case, with its scopes separated by dots.
func fold(s string) string { return strings.ToLower(strings.ReplaceAll(s, "::", ".")) }

func letter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if letter(r) {
			return r
		}
		return -1
	}, s)
}

// aligned compares a text with many by their longest common subsequence, 64 characters at a time (Hyyrö's bit-parallel form).
type aligned struct {
	length int               // characters
	places map[rune][]uint64 // of a character
	state  []uint64
}

func newAligned(s string) *aligned {
	rs := []rune(s)
	words := (len(rs) + 63) / 64
	p := &aligned{len(rs), map[rune][]uint64{}, make([]uint64, words)}
	for i, r := range rs {
		if p.places[r] == nil {
			p.places[r] = make([]uint64, words)
		}
		p.places[r][i/64] |= 1 << (i % 64)
	}
	return p
}

// ratio returns 2·LCS/(sum of lengths) of the text and s, which has n characters; 0 if it cannot reach least.
func (p *aligned) ratio(s string, n int, least float64) float64 {
	sum := float64(p.length + n)
	if sum == 0 {
		return 1
	}
	if 2*float64(min(p.length, n)) < least*sum {
		return 0
	}
	return 2 * float64(p.common(s)) / sum
}

// common returns the length of the longest common subsequence of the text and s.
func (p *aligned) common(s string) int {
	for i := range p.state {
		p.state[i] = ^uint64(0)
	}
	for _, r := range s {
		var sum, carry uint64
		for i, m := range p.places[r] {
			v := p.state[i]
			sum, carry = bits.Add64(v, v&m, carry)
			p.state[i] = sum | v&^m
		}
	}
	n := 0
	for _, v := range p.state { // the bits after the text stay set
		n += bits.OnesCount64(^v)
	}
	return n
}
