package index

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/analysis"
)

// A query is words only. There is no syntax, so there are no syntax errors.

const (
	maxQuery    = 256 << 10 // bytes of a query that are read
	maxWords    = 1024      // different words of a query that are read
	maxConcepts = 64        // words that are searched for, the rarest first
	maxPrefixed = 16        // a query with more words does not search for prefixes
	minPrefix   = 3         // letters of a word that is also searched as a prefix
	expansions  = 64        // terms that begin with a prefix, the shortest first
	rarityCap   = 4096      // records counted to measure how rare a word is
)

// Weights, in percent.
const (
	exactly    = 100
	unaccented = 90
	byStem     = 80
	byPrefix   = 25

	whole    = 130 // an identifier
	ordinary = 100

	allParts = 50 // of an identifier: the record has all parts, but not the identifier
)

// variant is a term that finds a concept.
type variant struct {
	term   string
	in     languages // records in these languages only
	weight int
}

// concept is a word of a query with all its terms. Of an identifier all parts match too; if none does, each becomes a word.
type concept struct {
	variants []variant
	parts    []concept
	prefix   string // "" when it is not searched for as a prefix
	weight   int
	leaf     bool // the word has no parts

	idf uint32 // set by the search
}

type query struct {
	concepts []concept // in the order of the words
}

// parseQuery parses a query. When there are too many words it calls rarity, which returns the number of records with a term.
func parseQuery(text string, rarity func(term string) int) query {
	var q query
	seen := map[string]bool{}
	add := func(parts []analysis.Part, gram bool) {
		if seen[parts[0].Text] {
			return
		}
		seen[parts[0].Text] = true
		c := conceptOf(parts[0], gram)
		for _, p := range parts[1:] {
			c.parts = append(c.parts, conceptOf(p, gram))
			c.weight = whole
		}
		q.concepts = append(q.concepts, c)
	}
	src := []byte(text[:min(len(text), maxQuery)])
	analysis.Tokens(src, func(t analysis.Token) bool {
		tok := src[t.Start:t.End]
		switch t.Kind {
		case analysis.Single:
			// its pairs are searched instead
		case analysis.Alone, analysis.Pair:
			if s := analysis.Lower(analysis.Normal(tok)); s != "" {
				add([]analysis.Part{{Text: s}}, true)
			}
		default:
			if parts := analysis.Split(tok); parts[0].Text != "" {
				add(parts, false)
			}
		}
		return len(q.concepts) < maxWords
	})
	q.limit(rarity)
	return q
}

func conceptOf(p analysis.Part, gram bool) concept {
	c := concept{variants: variants(p), weight: ordinary, leaf: p.Leaf}
	if !gram && utf8.RuneCountInString(p.Text) >= minPrefix {
		c.prefix = p.Text
	}
	return c
}

// open replaces concept i by its parts.
func (q *query) open(i int) {
	parts := q.concepts[i].parts
	q.concepts[i].parts = nil
	q.concepts = append(q.concepts, parts...)
}

// limit keeps the rarest concepts that some record has, in their order.
func (q *query) limit(rarity func(string) int) {
	if len(q.concepts) > maxPrefixed {
		for i := range q.concepts {
			q.concepts[i].prefix = ""
		}
	}
	if len(q.concepts) <= maxConcepts {
		return
	}
	type rare struct{ at, n int }
	var order []rare
	for i := range q.concepts {
		if n := rarity(q.concepts[i].variants[0].term); n > 0 {
			order = append(order, rare{i, n})
		}
	}
	slices.SortFunc(order, func(a, b rare) int {
		return cmp.Or(a.n-b.n, strings.Compare(q.concepts[a.at].variants[0].term, q.concepts[b.at].variants[0].term))
	})
	order = order[:min(len(order), maxConcepts)]
	slices.SortFunc(order, func(a, b rare) int { return a.at - b.at })
	var kept []concept
	for _, r := range order {
		kept = append(kept, q.concepts[r.at])
	}
	q.concepts = kept
}

// variants returns the terms of a word: the word, the word without accents, and its stem in each language for the records in that language.
func variants(p analysis.Part) []variant {
	list := []variant{{p.Text, everyLanguage, exactly}}
	if s := analysis.Bare(p.Text); s != p.Text && s != "" {
		list = append(list, variant{s, everyLanguage, unaccented})
	}
	if !p.Stems {
		return list
	}
	if analysis.Cyrillic(p.Text) {
		return addVariant(list, variant{analysis.Stem(p.Text, analysis.Other), everyLanguage, byStem})
	}
	for l := range analysis.Language(analysis.Latins) {
		list = addVariant(list, variant{analysis.Stem(p.Text, l), setOf(l), byStem})
	}
	return list
}

// addVariant adds a variant to a list, or its languages to the variant of that term.
func addVariant(list []variant, v variant) []variant {
	if at := slices.IndexFunc(list, func(x variant) bool { return x.term == v.term }); at >= 0 {
		list[at].in |= v.in
		return list
	}
	return append(list, v)
}
