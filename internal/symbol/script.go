package symbol

import "strings"

var (
	rubySyntax  = &syntax{lang: "ruby", hash: true, commas: true, quotes: quotes(rubyText, multi, multi), special: specialRuby}
	shellSyntax = &syntax{lang: "shell", quotes: quotes(&quote{escapes: true, lines: true, open: "$(", braces: true}, lines, multi),
		special: specialShell}
	sqlSyntax = &syntax{lang: "sql", dash: true, dollar: true, quotes: quotes(verbatim, verbatim, verbatim), special: specialSQL}
)

// indentation reads languages whose blocks end at the column where they begin.
type indentation struct {
	*lexer
	f *File
}

func newIndentation(f *File, syn *syntax, src string) *indentation {
	l := newLexer(syn, src)
	l.run()
	return &indentation{l, f}
}

// opens reports whether token i is the first of its line.
func (r *indentation) opens(i int) bool {
	start := r.starts[r.toks[i].line-1]
	for n := int(r.from[i]) - 1; n >= int(start); n-- {
		if class[r.src[n]] != blank {
			return false
		}
	}
	return true
}

// margin returns the blanks before the first token in the line of token i.
func (r *indentation) margin(i int) string {
	line := r.src[r.starts[r.toks[i].line-1]:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

func specialRuby(l *lexer, c byte) bool {
	next := l.peek(1)
	lineStart := l.pos == 0 || l.src[l.pos-1] == '\n'
	spaced := l.pos > 0 && class[l.src[l.pos-1]] != 0 && class[l.src[l.pos-1]] <= newline
	switch {
	case c == '=' && lineStart && l.at("=begin"):
		if n := strings.Index(l.src[l.pos:], "\n=end"); n >= 0 {
			l.pos = l.eol(l.pos + n + 1)
		} else {
			l.pos = len(l.src)
		}
		return true
	case (c == '@' || c == '$') && (class[next] == letter || next == '@'), c == ':' && class[next] == letter && l.prev(1).text != ":":
		i := l.pos + 1
		for i < len(l.src) && (isWord(l.src[i]) || l.src[i] == '@') {
			i++
		}
		if c == ':' && i < len(l.src) && (l.src[i] == '?' || l.src[i] == '!') {
			i++
		}
		l.take(word, i-l.pos)
		return true
	case c == '?' && (class[next] >= letter || strings.IndexByte("/'\"`%#", next) >= 0) && !isWord(l.peek(2)) && spaced && l.expects():
		l.take(text, 2)
		return true
	case c == '$':
		l.take(mark, min(2, len(l.src)-l.pos)) // $' and other variables
		return true
	case c == '/' && l.expects():
		return l.regex(true)
	case c == '/' && spaced && class[next] != blank && next != '=' && l.prev(1).kind == word:
		return l.regex(false)
	case c == '%' && (l.expects() || spaced && next != '=' && class[next] == 0):
		return l.percent()
	case c == '<' && next == '<':
		i := l.pos + 2
		indent := i < len(l.src) && (l.src[i] == '~' || l.src[i] == '-')
		if indent {
			i++
		} else if !l.expects() && !spaced {
			return false
		}
		return l.heredoc(i, indent, indent)
	}
	return false
}

// heredoc reads the mark of a document, whose tag is at i; any tag when sure, else one in capitals.
func (l *lexer) heredoc(i int, indent, sure bool) bool {
	if i >= len(l.src) {
		return false
	}
	quote := l.src[i]
	if quote == '"' || quote == '\'' || quote == '`' {
		i++
	} else {
		quote = 0
	}
	n := i
	for n < len(l.src) && isWord(l.src[n]) {
		n++
	}
	if n == i || class[l.src[i]] != letter || !sure && quote == 0 && !upper(l.src[i:n]+"X") || quote != 0 && (n >= len(l.src) ||
		l.src[n] != quote) {
		return false
	}
	l.docs = append(l.docs, heredoc{l.src[i:n], indent})
	if quote != 0 {
		n++
	}
	l.take(text, n-l.pos)
	return true
}

// percent reads %w[…], %(…) and their kin.
func (l *lexer) percent() bool {
	i := l.pos + 1
	if i < len(l.src) && strings.IndexByte("wWiIqQrsx", l.src[i]) >= 0 {
		i++
	}
	if i >= len(l.src) || isWord(l.src[i]) || l.src[i] <= ' ' || l.src[i] == '=' {
		return false
	}
	open := l.src[i]
	shut := partner[open]
	if open == '<' {
		shut = '>'
	}
	if i == l.pos+1 && shut == 0 && !strings.ContainsRune("|!/^", rune(open)) {
		return false
	}
	depth := 1
	for i++; i < len(l.src) && depth > 0; i++ {
		switch c := l.src[i]; {
		case c == '\\':
			i++
		case shut == 0 && c == open, shut != 0 && c == shut:
			depth--
		case c == open:
			depth++
		}
	}
	l.take(text, min(i, len(l.src))-l.pos)
	return true
}

// readRuby finds def, class and module, whose end is at their column, and constants.
func readRuby(f *File, src string) {
	if n := strings.Index("\n"+src, "\n__END__\n"); n >= 0 {
		src = src[:n]
	}
	r := newIndentation(f, rubySyntax, src)
	for i := range r.toks {
		if r.is(i, ";") {
			r.toks[i].kind = gone
		}
	}
	var skip [][2]int
	for i := range r.toks {
		if r.opens(i) && (r.is(i, "require") || r.is(i, "require_relative") || r.is(i, "load") || r.is(i, "autoload")) {
			skip = append(skip, [2]int{i, r.lineEnd(i)})
		}
	}
	r.rubyScope(0, len(r.toks), "", 0)
	f.sort()
	f.toks = r.toks
	f.takeTokens(skip)
}

// lineEnd returns the first token of a later line than token i.
func (r *indentation) lineEnd(i int) int {
	n := i + 1
	for n < len(r.toks) && r.toks[n].line == r.toks[i].line {
		n++
	}
	return n
}

func (r *indentation) rubyScope(a, b int, in string, depth int) {
	for i := a; i < b; i++ {
		if i > a && !r.opens(i) && !r.is(i-1, ";") || r.toks[i].kind != word {
			continue
		}
		kw := i
		for n := 0; n < 4 && kw+1 < b && !r.is(kw, "def") && r.toks[kw].kind == word && r.toks[kw+1].kind == word &&
			r.toks[kw+1].line == r.toks[i].line; n++ {
			kw++ // private def x
		}
		if !r.is(kw, "def") {
			kw = i
		}
		switch r.toks[kw].text {
		case "def", "class", "module":
		default:
			if n := i; r.is(n+1, "=") && r.toks[n].text[0] >= 'A' && r.toks[n].text[0] <= 'Z' && n+2 < b {
				if end := r.rubyStatement(i, b); end > 0 {
					r.declare(dotted(in, r.toks[n].text), Value, i, end)
					i = end - 1
				}
			}
			continue
		}
		name, after := r.rubyName(kw, b)
		if name == "" {
			continue
		}
		end := r.rubyEnd(i, after, b, r.is(kw, "def"))
		if end < 0 {
			continue
		}
		switch {
		case r.is(kw, "def"):
			r.declare(dotted(in, name), Func, i, end)
			i = end - 1
		case name == "<<":
			if depth < deepest {
				r.rubyScope(after, end-1, in, depth+1)
			}
			i = end - 1
		default:
			kind := Type
			if r.is(kw, "module") {
				kind = Module
			}
			r.declare(dotted(in, name), kind, i, end)
			if depth < deepest {
				r.rubyScope(after, end-1, dotted(in, name), depth+1)
			}
			i = end - 1
		}
	}
}

// rubyName returns the name after the keyword at kw, and the token after it.
func (r *indentation) rubyName(kw, b int) (string, int) {
	i := kw + 1
	if i >= b || r.toks[i].line != r.toks[kw].line {
		return "", i
	}
	if r.is(kw, "class") && r.is(i, "<") && r.is(i+1, "<") {
		return "<<", i + 2
	}
	if !r.is(kw, "def") {
		name := ""
		for i < b && (r.toks[i].kind == word || r.is(i, "::")) && r.toks[i].line == r.toks[kw].line {
			if r.toks[i].kind == word {
				if name != "" && !r.is(i-1, "::") {
					break
				}
				name = dotted(name, r.toks[i].text)
			}
			i++
		}
		return name, i
	}
	if r.toks[i].kind == word && r.is(i+1, ".") && r.to[i] == r.from[i+1] { // def self.x
		i += 2
	}
	if i >= b {
		return "", i
	}
	first := i
	if r.toks[i].kind == word {
		i++
		if r.is(i, "=") && r.from[i] == r.to[i-1] && (r.is(i+1, "(") || i+1 < b && r.from[i+1] > r.to[i] && r.toks[i+1].kind == word &&
			r.toks[i+1].line == r.toks[i].line) && !r.is(i, "==") {
			i++
		}
	} else {
		for i < b && (r.toks[i].kind == mark && !r.is(i, "(") && !r.is(i, ";") || r.toks[i].kind == text) && (i == first ||
			r.from[i] == r.to[i-1]) {
			i++
		}
	}
	if i == first {
		return "", i
	}
	return r.src[r.from[first]:r.to[i-1]], i
}

// rubyEnd returns the token after the end of what begins at token i and whose name ends before after; -1 when it is not
// certain.
func (r *indentation) rubyEnd(i, after, b int, def bool) int {
	n := after
	if def && r.is(n, "(") {
		if n = int(r.match[n]) + 1; n <= after || n > b {
			return -1
		}
	}
	if def && r.is(n, "=") {
		return r.rubyStatement(i, b)
	}
	margin := r.margin(i)
	line := r.toks[i].line
	for n < b && r.toks[n].line == line {
		n++
	}
	if last := n - 1; last > after-1 && r.is(last, "end") { // def x; end
		return n
	}
	if !r.opens(i) {
		return -1
	}
	for ; n < b; n++ {
		if r.toks[n].kind == text || !r.opens(n) {
			continue
		}
		switch m := r.margin(n); {
		case len(m) > len(margin):
		case m == margin && r.is(n, "end"):
			return n + 1
		case m == margin && (r.is(n, "rescue") || r.is(n, "ensure") || r.is(n, "else") || r.is(n, ")") || r.is(n, "private") ||
			r.is(n, "protected") || r.is(n, "public")):
		default:
			return -1
		}
	}
	return -1
}

// rubyStatement returns the token after a statement that begins at i: its brackets, its deeper lines, and the end of its
// block.
func (r *indentation) rubyStatement(i, b int) int {
	margin := len(r.margin(i))
	n := i + 1
	for n < b {
		if m := int(r.match[n-1]); m < 0 {
			return -1
		} else if m >= n && m < b {
			n = m + 1
			continue
		}
		if int(r.toks[n].line) > r.endLine(n-1) && r.toks[n].kind != text {
			if d := len(r.margin(n)); d < margin || d == margin && !r.is(n, ".") {
				if d == margin && r.is(n, "end") && r.toks[n].line > r.toks[i].line {
					n++
				}
				break
			}
		}
		n++
	}
	return n
}

// declare adds a symbol of the tokens from a to before b.
func (r *indentation) declare(name string, kind Kind, a, b int) {
	r.f.add(name, kind, int(r.toks[a].line), r.endLine(b-1), r.toks[a:b])
}

func specialShell(l *lexer, c byte) bool {
	next := l.peek(1)
	begins := l.pos == 0 || class[l.src[l.pos-1]] == blank || class[l.src[l.pos-1]] == newline ||
		strings.IndexByte(";&|()", l.src[l.pos-1]) >= 0
	switch {
	case c == '#' && begins:
		l.pos = l.eol(l.pos)
		return true
	case c == '\\':
		if next == '\n' {
			l.pos += 2
			return true
		}
		l.take(mark, min(2, len(l.src)-l.pos))
		return true
	case c == '$' && next == '\'':
		from := l.pos
		l.pos += 2
		l.rest(multi, "'", from)
		return true
	case c == '$' && (next == '#' || next == '$'):
		l.take(mark, 2)
		return true
	case c == '#':
		l.take(mark, 1)
		return true
	case c == '<' && next == '<' && l.peek(2) == '<':
		l.take(mark, 3)
		return true
	case c == '<' && next == '<':
		i := l.pos + 2
		indent := i < len(l.src) && l.src[i] == '-'
		if indent {
			i++
		}
		for i < len(l.src) && (l.src[i] == ' ' || l.src[i] == '\\') {
			i++
		}
		return l.heredoc(i, indent, true)
	}
	return false
}

// readShell finds functions whose } is at their column.
func readShell(f *File, src string) {
	r := newIndentation(f, shellSyntax, src)
	type decl struct {
		name     string
		from, to int
	}
	var found []decl
	for i := 0; i < len(r.toks); i++ {
		if r.toks[i].kind != word || !r.opens(i) {
			continue
		}
		n, body := i, -1
		if r.is(i, "function") && i+1 < len(r.toks) {
			n++
		}
		first := n
		for n+1 < len(r.toks) && r.to[n] == r.from[n+1] && !r.is(n+1, "(") && !r.is(n+1, "{") && r.toks[n+1].line == r.toks[i].line &&
			r.toks[n+1].kind <= mark && r.toks[n+1].kind != text {
			n++ // a-b, a::b
		}
		switch {
		case r.is(n+1, "(") && r.is(n+2, ")"):
			body = n + 3
		case first > i:
			body = n + 1
		}
		if body < 0 || !r.is(body, "{") && !r.is(body, "(") {
			continue
		}
		end := int(r.match[body])
		if end <= body || r.toks[end].line != r.toks[i].line && (!r.opens(end) || r.margin(end) != r.margin(i)) {
			continue
		}
		found = append(found, decl{r.src[r.from[first]:r.to[n]], i, end + 1})
		i = end
	}
	// Blanks and line ends have meaning: what touches is one token.
	at := make([]int, len(r.toks)+1)
	separate := func(i int) bool { return r.toks[i].kind == mark && strings.Contains(";;&&||()<>{}", r.toks[i].text) }
	for i, t := range r.toks {
		if i > 0 && int(t.line) > r.endLine(i-1) {
			if n := len(f.toks); n > 0 && !(f.toks[n-1].kind != text && goesOnShell[f.toks[n-1].text]) && !r.is(i, ")") && !r.is(i, ";;") {
				f.toks = append(f.toks, token{";", f.toks[n-1].line, layout})
			}
		}
		at[i] = len(f.toks)
		if i > 0 && r.to[i-1] == r.from[i] && !separate(i) && !separate(i-1) && len(f.toks) > 0 && f.toks[len(f.toks)-1].kind != layout {
			last := &f.toks[len(f.toks)-1]
			last.text, last.kind = r.src[int(r.to[i-1])-len(last.text):r.to[i]], number
			at[i] = len(f.toks) - 1
			continue
		}
		t.text = r.src[r.from[i]:r.to[i]]
		f.toks = append(f.toks, t)
	}
	at[len(r.toks)] = len(f.toks)
	f.bare = f.toks
	for _, d := range found {
		f.add(d.name, Func, int(r.toks[d.from].line), r.endLine(d.to-1), f.toks[at[d.from]:at[d.to-1]+1])
	}
	f.sort()
}

var goesOnShell = set("; ;; & && | || do then else elif { ( in")

func specialSQL(l *lexer, c byte) bool {
	if c != '$' {
		return false
	}
	n := l.pos + 1
	for n < len(l.src) && isWord(l.src[n]) {
		n++
	}
	if n < len(l.src) && l.src[n] == '$' && l.bodies < mostBodies && !strings.EqualFold(l.prev(1).text, "delimiter") && (n == l.pos+1 ||
		class[l.src[l.pos+1]] == letter) {
		tag := l.src[l.pos : n+1]
		from := l.pos
		l.pos = n + 1
		if end := strings.Index(l.src[l.pos:], tag); end >= 0 && l.bodies < mostBodies {
			l.sqlBody(from, l.pos+end)
			return true
		}
		l.bodies++ // a text with many marks that have no partner is no SQL
		l.pos = from
	}
	l.take(mark, 1)
	return true
}

const mostBodies = 4 // inside each other, or without an end

// sqlBody emits the words of a $$ body, without its comments, as tokens.
func (l *lexer) sqlBody(from, end int) {
	l.emit(text, "$$", from, l.pos)
	g := int32(len(l.groups))
	l.groups = append(l.groups, group{open: int32(len(l.toks) - 1), close: -1, up: l.top, shut: '$'})
	inner := &lexer{syn: l.syn, src: l.src[:end], pos: l.pos, top: -1, starts: l.starts, line: l.line, bodies: l.bodies + 1}
	inner.run()
	l.toks, l.from, l.to = append(l.toks, inner.toks...), append(l.from, inner.from...), append(l.to, inner.to...)
	for l.pos = end; l.pos < len(l.src) && l.src[l.pos] == '$' || l.pos < len(l.src) && isWord(l.src[l.pos]); l.pos++ {
	}
	l.groups[g].close = int32(len(l.toks))
	l.emit(text, "$$", end, l.pos)
}

var sqlKinds = map[string]Kind{"table": Type, "view": Type, "function": Func, "procedure": Func, "trigger": Func, "index": Value,
	"type": Type, "schema": Module,
	"sequence": Value, "domain": Type, "policy": Value, "database": Module, "event": Func, "macro": Func, "rule": Value, "aggregate": Func}

// readSQL finds what CREATE statements create. Case has no meaning outside quotes.
func readSQL(f *File, src string) {
	r := newIndentation(f, sqlSyntax, src)
	for i := range r.toks {
		if r.toks[i].kind == word {
			r.toks[i].text = strings.ToLower(r.toks[i].text)
		}
	}
	for i := 0; i < len(r.toks); {
		end, certain := r.sqlEnd(i)
		if r.is(i, "create") && certain {
			r.create(i, end)
		}
		i = end
	}
	f.sort()
	f.toks, f.bare = r.toks, r.toks
}

// sqlEnd returns the token after the statement at i: after its semicolon, outside brackets, bodies and blocks.
func (r *indentation) sqlEnd(i int) (end int, certain bool) {
	code, depth := false, 0
	if r.is(i, "create") || r.is(i, "alter") {
		for n := i + 1; n < min(i+9, len(r.toks)); n++ {
			if k := r.toks[n].text; r.toks[n].kind == word && (k == "function" || k == "procedure" || k == "trigger" || k == "event" ||
				k == "package") {
				code = true
			}
		}
	}
	for ; i < len(r.toks); i++ {
		if m := int(r.match[i]); m > i {
			i = m
			continue
		} else if m < 0 {
			return len(r.toks), false
		}
		switch {
		case r.is(i, ";") && depth == 0:
			return i + 1, true
		case r.is(i, "go") && r.opens(i) && i > 0 && r.lineEnd(i) == i+1:
			return i + 1, depth == 0
		case code && (r.is(i, "begin") || r.is(i, "case") && !r.is(i-1, "end")):
			depth++
		case code && r.is(i, "end") && !r.is(i+1, "if") && !r.is(i+1, "loop") && !r.is(i+1, "while") && !r.is(i+1, "repeat"):
			depth = max(depth-1, 0)
		}
	}
	return i, depth == 0
}

func (r *indentation) create(i, end int) {
	for n := i + 1; n < end && n < i+9; n++ {
		kind, ok := sqlKinds[r.toks[n].text]
		if !ok || r.toks[n].kind != word {
			continue
		}
		for n++; n < end && (r.is(n, "if") || r.is(n, "not") || r.is(n, "exists") || r.is(n, "concurrently")); n++ {
		}
		name := ""
		for n < end && (r.toks[n].kind == word || r.toks[n].kind == text || r.is(n, "[")) {
			part := strings.Trim(r.src[r.from[n]:r.to[n]], "\"`'")
			if r.is(n, "[") && n+1 < end {
				part = r.src[r.from[n+1]:r.to[n+1]]
				n += 2
			}
			name = dotted(name, part)
			if n++; !r.is(n, ".") {
				break
			}
			n++
		}
		last := end
		for last > i+1 && (r.is(last-1, "go") || r.is(last-1, ";")) {
			last--
		}
		if end > last && r.is(last, ";") {
			last++
		}
		if name != "" && !r.is(i+1, "index") || name != "on" && name != "" {
			r.declare(name, kind, i, last)
		}
		return
	}
}
