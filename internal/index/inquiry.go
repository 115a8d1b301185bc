package index

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// How much a word of a question counts by what it is, in percent.
const (
	pairWeight   = 60  // two characters of a script without spaces: a word has several
	fillerWeight = 20  // a word that any question may have
	rareWeight   = 180 // an identifier as it is written
	dateWeight   = 80
	synonymous   = 65 // another word for it, or the same in another language
	misspelt     = 80
	ofCompound   = 60
)

// minRankPrefix is how many letters a word of a question has that is also searched for as a prefix.
const minRankPrefix = 4

// inquiry is a question taken apart: the words that tell what it is about, with everything by
// which they are found.
type inquiry struct {
	query
	words    []asked // for each concept
	language language
	sure     bool // of the language
	foreign  bool // few records are in it
	names    []string
}

// asked is what there is to know of one word of a question.
type asked struct {
	text     string
	idle     bool // it tells nothing of what the question is about
	gram     bool // of a script without spaces
	meanings []int
	stages   []stage
	df       int  // records that have it
	exact    bool // some as it is written
	absent   bool // no record has it

	looked    bool      // for what follows, which takes long
	beginning []variant // words that begin with it
	spelling  []variant // words that it may be meant for, or is made of
}

// How a record has a word of the question.
type how uint8

const (
	byWord how = iota
	bySynonym
	byBeginning
	bySpelling
)

// hold is how much a way of having a word makes a record an answer, in percent.
var hold = [...]uint64{byWord: 100, bySynonym: 75, byBeginning: 40, bySpelling: 85}

// stage is one way in which a word is looked for. Of several that find a record the first counts.
type stage struct {
	how      how
	variants []variant
	parts    []concept
	unspaced [][]string
	idf      uint32
}

// inquire takes a question apart.
func (s *search) inquire(text string) *inquiry {
	in := &inquiry{}
	text = text[:min(len(text), maxQuery)]
	src := []byte(text)
	in.language, in.sure = questionLanguage(src)
	dates, dateWords := datesIn(src)
	in.foreign = foreign(src, in.language, s.n, s.rarityUpTo)
	loud := map[string]bool{}
	count := 0
	tokens(src, func(t token) bool {
		tok := src[t.start:t.end]
		if t.kind == word && shouted(tok) {
			loud[lower(string(tok))] = true
		}
		if t.kind == word && len(in.names) < maxNames && strings.ContainsAny(string(tok), "/-_.") {
			in.names = append(in.names, string(tok))
		}
		count++
		return count < maxWords
	})
	quiet := len(loud) < count // not everything is in capitals
	var known []string
	if !isASCII(text) {
		text, known = theThesaurus().cut(unspacedIdle().Replace(text))
	}
	in.query = parseQuery(text, s.rarity)
	in.keep(func(c *concept) bool {
		w := c.variants[0].term
		if quiet && loud[w] || len(c.parts) > 0 {
			return true
		}
		return hiragana(w) < 2 && idleness(w, in.language, in.sure) != stopword
	})
	for i := range in.concepts {
		w := in.concepts[i].variants[0].term
		a := in.about(&in.concepts[i], quiet && loud[w])
		if dateWords[w] { // the date says it
			a.idle, in.concepts[i].parts = true, nil
		}
		if a.gram && slices.ContainsFunc(known, func(k string) bool { return k != w && strings.Contains(k, w) }) {
			a.idle, a.meanings = true, nil // the word says it
		}
		in.words = append(in.words, a)
	}
	for _, w := range known {
		if pairs := pairsOf(w); len(pairs) > 1 {
			in.add(concept{variants: []variant{{w, everyLanguage, exactly}}, parts: pairParts(pairs), weight: ordinary},
				asked{text: w, gram: true, meanings: theThesaurus().of(w, in.language, in.sure)})
		}
	}
	for _, d := range dates {
		in.add(concept{variants: []variant{{groupTerm + dateGroup + d, everyLanguage, exactly}}, weight: dateWeight}, asked{text: d})
	}
	return in
}

// maxNames is how many words of a question may be names of records.
const maxNames = 16

func (in *inquiry) add(c concept, a asked) {
	if len(in.concepts) < maxConcepts {
		in.concepts = append(in.concepts, c)
		in.words = append(in.words, a)
	}
}

// about works out what a concept is to a question.
func (in *inquiry) about(c *concept, loud bool) asked {
	w := c.variants[0].term
	r, _ := utf8.DecodeRuneInString(w)
	a := asked{text: w, gram: classOfRune(r) == gram}
	switch {
	case len(c.parts) > 0 || strings.ContainsAny(w, "0123456789") && len(w) > 2:
		c.weight = rareWeight
	case a.gram:
		c.weight = pairWeight
		if hiragana(w) > 0 {
			a.idle, c.weight = true, fillerWeight
		}
	case !loud && idleness(w, in.language, in.sure) >= filler:
		a.idle, c.weight = true, fillerWeight
	}
	if !a.idle && len(c.parts) == 0 {
		a.meanings = theThesaurus().of(w, in.language, in.sure)
	}
	if utf8.RuneCountInString(w) < minRankPrefix || a.idle {
		c.prefix = ""
	}
	return a
}

