package history

import (
	"cmp"
	"slices"
	"strings"
)

// couple is a record in two states; one of them may be missing.
type couple struct{ old, new *version }

const (
	mostGuesses  = 40000 // pairs of files to compare by their lines
	similarFiles = 0.6   // the share of common lines that makes two files one record
)

// pair finds for each older version the newer one of the same record: by identity; then by path, since a new title changes the
// identity of an exploration; then by common lines, for a file whose title and name both changed. It never pairs two files whose
// front matter has different ids.
func pair(olds, news []*version) []couple {
	p := pairing{taken: map[*version]bool{}}
	p.by(olds, news, func(v *version) string { return v.rec.ID + "\x00" + v.path })
	p.by(olds, news, func(v *version) string { return v.rec.ID })
	p.by(olds, news, func(v *version) string { return v.path })
	p.similar(p.unpaired(olds), p.unpaired(news))
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

// by joins versions with the same key, in order.
func (p *pairing) by(olds, news []*version, key func(*version) string) {
	waiting := map[string][]*version{}
	for _, v := range olds {
		if !p.taken[v] {
			waiting[key(v)] = append(waiting[key(v)], v)
		}
	}
	for _, v := range news {
		if w := waiting[key(v)]; len(w) > 0 && !p.taken[v] && mayBeSame(w[0], v) {
			waiting[key(v)] = w[1:]
			p.join(w[0], v)
		}
	}
}

// unpaired are the versions without a partner that have no id of their own, and may be paired by their lines.
func (p *pairing) unpaired(vs []*version) []*version {
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

// mayBeSame is false for two files with different ids in their front matter.
func mayBeSame(o, n *version) bool {
	a, b := ownID(o), ownID(n)
	return a == "" || b == "" || a == b
}

// ownID is the id in the file's front matter, "" for records identified by their topic.
func ownID(v *version) string {
	id, _ := v.rec.FrontMatter["id"].(string)
	return id
}

// linesOf counts the lines of a body, without short ones such as the headings that most records have.
func linesOf(body []byte) map[string]int {
	count := map[string]int{}
	for l := range strings.Lines(string(body)) {
		if l = strings.TrimSpace(l); len(l) > len("## Preferences") {
			count[l]++
		}
	}
	return count
}

// inCommon is the share of the longer text's lines that both texts have.
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
