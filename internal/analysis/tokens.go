// Package analysis takes a text apart into words. Records, queries and the lines of a hit go through the same code, so the same
// word gets the same terms in all three.
//
// A token is a run of letters and digits, with the punctuation that joins parts of an identifier (`foo/bar.go`,
// `ADR-016`, `snake_case`). Its terms are the whole token, each of its parts, the parts without accents, and their
// stems. Scripts without spaces between words are cut into single characters and pairs.
package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sdd/internal/lines"
)

const (
	maxToken = 128 // bytes of a token that the index uses
	maxParts = 24  // parts of one token
)

type class uint8

const (
	space  class = iota // ends a token
	letter              // a letter, mark or digit of a script with spaces between words
	joiner              // joins two letters when it is the only rune between them
	plus                // + and #, which end the names of some languages
	gram                // a letter of a script without spaces
	mark                // a combining mark: it belongs to the rune before it
	hidden              // an invisible rune inside words
	symbol              // an emoji or other sign that is a word of its own
)

var ascii = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			t[c] = letter
		case strings.IndexByte("_-./@", byte(c)) >= 0:
			t[c] = joiner
		case c == '+' || c == '#':
			t[c] = plus
		}
	}
	return t
}()

// classOf returns the class of the rune at the start of text and its length in bytes.
func classOf(text []byte) (class, int) {
	if c := text[0]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	r, n := utf8.DecodeRune(text)
	return runeClass(r, n), n
}

func runeClass(r rune, n int) class {
	switch {
	case r == utf8.RuneError && n <= 1:
		return space
	case 0xC0 <= r && r <= 0x24F && r != '×' && r != '÷', 0x400 <= r && r <= 0x481, 0x48A <= r && r <= 0x52F:
		return letter
	case 0x4E00 <= r && r <= 0x9FFF, 0xAC00 <= r && r <= 0xD7A3, 0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA:
		return gram
	case r == 0xAD, 0x200B <= r && r <= 0x200D, r == 0x2060, r == 0xFEFF, 0xFE00 <= r && r <= 0xFE0F:
		return hidden
	case 0x2000 <= r && r <= 0x206F, 0x3000 <= r && r <= 0x3004:
		return space
	case unicode.In(r, unspaced...), r == 0xFF9E, r == 0xFF9F:
		if unicode.IsMark(r) || r == 0xFF9E || r == 0xFF9F { // the half-width voicing marks are letters
			return mark
		}
		if unicode.IsDigit(r) {
			return letter
		}
		if unicode.IsLetter(r) {
			return gram
		}
	case r == 'ー' || r == 'ｰ':
		return gram
	}
	switch {
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return letter
	case unicode.IsMark(r):
		return mark
	case unicode.Is(unicode.So, r):
		return symbol
	}
	return space
}

// Unspaced reports whether r is a letter of a script that is cut into characters and pairs.
func Unspaced(r rune) bool { return runeClass(r, utf8.RuneLen(r)) == gram }

// unspaced are the scripts that are cut into characters and pairs. Korean has spaces, but its words carry their particles.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese,
}

// Token is a span of the text: a word, or in a script without spaces a character or, with kind pair, two neighbours.
type Token struct {
	Start, End int
	Kind       TokenKind
}

type TokenKind uint8

const (
	Word   TokenKind = iota
	Single           // one character of an unspaced script that has neighbours
	Alone            // one without neighbours
	Pair             // two neighbours
)

// Tokens calls yield for each token of text in order, until it returns false.
func Tokens(text []byte, yield func(Token) bool) {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && ascii[c] != letter {
			i++
			continue
		}
		c, n := classOf(text[i:])
		switch c {
		case letter:
			end, next := wordEnd(text, i)
			if !yield(Token{i, end, Word}) {
				return
			}
			i = next
		case gram, symbol:
			next, more := grams(text, i, yield)
			if !more {
				return
			}
			i = next
		default:
			i += n
		}
	}
}

// wordEnd returns the end of the word that starts at i, and the position to continue from.
func wordEnd(text []byte, i int) (end, next int) {
	start := i
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf && ascii[c] == letter {
			i++
			continue
		}
		c, n := classOf(text[i:])
		switch c {
		case letter, mark, hidden:
			i += n
			continue
		case joiner:
			if i-start <= maxToken*3/4 && i+n < len(text) {
				if after, _ := classOf(text[i+n:]); after == letter {
					i += n
					continue
				}
			}
		case plus:
			// C++, C#, F#
			to := i + 1
			if text[i] == '+' && to < len(text) && text[to] == '+' {
				return to + 1, to + 1
			}
			if text[i] == '#' {
				if to == len(text) {
					return to, to
				}
				if after, _ := classOf(text[to:]); after == space {
					return to, to
				}
			}
		}
		break
	}
	return start + lines.Border(text[start:i], maxToken), i
}

// grams yields the characters and pairs of the unspaced run that starts at i and returns its end.
func grams(text []byte, i int, yield func(Token) bool) (next int, more bool) {
	cluster := func(i int) int { // end of the character at i with its marks; i when no character starts there
		if i >= len(text) {
			return i
		}
		c, n := classOf(text[i:])
		if c != gram && c != symbol {
			return i
		}
		end := i + n
		for end < len(text) && end-i < maxToken/2 {
			c, n := classOf(text[end:])
			if c != mark && c != hidden {
				break
			}
			end += n
		}
		return end
	}
	end := cluster(i)
	first := true
	for {
		after := cluster(end)
		kind := Single
		if first && after == end {
			kind = Alone
		}
		if !yield(Token{i, end, kind}) {
			return end, false
		}
		if after == end {
			// a character keeps a limited number of marks; skip the others
			for end < len(text) {
				if c, n := classOf(text[end:]); c == mark || c == hidden {
					end += n
					continue
				}
				break
			}
			return end, true
		}
		if !yield(Token{i, after, Pair}) {
			return end, false
		}
		i, end, first = end, after, false
	}
}

