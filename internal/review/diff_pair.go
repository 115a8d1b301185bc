package review

import (
	"cmp"
	"slices"
	"strings"
)

// couple is a record in two states, of which one may be missing.
type couple struct{ old, new *version }

const (
	mostGuesses  = 40000 // pairs of files that are compared by their words
	similarFiles = 0.6   // what two of them have in common at least to be one record
)

// pair finds for each older version the newer one of the same record: by identity; then by path, since another title
// makes another identity of an exploration; then, for a file that got another title and another name at once,
// by its lines. Two ids that stand in the files are never taken for one.
func pair(olds, news []*version) []couple {
	p := pairing{taken: map[*version]bool{}}
	p.by(olds, news, func(v *version) string { return v.rec.ID + "\x00" + v.path })
	p.by(olds, news, func(v *version) string { return v.rec.ID })
	p.by(olds, news, func(v *version) string { return v.path })
	p.similar(p.loose(olds), p.loose(news))
	for _, v := range olds {
		if !p.taken[v] {
			p.couples = append(p.couples, couple{old: v})
		}
	}
	for _, v := range news {
		if !p.taken[v] {
			p.couples = append(p.couples, couple{new: v})
		}
	}
	return p.couples
}

// pairing collects couples.
type pairing struct {
	couples []couple
	taken   map[*version]bool
}

func (p *pairing) join(o, n *version) {
	p.couples = append(p.couples, couple{o, n})
	p.taken[o], p.taken[n] = true, true
}

// by joins what has the same key, in order.
func (p *pairing) by(olds, news []*version, key func(*version) string) {
	waiting := map[string][]*version{}
	for _, v := range olds {
		if !p.taken[v] {
			waiting[key(v)] = append(waiting[key(v)], v)
		}
	}
	for _, v := range news {
		if w := waiting[key(v)]; len(w) > 0 && !p.taken[v] && mayBeOne(w[0], v) {
			waiting[key(v)] = w[1:]
			p.join(w[0], v)
		}
	}
}

// loose are the versions that have no mate and may get one by their text.
func (p *pairing) loose(vs []*version) []*version {
	return slices.DeleteFunc(slices.Clone(vs), func(v *version) bool { return p.taken[v] || ownID(v) != "" })
}

// similar joins files that have most of their lines in common, the most similar first.
func (p *pairing) similar(olds, news []*version) {
	if len(olds)*len(news) > mostGuesses {
		return
	}
	type guess struct {
		couple
		score float64
	}
	var guesses []guess
	lines := make(map[*version]map[string]int, len(olds)+len(news))
	for _, v := range slices.Concat(olds, news) {
		lines[v] = linesOf(headOf(v.src).body)
	}
	for _, o := range olds {
		for _, n := range news {
			if o.rec.Kind != n.rec.Kind {
				continue
			}
			if s := inCommon(lines[o], lines[n]); s >= similarFiles {
				guesses = append(guesses, guess{couple{o, n}, s})
			}
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(b.score, a.score) })
	for _, g := range guesses {
		if !p.taken[g.old] && !p.taken[g.new] {
			p.join(g.old, g.new)
		}
	}
}

// mayBeOne is false for two files that say themselves that they are different records.
func mayBeOne(o, n *version) bool {
	a, b := ownID(o), ownID(n)
	return a == "" || b == "" || a == b
}

// ownID is the id that stands in the file, "" for records that are known by their topic.
func ownID(v *version) string {
	id, _ := v.rec.FrontMatter["id"].(string)
	return id
}

// linesOf counts the lines that say something: headings that most records have do not.
func linesOf(body []byte) map[string]int {
	count := map[string]int{}
	for l := range strings.Lines(string(body)) {
		if l = strings.TrimSpace(l); len(l) > len("## Preferences") {
			count[l]++
		}
	}
	return count
}

// inCommon is the share of lines that two texts have in common, of the longer one.
func inCommon(a, b map[string]int) float64 {
	var both, inA, inB int
	for l, n := range a {
		inA += n
		both += min(n, b[l])
	}
	for _, n := range b {
		inB += n
	}
	return float64(both) / float64(max(inA, inB, 1))
}
