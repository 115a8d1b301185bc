// Package tokens counts o200k_base tokens exactly, so that answers never exceed a caller's budget.
//
// The vocabulary is a table in the program's read-only data, searched in place: nothing is loaded,
// decompressed or kept on the heap, and a process that never counts does not touch it. Stored text is data,
// so special tokens have no special meaning: "<|endoftext|>" is seven tokens, like any other text of that form.
package tokens

import (
	"strings"
	"unicode/utf8"
)

// Count returns the number of o200k_base tokens of text. Each byte that is not UTF-8 counts as the
// replacement character, which JSON has in its place. Count takes O(n log n) time
// for any text and O(n) memory for its longest run of letters, marks or spaces.
func Count(text string) int {
	n := 0
	var m merger
	for rest := text; rest != ""; {
		var p piece
		p, rest = next(rest)
		n += m.count(p.repaired())
	}
	return n
}

// Within reports whether text has at most budget tokens. It stops counting as soon as the length of the rest or the tokens so far decide.
func Within(text string, budget int) bool {
	if fits(text, budget) { // most texts, and a merger is 6 KB to clear
		return true
	}
	var m merger
	return m.within(text, budget)
}

func (m *merger) within(text string, budget int) bool {
	most := 1 // tokens of one byte
	if !utf8.ValidString(text) {
		most = len("\uFFFD")
	}
	for len(text)*most > budget {
		if budget <= 0 || len(text) > budget*maxToken {
			return false
		}
		var p piece
		p, text = next(text)
		budget -= m.count(p.repaired())
	}
	return true
}

// fits reports whether text is within the budget by its length alone: a token has at least one byte. A byte that is not UTF-8
// counts as the three of U+FFFD.
func fits(text string, budget int) bool {
	return len(text) <= budget && utf8.ValidString(text)
}

// lineLoss limits the part of a prefix that Prefix may drop to end with a whole line: 1/lineLoss.
const lineLoss = 5

// Prefix returns a prefix of at most budget tokens that ends between characters, or with a line if that drops less than a fifth.
func Prefix(text string, budget int) string {
	if fits(text, budget) {
		return text
	}
	if budget <= 0 {
		return ""
	}
	cut := cutAfter(text, budget)
	if cut == len(text) {
		return text
	}
	if line := strings.LastIndexByte(text[:cut], '\n') + 1; line > 0 && cut-line < (cut+lineLoss-1)/lineLoss {
		cut = line
	}
	// A cut prefix can have more tokens than the same text had inside the whole.
	for cut = runeBorder(text, cut); cut > 0 && !Within(text[:cut], budget); {
		cut = runeBorder(text, cut-1)
	}
	return text[:cut]
}

// cutAfter returns the offset in text after its first budget tokens, or its length when it has no
// more than that. The offset may lie within a character.
func cutAfter(text string, budget int) int {
	var m merger
	for rest := text; rest != ""; {
		start := len(text) - len(rest)
		var p piece
		p, rest = next(rest)
		if len(p.text) > budget*maxToken {
			p.text = p.text[:runeBorder(p.text, budget*maxToken)]
		}
		ends := m.split(p.repaired())
		if len(ends) > budget || start+len(p.text) < len(text)-len(rest) {
			return start + p.original(ends[min(budget, len(ends))-1])
		}
		if budget -= len(ends); budget == 0 {
			return start + len(p.text)
		}
	}
	return len(text)
}

// runeBorder returns the last offset up to at that is not inside a character or between a carriage return and its line feed.
func runeBorder(text string, at int) int {
	for i := at; i >= 0 && i > at-utf8.UTFMax && i < len(text); i-- {
		if utf8.RuneStart(text[i]) {
			if _, size := utf8.DecodeRuneInString(text[i:]); i+size > at {
				at = i
			}
			break
		}
	}
	if at > 0 && at < len(text) && text[at] == '\n' && text[at-1] == '\r' {
		at--
	}
	return at
}
