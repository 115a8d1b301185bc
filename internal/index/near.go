package index

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/record"
)

// Two titles are near when they have the same words, whatever their order and their endings,
// when one has a word more, or when a word is a slip of the other's or the same cut short. A title
// with another word in the place of one is about something else.

const (
	maxTitle     = 2048 // bytes of a title that count
	maxTitleWord = 32   // words of a title that count
	fuzzyRare    = 3    // records from which on a word is taken as it is written
	fuzzyTerms   = 8    // words that one may be a slip of
	shortLists   = 512  // bytes of lists that are read sooner than titles are looked for
	mostLooked   = 4    // titles that are compared before those that begin like them are looked through
	slipEnding   = 8    // bytes by which the stem of a slip may be longer or shorter
)

// titleWords returns the stems of the words of a title in order, each once. What is only a mark, such as ͺ, is no word.
func titleWords(title string) []string {
	words, lang := plainTitle(title)
	for i, w := range words {
		if w = bare(w); onlyLetters(w) {
			if w = bare(stem(words[i], lang)); lang == langEnglish {
				w = ofOneOrMany(words[i], w)
			}
		}
		words[i] = w
	}
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) > 0 && words[0] == "" {
		words = words[1:]
	}
	return words
}

// plainTitle returns the words of a title as they stand there, in lower case, and its language.
func plainTitle(title string) ([]string, language) {
	words := make([]string, 0, 8)
	var g guess
	src := []byte(title[:min(len(title), maxTitle)])
	end := -1
	tokens(src, func(t token) bool {
		tok := src[t.start:t.end]
		switch t.kind {
		case single, alone:
			if t.start == end { // a word of such a script is all that stands together
				words[len(words)-1] += lower(normal(tok))
			} else {
				words = append(words, lower(normal(tok)))
			}
			end = t.end
		case word:
			if len(tok) > 1 { // a letter is a name in a title: "Plan y"
				g.add(hintOf(tok))
			}
			if last := tok[len(tok)-1]; last == '+' || last == '#' {
				words = append(words, lower(normal(tok))) // C++, C#
				break
			}
			for piece := range strings.FieldsFuncSeq(lower(normal(tok)), func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
			}) {
				words = append(words, piece)
			}
		}
		return len(words) < maxTitleWord
	})
	return words, g.language()
}

// Says reports whether a line of a text is about what a title names: it has every word of the title in one of its forms, or in
// two words ("log in" is login), and they are a good part of the line.
func Says(text, title string) bool {
	words := titleWords(title)
	for line := range strings.Lines(text) {
		plain, lang := plainTitle(line)
		said := map[string]int{} // words of the line, by their stems
		for i, w := range plain {
			w = stem(w, lang)
			said[bare(w)] = 1
			if i+1 < len(plain) {
				said[bare(w+plain[i+1])] = 2
			}
		}
		same := 0
		all := !slices.ContainsFunc(words, func(w string) bool {
			same += said[w]
			return said[w] == 0
		})
		if all && same*aboutLine >= len(plain) {
			return true
		}
	}
	return false
}

// aboutLine is of how many words of a line at least one is of what it is about.
const aboutLine = 5