// Part is one form of a token that becomes a term.
type Part struct {
	Text  string
	Stems bool // it consists of letters, so it has a stem
	Leaf  bool // it has no parts of its own
}

// Split returns the parts of a token: first the whole in lower case and NFKC, then its pieces. Each comes once.
func Split(tok []byte) []Part {
	if SimpleWord(tok) {
		return []Part{{Lower(string(tok)), true, true}}
	}
	s := Normal(tok)
	parts := make([]Part, 0, 8)
	add := func(s string, leaf bool) {
		s = Lower(s)
		if s == "" || len(parts) >= maxParts {
			return
		}
		for i := range parts {
			if parts[i].Text == s {
				return
			}
		}
		parts = append(parts, Part{s, OnlyLetters(s), leaf})
	}
	add(s, false)
	for _, component := range strings.Split(s, "/") {
		if component != s {
			add(component, false)
		}
		for piece := range strings.FieldsFuncSeq(component, between) {
			if len(piece) == 1 && strings.ContainsAny(s, "+#") {
				continue // the C of C++: not a term
			}
			before := len(parts)
			add(piece, false)
			at := len(parts) - 1
			splitPiece(piece, add)
			if len(parts) > before && at == len(parts)-1 {
				parts[at].Leaf = true
			}
		}
	}
	if len(parts) == 1 {
		parts[0].Leaf = true
	}
	return parts
}

// SimpleWord reports whether tok is one word of ASCII in one case, or with a capital first, as nearly every token of English is.
func SimpleWord(tok []byte) bool {
	for i, c := range tok {
		if 'a' <= c && c <= 'z' || i == 0 && 'A' <= c && c <= 'Z' {
			continue
		}
		return false
	}
	return true
}

// splitPiece yields the words of a piece; a leaf has no words in it. What changes often between letters and digits is a hash.
func splitPiece(s string, yield func(word string, leaf bool)) {
	var runs []string
	start, prev := 0, rune(0)
	if strings.ContainsFunc(s, unicode.IsNumber) {
		for i, r := range s {
			if prev != 0 && unicode.IsNumber(prev) != unicode.IsNumber(r) && !unicode.IsMark(r) {
				runs = append(runs, s[start:i])
				start = i
			}
			prev = r
		}
		if len(runs) > 3 {
			return
		}
	}
	for _, run := range append(runs, s[start:]) {
		humps := humps(run)
		if len(run) > 1 && run != s {
			yield(run, len(humps) == 0)
		}
		for _, h := range humps {
			yield(h, true)
		}
	}
}

// humps returns the words of a camel-case identifier that have more than one letter; none for any other word.
func humps(s string) (words []string) {
	if len(s) < 2 || !strings.ContainsFunc(s[1:], unicode.IsUpper) {
		return nil
	}
	rs := []rune(s)
	from := 0
	for i := 1; i < len(rs); i++ {
		up, before := unicode.IsUpper(rs[i]), unicode.IsUpper(rs[i-1])
		if up && !before && unicode.IsLetter(rs[i-1]) ||
			up && before && i+2 < len(rs) && unicode.IsLower(rs[i+1]) && unicode.IsLower(rs[i+2]) {
			if i-from > 1 {
				words = append(words, string(rs[from:i]))
			}
			from = i
		}
	}
	if from > 0 && len(rs)-from > 1 {
		words = append(words, string(rs[from:]))
	}
	return words
}

// Normal returns a token in NFKC without invisible runes, case kept.
func Normal(tok []byte) string {
	s := string(tok)
	if IsASCII(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if runeClass(r, 2) == hidden {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return norm.NFKC.String(s)
}

// Lower returns s in lower case. Sigma has one form, and the dot of a dotted capital I is dropped.
func Lower(s string) string {
	if IsASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.ToLower(s)
	s = strings.ReplaceAll(s, "ς", "σ")
	return norm.NFKC.String(strings.ReplaceAll(s, "i\u0307", "i"))
}

// OnlyLetters reports whether s may be stemmed: more than two bytes, all letters.
func OnlyLetters(s string) bool {
	return len(s) > 2 && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

// plainLetters replaces letters that Unicode does not decompose into a base and an accent.
var plainLetters = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ł", "l", "ı", "i", "ð", "d", "þ", "th", "ħ", "h")

// Bare returns s without accents: straße is strasse. Marks that make another letter stay, as in й or が.
func Bare(s string) string {
	if IsASCII(s) {
		return s
	}
	var b strings.Builder
	var base rune
	for _, r := range norm.NFD.String(s) {
		switch {
		case 0x300 <= r && r <= 0x36F:
			if unicode.Is(unicode.Cyrillic, base) && !(r == 0x308 && base == 'е') {
				b.WriteRune(r)
			}
		case 0x591 <= r && r <= 0x5C7 && unicode.IsMark(r), 0x64B <= r && r <= 0x65F, r == 0x670:
		default:
			base = r
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(plainLetters.Replace(b.String()))
}

// IsASCII reports whether s has only ASCII.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
