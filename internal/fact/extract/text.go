package extract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths, in characters.
const (
	maxContent      = 300
	maxEvidenceText = 200
	maxName         = 120
)

// oneLine returns text as plain words on one line: without control characters, invalid bytes and runs of spaces.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// brief returns text on one line with at most limit characters, cut after a word.
func brief(text string, limit int) string {
	text = oneLine(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)[:limit-2]
	for i := len(runes) - 1; i > limit/2; i-- {
		if runes[i] == ' ' {
			return string(runes[:i]) + " …"
		}
	}
	return string(runes) + "…"
}

// word is a name out of a file as it stands in a sentence.
func word(name string) string { return brief(strings.ReplaceAll(name, "`", "'"), maxName) }

// code is a command between backticks.
func code(line string) string { return "`" + word(line) + "`" }

// plainPath returns a path that can be shown: quoted where it is not plain text.
func plainPath(file string) string {
	if !utf8.ValidString(file) || strings.ContainsFunc(file, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '`' }) {
		return strconv.Quote(file)
	}
	return file
}

// listing returns items as a list in a sentence, at most limit of them.
func listing(items []string, limit int) string {
	switch {
	case len(items) > limit:
		return strings.Join(items[:limit], ", ") + " and " + strconv.Itoa(len(items)-limit) + " more"
	case len(items) < 2:
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// lines returns a line as evidence has it.
func lines(n int) string {
	if n <= 0 {
		return ""
	}
	return "L" + strconv.Itoa(n)
}

// fingerprint names several truths.
func fingerprint(of []*truth) string {
	sum := sha256.New()
	for _, t := range of {
		sum.Write([]byte(t.last.key + "\x00"))
	}
	return hex.EncodeToString(sum.Sum(nil)[:4])
}

// binary reports whether bytes are no text, as git decides it.
func binary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }
