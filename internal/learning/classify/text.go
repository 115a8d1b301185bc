package classify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind uint8

const (
	word   kind = iota
	number      // a number, a version, or the number of "30s"
	code        // a name of code: what stands in backticks, a path, a_name, a.name
	pause       // ends a phrase: , ; : ( ) and dashes
	stop        // ends a sentence: . ! ? and the end of a paragraph or list item
)

// token is a word of a text, or what stands between words.
type token struct {
	text   string // lower case; of a pause or stop its sign
	start  int    // bytes
	end    int
	kind   kind
	quoted bool // stood in backticks
	said   bool // stood in double quotes
}

// maxText is how much of a text is read, in bytes: what decides stands at its beginning.
const maxText = 64 << 10

// maxQuotation is the longest text between double quotes that is taken for one, in bytes.
const maxQuotation = 256

// tokens cuts a text into words, numbers and names of code. "don't" is two words, "do" and "not"; so
// is "read-only". No token depends on the case of the text, and a full stop at its end changes none.
func tokens(text string) []token {
	text = head(text, maxText)
	s := scanner{text: text, out: make([]token, 0, len(text)/5+4)}
	for i := 0; i < len(text); {
		i = s.next(i)
	}
	return s.out
}

// head returns the first n bytes of a text, without half a rune.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

type scanner struct {
	text string
	out  []token
	said bool // between double quotes
}

// signs are the bytes that end a run of letters wherever they stand.
var signs = func() (t [utf8.RuneSelf]bool) {
	for _, c := range " \t\r\n\v\f,;!?\"()[]{}<>|*=`&^~" {
		t[c] = true
	}
	return t
}()

// next reads what starts at i and returns where it ends.
func (s *scanner) next(i int) int {
	c := s.text[i]
	switch c {
	case ' ', '\t', '\r', '\v', '\f':
		return i + 1
	case '\n':
		s.said = false
		if breaks(s.text[i+1:]) {
			s.sign(stop, i, ".")
		}
		return i + 1
	case '`':
		if end := strings.IndexByte(s.text[i+1:], '`'); end > 0 && strings.IndexByte(s.text[i+1:i+1+end], '\n') < 0 {
			s.span(i+1, i+1+end)
			return i + end + 2
		}
		return i + 1
	case '"':
		s.said = !s.said && strings.IndexByte(line(s.text[i+1:]), '"') > 0
		return i + 1
	case ',', '(', ')', ';':
		s.sign(pause, i, string(c))
		return i + 1
	case '!', '?':
		s.sign(stop, i, string(c))
		return i + 1
	}
	if c < utf8.RuneSelf && signs[c] {
		return i + 1
	}
	end := i
	for end < len(s.text) && 'a' <= s.text[end]|0x20 && s.text[end]|0x20 <= 'z' {
		end++
	}
	if end > i && (end == len(s.text) || s.text[end] == ' ' || s.text[end] == ',') { // most words are plain ones
		s.add(word, i, end, false)
		return end
	}
	for end < len(s.text) {
		if c := s.text[end]; c < utf8.RuneSelf {
			if signs[c] {
				break
			}
			end++
			continue
		}
		r, n := utf8.DecodeRuneInString(s.text[end:])
		if !joins(r) {
			break
		}
		end += n
	}
	if end == i {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		switch r {
		case '—', '–', '…', '、', '，', '：':
			s.sign(pause, i, ",")
		case '。', '？', '！', '；':
			s.sign(stop, i, ".")
		}
		return i + n
	}
	s.chunk(i, end)
	return end
}

// joins reports whether a rune that is not ASCII stands inside a word.
func joins(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '’'
}

// breaks reports whether a blank line, a list item or a heading starts here.
func breaks(rest string) bool {
	rest = strings.TrimLeft(head(rest, 16), " \t\r")
	if rest == "" {
		return true
	}
	switch rest[0] {
	case '\n', '#', '>', '|':
		return true
	case '-', '*', '+':
		return len(rest) > 1 && rest[1] == ' '
	}
	return false
}

func (s *scanner) sign(k kind, at int, text string) {
	s.out = append(s.out, token{text: text, kind: k, start: at, end: at + 1})
}

func (s *scanner) add(k kind, start, end int, quoted bool) {
	if start < end {
		s.out = append(s.out, token{text: strings.ToLower(s.text[start:end]), kind: k, start: start, end: end, quoted: quoted, said: s.said})
	}
}

