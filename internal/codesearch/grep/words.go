package grep

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"

	"sdd/internal/analysis"
	"sdd/internal/index"
	"sdd/internal/pattern"
)

// A search finds identifiers by their words: parseHTTPRequest2 has parse, HTTP and Request2. A word begins after
// a character that is no letter or digit, at a capital after a small letter or digit, and at the last capital of a
// run before small letters. Digits belong to the word before them. The scanner reads bytes, faster than internal/analysis.

const (
	other byte = iota
	small
	capital
	digit
	wide // a byte of a character beyond ASCII
)

var kinds = func() (t [256]byte) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z':
			t[c] = small
		case 'A' <= c && c <= 'Z':
			t[c] = capital
		case '0' <= c && c <= '9':
			t[c] = digit
		case c >= utf8.RuneSelf:
			t[c] = wide
		}
	}
	return t
}()

var fold = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if 'A' <= c && c <= 'Z' {
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()

func startsWord(b []byte, i int) bool {
	if i == 0 {
		return true
	}
	here, before := kinds[b[i]], kinds[b[i-1]]
	switch before {
	case other:
		return true
	case small, digit:
		return here == capital
	case capital:
		return here == capital && i+1 < len(b) && kinds[b[i+1]] == small && !(b[i+1] == 's' && (i+2 == len(b) || kinds[b[i+2]] != small))
	}
	return false
}

func wordEnd(b []byte, i int) int {
	start := i
	for i < len(b) && kinds[b[i]] == capital {
		i++
	}
	if n := i - start; n > 1 && i < len(b) && kinds[b[i]] == small {
		if b[i] == 's' && (i+1 == len(b) || kinds[b[i+1]] != small) {
			i++ // URLs
		} else {
			i-- // the capital begins the next word
		}
		return i
	}
	for i < len(b) && (kinds[b[i]] == small || kinds[b[i]] == wide) {
		i++
	}
	for i < len(b) && kinds[b[i]] == digit {
		i++
	}
	return i
}

// wordsOf returns the words of an identifier or path, in lower case.
func wordsOf(s string) []string {
	var out []string
	b := []byte(s)
	for i := 0; i < len(b); {
		if kinds[b[i]] == other {
			i++
			continue
		}
		end := max(wordEnd(b, i), i+1)
		out = append(out, strings.ToLower(s[i:end]))
		i = end
	}
	return out
}

func isIdent(c byte) bool { return kinds[c] != other || c == '_' || c == '$' }

// wholeIdent reports whether b[start:end] is not a part of a longer identifier.
func wholeIdent(b []byte, start, end int) bool {
	return (start == 0 || !isIdent(b[start-1])) && (end == len(b) || !isIdent(b[end]))
}

// idents returns the identifiers and numbers in a text.
func idents(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && !isIdent(byte(r)) })
}

// wholeWords reports whether b[start:end] has no underscore and is between underscores or the ends of an identifier, as in test_Name.
func wholeWords(b []byte, start, end int) bool {
	return bytes.IndexByte(b[start:end], '_') < 0 && (start == 0 || b[start-1] == '_' || !isIdent(b[start-1])) &&
		(end == len(b) || b[end] == '_' || !isIdent(b[end]))
}

const maxStem = 32

// stem returns the stem of a lower-case English word: the beginning of its forms in the code, so a word keeps its accents.
func stem(w string) string {
	if !analysis.IsASCII(w) {
		return w
	}
	return analysis.Stem(w, analysis.English)
}

// ofQuestions are words of questions that name nothing in code.
var ofQuestions = pattern.Words(`don down etc further getting itself like made make makes use used uses using codebase implement
	implemented implementation implements work works working actually currently given takes take taken sets right many much well
	always never otherwise needs able way ways issue problem expected behavior behaviour`)

// stop reports whether a word does not help to find the answer.
func stop(word string) bool { return ofQuestions()[word] || index.Stop(word, true) }

//go:embed shortforms.txt
var shortFormsText string

// shortForms are the short forms that programmers write for a word, by its stem.
var shortForms = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(shortFormsText) {
		f := strings.Fields(line)
		m[stem(f[0])] = f[1:]
	}
	return m
})
