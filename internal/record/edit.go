package record

import (
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
)

// Updated is the result of an edit.
type Updated struct {
	Doc      *Doc
	Out      []byte // the bytes of Doc
	Warnings []markdown.Warning
}

// Edit sets keys and changes sections of the record in src, and keeps every other byte. An empty src gives a new record with keys in the
// order of its kind. It refuses a file that is not writable (Broken, with the line; the caller adds the file) and text that no file may
// hold (Invalid, with the argument). Every new value reads back, and everything else reads as before.
func Edit(src []byte, kind Kind, sets []frontmatter.Set, changes []markdown.Change) (Updated, error) {
	return Open(src).Edit(kind, sets, changes)
}

// Writable returns the reason not to write to a file with these bytes (Broken, with the line), nil when there is none.
func Writable(src []byte) error { return Open(src).Writable() }

func broken(line int, message, hint string) *fault.Error {
	return fault.New(fault.Broken, "%s", message).With(hint).At("", line)
}

// escapeMarkers puts a backslash before every marker line of that character, or for 0 before each conflict; first is the first such line.
func escapeMarkers(text string, char byte) (escaped string, first int) {
	opens := linesOf(Unresolved([]byte(text)))
	var b strings.Builder
	for i, l := range strings.SplitAfter(text, "\n") {
		if c, _ := marker([]byte(l)); opens[i+1] || char != 0 && c == char {
			b.WriteByte('\\')
			if first == 0 {
				first = i + 1
			}
		}
		b.WriteString(l)
	}
	return b.String(), first
}
