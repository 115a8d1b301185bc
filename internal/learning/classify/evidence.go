package classify

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// What a text says speaks for each value as much as a table of weights says: the rules that match it, what its words are
// about (vocabulary.go), and the words themselves. The value with the highest sum is the answer. The weights
// were fitted to labelled texts (testdata); fit_test.go makes them anew. They are whole numbers, so that an answer
// is the same on every machine.

// sign is one thing that a text may show.
type sign struct {
	kind byte
	text string
}

// Kinds of signs.
const (
	byRule   = 'r' // a rule matches, by its number
	byClass  = 'c' // a word of a class
	byTwo    = 'C' // two words of a class
	atStart  = '^' // a word of a class among the first
	inName   = '.' // a part of a name of code is of a class
	negatedC = '-' // a word of a class, turned into its opposite
	byWord   = 'w' // a word, by its stem
	byShape  = 's' // how a token is written
	noRule   = '0' // no rule matches
	always   = '*'
)

// found is a sign in a text, how often it counts, and what it is made of.
type found struct {
	sign
	times int
	name  string // for people; "" for what is no reason by itself
	toks  []token
}

// scale is what a weight of one is in the tables.
const scale = 100

// weakReason is how much a reason has to say to be named.
const weakReason = scale / 4

// startWords is how many of the first tokens say what a text begins with.
const startWords = 4

// model is a table of weights with the rules that it is for.
type model struct {
	values []string
	rules  func() *rulebook
	table  func() map[sign][]int
	skip   func(question bool) bool // sentences that say nothing
}

//go:embed weights/*.txt
var weightFiles embed.FS

// loaded reads a table on first use.
func loaded(name string, values []string) func() map[sign][]int {
	return sync.OnceValue(func() map[sign][]int {
		src, err := weightFiles.ReadFile("weights/" + name + ".txt")
		if err != nil {
			panic(err)
		}
		_, rows, _ := strings.Cut(string(src), "\n")
		return parseTable(rows, len(values))
	})
}

// parseTable reads the rows of a table: a sign, and a weight for each value.
func parseTable(rows string, values int) map[sign][]int {
	out := make(map[sign][]int, strings.Count(rows, "\n"))
	all := make([]int, values*strings.Count(rows, "\n"))
	for row := range strings.Lines(rows) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
		weights := all[:values:values]
		all = all[values:]
		for i := range weights {
			var cell string
			cell, rest, _ = strings.Cut(rest, "\t")
			n, err := strconv.Atoi(cell)
			if err != nil || name == "" {
				panic(fmt.Sprintf("classify: a row of weights is %q", row))
			}
			weights[i] = n
		}
		out[sign{name[0], name[1:]}] = weights
	}
	return out
}

// classes are the classes of each word of the vocabulary.
var classes = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for _, class := range sortedKeys(vocabulary) {
		for w := range strings.FieldsSeq(vocabulary[class]) {
			for _, f := range forms(w) {
				if !slices.Contains(out[f], class) {
					out[f] = append(out[f], class)
				}
			}
		}
	}
	return out
})

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// decide returns the value that most speaks for, and the strongest reason; "" as its name when there is none. At
// equal sums the first value wins. Where no rule matches and no word is known, it is other.
func (m *model) decide(toks []token, other string) (value string, reason found) {
	all := m.read(toks)
	if !slices.ContainsFunc(all, func(f found) bool { return f.kind == byRule || f.kind == byClass || f.kind == inName }) {
		return other, found{}
	}
	table := m.table()
	sums := make([]int, len(m.values))
	for _, f := range all {
		for v, w := range table[f.sign] {
			sums[v] += w * f.times
		}
	}
	best, second := 0, -1
	for v := 1; v < len(sums); v++ {
		if sums[v] > sums[best] {
			best = v
		}
	}
	for v := range sums {
		if v != best && (second < 0 || sums[v] > sums[second]) {
			second = v
		}
	}
	// The reason is what a person would name: a rule of the value itself, else what speaks most for it and
	// against the next one.
	most := weakReason
	for _, f := range all {
		w := table[f.sign]
		if w == nil || f.name == "" {
			continue
		}
		margin := (w[best] - w[second]) * f.times
		if f.kind == byRule {
			n, _ := strconv.Atoi(f.text)
			if m.rules().rules[n].value == m.values[best] {
				margin += scale * m.rules().rules[n].weight
			} else {
				margin /= 2
			}
		}
		if margin > most {
			most, reason = margin, f
		}
	}
	return m.values[best], reason
}

