package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/pattern"
)

const maxQuote = 600 // bytes within which a run of backticks must close

// Sentence is a sentence of a text.
type Sentence struct {
	Text string // line breaks as blanks, emphasis taken off
	Line int    // 1-based, where it begins
}

// Sentences returns the sentences in the paragraphs and lists of a text, which may be Markdown. Headings, tables, code and quotes have
// none.
func Sentences(text string) (out []Sentence) {
	for _, b := range blocksOf(text) {
		if b.kind != heading {
			out = append(out, sentencesOf(b)...)
		}
	}
	return out
}

var abbreviations = pattern.Words(`
	e.g i.e eg ie vs cf mr mrs ms dr prof st no nr fig sec approx resp incl excl max min dept inc ltd co corp jr sr al ca
	z.b z b d.h d h u.a bzw usw ggf evtl vgl inkl zzgl abs bspw sog mind tel
	т.е т.к т.д т.п т е к д п др г гг им стр см напр руб млн млрд тыс ср рис
	p.ej ej sr sra ud uds p.ex ex m mme mlle art env p pp vol
	jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
`)

// sentencesOf splits a block. A sentence ends with a mark that is followed by a blank, but for marks of
// abbreviations, initials, numbers and file names; in Chinese and Japanese with the mark alone.
func sentencesOf(b textBlock) []Sentence {
	var out []Sentence
	start, line := 0, b.line
	text := b.text
	emit := func(end int) {
		raw := text[start:end]
		lead := len(raw) - len(strings.TrimLeft(raw, " \n\t"))
		at := line + strings.Count(raw[:lead], "\n")
		if clean := tidy(raw); clean != "" {
			out = append(out, Sentence{clean, at})
		}
		line += strings.Count(raw, "\n")
		start = end
	}
	code := 0 // length of the backtick run that is open
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '`' {
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			if code == 0 && strings.Contains(text[i+n:min(len(text), i+n+maxQuote)], text[i:i+n]) {
				code = n
			} else if code == n {
				code = 0
			}
			i += n
			continue
		}
		i += size
		if code > 0 {
			continue
		}
		switch r {
		case '。', '！', '？':
			i = len(text) - len(strings.TrimLeft(text[i:], "」”）"))
			emit(i)
		case '.', '!', '?', '…':
			i = len(text) - len(strings.TrimLeft(text[i:], `.!?…"'”’»)]*_`))
			if i < len(text) && text[i] != ' ' && text[i] != '\n' {
				continue
			}
			if r == '.' && !ends(text[start:i], text[i:]) {
				continue
			}
			emit(i)
		}
	}
	emit(len(text))
	return out
}

// ends reports whether the dot at the end of before ends a sentence.
func ends(before, after string) bool {
	w := strings.TrimRight(before, `."'”’»)]*_`)
	if i := strings.LastIndexAny(w, " \n\t(,"); i >= 0 {
		w = w[i+1:]
	}
	first, size := utf8.DecodeRuneInString(w)
	if initial := size == len(w) && unicode.IsLetter(first); initial || abbreviations()[strings.ToLower(w)] {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " \n"))
	if strings.Trim(w, "0123456789") == "" && w != "" { // an ordinal: am 4. Juni
		return len(w) > 2 || strings.TrimSpace(after) == "" || before == w
	}
	return !unicode.IsLower(next) || size < len(w)
}

// tidy makes one line of a sentence and takes emphasis and links off.
func tidy(raw string) string {
	s := strings.Join(strings.Fields(raw), " ")
	if strings.ContainsAny(s, "*_") {
		s = unmark(s)
	}
	return strings.TrimSpace(links().ReplaceAllString(s, "$1"))
}

// unmark drops emphasis outside code: ** and __ anywhere, * and _ at the border of a word.
func unmark(s string) string {
	var b strings.Builder
	code := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '`' {
			code = !code
		}
		if code || c != '*' && c != '_' {
			b.WriteByte(c)
			continue
		}
		left := i > 0 && wordByte(s[i-1])
		right := i+1 < len(s) && wordByte(s[i+1])
		if c == '_' && left && right || c == '*' && (i == 0 || s[i-1] == ' ') && (i+1 == len(s) || s[i+1] == ' ') {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func wordByte(c byte) bool {
	return c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// links match [text](address).
var links = pattern.Late(`\[([^\[\]]*)\]\([^)]*\)`)
