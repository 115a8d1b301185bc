package decision

import (
	"cmp"
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/russian"
	"golang.org/x/text/unicode/norm"

	"sdd/internal/pattern"
)

// The words of decisions answer two questions: are two texts the same decision, and how well does one match a question. The first is
// strict: all words in their order but for phrases such as "we decided to"; negations, directions and numbers count. The second
// leaves out all joining words, in eight languages.

const mostWords = 4096 // of one text that are looked at

// tokens are the words of a text in lower case: runs of letters, digits and marks; of scripts without spaces, pairs of neighbours.
func tokens(text string) (out []string) {
	var run []rune
	dense := false // the run is of a script without spaces
	flush := func() {
		if dense && len(run) > 1 {
			for i := range run[1:] {
				out = append(out, string(run[i:i+2]))
			}
		} else if len(run) > 0 {
			out = append(out, string(run))
		}
		run = run[:0]
	}
	for _, r := range strings.ToLower(norm.NFC.String(text)) {
		if len(out) > mostWords {
			break
		}
		isDense := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
		plus := (r == '+' || r == '#') && len(run) > 0 && !dense // C++ and C# are not C
		if !isDense && !plus && !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			flush()
			continue
		}
		if isDense != dense {
			flush()
			dense = isDense
		}
		run = append(run, r)
	}
	flush()
	return out
}

// stems remembers the stems of words: stemming costs more than the rest.
var stems sync.Map

// stem is a word without its ending, as far as one of two stemmers knows it: words of other languages lose at most a plural.
func stem(w string) string {
	if s, ok := stems.Load(w); ok {
		return s.(string)
	}
	out := w
	first, _ := utf8.DecodeRuneInString(w)
	switch {
	case first >= 0x400 && first <= 0x52F:
		env := snowballstem.NewEnv(strings.ReplaceAll(w, "ё", "е"))
		russian.Stem(env)
		out = env.Current()
	case first < 0x250 && len(w) > 3:
		env := snowballstem.NewEnv(w)
		english.Stem(env)
		out = env.Current()
	}
	out = cmp.Or(out, w)
	stems.Store(w, out)
	return out
}

//go:embed words.txt
var wordLists string

var wordSets = pattern.Lists(wordLists)

// meaning is equal for two phrasings of one decision: the stems of their words in order.
func meaning(text string) string {
	all := tokens(text)
	var words []string
	for _, w := range all {
		switch {
		case wordSets()["taking"][w]:
			words = append(words, "use")
		case !wordSets()["phrasing"][w]:
			words = append(words, stem(w))
		}
	}
	if len(words) == 0 {
		return strings.Join(all, " ")
	}
	return strings.TrimPrefix(strings.Join(words, " "), "use ")
}

// itemKey is equal for list items that differ only in case, blanks and punctuation.
func itemKey(text string) string {
	if k := strings.Join(tokens(text), " "); k != "" {
		return k
	}
	return strings.TrimSpace(text)
}

// content are the stems of the words that texts are about, in order, each once: no joining words, such as hiragana in Japanese.
func content(texts ...string) (out []string) {
	seen, joining := map[string]bool{}, wordSets()["joining"]
	for _, text := range texts {
		for _, w := range tokens(text) {
			if joining[w] || len(w) > 64 || strings.TrimFunc(w, isHiragana) == "" {
				continue
			}
			if w = stem(w); !joining[w] && !seen[w] {
				seen[w] = true
				out = append(out, w)
			}
		}
	}
	return out
}

func isHiragana(r rune) bool { return r >= 'ぁ' && r <= 'ゟ' }
