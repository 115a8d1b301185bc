package index

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"sdd/internal/analysis"
)

// A question in one language also finds records in another: a question about аутентификация finds records with
// authentication or sign in. The thesaurus has words of software projects with nearly the same meaning, in the languages
// with stemmers, Chinese and Japanese.

//go:embed thesaurus.txt
var thesaurusText string

// synonym is one word of a meaning.
type synonym struct {
	text string
	lang analysis.Language // langOther for Russian, Chinese and Japanese, whose script shows them
}

type thesaurus struct {
	meanings [][]synonym                           // by line: words of one meaning
	exact    map[string][]int                      // by word, without accents
	stems    [analysis.Latins + 1]map[string][]int // by stem in a language, the last one Russian
	sorted   [analysis.Latins + 1][]string         // the words of the languages with endings
	unspaced []string                              // words of scripts without spaces, the longest first
}

// thesaurusColumns are the languages of the columns.
var thesaurusColumns = [...]analysis.Language{analysis.English, analysis.Other, analysis.Spanish, analysis.German, analysis.French,
	analysis.Portuguese, analysis.Other}

var theThesaurus = sync.OnceValue(func() *thesaurus {
	t := &thesaurus{exact: map[string][]int{}}
	for i := range t.stems {
		t.stems[i] = map[string][]int{}
	}
	note := func(m map[string][]int, key string, n int) {
		if !slices.Contains(m[key], n) {
			m[key] = append(m[key], n)
		}
	}
	for line := range strings.Lines(thesaurusText) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		n := len(t.meanings)
		var meaning []synonym
		for column, words := range strings.Split(line, "|") {
			lang := thesaurusColumns[column]
			for _, w := range strings.Fields(words) {
				meaning = append(meaning, synonym{w, lang})
				note(t.exact, analysis.Bare(w), n)
				switch {
				case column == len(thesaurusColumns)-1:
					if !slices.Contains(t.unspaced, w) {
						t.unspaced = append(t.unspaced, w)
					}
				case analysis.OnlyLetters(w):
					note(t.stems[lang], analysis.Stem(w, lang), n)
					t.sorted[lang] = append(t.sorted[lang], analysis.Bare(w))
				}
			}
		}
		t.meanings = append(t.meanings, meaning)
	}
	for i := range t.sorted {
		slices.Sort(t.sorted[i])
		t.sorted[i] = slices.Compact(t.sorted[i])
	}
	slices.SortStableFunc(t.unspaced, func(a, b string) int { return len(b) - len(a) })
	return t
})

// of returns the meanings of a lower-case word of a question in that language.
func (t *thesaurus) of(word string, l analysis.Language, sure bool) []int {
	var found []int
	add := func(ns []int) {
		for _, n := range ns {
			if !slices.Contains(found, n) {
				found = append(found, n)
			}
		}
	}
	add(t.exact[analysis.Bare(word)])
	if !analysis.OnlyLetters(word) {
		return found
	}
	langs := []analysis.Language{l}
	switch {
	case analysis.Cyrillic(word):
		langs = []analysis.Language{analysis.Other}
	case !sure:
		langs = []analysis.Language{analysis.English, analysis.Spanish, analysis.German, analysis.French, analysis.Portuguese}
	case int(l) >= analysis.Latins:
		return found
	}
	for _, x := range langs {
		add(t.stems[x][analysis.Stem(word, x)])
	}
	if len(found) > 0 {
		return found
	}
	for _, x := range langs {
		if w := t.alike(x, analysis.Bare(word)); w != "" {
			add(t.exact[w])
		}
	}
	return found
}

// alike returns the word that differs only in its ending or, as in German compounds, is the last part; "" when there is none.
func (t *thesaurus) alike(l analysis.Language, word string) string {
	const ending, head, part = 3, 5, 4 // limits: bytes of the ending, letters of the head, letters of a part of a compound
	list := t.sorted[l]
	rs := []rune(word)
	if len(rs) < head {
		return ""
	}
	stemLike := string(rs[:max(head, len(rs)-ending)])
	best := ""
	for at, _ := slices.BinarySearch(list, stemLike); at < len(list) && strings.HasPrefix(list[at], stemLike); at++ {
		if d := len(list[at]) - len(word); d <= 2*ending && (best == "" || len(list[at]) < len(best)) {
			best = list[at]
		}
	}
	if best != "" || l != analysis.German {
		return best
	}
	for cut := part; cut <= len(rs)-part; cut++ {
		tail := string(rs[cut:])
		for _, end := range []string{"", "n", "en", "s", "e", "er"} {
			if w, ok := strings.CutSuffix(tail, end); ok && len(w) >= head {
				if _, found := slices.BinarySearch(list, w); found {
					return w
				}
			}
		}
	}
	return ""
}

// synonyms returns the other words of these meanings: terms with their languages, and unspaced words, which need every pair.
func (t *thesaurus) synonyms(meanings []int, word string) stage {
	st := stage{how: bySynonym}
	seen := map[string]bool{}
	add := func(term string, in languages) { st.variants = addVariant(st.variants, variant{term, in, synonymous}) }
	for _, n := range meanings {
		for _, w := range t.meanings[n] {
			if w.text == word || seen[w.text] {
				continue
			}
			seen[w.text] = true
			if pairs := pairsOf(w.text); pairs != nil {
				st.parts = append(st.parts, pairParts(pairs, synonymous*100/allParts))
				continue
			}
			in := setOf(w.lang)
			if analysis.Cyrillic(w.text) {
				in = everyLanguage
			}
			if s := analysis.Bare(w.text); idleness(s, analysis.English, false) != stopword {
				if w.lang == analysis.English { // every language uses English terms
					add(s, everyLanguage)
				} else {
					add(s, in)
				}
			}
			if analysis.OnlyLetters(w.text) {
				add(analysis.Stem(w.text, w.lang), in)
			}
		}
	}
	return st
}

// pairsOf returns the pairs of a word of a script without spaces, nil for any other word.
func pairsOf(word string) (pairs []string) {
	src := []byte(word)
	analysis.Tokens(src, func(t analysis.Token) bool {
		if t.Kind == analysis.Pair {
			pairs = append(pairs, analysis.Lower(analysis.Normal(src[t.Start:t.End])))
		}
		return true
	})
	return pairs
}

// maxCut is the longest question, in bytes, in which cut searches for words.
const maxCut = 4 << 10

// cut puts spaces around the thesaurus's words in a text without spaces, so that no pair joins two, and returns those words.
func (t *thesaurus) cut(text string) (spaced string, words []string) {
	if analysis.IsASCII(text) || len(text) > maxCut {
		return text, nil
	}
	for _, w := range t.unspaced {
		if strings.Contains(text, w) {
			text = strings.ReplaceAll(text, w, " "+w+" ")
			if !slices.ContainsFunc(words, func(longer string) bool { return strings.Contains(longer, w) }) {
				words = append(words, w)
			}
		}
	}
	return text, words
}
