package classify

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/analysis"
	"sdd/internal/lines"
)

// kind is the kind of a token.
type kind uint8

const (
	word   kind = iota
	number      // a number, a version, or the number of "30s"
	code        // a name of code: text in backticks, a path, a_name, a.name
	pause       // ends a phrase: , ; : ( ) and dashes
	stop        // ends a sentence: . ! ? and the end of a paragraph or list item
)

// token is a word of a text, or the sign between two words.
type token struct {
	text  string // lower case; of a pause or stop its sign
	start int    // bytes
	end   int
	kind  kind
}

// maxText is the number of bytes of a text that are read: the beginning decides.
const maxText = 64 << 10

// Signs are the bytes that end a run of letters; edges are punctuation only at the start or end of a name.
const (
	signs    = " \t\r\n\v\f,;!?\"()[]{}<>|*=`&^~"
	leading  = "-:'_/\\+#%$@."
	trailing = ".:-'_%"
)

// head returns the first n bytes of a text, without a partial rune.
func head(text string, n int) string { return text[:lines.Border(text, n)] }

// tokenizer splits a text into tokens. Those of internal/analysis have no phrases, sentences, numbers and names of code, which rules need.
type tokenizer struct {
	text string
	out  []token
}

// tokens splits a text into words, numbers and code names; "don't" is "do" and "not", "read-only" two words. No token depends on the
// case of the text, and a full stop at the end changes none.
func tokens(text string) []token {
	text = head(text, maxText)
	t := tokenizer{text: text, out: make([]token, 0, len(text)/5+4)}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n' && breaks(text[i+1:]):
			t.sign(stop, i, ".")
		case r == '`':
			if end := strings.IndexAny(text[i+1:], "`\n"); end > 0 && text[i+1+end] == '`' {
				t.span(i+1, i+1+end)
				n = end + 2
			}
		case strings.ContainsRune(",();", r):
			t.sign(pause, i, string(r))
		case strings.ContainsRune("!?", r):
			t.sign(stop, i, string(r))
		case strings.ContainsRune("—–…、，：", r):
			t.sign(pause, i, ",")
		case strings.ContainsRune("。？！；", r):
			t.sign(stop, i, ".")
		case !separates(r):
			if n = strings.IndexFunc(text[i:], separates); n < 0 {
				n = len(text) - i
			}
			t.run(i, i+n)
		}
		i += n
	}
	return t.out
}

// separates reports whether a rune always ends a run of letters.
func separates(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.IndexByte(signs, byte(r)) >= 0
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '’'
}

// breaks reports whether a blank line, a list item or a heading starts here.
func breaks(rest string) bool {
	rest = strings.TrimLeft(head(rest, 16), " \t\r")
	return rest == "" || strings.IndexByte("\n#>|", rest[0]) >= 0 || len(rest) > 1 && rest[1] == ' ' && strings.IndexByte("-*+", rest[0]) >= 0
}

func (t *tokenizer) sign(k kind, at int, text string) {
	t.out = append(t.out, token{text: text, kind: k, start: at, end: at + 1})
}

func (t *tokenizer) add(k kind, start, end int) {
	if start < end {
		t.out = append(t.out, token{text: strings.ToLower(t.text[start:end]), kind: k, start: start, end: end})
	}
}

// span reads the text between backticks: code names with blanks between them.
func (t *tokenizer) span(start, end int) {
	for name := range strings.FieldsSeq(t.text[start:end]) {
		start += strings.Index(t.text[start:end], name)
		bare := strings.TrimLeft(name, "\"'([{<,;")
		from := start + len(name) - len(bare)
		bare = strings.TrimRight(bare, "\"')]}>,;(")
		if numeric(bare) {
			t.add(number, from, from+len(bare))
		} else {
			t.add(code, from, from+len(bare))
		}
		start += len(name)
	}
}

// run reads a text without blanks and signs: a code name, a number, or words joined by hyphens and slashes.
func (t *tokenizer) run(start, end int) {
	body := strings.TrimLeft(t.text[start:end], leading)
	if at := end - len(body); at > start && body != "" && t.text[at-1] == '.' { // .env
		body = t.text[at-1 : end]
	}
	name := strings.TrimRight(body, trailing)
	from := end - len(body)
	to := from + len(name)
	hanging := t.text[to:end]
	folder := strings.IndexByte(name, '/')
	switch {
	case name == "":
		hanging, to = t.text[start:end], end
	case numeric(name):
		t.add(number, from, to)
	case strings.HasPrefix(t.text[start:end], "--"): // a flag
		t.add(code, from-2, to)
	case strings.ContainsAny(name, "._:@$\\") || strings.HasSuffix(name, "/"),
		folder > 0 && in("topFolders", strings.ToLower(name[:folder])):
		t.add(code, from, to)
	default:
		for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '/' }) {
			from += strings.Index(t.text[from:to], part)
			t.word(from, from+len(part))
			from += len(part)
		}
	}
	switch {
	case strings.Contains(hanging, "."):
		t.sign(stop, to, ".")
	case strings.Contains(hanging, ":"), name == "" && strings.HasSuffix(hanging, "-"):
		t.sign(pause, to, ":")
	}
}

// word reads letters, digits and apostrophes.
func (t *tokenizer) word(start, end int) {
	w := t.text[start:end]
	if digits := len(w) - len(strings.TrimLeft(w, "0123456789")); digits > 0 { // 30s, 404, 2nd
		t.add(number, start, start+digits)
		t.add(word, start+digits, end)
		return
	}
	n := max(strings.LastIndex(w, "'"), strings.LastIndex(w, "’"))
	if n <= 1 {
		t.add(word, start, end)
		return
	}
	if tail := strings.ToLower(w[n:]); w[n-1]|0x20 != 'n' || tail != "'t" && tail != "’t" { // user's, it'll
		t.add(word, start, start+n)
		return
	}
	t.add(word, start, start+n-1)
	switch last := &t.out[len(t.out)-1]; last.text {
	case "ca":
		last.text = "can"
	case "wo":
		last.text = "will"
	}
	t.out = append(t.out, token{text: "not", kind: word, start: start + n - 1, end: end})
}

// numeric reports whether a run is a number or a version: 3, 1,000, 1.2.3, v2, ^18.
func numeric(run string) bool {
	run = strings.TrimLeft(run, "^~>=<")
	if len(run) > 1 && run[0]|0x20 == 'v' {
		run = run[1:]
	}
	if run == "" || run[0] < '0' || run[0] > '9' {
		return false
	}
	return strings.Trim(strings.ReplaceAll(strings.ToLower(run), ".x", ""), "0123456789.") == ""
}

// sentences calls f for each sentence that has a word, with its tokens, and whether it is a question.
func sentences(toks []token, f func(toks []token, question bool)) {
	start, words := 0, 0
	for i, t := range toks {
		switch t.kind {
		case pause:
		case stop:
			if words > 0 {
				f(toks[start:i], t.text == "?")
			}
			start, words = i+1, 0
		default:
			words++
		}
	}
	if words > 0 {
		f(toks[start:], false)
	}
}

// stem returns the stem of a lower-case word, English or Russian.
func stem(w string) string { return analysis.Stem(w, analysis.English) }
