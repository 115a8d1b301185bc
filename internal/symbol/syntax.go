package symbol

import (
	"strings"
	"unicode/utf8"
)

type syntax struct {
	lang        string
	slash       bool // comments // and /* */
	hash        bool // comments #
	dash        bool // comments -- and /* */
	nest        bool // block comments nest
	dollar      bool // $ in identifiers
	quoteDigits bool // 1'000
	loose       bool // formatters rewrite numbers
	commas      bool // a comma before a closing bracket is layout
	tuples      bool // (x,) is not (x)
	jsx         bool // markup in expressions
	quotes      [128]*quote
	openers     []opener                    // of strings that begin with more than a quote
	special     func(l *lexer, c byte) bool // reads what begins with c, or returns false
	decls       *decls
}

// opener begins a string that ends with shut; "" is the quote at the end of begin, once or three times.
type opener struct {
	begin string
	q     *quote
	shut  string
}

type quote struct {
	escapes bool   // \ takes the next byte
	doubled bool   // two quotes are one in the text
	lines   bool   // may contain line ends
	either  bool   // ' and " mean the same
	raw     bool   // as many quotes as the text needs
	open    string // begins code in the string: "${"
	braces  bool   // "${" begins code as well
	twice   bool   // {{ is a brace
	long    *quote // with three quotes
}

var (
	plain    = &quote{escapes: true}
	verbatim = &quote{doubled: true, lines: true}
	multi    = &quote{escapes: true, lines: true}
	lines    = &quote{lines: true}
	script   = &quote{escapes: true, either: true}
	template = &quote{escapes: true, lines: true, open: "${"}
	java     = &quote{escapes: true, long: multi}
	kotlin   = &quote{escapes: true, open: "${", long: &quote{lines: true, open: "${"}}
	swift    = &quote{escapes: true, open: `\(`, long: &quote{escapes: true, lines: true, open: `\(`}}
	python   = &quote{escapes: true, either: true, long: &quote{escapes: true, lines: true, either: true}}
	format   = &quote{escapes: true, either: true, open: "{", twice: true,
		long: &quote{escapes: true, lines: true, either: true, open: "{", twice: true}}
	csharp   = &quote{escapes: true, long: &quote{lines: true, raw: true}}
	dollared = &quote{escapes: true, open: "{", twice: true, long: &quote{lines: true, raw: true, open: "{", twice: true}}
	atDollar = &quote{doubled: true, lines: true, open: "{", twice: true}
	rubyText = &quote{escapes: true, lines: true, open: "#{"}
	phpText  = &quote{escapes: true, lines: true, open: "{$"}
)

func quotes(double, single, back *quote) (q [128]*quote) {
	q['"'], q['\''], q['`'] = double, single, back
	return q
}

var (
	jsSyntax     = likeJS("javascript", true)
	tsSyntax     = likeJS("typescript", false)
	tsxSyntax    = likeJS("typescript", true)
	cSyntax      = likeC("c")
	cppSyntax    = likeC("cpp")
	javaSyntax   = &syntax{lang: "java", slash: true, dollar: true, commas: true, quotes: quotes(java, plain, nil), decls: javaDecls}
	kotlinSyntax = &syntax{lang: "kotlin", slash: true, nest: true, commas: true, quotes: quotes(kotlin, plain, &quote{}), decls: kotlinDecls}
	swiftSyntax  = &syntax{lang: "swift", slash: true, nest: true, dollar: true, commas: true, quotes: quotes(swift, nil, &quote{}),
		special: specialSwift, decls: swiftDecls}
	csSyntax = &syntax{lang: "csharp", slash: true, commas: true, quotes: quotes(csharp, plain, nil), special: specialCS, decls: csDecls,
		openers: []opener{{`@"`, verbatim, `"`}, {`$@"`, atDollar, `"`}, {`@$"`, atDollar, `"`}, {`$"`, dollared, ""}}}
	rustSyntax = &syntax{lang: "rust", slash: true, nest: true, commas: true, tuples: true, quotes: quotes(multi, nil, nil),
		special: specialRust, decls: rustDecls}
	phpSyntax = &syntax{lang: "php", slash: true, hash: true, dollar: true, commas: true, quotes: quotes(phpText, multi, multi),
		special: specialPHP, decls: phpDecls}
	pySyntax = &syntax{lang: "python", hash: true, loose: true, commas: true, tuples: true, quotes: quotes(python, python, nil)}
)

func likeJS(lang string, jsx bool) *syntax {
	return &syntax{lang: lang, slash: true, dollar: true, loose: true, commas: true, jsx: jsx, quotes: quotes(script, script, template),
		special: specialJS, decls: jsDecls}
}

