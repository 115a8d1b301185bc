package classify

import (
	"slices"
	"strings"
)

// Similarity says how near two learnings are in their words, from 0 (nothing in common) to 1 (the same but for case,
// blanks and punctuation). From NearDuplicate on it is worth a hint. It is symmetric. Learnings of which one denies
// what the other says stay below NearDuplicate, however many words they share.
func Similarity(a, b string) float64 {
	x, y := bagOf(a), bagOf(b)
	if x.text == y.text {
		if x.text != "" || strings.TrimSpace(a) == strings.TrimSpace(b) {
			return 1
		}
		return 0
	}
	s := 0.65*dice(x.words, y.words) + 0.35*dice(x.grams, y.grams)
	if x.negative != y.negative {
		return min(s, 0.7*NearDuplicate+0.3*s*NearDuplicate)
	}
	if s >= NearDuplicate {
		p, q := Prepare(a), Prepare(b)
		_, there := p.Contradicts(q)
		_, back := q.Contradicts(p)
		if there || back {
			return min(s, 0.7*NearDuplicate+0.3*s*NearDuplicate)
		}
	}
	return min(s, 0.99) // 1 is kept for the same words in the same order
}

// NearDuplicate is the similarity from which two learnings may be one.
const NearDuplicate = 0.75

// bag is a learning as a set of words and a set of the letters that stand together.
type bag struct {
	text     string // the words in lower case, a blank between them
	words    []uint64
	grams    []uint64
	negative bool
}

func bagOf(content string) bag {
	var g bag
	var b strings.Builder
	toks := tokens(head(content, maxClaim))
	for _, t := range toks {
		if t.kind == pause || t.kind == stop {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		switch w, known := lexicon()[t.text]; {
		case !known && t.kind == word:
			g.words = append(g.words, hash(stem(t.text)))
		case t.kind == code:
			g.words = append(g.words, hash(codeName(t.text)))
		case !known || w.count:
			g.words = append(g.words, hash(t.text))
		default:
			if w.negates || w.negative {
				g.negative = !g.negative
			}
			if !w.drop && w.prep == noPrep {
				g.words = append(g.words, w.id)
			}
		}
	}
	g.text = b.String()
	g.words = sorted(g.words)
	for i := 0; i+3 <= len(g.text); i++ {
		g.grams = append(g.grams, uint64(g.text[i])<<16|uint64(g.text[i+1])<<8|uint64(g.text[i+2]))
	}
	slices.Sort(g.grams)
	g.grams = slices.Compact(g.grams)
	return g
}

// dice is twice what two sets share, divided by the sum of their sizes.
func dice(a, b []uint64) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	shared := len(a) - len(difference(a, b))
	return 2 * float64(shared) / float64(len(a)+len(b))
}
