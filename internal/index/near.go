package index

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/record"
)

// Two titles are near when they have the same words in any order and with any ending, when one has a word more, or when
// one word is a typing mistake or an abbreviation of the other's. A title with a different word has another subject.

const (
	maxTitle     = 2048 // bytes of a title that count
	maxTitleWord = 32   // words of a title that count
	fuzzyRare    = 3    // a word of this many records is taken as correct
)

// titleWords returns the stems of the words of a title in order, each once. A token of marks alone, such as ͺ, is no
// word.
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

// plainTitle returns the words of a title as written, in lower case, and its language.
func plainTitle(title string) ([]string, language) {
	words := make([]string, 0, 8)
	var g guess
	src := []byte(title[:min(len(title), maxTitle)])
	end := -1
	tokens(src, func(t token) bool {
		tok := src[t.start:t.end]
		switch t.kind {
		case single, alone:
			if t.start == end { // in a script without spaces a word is a whole run
				words[len(words)-1] += lower(normal(tok))
			} else {
				words = append(words, lower(normal(tok)))
			}
			end = t.end
		case word:
			if len(tok) > 1 { // a single letter is a name in a title: "Plan y"
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

// Says reports whether a line has the subject that a title names: it has every word of the title in one of its forms, or
// as two words ("log in" is login), and they are a large enough part of the line.
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

// aboutLine is the most words of a line per word that belongs to the title.
const aboutLine = 5

// How near a title is.
const (
	sameWords = iota
	oneSlip
	oneWord // more or less
	levels
)

// none marks the absence of a word number.
const none = -1

// Near returns at most n explorations of that project and scope whose titles are near title and whose slug differs: the
// same words first, then typing mistakes, then a word more or less.
func (ix *Index) Near(title, project, scope string, n int) []Entry {
	words := titleWords(title)
	if len(words) == 0 || n <= 0 || ix.ready(ix.ctx) != nil {
		return nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	s := newSearch(ix.ctx, ix.contents)
	f := nearest{
		s: s, unread: ix.unread, title: title, words: words, seen: map[string]bool{},
		wanted: ix.contents.newFilter(&Query{Types: typesOf(record.Exploration), Project: project, Scope: scope}),
	}
	f.offerUnread(project, scope)
	segments := make([]titled, len(s.segs))
	for k, l := range s.segs {
		segments[k] = newTitled(l, words)
	}
	var list []Entry
	for level := range levels {
		for _, t := range segments {
			switch level {
			case sameWords:
				f.offerSet(t, words, level)
			case oneSlip:
				for i := range words {
					f.offerSlips(t, i)
				}
			case oneWord:
				for i := range words {
					if len(words) > 1 && t.hasAll(i) {
						f.offerSet(t, slices.Delete(slices.Clone(words), i, i+1), level)
					}
				}
				t.each(none, func(doc, count int) bool {
					if count == len(words)+1 {
						f.offer(t.live, doc, level)
					}
					return true
				})
			}
		}
		sortNewest(f.found[level])
		if list = append(list, f.found[level]...); len(list) >= n {
			return list[:n]
		}
	}
	return list
}

// nearest collects near titles, level by level.
type nearest struct {
	s      *search
	unread map[string]*unread
	title  string
	words  []string // of the title, as titleWords has them
	plain  []string // as plainTitle returns them, computed when needed
	typed  mistyped // the last compared word
	wanted *filter
	seen   map[string]bool // paths that were found
	found  [levels][]Entry
}

// titled is a segment with, for each of some words, the list of records that have it in the title.
type titled struct {
	*live
	lists [][]byte
}

func newTitled(l *live, words []string) titled {
	t := titled{l, make([][]byte, len(words))}
	for i, w := range words {
		t.lists[i] = l.seg.find(titleTerm + w)
	}
	return t
}

// hasAll reports whether each of the words is in some title of the segment. Word i may be missing.
func (t titled) hasAll(i int) bool {
	for j, list := range t.lists {
		if list == nil && j != i {
			return false
		}
	}
	return true
}

// each calls yield with the records whose titles have every word (word i may be missing) and the number of words of each
// title, until yield returns false.
func (t titled) each(i int, yield func(doc, count int) bool) {
	if !t.hasAll(i) {
		return
	}
	lists := make([]postings, 0, len(t.lists))
	for k, list := range t.lists {
		if k != i {
			lists = append(lists, t.seg.read(list))
		}
	}
	slices.SortFunc(lists, func(a, b postings) int { return len(a.b) - len(b.b) })
next:
	for lists[0].next() {
		doc := lists[0].doc
		for k := range lists[1:] {
			p := &lists[1+k]
			if !p.to(doc) {
				return
			}
			if p.doc != doc {
				continue next
			}
		}
		if !yield(doc, lists[0].w) {
			return
		}
	}
}

// offerSet offers the records of a segment whose titles consist of exactly these words.
func (f *nearest) offerSet(t titled, words []string, level int) {
	for p := t.seg.read(t.seg.find(titleSet + strings.Join(words, " "))); p.next(); {
		f.offer(t.live, p.doc, level)
	}
}

// offerSlips offers the records of a segment whose titles have a misspelling of word i. The words of a title are sorted,
// so only few titles begin with the same words.
func (f *nearest) offerSlips(t titled, i int) {
	w := f.words[i]
	r, size := utf8.DecodeRuneInString(w)
	mistakable := onlyLetters(w) && utf8.RuneCountInString(w) >= 4 && runeClass(r, size) != gram
	if !mistakable || !t.hasAll(i) || f.s.rarityUpTo(titleTerm+w, fuzzyRare) == fuzzyRare {
		return
	}
	others := slices.Delete(slices.Clone(f.words), i, i+1)
	last := ""
	at, _ := slices.BinarySearch(others, w[:size])
	if len(others) > 0 {
		last = others[len(others)-1]
		possible := at > 0 // otherwise too many titles begin so
		if !possible {
			t.each(i, func(_, count int) bool {
				possible = count == len(f.words) || count == len(others)
				return !possible
			})
		}
		if !possible {
			return
		}
	}
	m := newMistyped(w, true)
	start := titleSet + strings.Join(append(slices.Clone(others[:at]), w[:size]), " ")
	c := t.seg.seek(start)
	for c.next() && bytes.HasPrefix(c.term, []byte(start)) {
		set := c.term[len(titleSet):]
		if n := bytes.Count(set, []byte(" ")); n != len(others) && n+1 != len(others) || !bytes.Contains(set, []byte(last)) {
			continue
		}
		words := strings.Split(string(set), " ")
		level, missing, ok := f.nearness(words)
		// The misspelling may also be another word of the title.
		again := slices.Equal(words, others) && slices.ContainsFunc(others, func(o string) bool { return m.far([]byte(o)) <= 2 })
		if !again && (!ok || level != oneSlip || missing != w) {
			continue
		}
		for p := t.seg.read(c.postings); p.next(); {
			f.offer(t.live, p.doc, oneSlip)
		}
	}
}

// offer adds a record of the index to the result, unless it is there already. It skips a record whose file waits to be
// indexed: the file may hold another record now.
func (f *nearest) offer(l *live, doc, level int) {
	if l.dead.has(doc) || !f.wanted.wants(l, doc) || f.unread[string(l.seg.path(doc))] != nil {
		return
	}
	e, _ := l.seg.entry(doc)
	f.add(e, level)
}

func (f *nearest) add(e Entry, level int) {
	if !f.seen[e.Path] && e.Slug != record.Slug(f.title) && (level != oneSlip || f.slipped(e.Title)) {
		f.seen[e.Path] = true
		f.found[level] = append(f.found[level], e)
	}
}

// offerUnread offers the explorations in files that wait to be indexed.
func (f *nearest) offerUnread(project, scope string) {
	own := marksOf(f.words)
	for _, u := range f.unread {
		if bits.OnesCount64(own&^u.marks) > 1 || bits.OnesCount64(u.marks&^own) > 1 {
			continue // one title has two words that the other lacks
		}
		level, _, ok := f.nearness(u.words)
		if !ok {
			continue
		}
		if !u.gone && u.Kind == record.Exploration &&
			(project == "" || record.SameProject(u.Project, project)) && (scope == "" || strings.EqualFold(u.Scope, scope)) {
			f.add(u.Entry, level)
		}
	}
}

var markSeed = maphash.MakeSeed()

// marksOf returns a set with a bit for each word. Titles with different words mostly differ in bits.
func marksOf(words []string) (marks uint64) {
	for _, w := range words {
		marks |= 1 << (maphash.String(markSeed, w) & 63)
	}
	return marks
}

// nearness returns the level of a title with those words. For a possible misspelling it also returns the missing word;
// slipped decides whether it is one.
func (f *nearest) nearness(others []string) (level int, missing string, ok bool) {
	a, b := f.words, others
	if d := len(b) - len(a); d < -1 || d > 1 || min(len(a), len(b)) == 0 {
		return 0, "", false
	}
	x, y := "", "" // the words that only one title has
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
		return sameWords, "", true
	case more == 1:
		return oneWord, "", true
	case more > 2 || x == "" || y == "" || !allLetters(x) && !allLetters(y): // no number is a slip of another
		return 0, "", false
	}
	if f.typed.word != x {
		f.typed = newMistyped(x, true)
	}
	return oneSlip, x, f.typed.far([]byte(y)) <= 2
}

// slipped reports whether the words of the two titles differ only in a typing mistake or an abbreviation.
func (f *nearest) slipped(title string) bool {
	if f.plain == nil {
		f.plain, _ = plainTitle(f.title)
	}
	others, _ := plainTitle(title)
	mine := slices.DeleteFunc(slices.Clone(f.plain), func(w string) bool { return slices.Contains(others, w) })
	others = slices.DeleteFunc(others, func(w string) bool { return slices.Contains(f.plain, w) })
	stems := func(w string) string { return strings.Join(titleWords(w), " ") }
	for _, x := range mine {
		at := slices.IndexFunc(others, func(y string) bool { return isSlip(x, y) || abbreviates(x, y) || stems(x) == stems(y) })
		if at < 0 {
			return false
		}
		others = slices.Delete(others, at, at+1)
	}
	return len(others) == 0
}
