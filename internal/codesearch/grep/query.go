package grep

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"math"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/pattern"
)

// term is a word in all its forms, or a symbol.
type term struct {
	word   string
	weight float64
	symbol bool
	joined string // the symbol with _ between its words, in lower case; "" if the query has it as written
	title  bool   // it is in the title of a report, or in a query of one line
}

// form is one way in which a term is written in a text.
type form struct {
	key    []byte // its first bytes, in lower case; at least two
	word   string // the stem of the word, or the identifier
	term   int
	factor float32
	exact  bool // the whole identifier, not a word of one
}

// wanted is a query prepared for scanning. It is read-only.
type wanted struct {
	terms    []term
	forms    []form
	first    [1 << 16]uint8 // by the first two bytes in lower case: the index in starts, 0 for none
	starts   [][]int        // forms that begin with these bytes
	grams    grams          // excludes places where no form can begin
	mentions []mention
	byName   map[string][]int // mentions by the name of the file
	pattern  *regexp.Regexp
	must     []byte   // text that every match of pattern contains, nil for none
	mustFold bool     // in any case; must is in lower case
	asGiven  bool     // the pattern is no regular expression and matches literally
	tests    bool     // the query is about tests
	rows     []string // of words: a line that has one is where it is from
	names    uint64   // the terms that an answer must have as written: those of a query of names alone
}

const (
	maxQuery   = 64 << 10 // bytes
	maxPattern = 4 << 10
	maxTerms   = 64 // a set of terms is a uint64
	maxShown   = 81 // characters of a query in a message
	mostJoined = 4  // words of a query that a symbol may join
)

const repeated = 0.25 // how much more a word is worth that the query has e times

// Weights of a term by where it comes from.
const (
	wordWeight   = 1.0
	partWeight   = 0.6 // a word of a symbol
	symbolWeight = 1.5
	joinedWeight = 1.5  // of a symbol that is all words of the query in a row
	shortFactor  = 0.6  // of a short form
	prefixFactor = 0.35 // a word that only begins like the term
	minPrefix    = 4    // bytes of a stem that other words may begin with
)

var (
	identifier = pattern.Late(`[vV]?[0-9]+(?:\.[0-9]+)+|[\p{L}_$][\p{L}\p{N}_$]*|[0-9]{2,}[\p{L}0-9]*`)
	fileName   = pattern.Late(`[\w@.+-]*(?:[/\\][\w@.+-]+)*[\w+-]\.[A-Za-z][A-Za-z0-9]{0,5}\b`)
	address    = pattern.Late(`\bhttps?://\S+`)
	dotted     = pattern.Late(`^[vV]?[0-9]+\.`)
	soleName   = pattern.Late("^[`\"]?(?:([vV]?[0-9]+[0-9.]+)|(?:[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\.|::|->|#))*" +
		"([\\p{L}_$][\\p{L}\\p{N}_$]*))(?:\\(\\))?[`\"]?$")
	option = pattern.Late(`(?:^|[\s"'` + "`" + `(])--([a-z0-9]+(?:-[a-z0-9]+)+)`)
	quoted = pattern.Late("[`\"]([\\p{L}_$][\\p{L}\\p{N}_$.:]*)(?:\\(\\))?[`\"]")
)

func parseQuery(q Query) (*wanted, error) {
	if len(q.Query) > maxQuery {
		return nil, fault.New(fault.Invalid, "the query has %d bytes, at most %d are allowed", len(q.Query), maxQuery).For("query").
			With("ask with the words that matter")
	}
	w := &wanted{}
	if err := w.addPattern(q.Pattern); err != nil {
		return nil, err
	}
	w.addWords(strings.ToValidUTF8(q.Query, " "))
	if len(w.terms) == 0 && w.pattern == nil && len(w.mentions) == 0 {
		return nil, fault.New(fault.Invalid, "the query %q holds no word that can be searched for", fault.Cut(q.Query, maxShown)).For("query").
			With("name what the code is about, a symbol or a file, or give a pattern")
	}
	w.ready()
	return w, nil
}

