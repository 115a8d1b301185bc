package markdown

import (
	"slices"
	"strings"
)

// named links sections by name.
func (m *matcher) named(a, b *outline) {
	m.grouped(a, b, func(s *unit) string { return string(rune('0'+s.level)) + foldName(s.name) })
	m.grouped(a, b, func(s *unit) string { return foldName(s.name) })
	m.grouped(a, b, func(s *unit) string { // the titles, whatever their text
		if s.level == 1 {
			return "#"
		}
		return ""
	})
}

func foldName(name string) string { return strings.ToLower(joinWords(name)) }

// grouped links open sections with the same key: of several first those with much common text, then the others in order.
func (m *matcher) grouped(a, b *outline, key func(*unit) string) {
	byKey := map[string][]*unit{}
	for _, t := range b.root.kids {
		if t.open(a.root.of) {
			byKey[key(t)] = append(byKey[key(t)], t)
		}
	}
	var firsts []*unit
	count := map[string]int{}
	for _, s := range a.root.kids {
		if k := key(s); s.open(b.root.of) && k != "" && len(byKey[k]) > 0 {
			firsts = append(firsts, s)
			count[k]++
		}
	}
	several := slices.DeleteFunc(slices.Clone(firsts), func(s *unit) bool { return count[key(s)] == 1 && len(byKey[key(s)]) == 1 })
	guesses := slices.DeleteFunc(m.alike(a, b, several), func(g guess) bool { return key(g.base) != key(g.side) })
	sortGuesses(guesses)
	for _, g := range guesses {
		if g.base.open(b.root.of) && g.side.open(a.root.of) {
			link(g.base, g.side)
		}
	}
	for _, s := range firsts {
		i := slices.IndexFunc(byKey[key(s)], func(t *unit) bool { return t.open(a.root.of) })
		if s.open(b.root.of) && i >= 0 {
			link(s, byKey[key(s)][i])
			byKey[key(s)] = byKey[key(s)][i+1:]
		}
	}
}

// renamed links sections with different headings and similar text.
func (m *matcher) renamed() {
	base := m.out[inBase]
	if len(m.out) == 3 {
		m.separateTwins()
	}
	m.linkGuesses(func(side *outline, mayBe func(b, s *unit) bool) []guess {
		var guesses []guess
		for _, g := range m.alike(base, side, base.root.kids) {
			if !mayBe(g.base, g.side) || g.base.level != g.side.level {
				continue
			}
			if twin := g.side.twin(); twin != nil {
				g.score = min(g.score, m.shared(base.under(g.base), m.out[twin.of].under(twin)))
			}
			if g.score >= similarBody {
				guesses = append(guesses, g)
			}
		}
		return guesses
	})
}

// separateTwins unlinks twin sections if each side gave the name to another section of the base.
func (m *matcher) separateTwins() {
	was := map[*unit]*unit{}
	for _, side := range m.out[1:] {
		for _, g := range m.alike(m.out[inBase], side, m.out[inBase].root.kids) {
			if g.base.open(g.side.of) && g.side.twin() != nil && g.score >= similarBody && was[g.side] == nil {
				was[g.side] = g.base
			}
		}
	}
	for _, s := range m.out[inOurs].root.kids {
		if t := s.twin(); t != nil && was[s] != nil && was[t] != nil && was[s] != was[t] {
			s.mates[inTheirs], t.mates[inOurs] = nil, nil
		}
	}
}

// alike returns pairs of a section without a mate, from the list, and a section of b that have units in common.
func (m *matcher) alike(a, b *outline, sections []*unit) []guess {
	if len(sections) == 0 {
		return nil
	}
	having := map[int32][]*unit{}
	for _, t := range b.root.kids {
		if t.mates[a.root.of] == nil && t.level > 0 {
			for _, u := range b.under(t) {
				if id := m.id(u); len(having[id]) < maxShared && !slices.Contains(having[id], t) {
					having[id] = append(having[id], t)
				}
			}
		}
	}
	var pairs []guess
	for _, s := range sections {
		if s.mates[b.root.of] != nil || s.level == 0 || len(having) == 0 {
			continue
		}
		seen := map[*unit]bool{}
		for _, u := range a.under(s) {
			for _, t := range having[m.id(u)] {
				if !seen[t] {
					seen[t] = true
					pairs = append(pairs, guess{m.shared(a.under(s), b.under(t)), s, t})
				}
			}
		}
	}
	return pairs
}

// shared returns the share of the shorter list's units that the longer list contains too.
func (m *matcher) shared(a, b []*unit) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	count := make(map[int32]int, len(a))
	for _, u := range a {
		count[m.id(u)]++
	}
	common := 0
	for _, u := range b {
		if id := m.id(u); count[id] > 0 {
			count[id]--
			common++
		}
	}
	return float64(common) / float64(min(len(a), len(b)))
}
