package grep

import (
	"bytes"
	"strings"
)

// literal is a text to find. In any case it is found by its rarest byte, because a search for one byte checks many bytes at a time.
type literal struct {
	text    []byte // nil: none
	anyCase bool   // text is in lower case and matches any case
	at      int    // offset of the rarest byte
	rare    byte
	other   byte // the rarest byte in upper case if anyCase is true, else the same byte
}

// common lists the frequent bytes of source code, the most frequent first. Every other byte is rarer. (Counted in the
// sources of Go's libraries; other languages differ little.)
const common = " etr\tnai\nsolc,dfu.0p/)(hmxg\"b=y{}:1v2wSk4T6CE3RAPI[]58_-N*F\\97DBOLMU!G%+zH&q';WV<`j"

func newLiteral(text []byte, anyCase bool) literal {
	l := literal{text: text, anyCase: anyCase}
	best := -1
	for i, c := range text {
		rank := strings.IndexByte(common, c)
		if rank < 0 {
			rank = len(common)
		}
		if rank > best {
			best, l.at, l.rare, l.other = rank, i, c, c
		}
	}
	if anyCase && kinds[l.rare] == small {
		l.other = l.rare - 'a' + 'A'
	}
	return l
}

// index returns the first place of the text in src, or -1.
func (l *literal) index(src []byte) int {
	if l.anyCase {
		return l.indexFold(src)
	}
	return bytes.Index(src, l.text)
}

// foldWindow is how far indexFold searches for one case of the byte before it searches for the other.
const foldWindow = 4 << 10 // bytes

// indexFold is index for a rarest byte that has two cases.
func (l *literal) indexFold(src []byte) int {
	for from := l.at; from < len(src); from += foldWindow {
		part := src[from:min(from+foldWindow, len(src))]
		next := func(c byte, i int) int {
			if o := bytes.IndexByte(part[i:], c); o >= 0 {
				return i + o
			}
			return len(part)
		}
		for one, two := next(l.rare, 0), next(l.other, 0); ; {
			i := min(one, two)
			if i == len(part) {
				break
			}
			if at := from + i - l.at; hasFold(src[at:], l.text) {
				return at
			}
			if one == i {
				one = next(l.rare, i+1)
			} else {
				two = next(l.other, i+1)
			}
		}
	}
	return -1
}
