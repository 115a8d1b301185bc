package lines

import (
	"strings"
	"unicode"
)

const (
	rowWords = 3
	rowBytes = 18
	mostRows = 200
)

// Words returns the words of a text in lower case, with one space around each.
func Words(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(words, " ") + " "
}

// Rows returns for each word of the texts the shortest row of words that begins with it and is long enough, as Words writes it, at most
// 200 of them: texts that share such a row do so seldom by chance.
func Rows(texts ...string) (rows []string) {
	for _, text := range texts {
		words := strings.Fields(Words(text))
		for i := range words {
			if len(rows) == mostRows {
				return rows
			}
			row := " "
			for k := i; k < len(words) && (k < i+rowWords || len(row) < rowBytes); k++ {
				row += words[k] + " "
			}
			if len(row) >= rowBytes && strings.Count(row, " ") > rowWords {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// Prints reports whether a line of code may print a text with one of the rows: it has the row and a quote.
func Prints(line string, rows []string) bool {
	if len(rows) == 0 || !strings.ContainsAny(line, "\"'`") {
		return false
	}
	line = Words(line)
	for _, row := range rows {
		if strings.Contains(line, row) {
			return true
		}
	}
	return false
}
