package decision

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// The score of a decision is the share of the question's words that it contains, each weighed by how rare it is and by its field:
// the decision, the alternatives, the causes, the rest. A word that begins like a word of the question counts less: auth,
// authentication.

// Weights of the fields of a word.
const (
	inTitle  = 4
	inOption = 3
	inCause  = 2
	inText   = 1
)

const (
	prefixShare = 0.7 // weight of a word that only begins alike
	minPrefix   = 4   // runes of a common beginning
	slipShare   = 0.5 // weight of a misspelt word
	minSlip     = 5   // runes of a word that may be misspelt
	slipAlike   = 0.7 // share of pairs of letters that a misspelt word keeps
	leastShare  = 0.3 // of a question's words, from which a decision matches it
	closeTo     = 0.4 // of the best score, from which another is returned
)

// lexicon numbers the stems of words, so that each word is stemmed once.
type lexicon struct {
	mu    sync.Mutex
	known map[string]int32 // by the word in the text; -1 for a joining word
	stems map[string]int32
}

// bag has the words of one version of a decision, nil until they are needed. Copies of the decision share it.
type bag struct {
	words []weighted
	means []string
}

type weighted struct {
	word   int32
	weight uint8
}

// ranking finds decisions by words.
type ranking struct {
	list  []Decision
	stems map[string]int32
	post  [][]posting // by word
	vocab []string    // sorted
}

type posting struct {
	at     int32
	weight uint8
}

// rank makes the ranking of a list.
func (l *lexicon) rank(list []Decision) *ranking {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known, l.stems = map[string]int32{}, map[string]int32{}
	}
	r := &ranking{list: list, stems: map[string]int32{}}
	for i := range list {
		for _, w := range l.bagOf(&list[i]) {
			for int(w.word) >= len(r.post) {
				r.post = append(r.post, nil)
			}
			r.post[w.word] = append(r.post[w.word], posting{int32(i), w.weight})
		}
	}
	for s, n := range l.stems {
		if int(n) < len(r.post) && len(r.post[n]) > 0 {
			r.stems[s] = n
			r.vocab = append(r.vocab, s)
		}
	}
	slices.Sort(r.vocab)
	return r
}

// byMeaning has the places of decisions by their meaning.
func (l *lexicon) byMeaning(list []Decision) map[string][]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := make(map[string][]int, len(list))
	for i := range list {
		d := &list[i]
		if d.bag.means == nil {
			d.bag.means = []string{meaning(d.Title)}
			if k := meaning(d.Chosen); k != "" && k != d.bag.means[0] {
				d.bag.means = append(d.bag.means, k)
			}
		}
		for _, k := range d.bag.means {
			if k != "" {
				m[k] = append(m[k], i)
			}
		}
	}
	return m
}

// bagOf returns the words of a decision with the weight of the best field of each.
func (l *lexicon) bagOf(d *Decision) []weighted {
	if d.bag.words != nil {
		return d.bag.words
	}
	best := map[int32]uint8{}
	put := func(weight uint8, texts ...string) {
		for _, t := range texts {
			for _, w := range tokens(t) {
				if n := l.number(w); n >= 0 {
					best[n] = max(best[n], weight)
				}
			}
		}
	}
	put(inTitle, d.Title, d.Chosen)
	put(inOption, d.Alternatives...)
	for _, causes := range [][]string{d.Because, d.Drivers, d.Consequences, d.Constraints, d.Assumptions} {
		put(inCause, causes...)
	}
	put(inText, d.body)
	d.bag.words = make([]weighted, 0, len(best))
	for w, weight := range best {
		d.bag.words = append(d.bag.words, weighted{w, weight})
	}
	return d.bag.words
}

// number returns the number of a word's stem, -1 for a joining word.
func (l *lexicon) number(w string) int32 {
	n, ok := l.known[w]
	if ok {
		return n
	}
	n = -1
	if s, ok := contentWord(w); ok {
		if n, ok = l.stems[s]; !ok {
			n = int32(len(l.stems))
			l.stems[s] = n
		}
	}
	l.known[w] = n
	return n
}

// hit is a decision with its score, from 0 to 1.
type hit struct {
	at    int
	score float64
	share float64 // of the words asked for, by rarity
}

// best returns at most n decisions that match words, the best first.
func (r *ranking) best(words []string, n int) []hit {
	if len(words) == 0 || len(r.list) == 0 {
		return nil
	}
	scores, shares := map[int32]float64{}, map[int32]float64{}
	var all float64
	for _, w := range words {
		best := map[int32]float64{} // quality of the match, by decision
		match := func(word string, quality float64) {
			for _, p := range r.post[r.stems[word]] {
				best[p.at] = max(best[p.at], quality*float64(4+p.weight)/(4+inTitle))
			}
		}
		if _, ok := r.stems[w]; ok {
			match(w, 1)
		}
		for _, alike := range r.alike(w) {
			match(alike, prefixShare)
		}
		if len(best) == 0 {
			for _, slip := range r.slips(w) {
				match(slip, slipShare)
			}
		}
		idf := math.Log(1 + float64(len(r.list))/float64(max(1, len(best))))
		all += idf
		for at, quality := range best {
			scores[at] += quality * idf
			shares[at] += idf
		}
	}
	var hits []hit
	for at, s := range scores {
		h := hit{int(at), s / all, shares[at] / all}
		if e := r.list[at].Effective(); e == superseded || e == rejected {
			h.score *= 0.9 // decisions in force come first
		}
		if h.share >= leastShare {
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at)) })
	for i, h := range hits {
		if i == n || h.score < closeTo*hits[0].score {
			return hits[:i]
		}
	}
	return hits
}

const mostAlike = 32

// alike are the words of which one begins with the other.
func (r *ranking) alike(w string) (out []string) {
	if utf8.RuneCountInString(w) < minPrefix {
		return nil
	}
	at, _ := slices.BinarySearch(r.vocab, w)
	for ; at < len(r.vocab) && strings.HasPrefix(r.vocab[at], w) && len(out) < mostAlike; at++ {
		if r.vocab[at] != w {
			out = append(out, r.vocab[at])
		}
	}
	runes := 0
	for i := range w {
		if runes >= minPrefix {
			if _, ok := r.stems[w[:i]]; ok {
				out = append(out, w[:i])
			}
		}
		runes++
	}
	return out
}

// slips are the words that w may be a misspelling of: those with the most common pairs of letters.
func (r *ranking) slips(w string) (out []string) {
	pairs := pairsOf(w)
	if len(pairs) < minSlip-1 {
		return nil
	}
	best := slipAlike
	for _, other := range r.vocab {
		if n := len(other) - len(w); n > 3 || n < -3 || other[0] != w[0] {
			continue
		}
		theirs := pairsOf(other)
		common := 0
		for p, n := range theirs {
			common += min(n, pairs[p])
		}
		switch alike := 2 * float64(common) / float64(utf8.RuneCountInString(w)+utf8.RuneCountInString(other)-2); {
		case alike > best:
			best, out = alike, []string{other}
		case alike == best:
			out = append(out, other)
		}
	}
	return out
}

func pairsOf(w string) map[[2]rune]int {
	pairs := map[[2]rune]int{}
	rs := []rune(w)
	for i := range len(rs) - 1 {
		pairs[[2]rune{rs[i], rs[i+1]}]++
	}
	return pairs
}
