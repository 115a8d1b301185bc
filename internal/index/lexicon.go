package index

import (
	"slices"

	"sdd/internal/analysis"
)

// lexicon numbers the tokens that a builder has met, and the terms of each, so that a frequent word is split only once.
type lexicon struct {
	terms  interner
	tokens interner
	words  []lexeme            // by token
	lists  []uint32            // what the lexemes point into
	others map[uint64][]uint32 // terms in further languages, by token and language
}

// lexeme is the data of a token: its hint, and its terms lists[at:at+n] in the language of its first record.
type lexeme struct {
	at   uint32
	n    uint16
	lang analysis.Language
	hint hint
}

// nowhere is the language of a lexeme without computed terms.
const nowhere analysis.Language = 255

func (x *lexicon) token(tok []byte) uint32 {
	id, unseen := x.tokens.add(tok)
	if unseen {
		x.words = append(x.words, lexeme{lang: nowhere, hint: hintOf(tok)})
	}
	return id
}

func (x *lexicon) term(term string) uint32 {
	id, _ := x.terms.add([]byte(term))
	return id
}

// list returns the terms of a token in a record of that language. It is valid until the next call.
func (x *lexicon) list(token uint32, kind analysis.TokenKind, lang analysis.Language) []uint32 {
	w := &x.words[token]
	if w.lang == lang {
		return x.lists[w.at : w.at+uint32(w.n)]
	}
	key := uint64(token)<<8 | uint64(lang)
	if list, ok := x.others[key]; ok {
		return list
	}
	list := x.work(token, kind, lang)
	w = &x.words[token] // adding parts as tokens may have moved it
	if w.lang == nowhere {
		w.at, w.n, w.lang = uint32(len(x.lists)), uint16(len(list)), lang
		x.lists = append(x.lists, list...)
		return x.lists[w.at:]
	}
	if x.others == nil {
		x.others = map[uint64][]uint32{}
	}
	x.others[key] = list
	return list
}

// work computes the terms of a token. The parts of an identifier are tokens themselves, mostly known.
func (x *lexicon) work(token uint32, kind analysis.TokenKind, lang analysis.Language) []uint32 {
	list := make([]uint32, 0, 8)
	add := func(id uint32) {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	tok := x.tokens.get(token)
	if kind == analysis.Word && !analysis.SimpleWord(tok) {
		parts := analysis.Split(tok)
		if len(parts) > 1 {
			termsOfPart(parts[0], lang, func(term string) { add(x.term(term)) })
			for _, p := range parts[1:] {
				for _, id := range x.list(x.token([]byte(p.Text)), analysis.Word, lang) {
					add(id)
				}
			}
			return list
		}
	}
	termsOf(tok, kind, lang, func(term string) { add(x.term(term)) })
	return list
}

// termsOf calls yield for each term of a token in a record of that language: its parts, these without accents, and the stems of its words.
func termsOf(tok []byte, kind analysis.TokenKind, lang analysis.Language, yield func(term string)) {
	if kind != analysis.Word {
		if s := analysis.Lower(analysis.Normal(tok)); s != "" {
			yield(s)
		}
		return
	}
	for _, p := range analysis.Split(tok) {
		termsOfPart(p, lang, yield)
	}
}

func termsOfPart(p analysis.Part, lang analysis.Language, yield func(term string)) {
	if p.Text == "" {
		return
	}
	yield(p.Text)
	if s := analysis.Bare(p.Text); s != p.Text && s != "" {
		yield(s)
	}
	if p.Stems {
		yield(analysis.Stem(p.Text, lang))
	}
}
