package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count first cuts a text into pieces and merges each separately. A piece is the match of the first of
// o200k_base's regular expressions that matches, with
// U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], L = [\p{Ll}\p{Lm}\p{Lo}\p{M}], C = (?i:'s|'t|'re|'ve|'m|'ll|'d):
//
//	[^\r\n\p{L}\p{N}]? U* L+ C?
//	[^\r\n\p{L}\p{N}]? U+ L* C?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// The scanner below reads each character a bounded number of times in every text.

// piece is a part of the text. No token crosses its borders.
type piece struct {
	text    string
	invalid bool // it holds bytes that are not UTF-8
}

// repaired returns the piece's text with the replacement character for every byte that is not UTF-8.
func (p piece) repaired() string {
	if !p.invalid {
		return p.text
	}
	var b strings.Builder
	for _, r := range p.text {
		b.WriteRune(r)
	}
	return b.String()
}

// original converts an offset in the piece's repaired text to the offset, in its text, of the character that contains it.
func (p piece) original(end int) int {
	if !p.invalid {
		return end
	}
	at := 0 // in the repaired text
	for i, r := range p.text {
		if at += utf8.RuneLen(r); at > end {
			return i
		}
	}
	return len(p.text)
}

// class is a set of the properties of a character that decide where a piece ends.
type class uint8

const (
	upper   class = 1 << iota // U above
	lower                     // L above
	letter                    // \p{L}
	number                    // \p{N}
	space                     // \s
	newline                   // \r or \n
)

var ascii = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		switch {
		case c >= 'A' && c <= 'Z':
			t[c] = upper | letter
		case c >= 'a' && c <= 'z':
			t[c] = lower | letter
		case c >= '0' && c <= '9':
			t[c] = number
		case c == '\r' || c == '\n':
			t[c] = space | newline
		case c == ' ' || c >= '\t' && c <= '\r':
			t[c] = space
		}
	}
	return t
}()

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return ascii[r]
	case r >= 0x4e00 && r <= 0x9fff && unicode.Is(unicode.Lo, r), // the two largest scripts first
		r >= 0xac00 && r <= 0xd7a3:
		return upper | lower | letter
	case unicode.Is(unicode.Ll, r):
		return lower | letter
	case unicode.Is(unicode.Lu, r), unicode.Is(unicode.Lt, r):
		return upper | letter
	case unicode.Is(unicode.Lo, r), unicode.Is(unicode.Lm, r):
		return upper | lower | letter
	case unicode.Is(unicode.M, r):
		return upper | lower
	case unicode.Is(unicode.N, r):
		return number
	case unicode.IsSpace(r):
		return space
	}
	return 0
}

type scanner struct {
	text    string
	invalid bool
}

// at returns the class and size of the character at offset i; size is 0 at the end.
func (s *scanner) at(i int) (class, int) {
	if i >= len(s.text) {
		return 0, 0
	}
	if c := s.text[i]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	r, size := utf8.DecodeRuneInString(s.text[i:])
	if r == utf8.RuneError && size == 1 {
		s.invalid = true
	}
	return classOf(r), size
}

func (s *scanner) run(i int, set class) int {
	for {
		for i < len(s.text) && s.text[i] < utf8.RuneSelf {
			if ascii[s.text[i]]&set == 0 {
				return i
			}
			i++
		}
		c, size := s.at(i)
		if size == 0 || c&set == 0 {
			return i
		}
		i += size
	}
}

// next cuts the first piece off text, which must not be empty.
func next(text string) (first piece, rest string) {
	s := scanner{text: text}
	end := s.end()
	p := piece{text: text[:end]}
	if s.invalid { // the scanner may have read an invalid byte after the end
		p.invalid = !utf8.ValidString(p.text)
	}
	return p, text[end:]
}

func (s *scanner) end() int {
	c, size := s.at(0)
	if c&(newline|letter|number) == 0 { // it may lead a word
		if end := s.word(size); end > 0 {
			return end
		}
	}
	if c&(upper|lower) != 0 {
		return s.word(0)
	}
	if c&number != 0 {
		end := size
		for range 2 {
			c, size := s.at(end)
			if c&number == 0 {
				break
			}
			end += size
		}
		return end
	}
	if end := s.marks(c, size); end > 0 {
		return end
	}
	return s.spaces()
}

// word returns the end of the word at i with its contraction, 0 for none. Capitals after a character of both classes begin the next.
func (s *scanner) word(i int) int {
	at, both := i, 0 // both: the end of the last character of both classes
	for {
		c, size := s.at(at)
		if c&upper == 0 {
			if c&lower != 0 {
				return s.contraction(s.run(at, lower))
			}
			break
		}
		at += size
		if c&lower != 0 {
			both = at
		}
	}
	if both > 0 {
		return s.contraction(both)
	}
	if at == i {
		return 0
	}
	return s.contraction(at)
}

// contraction returns the end of the English contraction at offset i, or i when there is none.
func (s *scanner) contraction(i int) int {
	t := s.text[i:]
	if len(t) < 2 || t[0] != '\'' {
		return i
	}
	switch t[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v':
		if len(t) > 2 && t[2]|0x20 == 'e' {
			return i + 3
		}
	case 'l':
		if len(t) > 2 && t[2]|0x20 == 'l' {
			return i + 3
		}
	}
	if strings.HasPrefix(t[1:], "ſ") { // the long s is an s in another case
		return i + 1 + len("ſ")
	}
	return i
}

// marks returns the end of a run of other characters, with a space before it and line ends and slashes after; 0 for none.
func (s *scanner) marks(c class, size int) int {
	start := 0
	if s.text[0] == ' ' {
		start = size
	} else if c&space != 0 {
		return 0
	}
	at := start
	for {
		c, size := s.at(at)
		if size == 0 || c&(space|letter|number) != 0 {
			break
		}
		at += size
	}
	if at == start {
		return 0
	}
	for at < len(s.text) && (s.text[at] == '\r' || s.text[at] == '\n' || s.text[at] == '/') {
		at++
	}
	return at
}

// spaces returns the end of a run of spaces: after its last line end, else before the space that belongs to a word, else all.
func (s *scanner) spaces() int {
	at, last, lines := 0, 0, 0
	for {
		c, n := s.at(at)
		if n == 0 || c&space == 0 {
			break
		}
		last = at
		at += n
		if c&newline != 0 {
			lines = at
		}
	}
	switch {
	case lines > 0:
		return lines
	case at == len(s.text) || last == 0:
		return at
	}
	return last
}
