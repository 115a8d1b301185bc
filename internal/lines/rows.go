package lines

import (
	"strings"
	"unicode"
)

const (
	rowWords = 4
	rowBytes = 16
)

// Words returns the words of a text in lower case, with one space around each.
func Words(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(words, " ") + " "
}

// Rows returns each four words in a row of a text, as Words writes them, but for short ones: texts that share such a row do so
// seldom by chance.
func Rows(text string) (rows []string) {
	words := strings.Fields(Words(text))
	for i := 0; i+rowWords <= len(words); i++ {
		if row := " " + strings.Join(words[i:i+rowWords], " ") + " "; len(row) > rowBytes {
			rows = append(rows, row)
		}
	}
	return rows
}

// HasRow reports whether a text contains one of the rows.
func HasRow(text string, rows []string) bool {
	if len(rows) == 0 {
		return false
	}
	text = Words(text)
	for _, row := range rows {
		if strings.Contains(text, row) {
			return true
		}
	}
	return false
}
