package symbol

import (
	"strings"
)

// lexer splits source text into tokens without comments and layout. It reads each byte once, so that its time is linear.
type lexer struct {
	syn    *syntax
	src    string
	pos    int
	starts []int32 // offsets of the lines
	line   int     // of the last token

	toks   []token
	from   []int32 // the offset of each token
	to     []int32 // and of its end
	groups []group // brackets, in the order of their opening
	top    int32   // the innermost open group, -1 for none
	bad    bool    // some bracket has no partner
	match  []int32 // the partner of each bracket, after run; 0 for other tokens, -1 for a bracket without one

	frames  []frame // strings and markup around the code that is read now
	mode    frameKind
	docs    []heredoc
	aside   [][2]int // spans of comments
	conds   []cond
	dirEnd  int // the end of the preprocessor line that is read now, 0 outside
	steps   int // of work, see step
	bodies  int // SQL: $$ texts around this one, and marks of such texts without a partner
	noRegex int // no regular expression begins before this offset
}

type group struct {
	open, close int32 // tokens; close is -1 until it is known
	up          int32 // the group around it
	commas      int32 // directly inside
	shut        byte
}

// frame is what continues after the code inside it ends.
type frame struct {
	kind  frameKind
	q     *quote
	close string // ends the string
	shut  byte   // ends the code
	depth int    // of brackets like shut that are open
	last  bool   // a tag that closes an element
	group int32  // of the code, whose brackets are the parts of the string around it
	up    int32  // the group around the string
}

type frameKind uint8

const (
	code     frameKind = iota // at the top, or an expression in markup
	inside                    // an expression in a string
	tag                       // between < and > of JSX
	children                  // between tags
)

// cond is a preprocessor condition. The brackets of its first branch count.
type cond struct {
	before, after int32
	taken, left   bool
}

type heredoc struct {
	tag    string
	indent bool
}

