// Package tty detects terminals and the control characters that they act on.
package tty

import (
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width is the number of columns of a terminal, 0 for another stream.
func Width(stream any) int {
	f, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Safe returns stored text for a terminal: it replaces control characters, and those that change the direction of text, by U+FFFD. Line
// feeds and tabs stay.
func Safe(s string) string {
	return strings.Map(func(r rune) rune {
		if Obeyed(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// Obeyed reports whether r is a control character for a terminal; line feeds and tabs are not.
func Obeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}
