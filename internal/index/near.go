package index

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/analysis"
	"sdd/internal/record"
)

// Two titles are near when they have the same words in any order and with any ending, when one has a word more, or when
// one word is a typing mistake or an abbreviation of the other's. A title with a different word has another subject.

const (
	maxTitle     = 2048 // bytes of a title that count
	maxTitleWord = 32   // words of a title that count
	fuzzyRare    = 3    // a word of this many records is taken as correct
)

// joining relate the other words of a title. The stop words of a question are more: "without" and "not" change a title.
var joining = strings.Fields("and at by for from in of on the to with")

// titleWords returns the stems of a title's words, each once, without joining ones. A token of marks alone, such as ͺ, is no word.
func titleWords(title string) []string {
	words, lang := plainTitle(title)
	telling := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(joining, w) })
	if len(telling) > 0 {
		words = telling
	}
	for i, w := range words {
		if w = analysis.Bare(w); analysis.OnlyLetters(w) {
			if w = analysis.Bare(analysis.Stem(words[i], lang)); lang == analysis.English {
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
func plainTitle(title string) ([]string, analysis.Language) {
	words := make([]string, 0, 8)
	var g guess
	src := []byte(title[:min(len(title), maxTitle)])
	end := -1
	analysis.Tokens(src, func(t analysis.Token) bool {
		tok := src[t.Start:t.End]
		switch t.Kind {
		case analysis.Single, analysis.Alone:
			if t.Start == end { // in a script without spaces a word is a whole run
				words[len(words)-1] += analysis.Lower(analysis.Normal(tok))
			} else {
				words = append(words, analysis.Lower(analysis.Normal(tok)))
			}
			end = t.End
		case analysis.Word:
			if len(tok) > 1 { // a single letter is a name in a title: "Plan y"
				g.add(hintOf(tok))
			}
			words = append(words, analysis.Pieces(tok)...)
		}
		return len(words) < maxTitleWord
	})
	return words, g.language()
}

// Says reports whether a line has the subject of a title: all its words, in a form or as two words, as a large enough part.
func Says(text, title string) bool {
	words := titleWords(title)
	for line := range strings.Lines(text) {
		plain, lang := plainTitle(line)
		said := map[string]int{} // words of the line, by their stems
		for i, w := range plain {
			w = analysis.Stem(w, lang)
			said[analysis.Bare(w)] = 1
			if i+1 < len(plain) {
				said[analysis.Bare(w+plain[i+1])] = 2
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

// Levels of nearness, the nearest first.
const (
	sameWords = iota
	oneSlip
	oneWord // more or less
	levels
)

// Near returns at most n explorations with near titles and another slug: the same words, typing mistakes, a word more or less.
func (ix *Index) Near(title, project, scope string, n int) []Entry {
	words := titleWords(title)
	if len(words) == 0 || n <= 0 || ix.ready(ix.ctx) != nil {
		return nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	f := nearest{
		s: newSearch(ix.ctx, ix.contents), unread: ix.unread, title: title, slug: record.Slug(title), words: words, all: 1<<len(words) - 1,
		seen: map[string]bool{}, wanted: ix.contents.newFilter(&Query{Types: typesOf(record.Exploration), Project: project, Scope: scope}),
	}
	f.offerUnread(project, scope)
	for _, l := range f.s.segs {
		f.offerSegment(l)
	}
	var list []Entry
	for _, found := range f.found {
		sortNewest(found)
		for _, e := range found {
			if !f.seen[e.Path] {
				f.seen[e.Path] = true
				list = append(list, e)
			}
		}
	}
	return list[:min(len(list), n)]
}

// nearest collects near titles by level.
type nearest struct {
	s      *search
	unread map[string]*unread
	title  string
	slug   string
	words  []string // of the title, as titleWords has them
	all    uint32   // a bit for each word
	plain  []string // as plainTitle returns them, computed when needed
	wanted *filter
	seen   map[string]bool // paths in the result
	found  [levels][]Entry
}

// offerSegment offers the records of a segment by the words that their titles have of the title, and in all.
func (f *nearest) offerSegment(l *live) {
	has, size := make([]uint32, l.seg.len()), make([]uint8, l.seg.len())
	for i, w := range f.words {
		for p := l.seg.read(l.seg.find(titleTerm + w)); p.next(); {
			has[p.doc] |= 1 << i
			size[p.doc] = uint8(p.w)
		}
	}
	n := len(f.words)
	var lacked uint32 // the words that are the only one that some title of fitting size lacks
	for doc, set := range has {
		if f.all&^set == 0 {
			switch int(size[doc]) {
			case n:
				f.offer(l, doc, sameWords)
			case n + 1:
				f.offer(l, doc, oneWord)
			}
		} else if lack := f.all &^ set; lack&(lack-1) == 0 && int(size[doc]) <= n {
			lacked |= lack
			if set != 0 && int(size[doc]) == n-1 {
				f.offer(l, doc, oneWord)
			}
		}
	}
	for i, w := range f.words {
		if !misspells(w) || n > 1 && lacked&(1<<i) == 0 || f.s.rarityUpTo(titleTerm+w, fuzzyRare) == fuzzyRare {
			continue
		}
		l.seg.slips(titleTerm, newMistyped(w, true), func(term []byte, _ int, list []byte) {
			want := n // words of a title with the misspelling
			if slices.Contains(f.words, string(term)) {
				want = n - 1
			}
			for p := l.seg.read(list); p.next(); {
				if has[p.doc] == f.all&^(1<<i) && p.w == want {
					f.offer(l, p.doc, oneSlip)
				}
			}
		})
	}
}

// offer adds a record to the result, unless its file waits to be indexed: the file may hold another record now.
func (f *nearest) offer(l *live, doc, level int) {
	if l.dead.has(doc) || !f.wanted.wants(l, doc) || f.unread[string(l.seg.path(doc))] != nil {
		return
	}
	e, _ := l.seg.entry(doc)
	f.add(e, level)
}

func (f *nearest) add(e Entry, level int) {
	if e.Slug != f.slug && (level != oneSlip || f.slipped(e.Title)) {
		f.found[level] = append(f.found[level], e)
	}
}

// offerUnread offers the explorations in files that wait to be indexed.
func (f *nearest) offerUnread(project, scope string) {
	for _, u := range f.unread {
		if u.gone || u.Kind != record.Exploration {
			continue
		}
		level, ok := nearness(f.words, u.words)
		if ok && (project == "" || record.SameProject(u.Project, project)) && (scope == "" || strings.EqualFold(u.Scope, scope)) {
			f.add(u.Entry, level)
		}
	}
}

// nearness returns the level of nearness of two titles by their sorted words. slipped decides whether a possible misspelling is one.
func nearness(a, b []string) (level int, ok bool) {
	if len(b) == 0 {
		return 0, false
	}
	var x, y string // the word that only one of them has
	for len(a)+len(b) > 0 {
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			a, b = a[1:], b[1:]
			continue
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			if x != "" {
				return 0, false
			}
			x, a = a[0], a[1:]
		default:
			if y != "" {
				return 0, false
			}
			y, b = b[0], b[1:]
		}
	}
	switch {
	case x == "" && y == "":
		return sameWords, true
	case x == "" || y == "":
		return oneWord, true
	case !misspells(x):
		return 0, false
	}
	m := newMistyped(x, true)
	return oneSlip, m.far([]byte(y)) <= 2
}

// misspells reports whether a word of a title may be a misspelling: it has four letters or more, and no other characters.
func misspells(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return analysis.OnlyLetters(w) && utf8.RuneCountInString(w) >= 4 && !analysis.Unspaced(r)
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
		at := slices.IndexFunc(others, func(y string) bool { return IsSlip(x, y) || abbreviates(x, y) || stems(x) == stems(y) })
		if at < 0 {
			return false
		}
		others = slices.Delete(others, at, at+1)
	}
	return len(others) == 0
}