// keep leaves the concepts that f wants, in their order.
func (in *inquiry) keep(f func(*concept) bool) {
	number := make([]int, len(in.concepts))
	var kept []concept
	for i := range in.concepts {
		if number[i] = -1; f(&in.concepts[i]) {
			number[i] = len(kept)
			kept = append(kept, in.concepts[i])
		}
	}
	var sequence []int
	for _, at := range in.sequence {
		if number[at] >= 0 {
			sequence = append(sequence, number[at])
		}
	}
	in.concepts, in.sequence = kept, sequence
}

// find works out the ways in which each word is looked for and scores every living record.
func (s *search) find(in *inquiry, without Feature) error {
	for i := 0; i < len(in.concepts); i++ {
		df, err := s.stages(in, i, without)
		if err != nil {
			return err
		}
		if c := &in.concepts[i]; df == 0 && len(c.parts) > 0 && !in.words[i].gram && len(in.concepts)+len(c.parts) <= maxConcepts {
			parts := c.parts
			in.open(i)
			spelled := strings.Contains(in.words[i].text, "-") // a compound, each word of which tells something
			for k := range parts {
				at := len(in.concepts) - len(parts) + k
				a := in.about(&in.concepts[at], false)
				if idleness(a.text, in.language, in.sure) == stopword {
					a.idle, in.concepts[at].weight = true, fillerWeight
				}
				a.idle = a.idle || !spelled
				in.words = append(in.words, a)
			}
			in.words[i].idle = spelled
			in.concepts[i].weight = ordinary
		}
	}
	return nil
}

// stages fills the stages of word i, adds what it is worth to the scores, and returns how many
// records have it.
func (s *search) stages(in *inquiry, i int, without Feature) (n int, err error) {
	c, a := &in.concepts[i], &in.words[i]
	a.stages = a.stages[:0]
	s.hits = s.hits[:0]
	defer func() {
		for _, slot := range s.hits {
			s.best[slot] = 0
		}
	}()
	stage := func(st stage) (found int, err error) {
		from := len(s.hits)
		if err := s.takeStage(&st); err != nil {
			return 0, err
		}
		found = len(s.hits) - from
		if found == 0 && st.how != byWord && (st.how != bySynonym || from > 0) { // documents, which are not indexed, may have a synonym
			return 0, nil
		}
		st.idf = idf(s.n, max(from, found))
		s.settle(from, st.idf, c.weight)
		a.stages = append(a.stages, st)
		return found, nil
	}
	df, err := stage(stageOf(byWord, c))
	if err != nil {
		return 0, err
	}
	c.idf = a.stages[0].idf
	if len(a.meanings) > 0 && without&Synonyms == 0 {
		st := newStage(bySynonym)
		st.variants, st.unspaced = theThesaurus().synonyms(a.meanings, a.text)
		st.variants = slices.DeleteFunc(st.variants, func(v variant) bool {
			return slices.ContainsFunc(c.variants, func(own variant) bool { return own.term == v.term && own.in == everyLanguage })
		})
		if _, err := stage(st); err != nil {
			return 0, err
		}
	}
	if c.prefix != "" {
		if !a.looked {
			for _, term := range s.expand(c.prefix) {
				a.beginning = append(a.beginning, variant{term, everyLanguage, byPrefix})
			}
		}
		st := newStage(byBeginning)
		st.variants = a.beginning
		if _, err := stage(st); err != nil {
			return 0, err
		}
	}
	if len(s.hits) == 0 && without&Spelling == 0 && !a.idle && !a.gram && len(c.parts) == 0 {
		if !a.looked {
			for _, half := range s.compound(a.text) {
				a.spelling = append(a.spelling, variant{half, everyLanguage, ofCompound})
			}
			if a.spelling == nil {
				a.spelling = s.spelling(a.text)
			}
		}
		st := newStage(bySpelling)
		st.variants = a.spelling
		if _, err := stage(st); err != nil {
			return 0, err
		}
	}
	if df == 0 && len(a.stages) > 1 {
		c.idf = a.stages[1].idf
	}
	a.exact = df > 0
	a.looked, a.absent, a.df = true, len(s.hits) == 0, len(s.hits)
	return len(s.hits), nil
}

func newStage(h how) stage { return stage{how: h} }

func stageOf(h how, c *concept) stage { return stage{how: h, variants: c.variants, parts: c.parts} }

// takeStage notes the records that have a word in one way.
func (s *search) takeStage(st *stage) error {
	if err := s.takeAll(st.variants, 100); err != nil {
		return err
	}
	if err := s.takeParts(st.parts); err != nil {
		return err
	}
	for _, pairs := range st.unspaced {
		if err := s.takeParts(pairParts(pairs)); err != nil {
			return err
		}
	}
	return nil
}

// pairParts makes the pairs of a word its parts.
func pairParts(pairs []string) (parts []concept) {
	for _, p := range pairs {
		parts = append(parts, concept{variants: []variant{{p, everyLanguage, exactly}}, leaf: true})
	}
	return parts
}

// found returns the query with everything by which its words were found, for the matcher.
func (in *inquiry) found() *query {
	q := &query{sequence: in.sequence}
	for i, c := range in.concepts {
		c.variants = slices.Clone(c.variants)
		for _, st := range in.words[i].stages[min(1, len(in.words[i].stages)):] {
			c.variants = append(c.variants, st.variants...)
			for _, pairs := range st.unspaced {
				for _, p := range pairs {
					c.variants = append(c.variants, variant{p, everyLanguage, synonymous})
				}
			}
		}
		c.prefix = ""
		q.concepts = append(q.concepts, c)
	}
	return q
}