func newLexer(syn *syntax, src string) *lexer {
	l := &lexer{syn: syn, src: src, top: -1, starts: lineStarts(src)}
	if n := len(l.starts); n > 1 && int(l.starts[n-1]) == len(src) {
		l.starts = l.starts[:n-1] // nothing is after the last line end
	}
	n := len(src)/5 + 16
	l.toks, l.from, l.to = make([]token, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	return l
}

func lineStarts(src string) []int32 {
	starts := make([]int32, 1, strings.Count(src, "\n")+1)
	for i, c := range []byte(src) {
		if c == '\n' {
			starts = append(starts, int32(i+1))
		}
	}
	return starts
}

// lineAt returns the line of an offset, from 1. Offsets must not decrease between calls.
func (l *lexer) lineAt(off int) int {
	for l.line < len(l.starts) && int(l.starts[l.line]) <= off {
		l.line++
	}
	return l.line
}

func (l *lexer) endLine(i int) int {
	t := l.toks[i]
	if t.kind != text || l.to[i]-l.from[i] < 2 {
		return int(t.line)
	}
	return min(int(t.line)+strings.Count(l.src[l.from[i]:l.to[i]], "\n"), len(l.starts))
}

func (l *lexer) emit(kind tokenKind, text string, from, to int) {
	if l.dirEnd > 0 {
		kind = directive
	}
	l.toks = append(l.toks, token{text, int32(l.lineAt(from)), kind})
	l.from, l.to = append(l.from, int32(from)), append(l.to, int32(to))
}

func (l *lexer) take(kind tokenKind, n int) {
	end := min(l.pos+n, len(l.src))
	l.emit(kind, l.src[l.pos:end], l.pos, end)
	l.pos = end
}

func (l *lexer) takeWord(kind tokenKind, i int) { l.take(kind, l.wordEnd(i)-l.pos) }

func (l *lexer) wordEnd(i int) int {
	for i < len(l.src) && isWord(l.src[i]) {
		i++
	}
	return i
}

func (l *lexer) spanOf(i int, set string) int {
	for i < len(l.src) && strings.IndexByte(set, l.src[i]) >= 0 {
		i++
	}
	return i
}

// byteAt returns the byte at offset i, 0 outside the text.
func (l *lexer) byteAt(i int) byte {
	if i >= 0 && i < len(l.src) {
		return l.src[i]
	}
	return 0
}

func (l *lexer) drop() {
	n := len(l.toks) - 1
	l.toks, l.from, l.to = l.toks[:n], l.from[:n], l.to[:n]
}

// prev returns the i-th token from the end, 1 for the last.
func (l *lexer) prev(i int) token {
	if i > len(l.toks) {
		return token{}
	}
	return l.toks[len(l.toks)-i]
}

func (l *lexer) peek(i int) byte { return l.byteAt(l.pos + i) }

func (l *lexer) at(s string) bool { return strings.HasPrefix(l.src[l.pos:], s) }

const (
	blank = 1 + iota
	newline
	letter
	digit
)

var class = func() (c [256]byte) {
	for i := range c {
		switch b := byte(i); {
		case b == '\n':
			c[i] = newline
		case b <= ' ' || b == 127:
			c[i] = blank
		case b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80:
			c[i] = letter
		case b >= '0' && b <= '9':
			c[i] = digit
		}
	}
	return c
}()

func isWord(b byte) bool { return class[b] >= letter }

// step counts the work. A defect that would read for ever ends in a panic, which costs the symbols of one file.
func (l *lexer) step() {
	if l.steps++; l.steps > 1000*len(l.src)+10_000 {
		panic("symbol: reading does not end")
	}
}

func (l *lexer) run() {
	for l.pos < len(l.src) {
		l.step()
		if l.dirEnd > 0 && l.pos >= l.dirEnd {
			l.emit(directive, "\n", l.dirEnd-1, l.dirEnd-1)
			l.dirEnd = 0
		}
		if l.mode >= tag {
			l.markup()
			continue
		}
		c := l.src[l.pos]
		switch class[c] {
		case blank:
			l.pos++
		case newline:
			l.pos++
			if len(l.docs) > 0 {
				l.heredocs()
			}
		case letter:
			l.word()
		case digit:
			l.number()
		default:
			if !l.comment(c) {
				l.mark(c)
			}
		}
	}
	if l.top >= 0 {
		l.bad = true
	}
	l.pairs()
}

func (l *lexer) is(i int, s string) bool {
	return i >= 0 && i < len(l.toks) && l.toks[i].text == s && l.toks[i].kind != text && l.toks[i].kind != directive
}

func (l *lexer) comment(c byte) bool {
	switch {
	case c == '/' && l.syn.slash && l.peek(1) == '/', c == '-' && l.syn.dash && l.peek(1) == '-':
	case c == '/' && (l.syn.slash || l.syn.dash) && l.peek(1) == '*':
		l.block()
		return true
	case c == '#' && l.syn.hash && !(len(l.frames) > 0 && l.syn.lang == "python") && (l.peek(1) != '[' || l.syn.lang != "php"):
		// the code in a string of Python may have # in its format
	default:
		return false
	}
	l.skip(l.eol(l.pos))
	return true
}

func (l *lexer) skip(end int) {
	l.aside = append(l.aside, [2]int{l.pos, end})
	l.pos = end
}

func (l *lexer) pairs() {
	l.match = make([]int32, len(l.toks))
	for i, t := range l.toks {
		if t.kind == mark && len(t.text) == 1 && strings.Contains("()[]{}", t.text) {
			l.match[i] = -1
		}
	}
	for _, g := range l.groups {
		if int(g.open) < len(l.match) {
			l.match[g.open] = g.close
		}
		if g.close >= 0 && int(g.close) < len(l.match) {
			l.match[g.close] = g.open
		}
	}
}

func (l *lexer) eol(i int) int {
	if n := strings.IndexByte(l.src[min(i, len(l.src)):], '\n'); n >= 0 {
		return i + n
	}
	return len(l.src)
}

func (l *lexer) block() {
	from := l.pos
	defer func() { l.aside = append(l.aside, [2]int{from, l.pos}) }()
	l.pos += 2
	for depth := 1; ; {
		n := strings.IndexAny(l.src[l.pos:], "*/")
		if !l.syn.nest {
			n = strings.Index(l.src[l.pos:], "*/")
		}
		if n < 0 {
			l.pos = len(l.src)
			return
		}
		l.pos += n
		switch {
		case l.at("*/"):
			l.pos += 2
			if depth--; depth == 0 {
				return
			}
		case l.at("/*") && l.syn.nest:
			depth++
			l.pos += 2
		default:
			l.pos++
		}
	}
}

// word reads an identifier, or the string whose prefix it is.
func (l *lexer) word() {
	i := l.wordEnd(l.pos + 1)
	for l.syn.dollar && l.byteAt(i) == '$' {
		i = l.wordEnd(i + 1)
	}
	switch c := l.byteAt(i); {
	case c == '"' || c == '\'' || c == '#' && l.syn.lang == "rust":
		if i-l.pos <= 3 && l.prefixed(i) {
			return
		}
	case l.syn.lang == "ruby" && (c == '?' || c == '!') && l.byteAt(i+1) != '=':
		i++
	}
	l.take(word, i-l.pos)
}

func (l *lexer) number() {
	hex := l.src[l.pos] == '0' && l.peek(1)|32 == 'x'
	i := l.wordEnd(l.pos + 1)
	for more := true; more; {
		c, next := l.byteAt(i), l.byteAt(i+1)
		more = class[next] == digit && (c == '.' || (c == '+' || c == '-') && l.src[i-1]|32 == 'e' && !hex) ||
			c == '\'' && l.syn.quoteDigits && isWord(next)
		if more {
			i = l.wordEnd(i + 1)
		}
	}
	text := l.src[l.pos:i]
	if l.syn.loose {
		text = plainNumber(text)
	}
	l.emit(number, text, l.pos, i)
	l.pos = i
}

// plainNumber returns the one form of a number that formatters write in several.
func plainNumber(s string) string {
	s = strings.ReplaceAll(strings.ToLower(s), "_", "")
	if len(s) > 1 && s[0] == '0' && s[1] > '9' || !strings.Contains(s, ".") {
		return s
	}
	mantissa, exp, has := strings.Cut(s, "e")
	if class[mantissa[len(mantissa)-1]] == digit {
		mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
	}
	if mantissa == "" || mantissa[0] == '.' {
		mantissa = "0" + mantissa
	}
	if has {
		mantissa += "e" + exp
	}
	return mantissa
}

func (l *lexer) mark(c byte) {
	if c < 128 {
		if q := l.syn.quotes[c]; q != nil && !l.inExpansion() {
			l.quoted(q, l.pos)
			return
		}
	}
	for _, o := range l.syn.openers {
		if l.at(o.begin) {
			l.begin(o)
			return
		}
	}
	if f := l.syn.special; f != nil && f(l, c) {
		return
	}
	next := l.peek(1)
	switch c {
	case '$':
		if l.syn.dollar && class[next] >= letter {
			l.word()
			return
		}
	case '(', '[', '{':
		l.open(c)
		return
	case ')', ']', '}':
		l.shut(c)
		return
	case '.':
		if class[next] == digit && l.prev(1).kind != word {
			l.number()
			return
		}
	case ',':
		if l.top >= 0 {
			l.groups[l.top].commas++
		}
	case '>':
		if l.prev(1).text == "," && l.prev(1).kind == mark && l.syn.commas {
			l.drop()
		}
	}
	n := 1
	switch {
	case next == c && strings.IndexByte(":=&|+-?", c) >= 0:
		n = 2
	case next == '=' && (c == '!' || c == '<'), next == '>' && (c == '=' || c == '-'):
		n = 2
	}
	l.take(mark, n)
}

var partner = [256]byte{'(': ')', '[': ']', '{': '}', '<': '>'}

func (l *lexer) open(c byte) {
	if l.dirEnd == 0 {
		l.groups = append(l.groups, group{open: int32(len(l.toks)), close: -1, up: l.top, shut: partner[c]})
		l.top = int32(len(l.groups) - 1)
	}
	if n := len(l.frames); n > 0 && l.frames[n-1].shut == partner[c] {
		l.frames[n-1].depth++
	}
	l.take(mark, 1)
}

func (l *lexer) shut(c byte) {
	if n := len(l.frames); n > 0 && l.frames[n-1].shut == c {
		f := &l.frames[n-1]
		if f.depth == 0 {
			l.endCode()
			return
		}
		f.depth--
	}
	l.close(c)
}

// close ends the group of a closing bracket. A comma before it is layout, but for the comma that makes a tuple of one.
func (l *lexer) close(c byte) {
	if l.dirEnd > 0 {
		l.take(mark, 1)
		return
	}
	at := l.top
	for n := 0; c == '}' && n < 64 && at >= 0 && l.groups[at].shut != c; n++ {
		at = l.groups[at].up
	}
	if at < 0 || l.groups[at].shut != c {
		l.bad = true
		l.take(mark, 1)
		return
	}
	g := &l.groups[at]
	if at != l.top {
		l.bad = true
	} else if p := l.prev(1); p.text == "," && p.kind == mark && l.syn.commas && !l.makesTuple(g) {
		l.drop()
	}
	if g.close < 0 {
		g.close = int32(len(l.toks))
	}
	l.top = g.up
	l.take(mark, 1)
}

func (l *lexer) makesTuple(g *group) bool {
	if g.commas > 1 || !l.syn.tuples || g.shut == '}' {
		return false
	}
	call := g.open > 0 && (l.toks[g.open-1].kind == word && !isOperatorWord[l.toks[g.open-1].text] ||
		strings.Contains(")]>!", l.toks[g.open-1].text))
	return call == (g.shut == ']')
}

var isOperatorWord = set("return in not and or is if else elif while yield await assert del raise print lambda for match case let " +
	"mut as move")

// inExpansion reports whether a quote begins no string, as in "${x:-it's}" of the shell.
func (l *lexer) inExpansion() bool {
	n := len(l.frames)
	return n > 0 && l.src[l.pos] == '\'' && l.frames[n-1].q != nil && l.frames[n-1].q.braces && l.frames[n-1].shut == '}'
}

// quoted reads a string whose text begins at from and whose quote is at l.pos. It returns true.
func (l *lexer) quoted(q *quote, from int) bool {
	n := 1
	if many := l.spanOf(l.pos, l.src[l.pos:l.pos+1]) - l.pos; q.long != nil && many >= 3 {
		q, n = q.long, 3
		if q.raw { // C# has as many quotes as its text needs
			n = many
		}
	}
	shut := l.src[l.pos : l.pos+n]
	l.pos += n
	l.rest(q, shut, from)
	return true
}

// begin reads the string of an opener.
func (l *lexer) begin(o opener) {
	from := l.pos
	if o.shut == "" {
		l.pos += len(o.begin) - 1
		l.quoted(o.q, from)
		return
	}
	l.pos += len(o.begin)
	l.rest(o.q, o.shut, from)
}

// rest reads a string whose quote or last code is before l.pos, to its end or to code inside it.
func (l *lexer) rest(q *quote, shut string, from int) {
	body := l.pos
	for l.pos < len(l.src) {
		l.step()
		c := l.src[l.pos]
		switch {
		case c == shut[0] && l.at(shut):
			if q.doubled && l.peek(1) == c {
				l.pos += 2
				continue
			}
			for len(shut) == 3 && l.peek(3) == c && !q.raw {
				l.pos++
			}
			l.pos += len(shut)
			l.text(q, from, body, l.pos-len(shut))
			return
		case q.open != "" && c == q.open[0] && (l.at(q.open) || q.braces && l.at("${")):
			if q.twice && l.peek(1) == c {
				l.pos += 2
				continue
			}
			end := byte('}')
			if strings.HasSuffix(q.open, "(") && l.at(q.open) {
				end = ')'
			}
			if l.pos += len(q.open); q.open == "{$" {
				l.pos-- // the variable is code
			}
			l.frames = append(l.frames, frame{kind: inside, q: q, close: shut, shut: end, group: int32(len(l.groups)), up: l.top})
			l.groups = append(l.groups, group{open: int32(len(l.toks)), close: -1, up: l.top, shut: end})
			l.top = int32(len(l.groups) - 1)
			l.text(q, from, body, l.pos)
			l.mode = code
			return
		case c == '\\' && q.escapes:
			l.pos = min(l.pos+2, len(l.src))
			continue
		case c == '\n' && !q.lines:
			l.text(q, from, body, l.pos)
			return
		}
		l.pos++
	}
	l.text(q, from, body, len(l.src))
}

// text emits a string or a part of one. Where both quotes mean the same, its text is what is between them.
func (l *lexer) text(q *quote, from, body, end int) {
	s := l.src[from:l.pos]
	if q.either {
		if s = l.src[body:end]; strings.Contains(s, `\`) {
			s = plainEscapes(s)
		}
	}
	l.emit(text, s, from, l.pos)
}

// plainEscapes returns a string without the escapes of quotes, and with hex digits in lower case.
func plainEscapes(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		digits := 0
		switch s[i] {
		case '\'', '"':
			b = append(b, s[i])
			continue
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		}
		b = append(b, '\\', s[i])
		if digits > 0 {
			n := min(i+1+digits, len(s))
			b = append(b, strings.ToLower(s[i+1:n])...)
			i = n - 1
		}
	}
	return string(b)
}

// endCode continues the string or the markup around an expression that ends here.
func (l *lexer) endCode() {
	n := len(l.frames) - 1
	f := l.frames[n]
	l.frames = l.frames[:n]
	if f.kind == inside {
		l.setMode()
		if g := &l.groups[f.group]; l.dirEnd == 0 {
			l.bad = l.bad || l.top != f.group
			g.close, l.top = int32(len(l.toks)), f.up
		}
		from := l.pos
		l.pos++
		l.rest(f.q, f.close, from)
		return
	}
	l.close(f.shut)
	l.setMode()
}

func (l *lexer) setMode() {
	l.mode = code
	if n := len(l.frames); n > 0 && l.frames[n-1].kind >= tag {
		l.mode = l.frames[n-1].kind
	}
}

// heredocs reads the documents whose marks stand in the line before.
func (l *lexer) heredocs() {
	for _, d := range l.docs {
		from := l.pos
		for l.pos < len(l.src) {
			end := l.eol(l.pos)
			line := strings.TrimSuffix(l.src[l.pos:end], "\r")
			if d.indent {
				line = strings.TrimLeft(line, " \t")
			}
			if line == d.tag || l.syn.lang == "php" && strings.HasPrefix(line, d.tag) && (len(line) == len(d.tag) || !isWord(line[len(d.tag)])) {
				l.emit(text, l.src[from:l.pos], from, l.pos)
				l.pos = end - len(line) + len(d.tag)
				from = -1
				break
			}
			l.pos = min(end+1, len(l.src))
		}
		if from >= 0 {
			l.emit(text, l.src[from:], from, len(l.src))
		} else if l.syn.lang != "php" {
			l.pos = min(l.pos+1, len(l.src))
		}
	}
	l.docs = l.docs[:0]
}

// regex reads a regular expression literal up to its flags; false when the line, or with lines the text, ends before it does.
func (l *lexer) regex(lines bool) bool {
	if l.pos < l.noRegex {
		return false
	}
	class := false
	for i := l.pos + 1; i < len(l.src); i++ {
		switch l.src[i] {
		case '\n':
			if !lines {
				l.noRegex = i
				return false
			}
		case '\\':
			i++
		case '[':
			class = l.syn.lang != "ruby" // there / ends it in a class too
		case ']':
			class = false
		case '/':
			if class {
				continue
			}
			l.takeWord(text, i+1)
			return true
		}
	}
	l.noRegex = len(l.src)
	return false
}

// expects reports whether an expression may begin here, so that / begins a regular expression and < markup.
func (l *lexer) expects() bool {
	p := l.prev(1)
	switch p.kind {
	case number, text:
		return p.text != "" && p.kind == text && len(l.frames) > 0 && l.frames[len(l.frames)-1].kind == inside &&
			l.to[len(l.to)-1] == int32(l.pos)
	case word:
		return beforeValue[p.text] && l.prev(2).text != "."
	}
	switch p.text {
	case ")", "]", "++", "--":
		return false
	case "}":
		return int(p.line) < l.lineAt(l.pos)
	}
	return true
}

var beforeValue = set("return typeof case in of delete void throw new do else instanceof await yield default extends and or not if " +
	"unless when while until elsif then")
