package capture

import (
	"strings"
	"sync"
	"unicode"
)

// grammars are read when the first text comes.
var grammars = sync.OnceValue(func() map[string]*grammar {
	m := map[string]*grammar{}
	for code, text := range map[string]string{"en": english, "ru": russian, "de": german, "es": spanish, "fr": french, "pt": portuguese} {
		m[code] = newGrammar(code, text)
	}
	return m
})

// latinCodes are the languages that only words tell apart, in the order in which they win a tie.
var latinCodes = [...]string{"en", "de", "es", "fr", "pt"}

var functionWords = sync.OnceValue(func() map[string][len(latinCodes)]int {
	m := map[string][len(latinCodes)]int{}
	for i, words := range [...]string{
		`the of and to in is for that it on with as are this be by not was or from at an we which have has but if when they their its will can should would because over into our rather than instead use going let's don't i you all a after before every each no new only them so there my me he she they been being were here these those some any more most`,
		`der die das und in zu den von mit ist des im für nicht ein eine einen einer einem auf dem sich als auch es an werden wird aus hat haben dass nach bei um am sind noch wie so zum kann oder nur wir ich weil statt uns damit ab sofort künftig da keine kein gegen habe wurde man sie statt anstelle denn`,
		`el la los las de del que y en un una por con para se no es al lo como más su sus pero este esta son fue ser sin sobre entre cuando muy también hay donde porque vez lugar hemos vamos nos ya así todas todo yo ahora hasta ni sino nuestro puede ha`,
		`le la les de des du et en un une dans que qui est pour par sur pas au aux ce cette il elle nous vous avec sont plus ne se sa son ses ou mais être comme leur sans où très on car parce puisque plutôt j'ai c'est l' d' n' s' notre afin donc a`,
		`o a os as de do da dos das que e em um uma para com não por no na nos nas se mais como mas ao foi ser são tem seu sua ou quando muito já está também só pelo pela isso entre porque vez então vamos nosso agora até num numa fica ficam pois pode`,
	} {
		for w := range strings.FieldsSeq(words) {
			counts := m[w]
			counts[i] = min(2, len(w))
			m[w] = counts
		}
	}
	return m
})

// ownLetters are letters that only some of the languages write, as bits in the order of latinCodes.
var ownLetters = map[rune]int{
	'ß': 1 << 1, 'ä': 1 << 1, 'ö': 1 << 1, 'ü': 1<<1 | 1<<2, 'ñ': 1 << 2, '¿': 1 << 2, '¡': 1 << 2, 'ó': 1<<2 | 1<<4, 'í': 1<<2 | 1<<4, 'á': 1<<2 | 1<<4, 'ú': 1<<2 | 1<<4,
	'è': 1 << 3, 'ê': 1<<3 | 1<<4, 'œ': 1 << 3, 'ù': 1 << 3, 'û': 1 << 3, 'ç': 1<<3 | 1<<4, 'à': 1<<3 | 1<<4, 'â': 1<<3 | 1<<4, 'ã': 1 << 4, 'õ': 1 << 4, 'é': 1<<2 | 1<<3 | 1<<4,
}

// ownEndings are endings of words that only some of the languages have, with bits as above.
var ownEndings = []struct {
	end       string
	languages int
}{
	{"ung", 1 << 1}, {"ungen", 1 << 1}, {"keit", 1 << 1}, {"amos", 1<<2 | 1<<4}, {"emos", 1<<2 | 1<<4}, {"imos", 1<<2 | 1<<4}, {"ción", 1 << 2}, {"ciones", 1 << 2},
	{"idad", 1 << 2}, {"encia", 1 << 2}, {"ção", 1 << 4}, {"ções", 1 << 4}, {"dade", 1 << 4}, {"ência", 1 << 4}, {"mente", 1<<2 | 1<<4}, {"ment", 1 << 3}, {"ée", 1 << 3}, {"és", 1 << 3},
	{"ing", 1}, {"ly", 1},
}

// languageOf returns the language of a text as a whole.
func languageOf(text string) string {
	const enough = 20_000 // bytes
	if len(text) > enough {
		text = text[:enough]
	}
	return languagesOf(text, "")[0]
}

const near = 2 // points by which a language may be behind and still be tried

// languagesOf returns the languages that a sentence in a text of an expected language may be in, the most
// likely first: a short one can be in any of several. It counts letters and function words; a language
// other than the expected one needs more of them.
func languagesOf(s, expected string) []string {
	var han, kana, cyrillic, latin int
	var score [len(latinCodes)]int
	for _, r := range s {
		switch {
		case r < unicode.MaxASCII:
			if 'a' <= r && r <= 'z' {
				latin++
			}
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
		default:
			if bits := ownLetters[unicode.ToLower(r)]; bits != 0 {
				latin++
				for i := range score {
					if bits>>i&1 == 1 {
						score[i]++
					}
				}
			}
		}
	}
	switch {
	case kana > 0 && (kana+han)*4 > latin:
		return []string{"ja"}
	case han > 0 && han*4 > latin:
		return []string{"zh"}
	case cyrillic*3 > latin:
		return []string{"ru"}
	}
	count := func(w string) {
		for i, n := range functionWords()[w] {
			score[i] += n
		}
	}
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
		w = strings.ReplaceAll(w, "’", "'")
		count(w)
		for _, e := range ownEndings {
			if len(w) > len(e.end)+2 && strings.HasSuffix(w, e.end) {
				for i := range score {
					score[i] += e.languages >> i & 1
				}
			}
		}
		if i := strings.IndexByte(w, '\''); i == 1 { // l'équipe
			count(w[:2])
			count(w[2:])
		}
	}
	best := 0
	for i, code := range latinCodes {
		if code == expected {
			score[i] += near
		}
		if score[i] > score[best] {
			best = i
		}
	}
	out := []string{latinCodes[best]}
	for i, code := range latinCodes {
		if i != best && score[i] > 0 && score[i]+near > score[best] {
			out = append(out, code)
		}
	}
	return out
}