func likeC(lang string) *syntax {
	return &syntax{lang: lang, slash: true, dollar: true, commas: true, quoteDigits: true, quotes: quotes(plain, plain, nil),
		special: specialC, decls: cDecls}
}

// prefixed reads the string at i whose prefix begins at l.pos, such as r"…"; false when the word is no prefix.
func (l *lexer) prefixed(i int) bool {
	from, after := l.pos, l.spanOf(i, "#")
	p := l.src[from:i]
	if l.syn.lang == "python" {
		p = strings.ToLower(p)
	}
	q := prefixes[l.syn.lang][p]
	switch {
	case q == nil:
		return false
	case q.either: // Python; the prefix is a token of its own
		if p != "u" {
			l.emit(word, p, from, i)
		}
		from = i
	case p == "b" && l.src[i] == '\'':
		l.pos = i
		l.rustChar(from)
		return true
	case q == lines && l.syn.lang == "rust" && l.byteAt(after) == '"':
		l.pos = after + 1
		l.rest(lines, `"`+l.src[i:after], from)
		return true
	case q == lines && l.src[i] == '"' && l.syn.lang != "rust":
		n := strings.IndexByte(l.src[i:min(i+20, len(l.src))], '(')
		if n < 0 {
			return false
		}
		l.pos = i + n + 1
		l.rest(lines, ")"+l.src[i+1:i+n]+`"`, from)
		return true
	case q == lines || l.src[i] == '#':
		return false
	}
	l.pos = i
	return l.quoted(q, from)
}

// prefixes has the words before a string, by language.
var prefixes = map[string]map[string]*quote{
	"python": byWord(map[string]*quote{"r b br rb u": python, "f rf fr t rt tr": format}),
	"rust":   byWord(map[string]*quote{"b c": multi, "r br cr": lines}),
	"c":      byWord(map[string]*quote{"R LR uR UR u8R": lines, "L u U u8": plain}),
	"cpp":    byWord(map[string]*quote{"R LR uR UR u8R": lines, "L u U u8": plain}),
}

func specialC(l *lexer, c byte) bool {
	switch c {
	case '#':
		if l.dirEnd == 0 && (len(l.toks) == 0 || int(l.toks[len(l.toks)-1].line) < l.lineAt(l.pos)) {
			return l.directive()
		}
	case '\\':
		l.pos++
		return true
	}
	return false
}

func (l *lexer) directive() bool {
	i := l.spanOf(l.pos+1, " \t")
	n := l.wordEnd(i)
	end := l.eol(n)
	for end < len(l.src) && l.src[end-1] == '\\' {
		end = l.eol(end + 1)
	}
	switch name := l.src[i:n]; name {
	case "region", "endregion":
		l.pos = end
		return true
	case "if", "ifdef", "ifndef":
		dead := strings.TrimSpace(l.src[n:end]) == "0"
		l.conds = append(l.conds, cond{before: l.top, taken: !dead})
	case "elif", "else", "elifdef", "elifndef":
		if k := len(l.conds) - 1; k >= 0 {
			c := &l.conds[k]
			if c.taken && !c.left {
				c.after, c.left = l.top, true
			}
			l.top, c.taken = c.before, true
		}
	case "endif":
		if k := len(l.conds) - 1; k >= 0 {
			if c := l.conds[k]; c.left {
				l.top = c.after
			} else if !c.taken {
				l.top = c.before
			}
			l.conds = l.conds[:k]
		}
	}
	l.dirEnd = max(end, l.pos+1)
	l.take(mark, 1)
	return true
}

func specialCS(l *lexer, c byte) bool {
	if c == '@' && class[l.peek(1)] == letter {
		l.pos++
		l.word()
		return true
	}
	return specialC(l, c)
}

func specialSwift(l *lexer, c byte) bool {
	if c != '#' {
		return false
	}
	if i := l.spanOf(l.pos, "#"); l.byteAt(i) == '"' {
		from, hashes, shut := l.pos, l.src[l.pos:i], `"`
		if strings.HasPrefix(l.src[i:], `"""`) {
			shut = `"""`
		}
		l.pos = i + len(shut)
		l.rest(lines, shut+hashes, from)
		return true
	}
	if l.at("#if") || l.at("#elseif") || l.at("#else") || l.at("#endif") {
		return specialC(l, c)
	}
	return false
}

func specialRust(l *lexer, c byte) bool {
	if c != '\'' {
		return false
	}
	if class[l.peek(1)] == letter && l.peek(1) < 0x80 && l.peek(2) != '\'' {
		l.takeWord(word, l.pos+1)
		return true
	}
	l.rustChar(l.pos)
	return true
}

