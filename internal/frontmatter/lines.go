package frontmatter

import (
	"strings"
	"unicode/utf8"
)

// YAML ends a line at LF, CRLF and these.
const breaks = "\n\r\u0085\u2028\u2029"

// lineBreak returns the length of the line break at i as YAML has them, 0 if there is none.
func lineBreak(b []byte, i int) int {
	switch {
	case i >= len(b) || b[i] >= ' ' && b[i] < utf8.RuneSelf:
	case b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n':
		return 2
	default:
		if r, n := utf8.DecodeRune(b[i:]); strings.ContainsRune(breaks, r) {
			return n
		}
	}
	return 0
}

// blankAt returns the length of the white space or line break at i.
func blankAt(b []byte, i int) int {
	if b[i] == ' ' || b[i] == '\t' {
		return 1
	}
	return lineBreak(b, i)
}

// lineContentEnd returns where the line at i ends, its break not included.
func lineContentEnd(b []byte, i int) int {
	for i < len(b) && lineBreak(b, i) == 0 {
		i++
	}
	return i
}

// lineAfter returns where the line below the one at i begins.
func lineAfter(b []byte, i int) int {
	i = lineContentEnd(b, i)
	return i + lineBreak(b, i)
}

// lineStart returns where the line that holds i begins; from is the start of a line at or above it.
func lineStart(b []byte, from, i int) int {
	for {
		next := lineAfter(b, from)
		if next > i || next == from {
			return from
		}
		from = next
	}
}

func isBlankBefore(b []byte, i int) bool {
	r, _ := utf8.DecodeLastRune(b[:i])
	return i == 0 || strings.ContainsRune(" \t"+breaks, r)
}
