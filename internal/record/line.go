package record

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/pattern"
)

// Stored text is data: shown on one line that begins with its id, no heading, fence, list or comment can begin in it.

var tags = pattern.Late(`<(/?(?:swarm|axiom|chorus))`)

// OneLine returns text on one line: every run of white space and invisible characters is a space.
func OneLine(text string) string {
	return strings.Join(strings.Fields(spaced(text, false)), " ")
}

// spaced returns text with spaces for white space and invisible characters, tabs kept if asked.
func spaced(text string, tabs bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case ' ' < r && r < 0x7f: // most
		case r == '\t' && tabs:
		case r == utf8.RuneError, unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1 // it would reverse the direction of the line
		}
		return r
	}, text)
}

// Brief returns a caller's value for an error message: one line, at most 100 characters.
func Brief(s string) string {
	s = Inline(s)
	if utf8.RuneCountInString(s) > 100 {
		return string([]rune(s)[:100]) + "…"
	}
	return s
}

// maxHead is the longest record text in a hint, in characters.
const maxHead = 500

// Head returns the text of another record for a hint: whole if it is short.
func Head(s string) string {
	if utf8.RuneCountInString(s) <= maxHead {
		return s
	}
	return string([]rune(s)[:maxHead]) + "…"
}

// Inline returns text on one line, with tags that announce a learning escaped.
func Inline(text string) string { return untagged(OneLine(text)) }

// CodeLine is Inline for a line of code, which keeps its spaces.
func CodeLine(line string) string { return untagged(spaced(line, true)) }

func untagged(text string) string {
	if strings.IndexByte(text, '<') >= 0 {
		text = tags().ReplaceAllString(text, "&lt;$1")
	}
	return text
}

// Item returns a content as a line of a list.
func Item(id, content string) string { return "- [" + id + "] " + Inline(content) }

// Nothing reports whether a text only says that its section has nothing to say: "None.", "n/a", "-".
func Nothing(text string) bool { return nothing().MatchString(text) }

var nothing = pattern.Late(`(?i)^[^\pL\pN]*(?:(?:none|nothing|n/?a|nil|no|keine?|keins|nichts|нет|ничего|ningun[oa]|nada|aucune?` +
	`|rien|nenhuma?|无|没有|なし)(?: (?:known|yet|open|left|so far|for now|at the moment|bekannt|offen|пока))?)?[^\pL\pN]*$`)
