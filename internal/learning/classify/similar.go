package classify

import (
	"slices"
	"strings"
)

// NearDuplicate is the similarity from which two learnings may be one.
const NearDuplicate = 0.75

// Similarity says how near two learnings are in their words, from 0 (nothing in common) to 1 (the same but for case,
// blanks and punctuation). From NearDuplicate on it is worth a hint. It is symmetric. Learnings that may contradict each other
// stay below NearDuplicate, however many words they share.
func Similarity(a, b string) float64 {
	x, y := bagOf(a), bagOf(b)
	if x.text == y.text {
		if x.text != "" || strings.TrimSpace(a) == strings.TrimSpace(b) {
			return 1
		}
		return 0
	}
	s := 0.65*dice(x.words, y.words) + 0.35*dice(x.grams, y.grams)
	against := x.denies != y.denies
	if s >= NearDuplicate && !against {
		p, q := Prepare(a), Prepare(b)
		_, there := p.Contradicts(q)
		_, back := q.Contradicts(p)
		against = there || back
	}
	if against {
		return min(s, 0.7*NearDuplicate+0.3*s*NearDuplicate)
	}
	return min(s, 0.99) // 1 is kept for the same words in the same order
}

// bag is a learning as a set of stems and a set of the letters that stand together.
type bag struct {
	text   string // the words in lower case, a blank between them
	words  []string
	grams  []string
	denies bool
}

// long are short forms that people write for longer words.
var long = map[string]string{"config": "configur", "repo": "repositori", "dir": "folder", "directori": "folder", "docs": "document", "auth": "authent", "app": "applic", "db": "databas", "env": "environ"}

func bagOf(content string) bag {
	var g bag
	var all []string
	for _, t := range tokens(head(content, maxClaim)) {
		if t.kind == pause || t.kind == stop {
			continue
		}
		all = append(all, t.text)
		if denying()[t.text] {
			g.denies = !g.denies
		}
		if dropped()[t.text] && !stating()[t.text] {
			continue
		}
		w := t.text
		if t.kind == word {
			w = stem(w)
		} else {
			w = strings.Trim(w, "/")
		}
		if l, ok := long[w]; ok {
			w = l
		}
		g.words = append(g.words, w)
	}
	g.text = strings.Join(all, " ")
	for i := 0; i+3 <= len(g.text); i++ {
		g.grams = append(g.grams, g.text[i:i+3])
	}
	slices.Sort(g.words)
	slices.Sort(g.grams)
	g.words, g.grams = slices.Compact(g.words), slices.Compact(g.grams)
	return g
}

// dice is twice what two sorted sets share, divided by the sum of their sizes.
func dice(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	n, i, k := 0, 0, 0
	for i < len(a) && k < len(b) {
		switch strings.Compare(a[i], b[k]) {
		case 0:
			n++
			i++
			k++
		case -1:
			i++
		default:
			k++
		}
	}
	return 2 * float64(n) / float64(len(a)+len(b))
}
