package record

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/pattern"
)

// Stored text is data. An agent or a view gets a learning or fact as the rest of one line that begins with its id, so that no
// heading, fence, list or comment can begin in it. A tag that would announce a learning is escaped.

var tags = pattern.Late(`<(/?(?:swarm|axiom|chorus))`)

// OneLine returns text on one line: every run of white space and invisible characters is a space.
func OneLine(text string) string {
	if isLine(text) {
		return text // nearly always
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1 // would turn the line around
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// isLine reports whether text is plain ASCII on one line, with single spaces between its words.
func isLine(text string) bool {
	was := byte(' ')
	for n := range len(text) {
		c := text[n]
		if c < ' ' || c >= 0x7f || c == ' ' && was == ' ' {
			return false
		}
		was = c
	}
	return was != ' '
}

// Brief is a caller's value as an error message repeats it: one line, at most 100 characters.
func Brief(s string) string {
	s = Inline(s)
	if utf8.RuneCountInString(s) > 100 {
		return string([]rune(s)[:100]) + "…"
	}
	return s
}

// maxHead bounds what a hint repeats of a record, in characters.
const maxHead = 500

// Head returns the text of another record as a hint repeats it: whole if it is short.
func Head(s string) string {
	if utf8.RuneCountInString(s) <= maxHead {
		return s
	}
	return string([]rune(s)[:maxHead]) + "…"
}

// Inline returns text on one line without tags that announce a learning.
func Inline(text string) string {
	text = OneLine(text)
	if strings.IndexByte(text, '<') >= 0 {
		text = tags().ReplaceAllString(text, "&lt;$1")
	}
	return text
}

// Item is a content as a line of a list.
func Item(id, content string) string { return "- [" + id + "] " + Inline(content) }
