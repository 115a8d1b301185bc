package terminal

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"sdd/internal/tty"
)

const tabStop = 4

// runeWidth is the number of cells of a character, by its East Asian width; ambiguous ones have one cell, as in terminals.
func runeWidth(r rune) int {
	switch {
	case r >= ' ' && r < 0x7f, r == 0xad:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), r >= 0x1160 && r <= 0x11ff: // combining characters
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// textWidth is the number of cells of a text without line ends.
func textWidth(s string) (n int) {
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// cut returns the start of s that fits into most cells, with an ellipsis when something is left out.
func cut(s string, most int) string {
	if most <= 0 {
		return ""
	}
	n, end := 0, 0 // end is where an ellipsis fits
	for at, r := range s {
		w := runeWidth(r)
		if n+w > most {
			return s[:end] + "…"
		}
		if n += w; n < most {
			end = at + len(string(r))
		}
	}
	return s
}

// fit is cut, padded with blanks.
func fit(s string, cells int) string {
	s = cut(s, cells)
	return s + strings.Repeat(" ", max(0, cells-textWidth(s)))
}

// oneLine returns stored text as one line that is safe to show.
func oneLine(s string) string { return tty.Safe(strings.Join(strings.Fields(s), " ")) }

// wrap breaks a text into lines of at most cells cells: between words, between wide characters, and within longer words. The
// continuation of a list item or an indented line is indented like its text.
func wrap(text string, cells int) (lines []string) {
	cells = max(cells, 1)
	for l := range strings.SplitSeq(strings.TrimRight(tty.Safe(text), "\n"), "\n") {
		lines = append(lines, wrapLine(strings.TrimRight(untab(l), " "), cells)...)
	}
	return lines
}

// untab replaces tabs by blanks up to the next stop.
func untab(l string) string {
	if !strings.Contains(l, "\t") {
		return l
	}
	var b strings.Builder
	n := 0
	for _, r := range l {
		if r == '\t' {
			w := tabStop - n%tabStop
			b.WriteString(strings.Repeat(" ", w))
			n += w
			continue
		}
		b.WriteRune(r)
		n += runeWidth(r)
	}
	return b.String()
}

func wrapLine(l string, cells int) (lines []string) {
	hang := hanging(l)
	if hang > cells/2 || hang > cells-2 { // a wide character needs two
		hang = 0
	}
	indent := strings.Repeat(" ", hang)
	for prefix := ""; ; prefix = indent {
		room := cells - len(prefix)
		end, next := breakAt(l, room)
		lines = append(lines, prefix+strings.TrimRight(l[:end], " "))
		if next >= len(l) {
			return lines
		}
		l = l[next:]
	}
}

// breakAt returns where a line that has room cells ends and where the next one begins.
func breakAt(l string, room int) (end, next int) {
	n, space, inText := 0, -1, false // space is the last possible line end
	var before rune
	for at, r := range l {
		w := runeWidth(r)
		if inText && at > 0 && w > 0 && (r == ' ' || runeWidth(before) == 2 || w == 2 && before != ' ') {
			space = at
		}
		if n+w > room && at > 0 && w > 0 {
			if r == ' ' || space < 0 {
				space = at
			}
			next = space + len(l[space:]) - len(strings.TrimLeft(l[space:], " "))
			return space, next
		}
		n, before, inText = n+w, r, inText || r != ' '
	}
	return len(l), len(l)
}

// hanging is the column where the text of a line begins, after its indentation and list marker.
func hanging(l string) int {
	text := strings.TrimLeft(l, " ")
	n := len(l) - len(text)
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	switch {
	case strings.HasPrefix(text, "- "), strings.HasPrefix(text, "* "), strings.HasPrefix(text, "+ "), strings.HasPrefix(text, "> "):
		n += 2
	case digits > 0 && digits < 4 && len(text) > digits+1 && (text[digits] == '.' || text[digits] == ')') && text[digits+1] == ' ':
		n += digits + 2
	}
	return n
}