// rustChar reads a character whose quote is at l.pos.
func (l *lexer) rustChar(from int) {
	i := l.pos + 1
	if l.byteAt(i) == '\\' {
		i += 2
		for n := 0; n < 10 && i < len(l.src) && l.src[i] != '\'' && l.src[i] != '\n'; n++ {
			i++
		}
	} else {
		_, n := utf8.DecodeRuneInString(l.src[i:])
		i += n
	}
	if i++; l.byteAt(i-1) != '\'' {
		i = l.pos + 1
	}
	l.emit(text, l.src[from:i], from, i)
	l.pos = i
}

func specialPHP(l *lexer, c byte) bool {
	switch {
	case c == '?' && l.peek(1) == '>':
		l.pos += 2
		l.html()
		return true
	case c == '<' && l.at("<<<"):
		i := l.spanOf(l.pos+3, ` "'`)
		if n := l.wordEnd(i); n > i {
			l.docs = append(l.docs, heredoc{l.src[i:n], true})
			if l.byteAt(n) != '\n' {
				n++
			}
			l.take(text, n-l.pos)
			return true
		}
	}
	return false
}

// html reads the text up to <?php: its words are tokens.
func (l *lexer) html() {
	text, rest, code := strings.Cut(l.src[l.pos:], "<?")
	end := l.pos + len(text)
	l.textWords(end)
	if l.pos = end; code {
		l.pos += 2
		for _, open := range []string{"php", "PHP", "="} {
			if strings.HasPrefix(rest, open) {
				l.pos += len(open)
			}
		}
		l.emit(directive, "<?", end, l.pos)
	}
}

func (l *lexer) textWords(end int) {
	for w := range strings.FieldsSeq(l.src[l.pos:end]) {
		l.pos += strings.Index(l.src[l.pos:end], w)
		l.take(text, len(w))
	}
}

func specialJS(l *lexer, c byte) bool {
	switch c {
	case '/':
		return l.expects() && l.regex(false)
	case '#':
		if l.pos == 0 && l.peek(1) == '!' {
			l.pos = l.eol(0)
			return true
		}
		if class[l.peek(1)] == letter {
			from := l.pos
			l.pos++
			l.word()
			l.toks[len(l.toks)-1].text, l.from[len(l.from)-1] = l.src[from:l.pos], int32(from)
			return true
		}
	case '$':
		l.word()
		return true
	case '<':
		if l.syn.jsx && (class[l.peek(1)] == letter || l.peek(1) == '>' || l.peek(1) == '$') && l.expects() && !l.generic() {
			l.frames = append(l.frames, frame{kind: tag})
			l.mode = tag
			l.take(mark, 1)
			return true
		}
	}
	return false
}

// generic reports whether < begins type parameters of an arrow function and no markup.
func (l *lexer) generic() bool {
	i := l.wordEnd(l.pos + 1)
	rest := strings.TrimLeft(l.src[i:min(i+12, len(l.src))], " \n\t")
	return strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, "extends ")
}

func (l *lexer) markup() {
	f := &l.frames[len(l.frames)-1]
	c := l.src[l.pos]
	switch {
	case class[c] == blank || class[c] == newline:
		l.pos++
	case c == '{':
		l.open(c)
		l.frames = append(l.frames, frame{kind: code, shut: '}'})
		l.mode = code
	case c == '<' && l.mode == children:
		l.frames = append(l.frames, frame{kind: tag, last: l.peek(1) == '/'})
		l.mode = tag
		l.take(mark, 1)
	case l.mode == children:
		i := l.pos
		for i < len(l.src) && l.src[i] != '{' && l.src[i] != '<' && class[l.src[i]] != blank && class[l.src[i]] != newline {
			i++
		}
		l.take(text, i-l.pos)
	case c == '<':
		f.depth++
		l.take(mark, 1)
	case c == '>' && f.depth > 0:
		if l.prev(1).text != "=" {
			f.depth--
		}
		l.take(mark, 1)
	case c == '>':
		alone := l.prev(1).text == "/" && !f.last
		l.take(mark, 1)
		n := len(l.frames) - 1
		switch {
		case f.last && n > 0 && l.frames[n-1].kind == children:
			l.frames = l.frames[:n-1]
		case f.last || alone:
			l.frames = l.frames[:n]
		default:
			*f = frame{kind: children}
		}
		l.setMode()
	case class[c] >= letter:
		i := l.pos
		for i < len(l.src) && (isWord(l.src[i]) || strings.IndexByte("-:.$", l.src[i]) >= 0) {
			i++
		}
		l.take(word, i-l.pos)
	case c == '"' || c == '\'':
		from := l.pos
		l.pos++
		l.rest(&quote{lines: true, either: true}, string(c), from)
	case c == '/' && l.peek(1) == '*':
		l.block()
	case c == '/' && l.peek(1) == '/':
		l.skip(l.eol(l.pos))
	default:
		l.take(mark, 1)
	}
}
