package grep

import "bytes"

const wholeGroup = 25 // lines up to which a group of declarations stays together

// goUnits returns the declarations of a Go file with their comments. It reads the file's tokens, but in bodies only brackets,
// strings and comments. It is not a parser, which would spend time on trees of all bodies, because it does much of the
// second pass's work. In a file that does not parse, a keyword at the start of a line begins a declaration, even inside
// open brackets.
func goUnits(o *outline) []unit {
	d := declarations{outline: o, last: -1, doc: unit{0, -1}}
	if bytes.HasPrefix(o.src, []byte("\xef\xbb\xbf")) {
		d.pos = 3
	}
	for d.next() {
		if d.open != "" && (d.depth > 1 || d.depth == 1 && !d.group) {
			d.pass()
		}
	}
	d.end()
	return d.found
}

// declarations reads tokens in their order.
type declarations struct {
	*outline
	found []unit

	pos  int  // where the search for the next token begins
	semi bool // the end of the line ends the statement

	open    string // the keyword of the current declaration, "" between declarations
	keyword int    // its line
	whole   unit   // the declaration so far, with its comment
	depth   int    // of brackets
	group   bool   // its specs are in parentheses
	spec    bool   // the reader is inside a spec
	specs   []unit
	at      int  // the result of the last call of line
	last    int  // line in which the token before ends, -1 before the first token
	doc     unit // the comment that may belong to the next token; none if it ends before it starts
}

// next reads one token; false at the end of the file.
func (d *declarations) next() bool {
	src, i := d.src, d.pos
	for i < len(src) && isBlank(src[i]) && (src[i] != '\n' || !d.semi) {
		i++
	}
	if i == len(src) {
		return false
	}
	start, semi := i, false
	switch c := src[i]; {
	case c == '\n' || c == ';':
		d.pos, d.semi = i+1, false
		d.ends()
		return true
	case kinds[c] != other && kinds[c] != digit || c == '_':
		for i < len(src) && (kinds[src[i]] != other || src[i] == '_') {
			i++
		}
		d.pos, d.semi = i, !opens(src[start:i])
		d.take(start, i, src[start:i])
		return true
	case kinds[c] == digit:
		for i < len(src) && (kinds[src[i]] != other || src[i] == '_' || src[i] == '.') {
			i++
		}
		semi = true
	case c == '"' || c == '\'' || c == '`':
		i, semi = quotedEnd(src, i), true
	case c == '/' && i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*'):
		i = commentEnd(src, i)
		d.pos = i
		from, to := d.line(start), d.line(i-1)
		d.comment(from, to)
		if d.semi && to > from { // its first line feed ends the statement
			d.semi = false
			d.ends()
		}
		return true
	case (c == '+' || c == '-') && i+1 < len(src) && src[i+1] == c:
		i, semi = i+2, true
	default:
		i, semi = i+1, c == ')' || c == ']' || c == '}'
	}
	d.pos, d.semi = i, semi
	d.take(start, i, nil)
	return true
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// opens reports whether a word is a keyword after which a statement continues in the next line.
func opens(word []byte) bool {
	switch string(word) {
	case "case", "chan", "const", "default", "defer", "else", "for", "func", "go", "goto", "if", "import", "interface", "map",
		"package", "range", "select", "struct", "switch", "type", "var":
		return true
	}
	return false
}

// declares reports whether a word begins a declaration.
func declares(word []byte) bool {
	switch string(word) {
	case "package", "import", "const", "var", "type", "func":
		return true
	}
	return false
}

// quotedEnd returns the offset after a quoted text. An unclosed one ends with its line, in backquotes with the file.
func quotedEnd(src []byte, start int) int {
	quote := src[start]
	if quote == '`' {
		if n := bytes.IndexByte(src[start+1:], quote); n >= 0 {
			return start + n + 2
		}
		return len(src)
	}
	for i := start + 1; i < len(src); i++ {
		switch src[i] {
		case quote:
			return i + 1
		case '\n':
			return i
		case '\\':
			if i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		}
	}
	return len(src)
}

// commentEnd returns the offset after a comment, without the line feed that ends it.
func commentEnd(src []byte, start int) int {
	if src[start+1] == '/' {
		if n := bytes.IndexByte(src[start:], '\n'); n >= 0 {
			return start + n
		}
		return len(src)
	}
	if n := bytes.Index(src[start+2:], []byte("*/")); n >= 0 {
		return start + n + 4
	}
	return len(src)
}

// ends handles the end of a statement.
func (d *declarations) ends() {
	switch {
	case d.open == "":
	case d.depth == 0:
		d.end()
	case d.depth == 1 && d.group:
		d.spec = false
	}
}

// take handles a token; word is nil if the token is no word.
func (d *declarations) take(at, to int, word []byte) {
	line := d.line(at)
	c := d.src[at]
	switch {
	case declares(word) && (d.open == "" || d.depth > 0 && at == d.starts[line]):
		d.end()
		d.open, d.keyword, d.whole = string(word), line, d.documented(line)
	case d.open == "":
	case c == '(' && d.depth == 0 && line == d.keyword && d.whole.end == d.keyword && d.first(at):
		d.group = d.open != "func"
	case d.group && d.depth == 1 && c != ')' && !d.spec:
		d.spec = true
		d.specs = append(d.specs, d.documented(line))
	}
	switch c {
	case '(', '[', '{':
		d.depth++
	case ')', ']', '}':
		d.depth = max(0, d.depth-1)
	}
	d.last, d.doc = d.line(to-1), unit{0, -1}
	if d.open != "" {
		d.whole.end = d.last
		if d.spec {
			d.specs[len(d.specs)-1].end = d.last
		}
	}
}

// bodyBytes marks the bytes that matter inside bodies.
var bodyBytes = func() (t [256]bool) {
	for _, c := range "()[]{}\"'`/\n" {
		t[c] = true
	}
	return t
}()

// pass skips a body up to the next token that next must read: the bracket that closes the body, or a keyword that begins a
// declaration inside it.
func (d *declarations) pass() {
	least := 1 // depth at which next must read the next token
	if d.group {
		least = 2
	}
	src, i := d.src, d.pos
	from := i // start of the bytes that are not recorded yet
	read := func(to int) {
		for to > from && isBlank(src[to-1]) {
			to--
		}
		if to > from {
			d.last, d.doc = d.line(to-1), unit{0, -1}
			d.whole.end = d.last
			if d.spec {
				d.specs[len(d.specs)-1].end = d.last
			}
		}
	}
loop:
	for ; i < len(src); i++ {
		c := src[i]
		if !bodyBytes[c] {
			continue
		}
		switch c {
		case '(', '[', '{':
			d.depth++
		case ')', ']', '}':
			if d.depth == least {
				break loop
			}
			d.depth--
		case '\n':
			if i+1 < len(src) && kinds[src[i+1]] == small {
				end := i + 1
				for end < len(src) && (kinds[src[end]] != other || src[end] == '_') {
					end++
				}
				if declares(src[i+1 : end]) {
					i++
					break loop
				}
			}
		case '/':
			if i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*') {
				read(i)
				end := commentEnd(src, i)
				d.comment(d.line(i), d.line(end-1))
				from, i = end, end-1
			}
		default:
			i = quotedEnd(src, i) - 1
		}
	}
	i = min(i, len(src))
	read(i)
	d.pos, d.semi = i, false
}