// addPattern compiles the pattern, whose matches stay within a line. One that is no regular expression matches literally.
func (w *wanted) addPattern(p string) error {
	if p == "" {
		return nil
	}
	if len(p) > maxPattern {
		return fault.New(fault.Invalid, "the pattern has %d bytes, at most %d are allowed", len(p), maxPattern).For("pattern").
			With("use a shorter one")
	}
	const flags = syntax.Perl &^ syntax.OneLine
	tree, err := syntax.Parse(p, flags)
	if err != nil {
		w.asGiven = true
		if tree, err = syntax.Parse(regexp.QuoteMeta(p), flags); err != nil {
			return fault.New(fault.Invalid, "the pattern is not text: %v", err).For("pattern").With("use valid UTF-8")
		}
	}
	withinLine(tree)
	if w.pattern, err = pattern.Given(tree); err != nil {
		return fault.New(fault.Invalid, "the pattern cannot be used: %v", err).For("pattern").With("use a simpler one")
	}
	if w.pattern.MatchString("") {
		return fault.New(fault.Invalid, "the pattern %q matches everything", fault.Cut(p, maxShown)).
			For("pattern").With("add the text that has to match")
	}
	w.must, w.mustFold = literalOf(tree.Simplify())
	return nil
}

// withinLine changes an expression so that it matches no line feeds.
func withinLine(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpCharClass:
		var runes []rune
		for i := 0; i+1 < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if lo > '\n' || hi < '\n' {
				runes = append(runes, lo, hi)
				continue
			}
			if lo < '\n' {
				runes = append(runes, lo, '\n'-1)
			}
			if hi > '\n' {
				runes = append(runes, '\n'+1, hi)
			}
		}
		re.Rune = runes
	}
	for _, sub := range re.Sub {
		withinLine(sub)
	}
}

// literalOf returns the longest text that every match contains, nil if there is none worth searching for.
func literalOf(re *syntax.Regexp) (best []byte, anyCase bool) {
	switch re.Op {
	case syntax.OpLiteral:
		best = []byte(string(re.Rune))
		if anyCase = re.Flags&syntax.FoldCase != 0; anyCase {
			for i, c := range best {
				// Other letters have forms beyond lower and upper case, as s and k do in Unicode.
				if kinds[c] == wide || c == 's' || c == 'S' || c == 'k' || c == 'K' {
					best = best[:i]
					break
				}
				best[i] = fold[c]
			}
		}
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			if l, any := literalOf(sub); len(l) > len(best) {
				best, anyCase = l, any
			}
		}
	case syntax.OpRepeat:
		if re.Min > 0 {
			best, anyCase = literalOf(re.Sub[0])
		}
	}
	if len(best) == 0 || len(best) == 1 && (anyCase || kinds[best[0]] != other || best[0] == ' ') {
		return nil, false
	}
	return best, anyCase
}

// adder collects terms; a repeated word gets more weight.
type adder struct {
	w     *wanted
	at    map[string]int
	count map[string]float64
	title bool // adds the words of the title
}

func (a *adder) add(word string, weight float64, symbol bool) *term {
	key := word
	if symbol {
		key = "=" + word
	}
	i, ok := a.at[key]
	if !ok {
		i = len(a.w.terms)
		a.at[key] = i
		a.w.terms = append(a.w.terms, term{word: word, symbol: symbol})
	}
	a.count[key]++
	t := &a.w.terms[i]
	t.weight = max(t.weight, weight)
	t.title = t.title || a.title
	return t
}

