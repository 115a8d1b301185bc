package markdown

import (
	"bytes"
	"strings"

	"sdd/internal/pattern"
)

// newlineOf is the line end that most lines of src have, "\n" when there is a tie or no line.
func newlineOf(src []byte) string {
	if crlf := bytes.Count(src, []byte("\r\n")); crlf > bytes.Count(src, []byte("\n"))-crlf {
		return "\r\n"
	}
	return "\n"
}

var lineEnds = pattern.Late(`\r*(\n|\z)`)

// plain is text as compared: LF for every line end, no blank lines at its start and end.
// A carriage return elsewhere ends no line and stays.
func plain(text string) string {
	if strings.Contains(text, "\r") {
		text = lineEnds().ReplaceAllString(text, "$1")
	}
	return text[textStart([]byte(text)):textEnd([]byte(text))]
}

// withNewlines is plain text with the line ends of a file.
func withNewlines(plain, newline string) string {
	if newline == "\n" {
		return plain
	}
	return strings.ReplaceAll(plain, "\n", newline)
}