// Near returns at most n explorations of that project and scope whose titles are near title and
// which have not its slug: the same words first, then slips, then a word more or less.
func (ix *Index) Near(title, project, scope string, n int) []Entry {
	words := titleWords(title)
	if len(words) == 0 || n <= 0 || ix.ready(ix.ctx) != nil {
		return nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	c := ix.contents
	s := newSearch(ix.ctx, c)
	found := nearest{
		s: s, n: n, slug: record.Slug(title), seen: map[int]bool{},
		wanted: c.newFilter(&Query{Types: typesOf(record.Exploration), Project: project, Scope: scope}),
		unread: &ix.unread, title: title, words: words, lists: s.titled(words),
	}
	waiting := found.waiting(project, scope)
	for k := range s.segs {
		if found.has(k, -1) {
			found.set(k, words, nil)
		}
	}
	found.add(waiting, sameWords)
	found.next()

	for i := range words {
		for _, other := range found.slips(i) {
			with := slices.Clone(words)
			with[i] = other
			slices.Sort(with)
			with = slices.Compact(with)
			for k := range s.segs {
				if found.has(k, i) {
					found.set(k, with, found.slipped)
				}
			}
		}
	}
	found.add(waiting, oneSlip)
	found.next()

	for k := range s.segs {
		for i := range words {
			if len(words) > 1 && found.has(k, i) {
				found.set(k, slices.Delete(slices.Clone(words), i, i+1), nil)
			}
		}
		if found.has(k, -1) {
			found.among(k, -1, len(words)+1, len(words)+1, func(doc int) bool {
				found.offer(k, doc, nil)
				return true
			})
		}
	}
	found.add(waiting, oneWord)
	found.next()
	return found.list
}

// titled returns for each segment the lists of the records that have each of the words in their titles.
func (s *search) titled(words []string) [][][]byte {
	lists := make([][][]byte, len(s.segs))
	all := make([][]byte, len(s.segs)*len(words))
	for k := range lists {
		lists[k], all = all[:len(words)], all[len(words):]
	}
	for i, w := range words {
		term := titleTerm + w
		for k, l := range s.segs {
			lists[k][i] = l.seg.find(term)
		}
	}
	return lists
}

// nearest collects near titles, level by level.
type nearest struct {
	s      *search
	n      int
	slug   string
	title  string
	words  []string   // of the title, as titleWords has them
	plain  []string   // as plainTitle has them, when they were needed
	typed  mistyped   // the word that was compared last
	lists  [][][]byte // by segment and word
	wanted *filter
	seen   map[int]bool
	unread *waits
	level  []candidate
	extra  []Entry // of level, those not in the index: slot -1-i
	list   []Entry
}

// has reports whether each of the words is in some title of segment k; word i need not be.
func (f *nearest) has(k, i int) bool {
	for j, list := range f.lists[k] {
		if list == nil && j != i {
			return false
		}
	}
	return true
}

// set offers the records of segment k whose titles consist of words.
func (f *nearest) set(k int, words []string, accept func(title string) bool) {
	l := f.s.segs[k]
	for p := l.seg.read(l.seg.find(titleSet + strings.Join(words, " "))); p.next(); {
		f.offer(k, p.doc, accept)
	}
}

// among calls yield for the records of segment k whose titles have every word, but perhaps word i, and between least and
// most words in all, until it returns false.
func (f *nearest) among(k, i, least, most int, yield func(doc int) bool) {
	seg := f.s.segs[k].seg
	var mem [maxTitleWord]postings
	lists := mem[:0]
	for j, list := range f.lists[k] {
		if j != i {
			lists = append(lists, seg.read(list))
		}
	}
	slices.SortFunc(lists, func(a, b postings) int { return len(a.b) - len(b.b) })
next:
	for lists[0].next() {
		doc, count := lists[0].doc, lists[0].w
		if count < least || count > most {
			continue
		}
		for j := range lists[1:] {
			p := &lists[1+j]
			if !p.to(doc) {
				return
			}
			if p.doc != doc {
				continue next
			}
		}
		if !yield(doc) {
			return
		}
	}
}

// How near a title is.
const (
	sameWords = iota
	oneSlip
	oneWord // more or less
)

// unreadNear is a record that is not indexed yet, and how near its title is.
type unreadNear struct {
	*unread
	level int
}

// waiting returns the explorations that are not indexed yet and are near.
func (f *nearest) waiting(project, scope string) []unreadNear {
	var list []unreadNear
	own := marksOf(f.words)
	for i := range f.unread.list {
		x := &f.unread.list[i]
		if own.far(x.marks) {
			continue
		}
		u := x.unread
		level, ok := f.nearness(u.words)
		if !ok {
			continue
		}
		u.know()
		if !u.gone && u.Kind == record.Exploration && u.Slug != f.slug && (level != oneSlip || f.slipped(u.Title)) &&
			(project == "" || record.SameProject(u.Project, project)) && (scope == "" || strings.EqualFold(u.Scope, scope)) {
			list = append(list, unreadNear{u, level})
		}
	}
	return list
}

// nearness says how near a title with those words is; whether a slip is one is left to slipped.
func (f *nearest) nearness(others []string) (level int, ok bool) {
	a, b := f.words, others
	if d := len(b) - len(a); d < -1 || d > 1 || min(len(a), len(b)) == 0 {
		return 0, false
	}
	x, y := "", "" // the words that only one has
	more := 0
	for (len(a) > 0 || len(b) > 0) && more <= 2 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			x, a, more = a[0], a[1:], more+1
		case len(a) == 0 || b[0] < a[0]:
			y, b, more = b[0], b[1:], more+1
		default:
			a, b = a[1:], b[1:]
		}
	}
	switch {
	case more == 0:
		return sameWords, true
	case more == 1:
		return oneWord, true
	case more > 2 || x == "" || y == "":
		return 0, false
	}
	if f.typed.word != x {
		f.typed = newMistyped(x)
	}
	first, _ := utf8.DecodeRuneInString(y)
	return oneSlip, first == f.typed.runes[0] && f.typed.far([]byte(y)) <= 2
}

