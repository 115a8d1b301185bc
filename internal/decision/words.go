package decision

import (
	_ "embed"
	"strings"
	"sync"

	"sdd/internal/analysis"
	"sdd/internal/index"
	"sdd/internal/pattern"
)

// The words of decisions answer two questions: are two texts the same decision, and how well does one match a question. The first is
// strict: all words in their order but for phrases such as "we decided to"; negations, directions and numbers count. The second
// leaves out all joining words, in eight languages.

// stems remembers the stems of words: stemming costs more than the rest.
var stems sync.Map

func stem(w string) string {
	s, ok := stems.Load(w)
	if !ok {
		s, _ = stems.LoadOrStore(w, analysis.Stem(w, analysis.English))
	}
	return s.(string)
}

//go:embed words.txt
var wordLists string

var wordSets = pattern.Lists(wordLists)

// meaning is equal for two phrasings of one decision: the stems of their words in order.
func meaning(text string) string {
	all := analysis.Words(text)
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
	if k := strings.Join(analysis.Words(text), " "); k != "" {
		return k
	}
	return strings.TrimSpace(text)
}

// content are the stems of the words that texts are about, in order, each once: no joining words.
func content(texts ...string) (out []string) {
	seen := map[string]bool{}
	joining := func(w string) bool { return wordSets()["joining"][w] || index.Stop(w, false) }
	for _, text := range texts {
		for _, w := range analysis.Words(text) {
			if joining(w) || len(w) > 64 {
				continue
			}
			if w = stem(w); !joining(w) && !seen[w] {
				seen[w] = true
				out = append(out, w)
			}
		}
	}
	return out
}
