// Package terminal is the view of a store on a terminal: what is new, what waits for review, what conflicts; with keys to open,
// filter, approve and reject. It follows the files while it is open. Every change goes through the same functions as
// the command line and the tools, with the version of the text that the person saw.
//
// What is shown is made by a model that knows nothing of terminals: keys and records go in, lines and wishes come out.
// The runner does the wishes, and gives the terminal back as it was, however the view ends.
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

// Safe returns stored text fit for a terminal: control characters, and those that change the direction of the text
// around them, are shown as U+FFFD, not obeyed. Line feeds and tabs stay.
func Safe(s string) string {
	return strings.Map(func(r rune) rune {
		if Obeyed(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// Obeyed reports whether a terminal does something else with r than show it or go on to the next line or stop.
func Obeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}