// addWords adds the words, symbols and paths in the text of a query.
func (w *wanted) addWords(text string) {
	r := readReport(text)
	w.mentions = r.mentions
	w.byName = map[string][]int{}
	for i, m := range w.mentions {
		name := m.parts[len(m.parts)-1]
		w.byName[name] = append(w.byName[name], i)
	}
	symbols := map[string]bool{}
	for _, p := range r.passages {
		for _, m := range quoted().FindAllStringSubmatch(p.text, 40) {
			parts := strings.FieldsFunc(m[1], func(r rune) bool { return r == '.' || r == ':' })
			if len(parts) > 0 {
				symbols[parts[len(parts)-1]] = true
			}
		}
	}
	if m := soleName().FindStringSubmatch(strings.TrimSpace(text)); m != nil && len(m[2]) > 1 && strings.ContainsAny(text, ".:>#") {
		if _, file := languages()["."+strings.ToLower(m[2])]; !file { // shell.Fields, but not main.go
			symbols[m[2]] = true
		}
	}
	a := adder{w: w, at: map[string]int{}, count: map[string]float64{}}
	var texts []string
	for _, p := range r.passages {
		a.title = p.title
		a.passage(address().ReplaceAllString(p.text, " "), p.weight, symbols)
		texts = append(texts, p.text)
	}
	w.rows = lines.Rows(texts...)
	for key, i := range a.at {
		w.terms[i].weight *= 1 + repeated*math.Log(a.count[key])
	}
	a.title = false
	for _, name := range r.called {
		if codeShaped(name) {
			a.add(name, symbolWeight*asCalled, true)
		}
	}
	w.tests = slices.ContainsFunc(w.terms, func(t term) bool {
		return t.title && (t.word == "test" || t.word == "benchmark" || t.word == "fuzz")
	})
	if w.names = a.names(text); len(w.terms) > maxTerms { // those of the greatest weight count, the earlier ones where it is equal
		slices.SortStableFunc(w.terms, func(a, b term) int { return cmp.Compare(b.weight, a.weight) })
		w.terms, w.names = w.terms[:maxTerms], 0
	}
}

// names returns the symbols of a text that has nothing else, of a qualified name the last part; 0 for any other text.
func (a *adder) names(text string) (names uint64) {
	for _, field := range strings.Fields(text) {
		m := soleName().FindStringSubmatch(field)
		if m == nil {
			return 0
		}
		i, symbol := a.at["="+bareVersion(m[1]+m[2])]
		if !symbol {
			return 0
		}
		names |= 1 << i
	}
	return names
}

// bareVersion returns a version without the v before it, and any other word as it is.
func bareVersion(s string) string {
	if dotted().MatchString(s) {
		return strings.TrimLeft(s, "vV")
	}
	return s
}

// passage adds the words and symbols of a part of a query.
func (a *adder) passage(text string, factor float64, symbols map[string]bool) {
	for _, m := range option().FindAllStringSubmatch(text, 10) { // code has --batch-size as batch_size
		a.add(strings.ReplaceAll(m[1], "-", "_"), 2*symbolWeight*factor, true)
	}
	var row []string // the words
	last, gap := 0, false
	for _, span := range identifier().FindAllStringIndex(text, -1) {
		s := text[span[0]:span[1]]
		if dotted().MatchString(s) {
			a.add(bareVersion(s), wordWeight*factor, true)
			continue
		}
		called := strings.HasPrefix(text[span[1]:], "(")
		if symbols[s] || codeShaped(s) || called && len(s) > 2 {
			a.add(s, symbolWeight*factor, true)
			for _, part := range wordsOf(s) {
				if len(part) > 1 && !stop(part) {
					a.add(stem(part), partWeight*factor, false)
				}
			}
			continue
		}
		low := strings.ToLower(s)
		st := stem(low)
		if len(low) < 2 || stop(low) || stop(st) {
			continue
		}
		a.add(st, wordWeight*factor, false)
		gap = gap || row != nil && text[last:span[0]] != " "
		row, last = append(row, low), span[1]
	}
	if !gap && len(row) > 1 && len(row) <= mostJoined { // "default sync interval" finds DefaultSyncInterval
		a.add(strings.Join(row, ""), joinedWeight*factor, true).joined = strings.Join(row, "_")
	}
}

// codeShaped reports whether a word has a form that only code has: with a capital inside or an underscore, but not as in _emphasis_.
func codeShaped(s string) bool {
	if strings.Contains(strings.Trim(s, "_"), "_") || strings.HasPrefix(s, "$") || s[0] == '_' && s[len(s)-1] != '_' {
		return true
	}
	lower := false
	for i := 0; i < len(s); i++ {
		switch kinds[s[i]] {
		case small:
			lower = true
		case capital:
			if lower {
				return true
			}
		}
	}
	// HTTPServer; acronyms and their plurals are words.
	return len(wordsOf(s)) > 1 && kinds[s[0]] == capital && strings.ToUpper(s) != s
}

