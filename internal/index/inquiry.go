package index

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/analysis"
)

// Weight of a word of a question by its kind, in percent.
const (
	pairWeight   = 60  // two characters of a script without spaces: a word has several
	fillerWeight = 20  // a word that any question may have
	rareWeight   = 180 // an identifier as it is written
	dateWeight   = 80
	synonymous   = 65 // another word for it, or the same in another language
	misspelt     = 80
)

// minRankPrefix is the least number of letters of a word that the ranking also searches as a prefix.
const minRankPrefix = 4

// inquiry is a parsed question: its telling words, with every way to find each.
type inquiry struct {
	query
	words    []asked // for each concept
	language analysis.Language
	sure     bool   // sure of the language
	pairs    uint64 // neighbours among the words
	names    []string
	fillers  bool // it has no telling word: its fillers take their place
}

type asked struct {
	text     string
	idle     bool // the word does not show what the question is about
	gram     bool // of a script without spaces
	meanings []int
	stages   []stage
	df       int  // records that have it
	exact    bool // some record has it as it is written
	absent   bool // no record has it
	reworded bool // texts have only other words for it
}

// matchWeight is how much each way of matching a word counts, in percent.
var matchWeight = [...]uint64{byWord: 100, bySynonym: 75, byBeginning: 40, bySpelling: 85}

func (s *search) inquire(text string) *inquiry {
	in := &inquiry{}
	text = text[:min(len(text), maxQuery)]
	src := []byte(text)
	in.language, in.sure = questionLanguage(src)
	dates, dateWords := datesIn(src)
	count := 0
	analysis.Tokens(src, func(t analysis.Token) bool {
		tok := src[t.Start:t.End]
		if t.Kind == analysis.Word && len(in.names) < maxNames && strings.ContainsAny(string(tok), "/-_.") {
			in.names = append(in.names, string(tok))
		}
		count++
		return count < maxWords
	})
	var known []string
	if in.language == analysis.English {
		text = withVerbs(text)
	}
	if !analysis.IsASCII(text) {
		text, known = theThesaurus().cut(unspacedIdle().Replace(text))
	}
	in.query = parseQuery(text, s.rarity)
	in.concepts = slices.DeleteFunc(in.concepts, func(c concept) bool {
		w := c.variants[0].term
		return len(c.parts) == 0 && (hiragana(w) == 2 || idleness(w, in.language, in.sure) == stopword)
	})
	in.fillers = !slices.ContainsFunc(in.concepts, func(c concept) bool {
		return len(c.parts) > 0 || idleness(c.variants[0].term, in.language, in.sure) < filler
	})
	in.pairs = uint64(max(0, len(in.concepts)-1))
	for i := range in.concepts {
		w := in.concepts[i].variants[0].term
		a := in.about(&in.concepts[i])
		if dateWords[w] { // the date covers this word
			a.idle, in.concepts[i].parts = true, nil
		}
		if a.gram && slices.ContainsFunc(known, func(k string) bool { return k != w && strings.Contains(k, w) }) {
			a.idle, a.meanings = true, nil // the compound covers this word
		}
		in.words = append(in.words, a)
	}
	for _, w := range known {
		if pairs := pairsOf(w); len(pairs) > 1 {
			in.add(concept{variants: []variant{{w, everyLanguage, exactly}}, parts: pairParts(pairs, exactly), weight: ordinary},
				asked{text: w, gram: true, meanings: theThesaurus().of(w, in.language, in.sure)})
		}
	}
	for _, d := range dates {
		in.add(concept{variants: []variant{{groupTerm + dateGroup + d, everyLanguage, exactly}}, weight: dateWeight}, asked{text: d})
	}
	return in
}

// maxNames is the number of words of a question that may be names of records.
const maxNames = 16

func (in *inquiry) add(c concept, a asked) {
	if len(in.concepts) < maxConcepts {
		in.concepts = append(in.concepts, c)
		in.words = append(in.words, a)
	}
}

