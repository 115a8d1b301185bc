package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var tags = regexp.MustCompile(`<(/?(?:swarm|axiom|chorus))`)

// Line returns stored text as data on one line: every run of white space and of characters that nobody sees is a space,
// what would turn the line around is gone, and what looks like a tag that announces a learning is no tag any more.
// As the rest of a line that begins with something else, no heading, fence, list or comment can begin in it.
func Line(text string) string {
	if !isLine(text) { // hardly ever
		text = strings.Map(func(r rune) rune {
			switch {
			case r == utf8.RuneError, unicode.IsSpace(r), unicode.IsControl(r):
				return ' '
			case unicode.Is(unicode.Bidi_Control, r):
				return -1
			}
			return r
		}, text)
		text = strings.Join(strings.Fields(text), " ")
	}
	if strings.IndexByte(text, '<') >= 0 {
		text = tags.ReplaceAllString(text, "&lt;$1")
	}
	return text
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