// ready makes the forms of the terms and the tables to find them.
func (w *wanted) ready() {
	for i, t := range w.terms {
		if t.symbol {
			w.forms = append(w.forms, form{key: []byte(strings.ToLower(t.word)), word: t.word, term: i, factor: 1, exact: true})
			if t.joined != "" {
				w.forms = append(w.forms, form{key: []byte(t.joined), word: t.joined, term: i, factor: 1, exact: true})
			}
			if kinds[t.word[0]] == digit {
				w.forms = append(w.forms, form{key: []byte("v" + t.word), word: "v" + t.word, term: i, factor: 1, exact: true})
			}
			continue
		}
		w.forms = append(w.forms, form{key: stemKey(t.word), word: t.word, term: i, factor: 1})
		for _, s := range shortForms()[t.word] {
			w.forms = append(w.forms, form{key: []byte(s), word: stem(s), term: i, factor: shortFactor})
		}
	}
	w.grams = newGrams(w.forms)
	w.starts = [][]int{nil}
	for i, f := range w.forms {
		if len(f.key) < 2 {
			continue
		}
		at := uint16(f.key[0])<<8 | uint16(f.key[1])
		if w.first[at] == 0 {
			if len(w.starts) > math.MaxUint8 {
				continue
			}
			w.first[at] = uint8(len(w.starts))
			w.starts = append(w.starts, nil)
		}
		w.starts[w.first[at]] = append(w.starts[w.first[at]], i)
	}
}

// stemKey returns the common start of all words with a stem: applies and apply have the stem appli.
func stemKey(s string) []byte {
	if len(s) > 3 && (s[len(s)-1] == 'i' || s[len(s)-1] == 'e') {
		s = s[:len(s)-1]
	}
	return []byte(s)
}

// match is one place of a term.
type match struct {
	start, end int
	term       int
	factor     float32
}

// scanner finds terms and patterns, until ctx ends. It remembers stems, so each goroutine has its own.
type scanner struct {
	*wanted
	ctx     context.Context
	cut     bool // ctx ended in the middle of the file
	windows bool // the file has lines that were searched in parts
	stems   map[string]string
	word    []byte
	folded  []byte // the file in lower case
}

func newScanner(ctx context.Context, w *wanted) *scanner {
	return &scanner{wanted: w, ctx: ctx, stems: map[string]string{}}
}

// each calls yield for every place of a term in src, in order. Of the forms of one term only the best counts at a place.
func (s *scanner) each(src []byte, yield func(match)) {
	if len(src) < 2 || len(s.terms) == 0 {
		return
	}
	from := s.grams.each(src, func(i int) {
		if list := s.first[uint16(fold[src[i]])<<8|uint16(fold[src[i+1]])]; list != 0 {
			s.at(src, i, s.starts[list], yield)
		}
	})
	key := uint16(fold[src[from]])
	for i := from + 1; i < len(src); i++ {
		key = key<<8 | uint16(fold[src[i]])
		if list := s.first[key]; list != 0 {
			s.at(src, i-1, s.starts[list], yield)
		}
	}
}

func (s *scanner) at(src []byte, i int, forms []int, yield func(match)) {
	broad := src[i] >= 0x80
	if !broad && !startsWord(src, i) {
		return
	}
	end := -1
	var wordStem string
	var best [4]match // few forms of different terms begin alike
	n := 0
	for _, fi := range forms {
		f := &s.forms[fi]
		if !hasFold(src[i:], f.key) {
			continue
		}
		m := match{i, i + len(f.key), f.term, 0}
		switch {
		case f.exact:
			if !wholeIdent(src, i, m.end) && (s.names == 0 || !wholeWords(src, i, m.end)) {
				continue
			}
			m.factor = f.factor
			if string(src[i:m.end]) != f.word {
				m.factor *= shortFactor
			}
		case broad:
			m.factor = f.factor
		default:
			if end < 0 {
				end = wordEnd(src, i)
				wordStem = s.stemOf(src[i:end])
			}
			m.end = end
			switch {
			case wordStem == f.word:
				m.factor = f.factor
			case f.factor == 1 && len(f.key) >= minPrefix && len(f.word) >= minPrefix:
				m.factor = prefixFactor
			default:
				continue
			}
		}
		known := false
		for j := range best[:n] {
			if best[j].term == m.term {
				known = true
				if m.factor > best[j].factor {
					best[j] = m
				}
			}
		}
		if !known && n < len(best) {
			best[n] = m
			n++
		}
	}
	for _, m := range best[:n] {
		yield(m)
	}
}

