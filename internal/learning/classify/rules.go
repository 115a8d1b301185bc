package classify

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A rulebook is a table of rules, each a value, a name for people, a weight (how good a reason it is to name), and the
// patterns of words that speak for it. Patterns are written as a row of elements:
//
//	word        this word; word/v also its verb forms, word/n also its plural
//	a|b/v       any of these
//	@class      any word of a class of the rulebook
//	$path       a token of a shape (shapes.go)
//	..  ...     up to 3, up to 8 tokens in between, in the same sentence
//	^           the start of the sentence, or near it: ^ .. word
//
// A word is matched outside of backticks only, unless it is written with one before it: `npm.
type rulebook struct {
	rules    []rule
	patterns []pattern
	elements map[string][]element // of the words
	shapes   []shaped
	starts   [][]int // patterns by their first element
	ids      map[string]element
}

type rule struct {
	value    string
	name     string
	weight   int
	anyhow   bool // counts behind a negation too
	patterns string
}

type element uint16

type pattern struct {
	rule  int
	elems []element
	gaps  []int // how many tokens may stand before the element
	until int   // the last token of a sentence at which it may begin, -1 for any
}

type shaped struct {
	is     func(*token) bool
	id     element
	ofWord bool // a plain word may have it
}

// hit is a rule that matched, and where in its sentence.
type hit struct {
	rule     *rule
	n        int // the number of the rule
	sentence []token
	at       [maxElements]int // of the tokens that made it match
	elems    int
}

// maxElements is how many elements a pattern may have.
const maxElements = 6

const (
	nearGap = 3
	farGap  = 8
)

func newRulebook(classes map[string]string, rules []rule) *rulebook {
	b := &rulebook{rules: rules, elements: map[string][]element{}, ids: map[string]element{}}
	for i, r := range rules {
		for line := range strings.FieldsFuncSeq(r.patterns, func(c rune) bool { return c == '\n' || c == ';' }) {
			if line = strings.TrimSpace(line); line != "" {
				b.compile(i, line, classes)
			}
		}
	}
	return b
}

// compile adds a pattern. What is wrong with the tables is found when the program starts, so by any test.
func (b *rulebook) compile(rule int, line string, classes map[string]string) {
	p := pattern{rule: rule, until: -1}
	gap, anchored := 0, false
	for _, f := range strings.Fields(line) {
		switch f {
		case "^":
			anchored = true
			continue
		case "..":
			gap = nearGap
			continue
		case "...":
			gap = farGap
			continue
		}
		if anchored && len(p.elems) == 0 {
			p.until = gap
		}
		p.elems, p.gaps = append(p.elems, b.element(f, classes)), append(p.gaps, gap)
		gap = 0
	}
	if len(p.elems) > maxElements {
		panic(fmt.Sprintf("classify: %q is too long", line))
	}
	n := len(b.patterns)
	b.patterns = append(b.patterns, p)
	for len(b.starts) < len(b.ids) {
		b.starts = append(b.starts, nil)
	}
	b.starts[p.elems[0]] = append(b.starts[p.elems[0]], n)
}

// element returns the number of an element, and enters its words when it is new.
func (b *rulebook) element(name string, classes map[string]string) element {
	if id, ok := b.ids[name]; ok {
		return id
	}
	id := element(len(b.ids))
	b.ids[name] = id
	for part := range strings.SplitSeq(name, "|") {
		if is, ok := shapes[part]; ok {
			b.shapes = append(b.shapes, shaped{is, id, wordShapes[part]})
			continue
		}
		if class, ok := strings.CutPrefix(part, "@"); ok {
			if part, ok = classes[class]; !ok {
				panic(fmt.Sprintf("classify: no class %q", class))
			}
		}
		for w := range strings.FieldsSeq(part) {
			w, code := strings.CutPrefix(w, "`")
			for _, form := range forms(w) {
				if toks := tokens(form); !code && (len(toks) != 1 || toks[0].text != form) {
					panic(fmt.Sprintf("classify: %q is not one word", w))
				}
				b.enter(form, id)
				if code {
					b.enter("`"+form, id)
				}
			}
		}
	}
	return id
}

func (b *rulebook) enter(w string, id element) {
	if !slices.Contains(b.elements[w], id) {
		b.elements[w] = append(b.elements[w], id)
	}
}

// forms returns the forms of an entry: of fail/v fail, fails, failed and failing.
func forms(entry string) []string {
	base, what, ok := strings.Cut(entry, "/")
	if !ok {
		return []string{entry}
	}
	out := []string{base, third(base)}
	if what == "n" {
		return out
	}
	last := base[len(base)-1]
	switch {
	case last == 'e':
		out = append(out, base+"d", base[:len(base)-1]+"ing")
	case last == 'y' && !vowel(base[len(base)-2]):
		out = append(out, base[:len(base)-1]+"ied", base+"ing")
	default:
		out = append(out, base+"ed", base+"ing", base+string(last)+"ed", base+string(last)+"ing") // drop, dropped
	}
	return out
}

