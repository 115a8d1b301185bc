package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type wordKind uint8

const (
	plainWord wordKind = iota
	codeWord           // a code span or an address: one word, whatever it holds
	quoteWord          // what somebody else said, between quotation marks
	stopWord           // punctuation that ends a clause
	commaWord
)

// word is a word or a mark of a sentence. text is in lower case; of code and quotes it is a single mark.
type word struct {
	text       string
	start, end int // bytes in the sentence
	kind       wordKind
}

const maxName = 2 // words between quotation marks that are still a name and not what somebody said

// words splits a sentence. Contractions come apart, so that a rule needs to know one form only.
func words(s string) []word {
	out := make([]word, 0, len(s)/5+1)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '`':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
			if end := strings.Index(s[i+n:], s[i:i+n]); end >= 0 && n < 8 {
				out = append(out, word{"{code}", i, i + n + end + n, codeWord})
				i += n + end + n
				continue
			}
			i += n
		case closing(r) != 0:
			if end := quoteEnd(s, i, size, closing(r)); end > 0 {
				if inner := s[i+size : end]; len(strings.Fields(inner)) > maxName {
					_, n := utf8.DecodeRuneInString(s[end:])
					out = append(out, word{"{quote}", i, end + n, quoteWord})
					i = end + n
					continue
				}
			}
			i += size
		case wordRune(r):
			n := wordLength(s[i:])
			if w := s[i : i+n]; strings.Contains(w, "://") {
				out = append(out, word{"{code}", i, i + n, codeWord})
			} else {
				out = split(out, w, i)
			}
			i += n
		case r == ',' || r == '、' || r == '，':
			out = append(out, word{",", i, i + size, commaWord})
			i += size
		case strings.ContainsRune(";:()[]!?….。；：！？", r) || dash(s, i, size):
			if r == '–' || r == '-' {
				r = '—'
			}
			out = append(out, word{string(r), i, i + size, stopWord})
			i += size
		default:
			i += size
		}
	}
	return out
}

// dash reports whether the mark at i is a dash between clauses, not one inside a word or a range.
func dash(s string, i, size int) bool {
	switch r, _ := utf8.DecodeRuneInString(s[i:]); r {
	case '—':
		return true
	case '–', '-':
		return i > 0 && s[i-1] == ' ' && i+size < len(s) && s[i+size] == ' '
	}
	return false
}

func closing(r rune) rune {
	switch r {
	case '"':
		return '"'
	case '“':
		return '”'
	case '„':
		return '“'
	case '«':
		return '»'
	case '»':
		return '«'
	case '「':
		return '」'
	}
	return 0
}

const maxQuote = 600 // bytes: a mark without its partner costs no more than this

func quoteEnd(s string, i, size int, close rune) int {
	within := s[i+size : min(len(s), i+size+maxQuote)]
	if n := strings.IndexRune(within, close); n >= 0 {
		return i + size + n
	}
	return 0
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' || r == '$' || r == '@'
}

// wordLength is the length of the word that s begins with. Dots, slashes, hyphens and the like belong
// to it between letters: file names, versions, addresses and compounds are one word.
func wordLength(s string) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !wordRune(r) {
			next, _ := utf8.DecodeRuneInString(s[i+size:])
			inner := strings.ContainsRune(".-/'’&+#", r) && wordRune(next) || strings.HasPrefix(s[i:], "://") || r == '+' || r == '#'
			if !inner {
				return i
			}
			if r == ':' {
				size = len("://")
			}
		}
		i += size
	}
	return len(s)
}

var contracted = []struct{ end, word string }{{"'ll", "will"}, {"'re", "are"}, {"'ve", "have"}, {"'m", "am"}, {"'d", "'d"}, {"'s", "'s"}}

var negated = map[string]string{"won't": "will", "can't": "can", "shan't": "shall", "cannot": "can"}

// split appends the parts of a word with an apostrophe, or the word itself.
func split(out []word, w string, at int) []word {
	low := strings.ReplaceAll(strings.ToLower(w), "’", "'")
	end := at + len(w)
	if verb, ok := negated[low]; ok {
		return append(out, word{verb, at, at + 2, plainWord}, word{"not", at + 2, end, plainWord})
	}
	if strings.IndexByte(low, '\'') < 0 {
		return append(out, word{low, at, end, plainWord})
	}
	if verb, ok := strings.CutSuffix(low, "n't"); ok {
		return append(out, word{verb, at, at + len(verb), plainWord}, word{"not", at + len(verb), end, plainWord})
	}
	for _, c := range contracted {
		if head, ok := strings.CutSuffix(low, c.end); ok && len(head) > 0 {
			return append(out, word{head, at, at + len(head), plainWord}, word{c.word, at + len(head), end, plainWord})
		}
	}
	if i := strings.LastIndexByte(low, '\''); i > 0 && i <= len("jusqu") { // l'équipe, qu'on, j'ai
		cut := at + i + 1
		if w[i] != '\'' { // ’ is longer in the sentence
			cut += len("’") - 1
		}
		return append(out, word{low[:i+1], at, cut, plainWord}, word{low[i+1:], cut, end, plainWord})
	}
	return append(out, word{low, at, end, plainWord})
}