// read returns the signs of a text, each once.
func (m *model) read(toks []token) []found {
	r := &reading{book: m.rules(), at: make(map[sign]int, 4*len(toks)), out: make([]found, 0, 4*len(toks))}
	r.note(sign{always, ""}, 1, "", nil)
	n := 0
	sentences(toks, func(toks []token, question bool) {
		if !m.skip(question) {
			r.sentence(toks, n)
		}
		n += len(toks)
	})
	if !r.ruled {
		r.note(sign{noRule, ""}, 1, "", nil)
	}
	return r.out
}

// reading gathers the signs of a text.
type reading struct {
	book  *rulebook
	out   []found
	at    map[sign]int // in out
	ruled bool
}

// note adds a sign, up to so many times.
func (r *reading) note(s sign, most int, name string, toks []token) {
	if i, ok := r.at[s]; ok {
		r.out[i].times = min(r.out[i].times+1, most)
		return
	}
	r.at[s] = len(r.out)
	r.out = append(r.out, found{s, 1, name, toks})
}

// sentence adds the signs of a sentence before which there are so many tokens.
func (r *reading) sentence(toks []token, before int) {
	r.book.find(toks, func(h hit) {
		r.ruled = true
		var matched []token
		for _, i := range h.at[:h.elems] {
			matched = append(matched, toks[i])
		}
		r.note(sign{byRule, ruleNumber(h.n)}, 2, h.rule.name, matched)
	})
	for i := range toks {
		t := &toks[i]
		if t.kind == pause {
			continue
		}
		one := toks[i : i+1]
		if about := classes()[t.text]; len(about) > 0 {
			r.classes(about, negated(toks, i, nil), before+i < startWords, one)
		}
		switch t.kind {
		case number:
			r.note(sign{byWord, "#"}, 1, "", nil)
		case code:
			r.parts(t.text, one)
			r.note(sign{byWord, t.text}, 1, "", nil)
		default:
			r.note(sign{byWord, stemOf(t.text)}, 1, "usual word", one)
		}
		if t.kind == word && !t.said && len(t.text) < 5 {
			continue // too short for any shape
		}
		for _, s := range shapeList() {
			if (t.kind != word || s.ofWord || t.said) && s.is(t) {
				r.note(sign{byShape, s.name}, 1, "", nil)
			}
		}
	}
}

// classes adds what a word is about.
func (r *reading) classes(about []string, opposite, first bool, one []token) {
	for _, c := range about {
		if opposite {
			r.note(sign{negatedC, c}, 1, "", nil)
			continue
		}
		if _, again := r.at[sign{byClass, c}]; again {
			r.note(sign{byTwo, c}, 1, "", nil)
		} else {
			r.note(sign{byClass, c}, 1, titles[c], one)
		}
		if first {
			r.note(sign{atStart, c}, 1, titles[c], one)
		}
	}
}

// parts adds what the parts of a name of code are about: src/hooks is about folders and components.
func (r *reading) parts(name string, one []token) {
	apart := func(c rune) bool { return strings.ContainsRune("./_-:()[]#@=$<>\\", c) }
	for part := range strings.FieldsFuncSeq(name, apart) {
		if part == name {
			continue
		}
		r.note(sign{inName, ""}, 1, "", nil)
		for _, c := range classes()[part] {
			r.note(sign{inName, c}, 1, titles[c], one)
		}
	}
}

// ruleNumbers are the numbers of rules as texts.
var ruleNumbers = sync.OnceValue(func() []string {
	out := make([]string, 256)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
})

func ruleNumber(n int) string { return ruleNumbers()[n] }

// namedShape is a shape that is a sign.
type namedShape struct {
	name   string
	is     func(*token) bool
	ofWord bool
}

var shapeList = sync.OnceValue(func() []namedShape {
	var out []namedShape
	for name, is := range shapes {
		out = append(out, namedShape{name, is, wordShapes[name] || name == "$said"})
	}
	slices.SortFunc(out, func(a, b namedShape) int { return strings.Compare(a.name, b.name) })
	return out
})

// stems are the stems of words that were met, since the same words come again and again.
var stems = struct {
	sync.RWMutex
	of map[string]string
}{of: map[string]string{}}

// mostStems is how many stems are kept.
const mostStems = 1 << 14

func stemOf(w string) string {
	stems.RLock()
	s, ok := stems.of[w]
	stems.RUnlock()
	if ok {
		return s
	}
	s = stem(w)
	if len(w) > maxStem {
		return s
	}
	stems.Lock()
	defer stems.Unlock()
	if len(stems.of) < mostStems {
		stems.of[strings.Clone(w)] = s
	}
	return s
}