// third returns the form of the third person, which is that of the plural too.
func third(base string) string {
	switch last := base[len(base)-1]; {
	case strings.HasSuffix(base, "ch"), strings.HasSuffix(base, "sh"), last == 's', last == 'x', last == 'z':
		return base + "es"
	case last == 'y' && len(base) > 1 && !vowel(base[len(base)-2]):
		return base[:len(base)-1] + "ies"
	}
	return base + "s"
}

func vowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// find calls f for each rule that matches in a sentence, once for each place where it begins.
func (b *rulebook) find(toks []token, f func(hit)) {
	var few [64][]element
	of := few[:0]
	var small [32]uint64 // a bit for each element: most patterns lack one, and need no search for it
	present := small[:]
	if n := len(b.ids)/64 + 1; n > len(small) {
		present = make([]uint64, n)
	}
	for i := range toks {
		es := b.of(&toks[i])
		of = append(of, es)
		for _, e := range es {
			present[e/64] |= 1 << (e % 64)
		}
	}
	for i := range toks {
		for _, e := range of[i] {
			for _, n := range b.starts[e] {
				p := &b.patterns[n]
				if p.until >= 0 && i > p.until || !p.within(present) {
					continue
				}
				var at [maxElements]int
				at[0] = i
				if !p.match(of, toks, 1, &at) {
					continue
				}
				r := &b.rules[p.rule]
				last := at[len(p.elems)-1]
				if !r.anyhow && (negated(toks, i, nil) || last > i && negated(toks, last, at[:len(p.elems)])) {
					continue
				}
				f(hit{rule: r, n: p.rule, sentence: toks, at: at, elems: len(p.elems)})
			}
		}
	}
}

// of returns the elements that a token is.
func (b *rulebook) of(t *token) []element {
	var es []element
	switch {
	case t.kind == pause || t.kind == stop:
		return nil
	case t.quoted:
		var buf [32]byte
		if len(t.text) < len(buf) {
			key := append(append(buf[:0], '`'), t.text...)
			es = b.elements[string(key)]
		}
	default:
		es = b.elements[t.text]
	}
	if t.kind == word && len(t.text) < 5 && !t.said {
		return es // too short for any shape
	}
	for _, s := range b.shapes {
		if (t.kind != word || s.ofWord || t.said) && s.is(t) {
			es = append(es[:len(es):len(es)], s.id)
		}
	}
	return es
}

// within reports whether each element of a pattern stands somewhere in the sentence.
func (p *pattern) within(present []uint64) bool {
	for _, e := range p.elems[1:] {
		if present[e/64]&(1<<(e%64)) == 0 {
			return false
		}
	}
	return true
}

// match finds the elements of a pattern from its k-th on.
func (p *pattern) match(of [][]element, toks []token, k int, at *[maxElements]int) bool {
	if k == len(p.elems) {
		return true
	}
	for i := at[k-1] + 1; i < len(of) && i <= at[k-1]+1+p.gaps[k]; i++ {
		if p.gaps[k] == 0 && toks[i].kind == pause {
			return false
		}
		if slices.Contains(of[i], p.elems[k]) {
			at[k] = i
			if p.match(of, toks, k+1, at) {
				return true
			}
		}
	}
	return false
}

// negators turn what follows in the same phrase into its opposite, so many words far.
var negators = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"not": 3, "never": 3, "cannot": 3, "without": 1, "no": 2, "nor": 2, "neither": 2, "non": 1, "hardly": 2, "nothing": 2, "none": 3,
		"nicht": 3, "kein": 2, "keine": 2, "keinen": 2, "nie": 3, "ohne": 1, "sin": 1, "nunca": 3, "sans": 1, "jamais": 3, "pas": 2, "не": 2, "нет": 2, "без": 1, "никогда": 3,
	}
})

// guards are verbs that keep away what follows: "prevents crashes". "to prevent crashes" says that they come.
var guards wordSet = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("avoid/v prevent/v stop/v survive/v handle/v fix/v resolve/v solve/v catch/v tolerate/v recover/v protect/v guard/v") {
		for _, f := range forms(w) {
			m[f] = true
		}
	}
	return m
})

// plans are verbs after which an action is meant, and not feared: "we decided to drop the old table".
var plans = set("decided decide decides chose agreed plan plans planned want wants intend intends")

// negated reports whether a word before the i-th turns it into its opposite. Words that a pattern asks for do not.
func negated(toks []token, i int, asked []int) bool {
	if i >= 2 && toks[i-1].text == "to" && plans.has(toks[i-2].text) {
		return true
	}
	for back := 1; back <= 3 && i >= back; back++ {
		t := toks[i-back]
		if t.kind == pause || t.text == "but" {
			return false
		}
		if t.kind != word {
			continue
		}
		if back <= negators()[t.text] && !slices.Contains(asked, i-back) {
			return !(t.text == "not" && toks[i-back+1].text == "only") // "not only" affirms
		}
		if back <= 2 && guards.has(t.text) {
			return i == back || toks[i-back-1].text != "to"
		}
	}
	return false
}