func (in *inquiry) about(c *concept) asked {
	w := c.variants[0].term
	idleness := idleness(w, in.language, in.sure)
	r, _ := utf8.DecodeRuneInString(w)
	a := asked{text: w, gram: analysis.Unspaced(r)}
	switch {
	case len(c.parts) > 0 || strings.ContainsAny(w, "0123456789") && len(w) > 2:
		c.weight = rareWeight
	case a.gram:
		c.weight = pairWeight
		if hiragana(w) > 0 {
			a.idle, c.weight = true, fillerWeight
		}
	case idleness > filler, idleness == filler && !in.fillers, len(w) < 3 && strings.Trim(w, "0123456789") == "": // a small number is anywhere
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

// find finds the stages of each word and scores every living record.
func (s *search) find(in *inquiry) error {
	for i := 0; i < len(in.concepts); i++ {
		df, err := s.stages(in, i)
		if err != nil {
			return err
		}
		if c := &in.concepts[i]; df == 0 && len(c.parts) > 0 && !in.words[i].gram && len(in.concepts)+len(c.parts) <= maxConcepts {
			parts := c.parts
			in.open(i)
			spelled := strings.Contains(in.words[i].text, "-") // in a compound, each word has a meaning of its own
			for k := range parts {
				at := len(in.concepts) - len(parts) + k
				a := in.about(&in.concepts[at])
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

// stages fills the stages of word i, adds its worth to the scores, and returns the number of records that have it as written.
func (s *search) stages(in *inquiry, i int) (exact int, err error) {
	c, a := &in.concepts[i], &in.words[i]
	defer s.endConcept()
	try := func(st stage) (found int, err error) {
		found, _, err = s.scoreStage(st, c.weight)
		// Documents are not indexed, and may have the word or a synonym.
		if found > 0 || st.how == byWord || st.how == bySynonym && exact == 0 {
			a.stages = append(a.stages, st)
		}
		return found, err
	}
	if exact, err = try(stage{byWord, c.variants, [][]concept{c.parts}}); err != nil {
		return 0, err
	}
	if len(a.meanings) > 0 {
		st := theThesaurus().synonyms(a.meanings, a.text)
		st.variants = slices.DeleteFunc(st.variants, func(v variant) bool {
			return slices.ContainsFunc(c.variants, func(own variant) bool { return own.term == v.term && own.in == everyLanguage })
		})
		if _, err := try(st); err != nil {
			return 0, err
		}
	}
	if c.prefix != "" {
		if _, err := try(s.beginnings(c)); err != nil {
			return 0, err
		}
	}
	if len(s.hits) == 0 && !a.idle && !a.gram && len(c.parts) == 0 {
		if _, err := try(s.spelling(a.text)); err != nil {
			return 0, err
		}
	}
	a.exact, a.absent, a.df = exact > 0, len(s.hits) == 0, len(s.hits)
	return len(s.hits), nil
}

// spelling returns the stage of the similar words, for a word that no record has.
func (s *search) spelling(w string) stage {
	st := stage{how: bySpelling}
	runes := []rune(w)
	if len(runes) < spellRunes || !analysis.OnlyLetters(w) {
		return st
	}
	for _, x := range s.slips("", newMistyped(w, false)) {
		if analysis.OnlyLetters(x.term) && len(st.variants) < spellTerms && (x.far == 1 || len(runes) >= spellTwice) {
			st.variants = append(st.variants, variant{x.term, everyLanguage, misspelt * (len(runes) - x.far) / len(runes)})
		}
	}
	return st
}

const (
	spellRunes = 5 // letters of a word that may have one error
	spellTwice = 8 // letters of a word that may have two
	spellTerms = 3 // similar words that a misspelt word matches
)

// pairParts makes the pairs of a word its parts.
func pairParts(pairs []string, weight int) (parts []concept) {
	for _, p := range pairs {
		parts = append(parts, concept{variants: []variant{{p, everyLanguage, weight}}, leaf: true})
	}
	return parts
}