// add offers those of the waiting records that are so near.
func (f *nearest) add(waiting []unreadNear, level int) {
	if len(f.list) >= f.n {
		return
	}
	for _, u := range waiting {
		if u.level == level {
			f.extra = append(f.extra, u.Entry)
			key := sortKey{created: dateMillis(u.Created), id: []byte(u.ID), path: []byte(u.Path)}
			f.level = append(f.level, candidate{key, -len(f.extra)})
		}
	}
}

func (f *nearest) offer(k, doc int, accept func(title string) bool) {
	if len(f.list) >= f.n || !f.counts(k, doc) {
		return
	}
	l := f.s.segs[k]
	if accept != nil {
		if e, _ := l.seg.entry(doc); !accept(e.Title) {
			return
		}
	}
	slot := f.s.base[k] + doc
	f.seen[slot] = true
	f.level = append(f.level, candidate{sortKey{created: l.seg.created(doc), id: l.seg.id(doc), path: l.seg.path(doc)}, slot})
}

// counts reports whether a record lives, is wanted and is not among the found ones yet.
func (f *nearest) counts(k, doc int) bool {
	l := f.s.segs[k]
	if l.dead.has(doc) || f.seen[f.s.base[k]+doc] || !f.wanted.wants(l, doc) {
		return false
	}
	return len(f.unread.list) == 0 || !f.unread.has(l.seg.path(doc)) // else it is another one now, perhaps
}

// next takes the best of the level and begins another.
func (f *nearest) next() {
	slices.SortFunc(f.level, func(a, b candidate) int { return a.before(&b.sortKey) })
	for _, x := range f.level {
		if x.slot < 0 {
			if len(f.list) < f.n {
				f.list = append(f.list, f.extra[-x.slot-1])
			}
			continue
		}
		l, doc := f.s.at(x.slot)
		if e, _ := l.seg.entry(doc); e.Slug != f.slug && len(f.list) < f.n {
			f.list = append(f.list, e)
		}
	}
	f.level, f.extra = f.level[:0], nil
}

// slips returns the words that may stand in the place of word i of near titles, none where no title has all the others:
// looking through the words of the titles takes longer than all the rest.
func (f *nearest) slips(i int) []string {
	w := f.words[i]
	r, size := utf8.DecodeRuneInString(w)
	if len(f.list) >= f.n || !onlyLetters(w) || utf8.RuneCountInString(w) < 4 || runeClass(r, size) == gram {
		return nil
	}
	alive, looked := 0, 0
	possible := false
	for k, l := range f.s.segs {
		for p := l.seg.read(f.lists[k][i]); p.next(); {
			if l.dead.has(p.doc) {
				continue
			}
			if alive++; alive == fuzzyRare {
				return nil
			}
		}
		if possible || !f.has(k, i) {
			continue
		}
		// The records that have all the other words are looked at while there are few, else the titles that begin as such
		// a title does. These are few where a word stands before w; many begin with w's letter.
		length := 0
		for j, list := range f.lists[k] {
			if j != i {
				length += len(list)
			}
		}
		if len(f.words) > 1 && looked <= mostLooked && (i == 0 || length <= shortLists) {
			f.among(k, i, len(f.words)-1, len(f.words), func(doc int) bool {
				if !f.counts(k, doc) {
					return true
				}
				looked++
				e, _ := l.seg.entry(doc)
				possible = looked <= mostLooked && f.slipped(e.Title)
				return looked <= mostLooked && !possible
			})
			if looked <= mostLooked {
				continue
			}
		}
		possible = f.alike(k, i)
	}
	if !possible {
		return nil
	}
	return f.s.slips(w)
}

