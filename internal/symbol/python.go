package symbol

import "strings"

type pyLine struct {
	col         int
	first, last int // source lines
	from, to    int // tokens of the file
	head        [3]token
	block       bool // begins a block
	more        bool // is on the line of the statement before it, or of its block's head
	doc         bool // a string alone, which is documentation
	broken      bool // its brackets have no end
}

// pyReader makes the logical lines of the tokens.
type pyReader struct {
	*lexer
	f     *File
	out   []token
	lines []pyLine
	skip  [][2]int
}

func readPython(f *File, src string) (imports [][2]int) {
	l := newLexer(pySyntax, src)
	l.run()
	r := &pyReader{lexer: l, f: f, out: make([]token, 0, len(l.toks)+len(l.toks)/4)}
	starts := r.split()
	for k, at := range starts {
		end := len(l.toks)
		if k+1 < len(starts) {
			end = starts[k+1]
		}
		r.parentheses(at, end)
	}
	r.layout(starts)
	r.scope(0, len(r.lines), "", 0)
	f.toks, f.aside, f.steps = r.out, l.aside, l.steps
	return r.skip
}

// split returns the first token of each logical line, and of each statement after a semicolon.
func (r *pyReader) split() (starts []int) {
	for i := 0; i < len(r.toks); i++ {
		if i == 0 || r.is(i-1, ";") || int(r.toks[i].line) > r.endLine(i-1) && !r.is(i-1, `\`) {
			starts = append(starts, i)
		}
		if r.match[i] < 0 && strings.Contains("([{", r.toks[i].text) {
			break
		}
		i = r.closing(i)
	}
	return starts
}

// closing returns the end of the brackets or of the string that begins at i, else i.
func (r *pyReader) closing(i int) int {
	for int(r.match[i]) > i {
		i = int(r.match[i])
	}
	return i
}

// parentheses marks those that black adds and removes in the logical line from token a to b.
func (r *pyReader) parentheses(a, b int) {
	for b > a && r.is(b-1, ";") {
		b--
	}
	first := r.toks[a].text
	if first == "async" && a+1 < b {
		first = r.toks[a+1].text
	}
	for i := a; i < b; i++ {
		if r.is(i, `\`) {
			r.toks[i].kind = gone
		}
		m := int(r.match[i])
		if !r.is(i, "(") || m <= i || m >= b || i == a {
			continue
		}
		if m == i+1 {
			if r.is(i-2, "class") {
				r.toks[i].kind, r.toks[m].kind = gone, gone
			}
			continue
		}
		p := r.toks[i-1]
		last := m+1 == b || m+2 == b && r.is(m+1, ":")
		comma, loop := r.top1(i+1, m)
		strip := false
		switch {
		case p.kind == text:
		case p.kind == word:
			switch p.text {
			case "return", "if", "elif", "while", "del", "yield", "raise", "import":
				strip = last
			case "with":
				strip = last || r.is(m+1, "as")
			case "in":
				strip = last && first == "for"
			case "for":
				strip = i-1 <= a+1 && r.is(m+1, "in")
			case "assert":
				strip = !comma && (last || r.is(m+1, ","))
			}
		case p.text == "=" && !r.is(i-2, ">") && last, p.text == "->" && last:
			strip = true
		case p.text == "," && first == "assert" && last:
			strip = !comma
		}
		if !strip && !comma && !loop && p.kind != text && p.kind != word && strings.Contains("([,=:", p.text) && m+1 < b {
			n := r.toks[m+1]
			strip = n.kind == mark && strings.Contains(")]},", n.text) && !(p.text == "=" && r.is(i-2, ">"))
		}
		if !strip && p.kind == mark && !strings.Contains(")]}", p.text) { // a string alone
			n := i + 1
			for _, to := r.literal(n, m); to > 0; _, to = r.literal(n, m) {
				n = to
			}
			strip = n == m
		}
		if strip {
			r.toks[i].kind, r.toks[m].kind = gone, gone
		}
	}
}

// top1 reports whether a comma, and whether for or a star, is between two tokens outside brackets.
func (r *pyReader) top1(i, end int) (comma, loop bool) {
	for n := 0; i < end; i++ {
		r.step()
		if n++; n > 300 {
			return true, true
		}
		switch {
		case r.is(i, ","):
			comma = true
		case r.is(i, "for"), r.is(i, "*"):
			loop = true
		}
		i = r.closing(i)
	}
	return comma, loop
}

var compound = set("if elif else for while try except finally with def class async match case")

// colon returns the token that begins the block of a statement, -1 for none.
func (r *pyReader) colon(a, b int) int {
	if r.toks[a].kind != word || !compound[r.toks[a].text] || (r.is(a, "match") || r.is(a, "case")) && (r.is(a+1, ":") || r.is(a+1, "=") ||
		r.is(a+1, ".")) {
		return -1
	}
	lambdas := 0
	for i := a; i < b; i++ {
		switch {
		case r.is(i, "lambda"):
			lambdas++
		case r.is(i, ":"):
			if lambdas--; lambdas < 0 {
				return i
			}
		}
		i = r.closing(i)
	}
	return -1
}

// layout makes the logical lines and the tokens of the file, with marks where blocks begin and end.
func (r *pyReader) layout(starts []int) {
	columns := []int{0}
	at := func(line int32) int32 {
		if n := len(r.out); n > 0 {
			return max(line, r.out[n-1].line)
		}
		return line
	}
	suite := false // the statements up to the line's end are in a block that began on it
	put := func(s string, line int32) { r.out = append(r.out, token{s, at(line), layout}) }
	for k := 0; k < len(starts); k++ {
		a, b := starts[k], len(r.toks)
		if k+1 < len(starts) {
			b = starts[k+1]
		}
		more := a > 0 && r.is(a-1, ";") && int(r.toks[a].line) == r.endLine(a-1)
		line := pyLine{first: int(r.toks[a].line), more: more, doc: true}
		for i := a; i < b; i++ {
			if m := r.match[i]; m < 0 {
				line.broken = true
			}
			if t := r.toks[i]; t.kind != text && !r.is(i, ";") && !(t.kind == word && i+1 < b && r.toks[i+1].kind == text &&
				r.to[i] == r.from[i+1]) || r.match[i] != 0 {
				line.doc = false
			}
		}
		line.last = r.endLine(b - 1)
		if more {
			line.col = columns[len(columns)-1]
		} else {
			if suite {
				put("<", int32(line.first))
				suite = false
			}
			line.col = r.column(line.first)
			if !line.doc || line.col < columns[len(columns)-1] {
				for len(columns) > 1 && line.col < columns[len(columns)-1] {
					columns = columns[:len(columns)-1]
					put("<", int32(line.first))
				}
				if line.col > columns[len(columns)-1] {
					columns = append(columns, line.col)
					put(">", int32(line.first))
				}
			}
		}
		line.from = len(r.out)
		n := 0
		for i := a; i < b && n < 3; i++ {
			if r.toks[i].kind != gone || r.is(i, "(") {
				line.head[n] = r.toks[i]
				n++
			}
		}
		if line.doc {
			r.aside = append(r.aside, [2]int{int(r.from[a]), int(r.to[b-1])})
		} else {
			c := r.colon(a, b)
			for i := a; i < b; i++ {
				if r.toks[i].kind == gone || r.is(i, ";") {
					continue
				}
				if n := r.adjacent(i, b, at); n > i {
					i = n - 1
					continue
				}
				r.out = append(r.out, token{r.toks[i].text, at(r.toks[i].line), r.toks[i].kind})
				if i == c {
					line.block = true
					if c+1 < b && !r.is(c+1, ";") { // the block is on this line
						put(">", r.toks[i].line)
						suite = true
					}
				}
			}
			if !line.block || suite {
				put(";", int32(line.last))
			}
		}
		line.to = len(r.out)
		r.lines = append(r.lines, line)
	}
}

// literal returns the first piece and the end of the string literal at i, 0 when there is none.
func (r *pyReader) literal(i, end int) (piece, next int) {
	if i+1 < end && r.toks[i].kind == word && r.toks[i+1].kind == text && r.to[i] == r.from[i+1] {
		i++
	}
	if i >= end || r.toks[i].kind != text {
		return 0, 0
	}
	return i, r.closing(i) + 1
}

// adjacent makes one string of the literals after each other from i, as the language does, and returns the token after them.
func (r *pyReader) adjacent(i, end int, at func(int32) int32) int {
	formatted, prefix, n := false, "", 0
	next := i
	for piece, to := r.literal(i, end); to > 0 && to <= end; piece, to = r.literal(next, end) {
		own := ""
		if piece > next {
			own = strings.ToLower(r.toks[next].text)
		}
		formatted = formatted || own == "f"
		if n > 0 && own != prefix && strings.Trim(own+prefix, "f") != "" {
			return i // of bytes or raw
		}
		prefix, next, n = own, to, n+1
	}
	if n < 2 {
		return i
	}
	line := at(r.toks[i].line)
	switch {
	case formatted:
		r.out = append(r.out, token{"f", line, word})
	case prefix != "":
		r.out = append(r.out, token{prefix, line, word})
	}
	var open []byte
	for from := i; from < next; {
		piece, to := r.literal(from, next)
		for j := piece; ; {
			s := r.toks[j].text
			if formatted && piece == from {
				s = strings.NewReplacer("{", "{{", "}", "}}").Replace(s)
			}
			open = append(open, s...)
			m := int(r.match[j])
			if m <= j {
				break
			}
			r.out = append(r.out, token{string(open), line, text})
			open = open[:0]
			for k := j + 1; k < m; k++ {
				if r.toks[k].kind != gone {
					r.out = append(r.out, token{r.toks[k].text, at(r.toks[k].line), r.toks[k].kind})
				}
			}
			j = m
		}
		from = to
	}
	r.out = append(r.out, token{string(open), line, text})
	return next
}

func (r *pyReader) column(line int) int {
	col := 0
	for i := int(r.starts[line-1]); r.byteAt(i) == ' ' || r.byteAt(i) == '\t'; i++ {
		if col++; r.src[i] == '\t' {
			col = (col + 7) / 8 * 8
		}
	}
	return col
}

// scope reads the declarations of a module or class in the logical lines from a to b.
func (r *pyReader) scope(a, b int, in string, depth int) {
	decorated := -1
	for k := a; k < b; k++ {
		l := r.lines[k]
		if l.head[0].text == "@" && l.head[0].kind == mark {
			if decorated < 0 {
				decorated = k
			}
			continue
		}
		from := k
		if decorated >= 0 {
			from, decorated = decorated, -1
		}
		end := k + 1
		for ; end < b && (r.lines[end].more || l.block && r.lines[end].col > l.col); end++ {
			r.step()
		}
		if !l.block {
			end = k + 1
		}
		kw, name := l.head[0], l.head[1]
		if kw.text == "async" && name.text == "def" {
			kw, name = name, l.head[2]
		}
		switch {
		case kw.kind != word:
		case kw.text == "def" || kw.text == "class":
			kind := Func
			if kw.text == "class" {
				kind = Type
			}
			if name.kind == word && l.block {
				r.declare(dotted(in, name.text), kind, from, end)
				if kind == Type && depth < deepest {
					r.scope(k+1, end, dotted(in, name.text), depth+1)
				}
			}
			k = end - 1
		case kw.text == "import" || kw.text == "from":
			r.skip = append(r.skip, [2]int{l.from, l.to})
		case kw.text == "type" && name.kind == word && name.text != "":
			r.declare(dotted(in, name.text), Type, k, end)
		case l.block: // the declarations in if, else, try and with count as those around
		case name.kind == mark:
			r.assigned(k, in)
		}
	}
}

// assigned adds the names of "a = 1", "a: int", "a = b = 1" and "a, b = 1, 2" in logical line k.
func (r *pyReader) assigned(k int, in string) {
	var names []string
	l := r.lines[k]
	for i := l.from; i+1 < l.to && r.out[i].kind == word && r.out[i+1].kind == mark; i += 2 {
		names = append(names, r.out[i].text)
		mark := r.out[i+1].text
		if mark == "=" || mark == ":" && i == l.from {
			for _, name := range names {
				r.declare(dotted(in, name), Value, k, k+1)
			}
			names = nil
		}
		if mark != "=" && mark != "," {
			return
		}
	}
}

func dotted(in, name string) string {
	if in == "" {
		return name
	}
	return in + "." + name
}

// declare adds a symbol of the logical lines from a to before b.
func (r *pyReader) declare(name string, kind Kind, a, b int) {
	for _, l := range r.lines[a:b] {
		if l.broken {
			return
		}
	}
	r.f.add(name, kind, r.lines[a].first, r.lines[b-1].last, r.out[r.lines[a].from:r.lines[b-1].to])
}
