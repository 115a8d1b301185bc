// Package terminal is the view of a store on a terminal: new records, records that wait for review, and conflicts, with keys to open,
// filter, approve and reject. It follows changes of the files. Every change uses the same functions as the command line and the
// tools, with the version of the text that the user saw.
//
// A model without a terminal turns keys and records into frames and requests. The runner does the requests, and restores the terminal
// however the view ends.
package terminal

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