// alike reports whether segment k has a title of the words but for word i, and of one that word i may be a slip of. It
// looks through the titles that begin as such a title does: in a title the words are in order.
func (f *nearest) alike(k, i int) bool {
	w := newMistyped(f.words[i])
	others := slices.Delete(slices.Clone(f.words), i, i+1)
	first := string(w.runes[0])
	at := 0 // of the other word, among others
	for at < len(others) && others[at] < first {
		at++
	}
	type frame struct{ head, tail string }
	var frames []frame
	for n := at; ; n++ {
		var x frame
		for _, o := range others[:n] {
			x.head += o + " "
		}
		for _, o := range others[n:] {
			x.tail += " " + o
		}
		frames = append(frames, x)
		if n == len(others) || !strings.HasPrefix(others[n], first) {
			break
		}
	}
	fewer := strings.Join(others, " ") // of which one may be the other word
	start := titleSet + frames[0].head + first
	c := f.s.segs[k].seg.seek(start)
	for c.next() && bytes.HasPrefix(c.term, []byte(start)) {
		set := c.term[len(titleSet):]
		if len(frames) > 1 && string(set) == fewer {
			return true
		}
		for _, x := range frames {
			if n := len(set) - len(x.head) - len(x.tail); n > 0 && bytes.HasPrefix(set, []byte(x.head)) && bytes.HasSuffix(set, []byte(x.tail)) &&
				w.far(set[len(x.head):len(x.head)+n]) <= 2 {
				return true
			}
		}
	}
	return false
}

// mistyped is a word that may be a slip of others.
type mistyped struct {
	word    string
	runes   []rune
	letters uint64
}

func newMistyped(w string) mistyped { return mistyped{w, []rune(w), lettersOf([]byte(w))} }

// far returns how many letters apart the stem of a slip is, more than 2 where the word is none.
func (m *mistyped) far(stem []byte) int {
	if n := len(stem) - len(m.word); n > slipEnding || n < -slipEnding || string(stem) == m.word {
		return 3
	}
	if mayBeNear(m.letters, lettersOf(stem), 2) {
		var mem [64]rune
		if d := distance(m.runes, appendRunes(mem[:0], stem), 2); d <= 2 {
			return d
		}
	}
	if bytes.HasPrefix(stem, []byte(m.word)) || strings.HasPrefix(m.word, string(stem)) {
		return 2 // a slip in an ending leaves another stem
	}
	return 3
}

// slips returns words of titles that w, of at least four letters, may be a slip of, the nearest first.
func (s *search) slips(w string) []string {
	type slip struct {
		term string
		far  int
	}
	var list []slip
	before := func(a, b slip) int { return cmp.Or(a.far-b.far, strings.Compare(a.term, b.term)) }
	m := newMistyped(w)
	start := titleTerm + string(m.runes[0])
	for _, l := range s.segs {
		c := l.seg.seek(start)
		for c.next() && bytes.HasPrefix(c.term, []byte(start)) {
			term := c.term[len(titleTerm):]
			d := m.far(term)
			if d > 2 || len(list) == fuzzyTerms && d > list[fuzzyTerms-1].far {
				continue
			}
			x := slip{string(term), d}
			at, found := slices.BinarySearchFunc(list, x, before)
			if found || at == fuzzyTerms || !l.anyAlive(c.postings) {
				continue
			}
			list = slices.Insert(list, at, x)
			list = list[:min(len(list), fuzzyTerms)]
		}
	}
	var terms []string
	for _, x := range list {
		terms = append(terms, x.term)
	}
	return terms
}