// first reports whether the line has only the keyword before the offset.
func (d *declarations) first(at int) bool {
	return len(bytes.Trim(d.src[d.starts[d.keyword]+len(d.open):at], " \t")) == 0
}

// comment extends the comment that may belong to the next token. A comment after a token in its line belongs to that token.
func (d *declarations) comment(from, to int) {
	switch {
	case from == d.last:
		d.doc = unit{0, -1}
	case d.doc.end >= d.doc.start && from <= d.doc.end+1:
		d.doc.end = to
	default:
		d.doc = unit{from, to}
	}
}

// documented returns the line, with the comment right above it, as the start of a unit.
func (d *declarations) documented(line int) unit {
	if d.doc.end >= d.doc.start && d.doc.end+1 == line {
		return unit{d.doc.start, line}
	}
	return unit{line, line}
}

// end ends the current declaration.
func (d *declarations) end() {
	switch {
	case d.open == "":
	case d.open == "package":
		if d.whole.start < d.keyword {
			d.add(d.whole)
		}
	case d.group && d.whole.end-d.keyword >= wholeGroup:
		for _, s := range d.specs {
			d.add(s)
		}
	default:
		d.add(d.whole)
	}
	d.open, d.depth, d.group, d.spec, d.specs = "", 0, false, false, nil
}

// add keeps units sorted and without overlap: two declarations in one line become one unit.
func (d *declarations) add(u unit) {
	if n := len(d.found); n == 0 || u.start > d.found[n-1].end {
		d.found = append(d.found, u)
	}
}

// line returns the line of an offset, which must not be before the offset of the last call.
func (d *declarations) line(offset int) int {
	for d.at+1 < len(d.starts) && d.starts[d.at+1] <= offset {
		d.at++
	}
	return d.at
}
