package index

import "slices"

// lexicon numbers the tokens that a builder has met, and the terms of each. A word that occurs in many records is split
// only once.
type lexicon struct {
	terms  interner
	tokens interner
	words  []lexeme            // by token
	lists  []uint32            // what the lexemes point into
	others map[uint64][]uint32 // terms in further languages, by token and language
	hot    [hotSize]hotToken   // short tokens that came lately

	scratch []part
	buf     []byte
}

// lexeme is the data of a token: its hint, and its terms lists[at:at+n] in the language of its first record.
type lexeme struct {
	at   uint32
	n    uint16
	lang language
	seen uint8 // how often, at most 255
	hint hint
}

// nowhere is the language of a lexeme without computed terms.
const nowhere language = 255

// hotToken is a token of at most eight bytes. The most frequent words of a text are short, and this small table stays in
// the processor's cache.
type hotToken struct {
	key   uint64
	token uint32
}

const (
	hotBits = 10
	hotSize = 1 << hotBits

	frequent = 3 // a token seen this often survives a renewal
)

// token returns the number of a token.
func (x *lexicon) token(tok []byte) uint32 {
	var slot *hotToken
	var key uint64
	if len(tok) <= 8 {
		for _, c := range tok {
			key = key<<8 | uint64(c)
		}
		slot = &x.hot[key*0x9E3779B97F4A7C15>>(64-hotBits)]
		if slot.key == key {
			return slot.token
		}
	}
	id, unseen := x.tokens.add(tok)
	if unseen {
		x.words = append(x.words, lexeme{lang: nowhere, hint: hintOf(tok)})
	}
	if slot != nil {
		*slot = hotToken{key, id}
	}
	return id
}

// term returns the number of a term.
func (x *lexicon) term(term string) uint32 {
	x.buf = append(x.buf[:0], term...)
	id, _ := x.terms.add(x.buf)
	return id
}

// list returns the terms of a token in a record of that language. It is valid until the next call.
func (x *lexicon) list(token uint32, kind tokenKind, lang language) []uint32 {
	w := &x.words[token]
	if w.seen < 255 {
		w.seen++
	}
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
func (x *lexicon) work(token uint32, kind tokenKind, lang language) []uint32 {
	list := make([]uint32, 0, 8)
	add := func(id uint32) {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	tok := x.tokens.get(token)
	if kind == word && !simpleWord(tok) {
		parts := split(tok)
		if len(parts) > 1 {
			termsOfPart(parts[0], lang, func(term string) { add(x.term(term)) })
			for _, p := range parts[1:] {
				for _, id := range x.list(x.token([]byte(p.text)), word, lang) {
					add(id)
				}
			}
			return list
		}
	}
	x.scratch = termsOf(x.scratch[:0], tok, kind, lang, func(term string) { add(x.term(term)) })
	return list
}

// renew keeps the frequent tokens, until they have keep terms, and drops the others. Numbers change.
func (x *lexicon) renew(keep int) {
	old := *x
	*x = lexicon{scratch: old.scratch, buf: old.buf}
	for token := range uint32(len(old.words)) {
		w := old.words[token]
		if w.seen < frequent || w.lang == nowhere {
			continue
		}
		if x.terms.len() >= keep {
			break
		}
		x.tokens.add(old.tokens.get(token))
		at := len(x.lists)
		for _, term := range old.lists[w.at : w.at+uint32(w.n)] {
			id, _ := x.terms.add(old.terms.get(term))
			x.lists = append(x.lists, id)
		}
		x.words = append(x.words, lexeme{uint32(at), w.n, w.lang, 0, w.hint})
	}
}

// termsOf calls yield for each term of a token in a record of that language: its parts, these without accents, and the
// stems of its words. It uses scratch as memory.
func termsOf(scratch []part, tok []byte, kind tokenKind, lang language, yield func(term string)) []part {
	if kind != word {
		if s := lower(normal(tok)); s != "" {
			yield(s)
		}
		return scratch
	}
	scratch = appendParts(scratch, tok)
	for _, p := range scratch {
		termsOfPart(p, lang, yield)
	}
	return scratch
}

func termsOfPart(p part, lang language, yield func(term string)) {
	if p.text == "" {
		return
	}
	yield(p.text)
	if s := bare(p.text); s != p.text && s != "" {
		yield(s)
	}
	if p.stems {
		yield(stem(p.text, lang))
	}
}
