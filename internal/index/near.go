package index

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"sdd/internal/record"
)

// Two titles are near when they have the same words in any order and with any ending, when one has a word more, or when one
// word is a short form of the other's. A title with a different word has another subject.

const (
	maxTitle     = 2048 // bytes of a title that count
	maxTitleWord = 32   // words of a title that count
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

// Near returns at most n explorations of that project and scope whose titles are near title and whose slug differs: the
// same words first, then a short form of a word, then a word more or less.
func (ix *Index) Near(title, project, scope string, n int) []Entry {
	words := titleWords(title)
	if len(words) == 0 || n <= 0 || ix.ready(ix.ctx) != nil {
		return nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	const same, shorter, oneWord = 0, 1, 2
	level := func(shared, size int) int {
		switch {
		case shared == len(words) && size == shared:
			return same
		case shared == len(words)-1 && size == len(words):
			return shorter
		case shared > 0 && len(words)+size-2*shared == 1:
			return oneWord
		}
		return -1
	}
	var found [3][]Entry
	offer := func(e Entry, level int) {
		if level >= 0 && e.Slug != record.Slug(title) && (level != shorter || shortens(title, e.Title)) {
			found[level] = append(found[level], e)
		}
	}
	wanted := ix.contents.newFilter(&Query{Types: typesOf(record.Exploration), Project: project, Scope: scope})
	for _, l := range newSearch(ix.ctx, ix.contents).segs {
		shared, size, forms := make([]uint8, l.seg.len()), make([]uint8, l.seg.len()), make([]bool, l.seg.len())
		for _, w := range words {
			for p := l.seg.read(l.seg.find(titleTerm + w)); p.next(); {
				shared[p.doc]++
				size[p.doc] = uint8(p.w)
			}
			l.seg.eachForm(w, func(p postings) {
				for p.next() {
					forms[p.doc], size[p.doc] = true, uint8(p.w)
				}
			})
		}
		for doc, n := range size {
			at := level(int(shared[doc]), int(n))
			// A file that waits to be indexed may hold another record now.
			if at < 0 || at == shorter && !forms[doc] || l.dead.has(doc) || !wanted.wants(l, doc) || ix.unread[string(l.seg.path(doc))] != nil {
				continue
			}
			e, _ := l.seg.entry(doc)
			offer(e, at)
		}
	}
	for _, u := range ix.unread {
		if !u.gone && u.Kind == record.Exploration &&
			(project == "" || record.SameProject(u.Project, project)) && (scope == "" || strings.EqualFold(u.Scope, scope)) {
			shared := 0
			for _, w := range words {
				if slices.Contains(u.words, w) {
					shared++
				}
			}
			offer(u.Entry, level(shared, len(u.words)))
		}
	}
	var list []Entry
	for _, found := range found {
		sortNewest(found)
		list = append(list, found...)
	}
	return list[:min(len(list), n)]
}

const (
	leastForm = 4 // letters of a short form
	leastCut  = 4 // letters that it leaves out: port is no form of portal
	longForm  = 8 // letters of a form that may leave out fewer
)

// eachForm calls f with the postings of the other title words that may be forms of w: those with the same first letters.
func (s *segment) eachForm(w string, f func(postings)) {
	runes := []rune(w)
	first := titleTerm + string(runes[:min(len(runes), leastForm)])
	if !onlyLetters(w) {
		return
	}
	for c := s.seek(first); c.next() && strings.HasPrefix(string(c.term), first); {
		if string(c.term) != titleTerm+w {
			f(s.read(c.postings))
		}
	}
}

// shortens reports whether the words of two titles differ only in their endings and in the short form of a word, as auth is
// one of authentication.
func shortens(a, b string) bool {
	mine, _ := plainTitle(a)
	others, _ := plainTitle(b)
	left := slices.DeleteFunc(slices.Clone(mine), func(w string) bool { return slices.Contains(others, w) })
	others = slices.DeleteFunc(others, func(w string) bool { return slices.Contains(mine, w) })
	stems := func(w string) string { return strings.Join(titleWords(w), " ") }
	for _, x := range left {
		at := slices.IndexFunc(others, func(y string) bool { return abbreviates(x, y) || stems(x) == stems(y) })
		if at < 0 {
			return false
		}
		others = slices.Delete(others, at, at+1)
	}
	return len(others) == 0
}

// abbreviates reports whether one word is a short form of the other.
func abbreviates(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	n, cut := utf8.RuneCountInString(a), utf8.RuneCountInString(b)-utf8.RuneCountInString(a)
	return onlyLetters(b) && strings.HasPrefix(b, a) && n >= leastForm && (cut >= leastCut || n >= longForm)
}

// ofOneOrMany returns the form under which titles compare an English word, given its stem: the same for singular and
// plural. Stems differ there: bus and buse, len and lens, indic and index. Only titles use it, because it joins some
// pairs of different words.
func ofOneOrMany(word, stemmed string) string {
	if one := irregular()[word]; one != "" {
		stemmed = bare(stem(one, langEnglish))
	}
	s := stemmed
	switch n := len(s); {
	case word == "news":
	case n > 4 && (s[n-2:] == "ex" || s[n-2:] == "ix"): // indices
		s = s[:n-2] + "ic"
	case strings.HasSuffix(s, "se"): // buses
		s = s[:n-2]
	case strings.HasSuffix(s, "s"):
		s = strings.TrimRight(s, "s")
	case strings.HasSuffix(s, "zz"): // quizzes
		s = s[:n-1]
	}
	if len(s) < 2 {
		return stemmed
	}
	return s
}

// irregular are plurals without a plural ending.
var irregular = sync.OnceValue(func() map[string]string {
	words := strings.Fields(`people person children child men man women woman mice mouse feet foot teeth tooth geese goose
		criteria criterion phenomena phenomenon schemata schema analyses analysis hypotheses hypothesis theses thesis crises crisis
		diagnoses diagnosis syntheses synthesis shelves shelf halves half knives knife lives life wives wife wolves wolf loaves loaf`)
	singular := map[string]string{}
	for i := 0; i < len(words); i += 2 {
		singular[words[i]] = words[i+1]
	}
	return singular
})
