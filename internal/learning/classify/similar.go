package classify

import (
	"cmp"
	"strings"

	"sdd/internal/analysis"
)

// NearDuplicate is the similarity from which two learnings may be the same.
const NearDuplicate = 0.75

// Similarity returns the similarity of two learnings by their words, from 0 (nothing in common) to 1 (equal except for
// case, blanks and punctuation). From NearDuplicate on a hint is useful. It is symmetric. Learnings that may contradict
// each other stay below NearDuplicate, however many words they share.
func Similarity(a, b string) float64 {
	x, y := bagOf(a), bagOf(b)
	if x.text == y.text {
		if x.text != "" || strings.TrimSpace(a) == strings.TrimSpace(b) {
			return 1
		}
		return 0
	}
	s := 0.65*analysis.Dice(x.words, y.words) + 0.35*analysis.Dice(x.grams, y.grams)
	if x.denies != y.denies || s >= NearDuplicate && Disputed(a, b) {
		return min(s, 0.7*NearDuplicate+0.3*s*NearDuplicate)
	}
	return min(s, 0.99) // only the same words in the same order get 1
}

// bag is a learning as a set of stems and a set of letter triples.
type bag struct {
	text         string // the words in lower case, with blanks
	words, grams map[string]bool
	denies       bool
}

// long maps shortened words to the stems of their long forms.
var long = map[string]string{"config": "configur", "repo": "repositori", "dir": "folder", "directori": "folder", "docs": "document",
	"auth": "authent", "app": "applic", "db": "databas", "env": "environ"}

func bagOf(content string) bag {
	g := bag{words: map[string]bool{}, grams: map[string]bool{}}
	var all []string
	for _, t := range tokens(head(content, maxClaim)) {
		if t.kind == pause || t.kind == stop {
			continue
		}
		all = append(all, t.text)
		if in("denying", t.text) {
			g.denies = !g.denies
		}
		if in("dropped", t.text) && !in("stating", t.text) {
			continue
		}
		w := t.subject()
		g.words[cmp.Or(long[w], w)] = true
	}
	g.text = strings.Join(all, " ")
	for i := 0; i+3 <= len(g.text); i++ {
		g.grams[g.text[i:i+3]] = true
	}
	return g
}
