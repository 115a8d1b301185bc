package markdown

import (
	"strings"

	"sdd/internal/pattern"
)

var lineEnds = pattern.Late(`\r*(\n|\z)`)

// plain returns text for comparisons: with LF line ends, without blank lines at its start and end. A lone carriage return stays.
func plain(text string) string {
	if strings.Contains(text, "\r") {
		text = lineEnds().ReplaceAllString(text, "$1")
	}
	return text[textStart([]byte(text)):textEnd([]byte(text))]
}

// withNewlines returns plain text with the line ends of a file.
func withNewlines(plain, newline string) string {
	if newline == "\n" {
		return plain
	}
	return strings.ReplaceAll(plain, "\n", newline)
}
