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
// when one has a word more, or when a word is a slip of the other's. A title with another word
// in the place of one is about something else.

const (
	maxTitle     = 2048 // bytes of a title that count
	maxTitleWord = 32   // words of a title that count
	fuzzyRare    = 3    // records from which on a word is taken as it is written
	fuzzyTerms   = 8    // words that one may be a slip of
	slipEnding   = 8    // bytes by which the stem of a slip may be longer or shorter
)

// titleWords returns the stems of the words of a title in order, each once.
func titleWords(title string) []string {
	words, lang := plainTitle(title)
	for i, w := range words {
		if w = bare(w); onlyLetters(w) {
			w = bare(stem(words[i], lang))
		}
		words[i] = w
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// plainTitle returns the words of a title as they stand there, in lower case, and its language.
func plainTitle(title string) ([]string, language) {
	var words []string
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
			g.add(hintOf(tok))
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
		unread: ix.unread,
	}
	waiting := found.waiting(project, scope, words)
	set := func(words []string, accept func(Entry) bool) {
		term := titleSet + strings.Join(words, " ")
		for k, l := range s.segs {
			for p := l.seg.read(l.seg.find(term)); p.next(); {
				found.offer(k, p.doc, accept)
			}
		}
	}
	set(words, nil)
	found.add(waiting, func(u *unread) bool { return slices.Equal(u.words, words) })
	found.next()

	for i, w := range words {
		for _, other := range s.slips(w) {
			with := slices.Clone(words)
			with[i] = other
			slices.Sort(with)
			set(slices.Compact(with), func(e Entry) bool { return slipped(title, e.Title) })
		}
	}
	found.add(waiting, func(u *unread) bool {
		return len(u.words) == len(words) && without(words, u.words) == 1 && slipped(title, u.Title)
	})
	found.next()

	for i := range words {
		if len(words) > 1 {
			set(slices.Delete(slices.Clone(words), i, i+1), nil)
		}
	}
	for k := range s.segs {
		s.all(k, words, len(words)+1, func(doc int) { found.offer(k, doc, nil) })
	}
	found.add(waiting, func(u *unread) bool {
		return len(u.words) == len(words)+1 && without(words, u.words) == 0 ||
			len(words) > 1 && len(u.words) == len(words)-1 && without(u.words, words) == 0
	})
	found.next()
	return found.list
}

// nearest collects near titles, level by level.
type nearest struct {
	s      *search
	n      int
	slug   string
	wanted *filter
	seen   map[int]bool
	unread map[string]*unread
	level  []candidate
	extra  []Entry // of level, those not in the index: slot -1-i
	list   []Entry
}

// waiting returns the explorations that are not indexed yet and may be near.
func (f *nearest) waiting(project, scope string, words []string) []*unread {
	var list []*unread
	marks := marksOf(words)
	for _, u := range f.unread {
		if bits.OnesCount64(marks&^u.marks) > 1 || bits.OnesCount64(u.marks&^marks) > 1 {
			continue // two words are not in the other
		}
		if d := len(u.words) - len(words); !u.gone && u.Kind == record.Exploration && u.Slug != f.slug && d >= -1 && d <= 1 &&
			(project == "" || record.SameProject(u.Project, project)) && (scope == "" || strings.EqualFold(u.Scope, scope)) {
			list = append(list, u)
		}
	}
	return list
}

// add offers those of the waiting records that are near.
func (f *nearest) add(waiting []*unread, near func(*unread) bool) {
	if len(f.list) >= f.n {
		return
	}
	for _, u := range waiting {
		if near(u) && !slices.ContainsFunc(f.list, func(e Entry) bool { return e.Path == u.Path }) {
			f.extra = append(f.extra, u.Entry)
			key := sortKey{created: dateSeconds(u.Created), id: []byte(u.ID), path: []byte(u.Path)}
			f.level = append(f.level, candidate{key, -len(f.extra)})
		}
	}
}

// without returns how many of words are not among others. Both are sorted.
func without(words, others []string) int {
	n := 0
	for _, w := range words {
		if _, ok := slices.BinarySearch(others, w); !ok {
			n++
		}
	}
	return n
}

func (f *nearest) offer(k, doc int, accept func(Entry) bool) {
	l := f.s.segs[k]
	slot := f.s.base[k] + doc
	if len(f.list) >= f.n || l.dead.has(doc) || f.seen[slot] || !f.wanted.wants(l, doc) {
		return
	}
	if len(f.unread) > 0 && f.unread[string(l.seg.path(doc))] != nil {
		return // it is another one now, perhaps
	}
	if accept != nil {
		if e, _ := l.seg.entry(doc); !accept(e) {
			return
		}
	}
	f.seen[slot] = true
	f.level = append(f.level, candidate{sortKey{created: l.seg.created(doc), id: l.seg.id(doc), path: l.seg.path(doc)}, slot})
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

// all calls f for the records of segment k whose titles consist of count words, among them all
// of words.
func (s *search) all(k int, words []string, count int, f func(doc int)) {
	l := s.segs[k]
	lists := make([]postings, len(words))
	for i, w := range words {
		list := l.seg.find(titleTerm + w)
		if list == nil {
			return
		}
		lists[i] = l.seg.read(list)
	}
	slices.SortFunc(lists, func(a, b postings) int { return len(a.b) - len(b.b) })
next:
	for lists[0].next() {
		if lists[0].w != count {
			continue
		}
		for i := range lists[1:] {
			p := &lists[1+i]
			for p.doc < lists[0].doc {
				if !p.next() {
					return
				}
			}
			if p.doc != lists[0].doc {
				continue next
			}
		}
		f(lists[0].doc)
	}
}

// slips returns words of titles that w may be a slip of, the nearest first. A word that several
// titles have is none.
func (s *search) slips(w string) []string {
	runes := []rune(w)
	if len(runes) < 4 || !onlyLetters(w) || runeClass(runes[0], utf8.RuneLen(runes[0])) == gram || s.rarity(titleTerm+w) >= fuzzyRare {
		return nil
	}
	type slip struct {
		term string
		far  int
	}
	var list []slip
	letters := lettersOf([]byte(w))
	start := titleTerm + string(runes[0])
	for _, l := range s.segs {
		c := l.seg.seek(start)
		for c.next() && bytes.HasPrefix(c.term, []byte(start)) {
			term := c.term[len(titleTerm):]
			if n := len(term) - len(w); n > slipEnding || n < -slipEnding || string(term) == w {
				continue
			}
			d := 3
			if mayBeNear(letters, lettersOf(term), 2) {
				d = distance(runes, []rune(string(term)), 2)
			}
			if d > 2 && (bytes.HasPrefix(term, []byte(w)) || strings.HasPrefix(w, string(term))) {
				d = 2 // a slip in an ending leaves another stem
			}
			if d <= 2 && l.anyAlive(c.postings) {
				if x := (slip{string(term), d}); !slices.Contains(list, x) {
					list = append(list, x)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b slip) int { return cmp.Or(a.far-b.far, strings.Compare(a.term, b.term)) })
	var terms []string
	for _, x := range list[:min(len(list), fuzzyTerms)] {
		terms = append(terms, x.term)
	}
	return terms
}

// slipped reports whether the only difference between the words of two titles is a slip.
func slipped(a, b string) bool {
	wa, _ := plainTitle(a)
	wb, _ := plainTitle(b)
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
		at := slices.IndexFunc(onlyB, func(y string) bool { return stems(x) == stems(y) || slip(x, y) })
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
	const short = 64
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
