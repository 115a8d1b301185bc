package lines

import (
	"strings"
	"unicode"
)

const (
	rowWords = 3
	rowBytes = 18
)

// Words returns the words of a text in lower case, with one space around each.
func Words(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(words, " ") + " "
}

// Rows returns for each word of a text the shortest row of words that begins with it and is long enough, as Words writes it: texts that
// share such a row do so seldom by chance.
func Rows(text string) (rows []string) {
	words := strings.Fields(Words(text))
	for i := range words {
		row := " "
		for k := i; k < len(words) && (k < i+rowWords || len(row) < rowBytes); k++ {
			row += words[k] + " "
		}
		if len(row) >= rowBytes && strings.Count(row, " ") > rowWords {
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