func (s *scanner) stemOf(word []byte) string {
	if len(word) > maxStem {
		word = word[:maxStem]
	}
	s.word = s.word[:0]
	for _, c := range word {
		s.word = append(s.word, fold[c])
	}
	if st, ok := s.stems[string(s.word)]; ok {
		return st
	}
	w := string(s.word)
	st := stem(w)
	if len(s.stems) < 10_000 {
		s.stems[w] = st
	}
	return st
}

// hasFold reports whether b begins with key, which is in lower case.
func hasFold(b, key []byte) bool {
	if len(b) < len(key) {
		return false
	}
	for i, c := range key {
		if fold[b[i]] != c {
			return false
		}
	}
	return true
}

func (w *wanted) mentioned(p string) (out []mentioned) {
	if len(w.mentions) == 0 {
		return nil
	}
	parts := strings.Split(strings.ToLower(p), "/")
	dirs, name := parts[:len(parts)-1], parts[len(parts)-1]
	for _, i := range w.byName[name] {
		if n := w.mentions[i].matches(dirs, name); n > 0 {
			out = append(out, mentioned{i, n})
		}
	}
	return out
}

type mentioned struct{ mention, parts int }

// inPath touches the terms in the path, and returns those in the name of the file without its ending.
func (s *scanner) inPath(p string, touch func(term int, weight float32)) (name named) {
	if len(s.terms) == 0 {
		return name
	}
	base := path.Base(p)
	base = strings.TrimSuffix(base, path.Ext(base))
	s.each([]byte(base), func(m match) {
		touch(m.term, pathName*m.factor)
		if m.factor > prefixFactor {
			name.terms |= 1 << m.term
		}
	})
	if name.terms != 0 {
		name.words = len(wordsOf(base))
	}
	if dir := path.Dir(p); dir != "." {
		s.each([]byte(dir), func(m match) { touch(m.term, pathDir*m.factor) })
	}
	return name
}

// LongestMatch is the length in bytes up to which a search finds every match in a line longer than twice that length.
const LongestMatch = 2 << 10

// A long line is searched in overlapping parts: regexp cannot be interrupted, but the length of a part bounds its time.
const (
	maxPart        = 2 * LongestMatch
	overlap        = LongestMatch
	matchesPerPart = 10
)

// patterns yields where the pattern's matches begin, with their weights: by lines, which is faster, without those that cannot match.
func (s *scanner) patterns(lang language, src []byte) iter.Seq2[int, float64] {
	return func(yield func(at int, weight float64) bool) {
		text := src // in which must is looked for
		if s.mustFold {
			s.folded = s.folded[:0]
			for _, c := range src {
				s.folded = append(s.folded, fold[c])
			}
			text = s.folded
		}
		for at := 0; at < len(src); {
			start := at
			if s.must != nil {
				i := bytes.Index(text[at:], s.must)
				if i < 0 {
					return
				}
				start = at + bytes.LastIndexByte(src[at:at+i], '\n') + 1
				at += i
			}
			end := lines.End(src, at)
			whole := bytes.TrimSuffix(bytes.TrimSuffix(src[start:end], []byte("\n")), []byte("\r"))
			var read *line
			for from, to := range s.inLine(whole) {
				if read == nil {
					l := lang.readLine(whole)
					read = &l
				}
				if !yield(start+from, read.weighPattern(from, to)) {
					return
				}
			}
			if s.over() {
				return
			}
			at = end
		}
	}
}

// inLine yields the matches in a line, but none that touches an end of a part inside the line: another part contains it whole.
func (s *scanner) inLine(text []byte) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		s.windows = s.windows || len(text) > maxPart
		last, free := -1, 0 // where the match before begins, and ends
		for at := 0; ; at += overlap {
			end := min(at+maxPart, len(text))
			if part := text[at:end]; s.pattern.Match(part) {
				for _, m := range s.pattern.FindAllIndex(part, matchesPerPart) {
					from, to := at+m[0], at+m[1]
					if from <= last || from < free || from == at && at > 0 || to == end && end < len(text) {
						continue
					}
					if !yield(from, to) {
						return
					}
					last, free = from, to
				}
			}
			if end == len(text) || s.over() {
				return
			}
		}
	}
}

// over reports whether the search has ended, and records that the current file was not searched to its end.
func (s *scanner) over() bool {
	s.cut = s.cut || s.ctx.Err() != nil
	return s.cut
}
