package record

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/fault"
)

// CheckText refuses (Invalid, with the argument) bytes that are not UTF-8, and control characters except white space and
// ESC, which the program does not print to terminals.
func CheckText(arg, s string) error {
	if !utf8.ValidString(s) {
		return fault.New(fault.Invalid, "%s is not valid UTF-8", arg).For(arg).With("convert the text to UTF-8")
	}
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\x1b' {
			return fault.New(fault.Invalid, "%s holds the control character U+%04X", arg, r).For(arg).With("remove it")
		}
	}
	return nil
}

// CheckLine refuses (Invalid, with the argument) an invalid value for the front matter: text that CheckText refuses,
// more than `most` characters, or more than one line.
func CheckLine(arg, s string, most int) error {
	if n := utf8.RuneCountInString(s); n > most {
		return fault.New(fault.Invalid, "%s has %d characters, at most %d are allowed", arg, n, most).For(arg).With("shorten it")
	}
	if err := CheckText(arg, s); err != nil {
		return err
	}
	if strings.ContainsAny(s, "\r\n") {
		return fault.New(fault.Invalid, "%s has more than one line", arg).For(arg).With("give one line")
	}
	return nil
}

// TrimLine trims an argument that CheckLine then checks.
func TrimLine(arg string, text *string, most int) error {
	*text = strings.TrimSpace(*text)
	return CheckLine(arg, *text, most)
}

// maxQuery is the longest query in bytes. A longer one is probably a text to store, and answering it would need many times its size.
const maxQuery = 128 << 10

// CheckQuery refuses (Invalid) a query that is too long.
func CheckQuery(query string) error {
	if len(query) > maxQuery {
		return fault.New(fault.Invalid, "query has %d bytes, at most %d are allowed", len(query), maxQuery).For("query").
			With("ask in a sentence or a few words")
	}
	return nil
}