// line returns the rest of the line that a text begins with, as far as a quotation may go.
func line(rest string) string {
	rest = head(rest, maxQuotation)
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		return rest[:n]
	}
	return rest
}

// span reads what stands between backticks: names of code, parted by blanks.
func (s *scanner) span(start, end int) {
	for start < end {
		for start < end && s.text[start] <= ' ' {
			start++
		}
		next := start
		for next < end && s.text[next] > ' ' {
			next++
		}
		from, to := start, next
		for from < to && strings.IndexByte("\"'([{<,;", s.text[from]) >= 0 {
			from++
		}
		for from < to && strings.IndexByte("\"')]}>,;(", s.text[to-1]) >= 0 {
			to--
		}
		k := code
		if numeric(s.text[from:to]) {
			k = number
		}
		s.add(k, from, to, true)
		start = next
	}
}

// chunk reads a run without blanks and signs.
func (s *scanner) chunk(start, end int) {
	// What hangs on at its ends is punctuation. A dot before a letter belongs to a name: .env
	ended := byte(0)
	for start < end && strings.IndexByte("-:'_/\\+#%$@", s.text[start]) >= 0 || start+1 < end && s.text[start] == '.' && !alnum(s.text[start+1]) {
		if s.text[start] == ':' || s.text[start] == '-' && start+1 == end {
			ended = ':'
		}
		start++
	}
	tail := end
	for tail > start && (strings.IndexByte(".:-'_%", s.text[tail-1]) >= 0) {
		switch s.text[tail-1] {
		case '.':
			ended = '.'
		case ':':
			ended = ':'
		}
		tail--
	}
	if run := s.text[start:tail]; run != "" {
		switch {
		case strings.ContainsAny(run, "/\\"):
			s.slashed(start, tail)
		case numeric(run):
			s.add(number, start, tail, false)
		case strings.ContainsAny(run, "_.:@$"):
			s.add(code, start, tail, false)
		default:
			s.words(start, tail)
		}
	}
	switch ended {
	case '.':
		s.sign(stop, tail, ".")
	case ':':
		s.sign(pause, tail, ":")
	}
}

// slashed reads a path, or words with a slash between them (read/write).
func (s *scanner) slashed(start, end int) {
	run := s.text[start:end]
	if strings.ContainsAny(run, "._:@\\") || run[len(run)-1] == '/' || topFolder(strings.ToLower(run[:max(strings.IndexByte(run, '/'), 0)])) {
		s.add(code, start, end, false)
		return
	}
	for start < end {
		n := strings.IndexByte(s.text[start:end], '/')
		if n < 0 {
			n = end - start
		}
		if numeric(s.text[start : start+n]) {
			s.add(number, start, start+n, false)
		} else {
			s.words(start, start+n)
		}
		start += n + 1
	}
}

// words reads a run of letters, digits, hyphens and apostrophes.
func (s *scanner) words(start, end int) {
	for start < end {
		n := strings.IndexByte(s.text[start:end], '-')
		if n < 0 {
			n = end - start
		}
		s.word(start, start+n)
		start += n + 1
	}
}

func (s *scanner) word(start, end int) {
	w := s.text[start:end]
	if w == "" {
		return
	}
	if c := w[0]; '0' <= c && c <= '9' { // 30s, 404, 2nd
		n := 1
		for n < len(w) && ('0' <= w[n] && w[n] <= '9') {
			n++
		}
		s.add(number, start, start+n, false)
		s.add(word, start+n, end, false)
		return
	}
	for _, a := range []string{"'", "’"} {
		n := strings.LastIndex(w, a)
		if n <= 1 {
			continue
		}
		tail := w[n+len(a):]
		switch {
		case len(tail) == 1 && tail[0]|0x20 == 't' && w[n-1]|0x20 == 'n': // don't, can't, won't
			s.add(word, start, start+n-1, false)
			if last := &s.out[len(s.out)-1]; last.text == "ca" {
				last.text = "can"
			} else if last.text == "wo" {
				last.text = "will"
			}
			s.out = append(s.out, token{text: "not", kind: word, start: start + n - 1, end: end})
		default: // user's, it'll
			s.add(word, start, start+n, false)
		}
		return
	}
	s.add(word, start, end, false)
}

func alnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf
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
	for i := 1; i < len(run); i++ {
		c := run[i]
		if (c < '0' || c > '9') && c != '.' && (c|0x20 != 'x' || run[i-1] != '.') {
			return false
		}
	}
	return true
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