func appendRunes(runes []rune, word []byte) []rune {
	for _, r := range string(word) {
		runes = append(runes, r)
	}
	return runes
}

// slipped reports whether the only difference between the words of the title and those of another one is a slip or an abbreviation.
func (f *nearest) slipped(title string) bool {
	if f.plain == nil {
		f.plain, _ = plainTitle(f.title)
	}
	wa := f.plain
	wb, _ := plainTitle(title)
	var onlyA, onlyB []string
	for _, w := range wa {
		if !slices.Contains(wb, w) {
			onlyA = append(onlyA, w)
		}
	}
	for _, w := range wb {
		if !slices.Contains(wa, w) {
			onlyB = append(onlyB, w)
		}
	}
	if len(onlyA) != len(onlyB) {
		return false
	}
	stems := func(w string) string { return strings.Join(titleWords(w), " ") }
	for _, x := range onlyA {
		at := slices.IndexFunc(onlyB, func(y string) bool { return slip(x, y) || abbreviates(x, y) || stems(x) == stems(y) })
		if at < 0 {
			return false
		}
		onlyB = slices.Delete(onlyB, at, at+1)
	}
	return true
}

// slip reports whether one of two words may be the other with a typing mistake: two letters
// changed places, or in a longer word a letter is missing, in a long one wrong, or two are in a
// very long one. Nobody errs in the first letter, but many words differ in it only; a wrong
// letter in a short word mostly makes another word.
func slip(a, b string) bool {
	ra, rb := []rune(bare(a)), []rune(bare(b))
	if len(ra) < 4 || len(rb) < 4 || ra[0] != rb[0] || !onlyLetters(a) || !onlyLetters(b) {
		return false
	}
	d := distance(ra, rb, 2)
	switch short := min(len(ra), len(rb)); {
	case d == 0:
		return true
	case d == 1 && len(ra) != len(rb):
		return short >= 6
	case d == 1:
		return short >= 8 || swapped(ra, rb)
	case d == 2:
		return short >= 11
	}
	return false
}

// abbreviates reports whether one of two words is the other cut short, as auth is authentication and config configuration.
func abbreviates(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	const least, cut = 4, 4 // letters that are left, and that are gone: a portal is no port
	return onlyLetters(b) && strings.HasPrefix(b, a) && utf8.RuneCountInString(a) >= least && utf8.RuneCountInString(b[len(a):]) >= cut
}

// swapped reports whether two words of one length have the same letters.
func swapped(a, b []rune) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// lettersOf returns a set of the letters of a word, in which different letters may be one.
func lettersOf(word []byte) (set uint64) {
	for _, r := range string(word) {
		set |= 1 << (r & 63)
	}
	return set
}

// mayBeNear reports whether the distance of words with these letters may be so small: a step takes one letter away
// and brings one in, at most.
func mayBeNear(a, b uint64, steps int) bool {
	return bits.OnesCount64(a&^b) <= steps && bits.OnesCount64(b&^a) <= steps
}

// distance returns the number of letters to insert, delete, change or swap with their neighbour
// to make b from a, at most limit+1.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return max(len(a), len(b))
	}
	const short = 32
	var mem [3][short + 1]int
	rows := [3][]int{mem[0][:], mem[1][:], mem[2][:]}
	if len(b) > short {
		for i := range rows {
			rows[i] = make([]int, len(b)+1)
		}
	}
	before, last, now := rows[0], rows[1], rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		// Only cells within limit of the diagonal can lead to a small distance.
		from, to := max(1, i-limit), min(len(b), i+limit)
		now[from-1] = limit + 1
		if from == 1 {
			now[0] = i
		}
		least := now[from-1]
		for j := from; j <= to; j++ {
			d := last[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			if j < i+limit {
				d = min(d, last[j]+1)
			}
			d = min(d, now[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			now[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		before, last, now = last, now, before
	}
	return min(last[len(b)], limit+1)
}
