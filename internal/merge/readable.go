package merge

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"sdd/internal/lines"
)

// Readable returns a record for git's diffs and blame, line for line, without blanks that mean nothing; what is invisible, or changes how
// others are shown, is written as <U+200B>: an agent reads it, so a reviewer must see it.
func Readable(src []byte) []byte {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	out := make([]byte, 0, len(src))
	for len(src) > 0 {
		line := lines.First(src)
		src = src[len(line):]
		text := bytes.TrimSuffix(line, newline)
		ended := len(text) < len(line)
		text = bytes.TrimSuffix(text, []byte("\r"))
		words := bytes.TrimRight(text, " \t")
		breaks := len(words) > 0 && bytes.HasSuffix(text, []byte("  "))
		for len(words) > 0 {
			r, n := utf8.DecodeRune(words)
			switch {
			case r == utf8.RuneError && n == 1: // not UTF-8: some terminals act on single bytes from 80 on
				out = fmt.Appendf(out, "<%02X>", words[0])
			case hidden(r):
				out = fmt.Appendf(out, "<U+%04X>", r)
			default:
				out = append(out, words[:n]...)
			}
			words = words[n:]
		}
		if breaks {
			out = append(out, "  "...)
		}
		if ended {
			out = append(out, '\n')
		}
	}
	return out
}

// hidden reports whether r is invisible or turns the text after it. Joiners, selectors and direction marks are not: some scripts need them.
func hidden(r rune) bool {
	switch {
	case r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0: // controls, those among them that a terminal obeys
		return true
	case r == 0xad, r == 0x200b, r >= 0x2060 && r <= 0x2064, r == 0xfeff: // soft hyphen, no width
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // direction
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f // tags: letters that are not shown
}
