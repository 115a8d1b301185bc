package symbol

import (
	"cmp"
	"strings"
)

var (
	rubySyntax  = &syntax{lang: "ruby", hash: true, commas: true, quotes: quotes(rubyText, multi, multi), special: specialRuby}
	shellSyntax = &syntax{lang: "shell", quotes: quotes(&quote{escapes: true, lines: true, open: "$(", braces: true}, lines, multi),
		special: specialShell, openers: []opener{{"$'", multi, "'"}}}
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
	f.aside = l.aside
	return &indentation{l, f}
}

// opens reports whether token i is the first of its line.
func (r *indentation) opens(i int) bool {
	return strings.TrimSpace(r.src[r.starts[r.toks[i].line-1]:r.from[i]]) == ""
}

// margin returns the blanks before the first token in the line of token i.
func (r *indentation) margin(i int) string {
	start := int(r.starts[r.toks[i].line-1])
	return r.src[start:r.spanOf(start, " \t")]
}

func specialRuby(l *lexer, c byte) bool {
	next := l.peek(1)
	lineStart := l.pos == 0 || l.src[l.pos-1] == '\n'
	spaced := l.pos > 0 && class[l.src[l.pos-1]] != 0 && class[l.src[l.pos-1]] <= newline
	switch {
	case c == '=' && lineStart && l.at("=begin"):
		text, _, _ := strings.Cut(l.src[l.pos:], "\n=end")
		l.skip(l.eol(l.pos + len(text) + 1))
		return true
	case (c == '@' || c == '$') && (class[next] == letter || next == '@'), c == ':' && class[next] == letter && l.prev(1).text != ":":
		i := l.wordEnd(l.spanOf(l.pos+1, "@"))
		if c == ':' && (l.byteAt(i) == '?' || l.byteAt(i) == '!') {
			i++
		}
		l.take(word, i-l.pos)
		return true
	case c == '?' && (class[next] >= letter || strings.IndexByte("/'\"`%#", next) >= 0) && !isWord(l.peek(2)) && spaced && l.expects():
		l.take(text, 2)
		return true
	case c == '$':
		l.take(mark, 2) // $' and other variables
		return true
	case c == '/' && l.expects():
		return l.regex(true)
	case c == '/' && spaced && class[next] != blank && next != '=' && l.prev(1).kind == word:
		return l.regex(false)
	case c == '%' && (l.expects() || spaced && next != '=' && class[next] == 0):
		return l.percent()
	case c == '<' && next == '<':
		if indent := l.peek(2) == '~' || l.peek(2) == '-'; indent || l.expects() || spaced {
			return l.heredoc(l.spanOf(l.pos+2, "~-"), indent, indent)
		}
	}
	return false
}

// heredoc reads the mark of a document, whose tag is at i; any tag when sure, else one in capitals.
func (l *lexer) heredoc(i int, indent, sure bool) bool {
	quote := l.byteAt(i)
	quoted := quote == '"' || quote == '\'' || quote == '`'
	if quoted {
		i++
	}
	n := l.wordEnd(i)
	if n == i || class[l.src[i]] != letter || !sure && !quoted && !upper(l.src[i:n]+"X") || quoted && l.byteAt(n) != quote {
		return false
	}
	l.docs = append(l.docs, heredoc{l.src[i:n], indent})
	if quoted {
		n++
	}
	l.take(text, n-l.pos)
	return true
}

// percent reads %w[…], %(…) and their kin.
func (l *lexer) percent() bool {
	i := l.pos + 1
	if strings.IndexByte("wWiIqQrsx", l.byteAt(i)) >= 0 {
		i++
	}
	open := l.byteAt(i)
	shut := cmp.Or(partner[open], open)
	if isWord(open) || open <= ' ' || open == '=' || i == l.pos+1 && shut == open && strings.IndexByte("|!/^", open) < 0 {
		return false
	}
	depth := 1
	for i++; i < len(l.src) && depth > 0; i++ {
		switch l.src[i] {
		case '\\':
			i++
		case shut:
			depth--
		case open:
			depth++
		}
	}
	l.take(text, i-l.pos)
	return true
}

// readRuby finds def, class and module, whose end is at their column, and constants.
func readRuby(f *File, src string) (imports [][2]int) {
	src, _, _ = strings.Cut(src, "\n__END__\n")
	r := newIndentation(f, rubySyntax, src)
	for i := range r.toks {
		if r.is(i, ";") {
			r.toks[i].kind = gone
		}
	}
	for i := range r.toks {
		if r.opens(i) && (r.is(i, "require") || r.is(i, "require_relative") || r.is(i, "load") || r.is(i, "autoload")) {
			imports = append(imports, [2]int{i, r.lineEnd(i)})
		}
	}
	r.rubyScope(0, len(r.toks), "", 0)
	f.toks = r.toks
	return imports
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
		kind, known := rubyKinds[r.toks[kw].text]
		name, after, end := r.toks[i].text, i+1, 0
		switch {
		case known:
			if name, after = r.rubyName(kw, b); name != "" {
				end = r.rubyEnd(i, after, b, kind == Func)
			}
		case r.is(i+1, "=") && name[0] >= 'A' && name[0] <= 'Z' && i+2 < b:
			kind, end = Value, r.rubyStatement(i, b)
		}
		if end <= 0 {
			continue
		}
		inner := in
		if name != "<<" || kind == Func {
			inner = dotted(in, name)
			r.declare(inner, kind, i, end)
		}
		if (kind == Type || kind == Module) && depth < deepest {
			r.rubyScope(after, end-1, inner, depth+1)
		}
		i = end - 1
	}
}

var rubyKinds = map[string]Kind{"def": Func, "class": Type, "module": Module}

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
		for ; i < b && r.toks[i].line == r.toks[kw].line; i++ {
			if r.toks[i].kind == word && (name == "" || r.is(i-1, "::")) {
				name = dotted(name, r.toks[i].text)
			} else if !r.is(i, "::") {
				break
			}
		}
		return name, i
	}
	touches := func(n int) bool { return n < b && r.from[n] == r.to[n-1] }
	if r.toks[i].kind == word && r.is(i+1, ".") && touches(i+1) { // def self.x
		i += 2
	}
	first := i
	for i < b && (i == first || touches(i)) && (r.toks[i].kind == text || r.toks[i].kind == mark && !r.is(i, "(") && !r.is(i, ";")) {
		i++ // an operator
	}
	if i == first && i < b && r.toks[i].kind == word {
		i++
		setter := r.is(i+1, "(") || i+1 < b && !touches(i+1) && r.toks[i+1].kind == word && r.toks[i+1].line == r.toks[i].line
		if r.is(i, "=") && touches(i) && setter {
			i++
		}
	}
	if i == first { // no name
		return "", i
	}
	return r.src[r.from[first]:r.to[i-1]], i
}

// rubyEnd returns the token after the end of what begins at token i and whose name ends before after; -1 when it is not certain.
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
	n = min(max(n, r.lineEnd(i)), b)
	if n > after && r.is(n-1, "end") { // def x; end
		return n
	}
	if !r.opens(i) {
		return -1
	}
	for margin := r.margin(i); n < b; n++ {
		if r.toks[n].kind == text || !r.opens(n) {
			continue
		}
		switch m := r.margin(n); {
		case len(m) > len(margin) || m == margin && besideBody[r.toks[n].text]:
		case m == margin && r.is(n, "end"):
			return n + 1
		default:
			return -1
		}
	}
	return -1
}

var besideBody = set("rescue ensure else ) private protected public") // lines of a definition at its column

// rubyStatement returns the token after a statement that begins at i: its brackets, its deeper lines, and the end of its block.
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
				if d == margin && r.is(n, "end") {
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
		l.take(mark, 2)
		return true
	case c == '$' && (next == '#' || next == '$'):
		l.take(mark, 2)
		return true
	case l.at("<<<"):
		l.take(mark, 3)
		return true
	case l.at("<<"):
		return l.heredoc(l.spanOf(l.pos+2, `- \`), l.peek(2) == '-', true)
	}
	return false
}

// readShell finds functions whose } is at their column.
func readShell(f *File, src string) (imports [][2]int) {
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
	for _, d := range found {
		f.add(d.name, Func, int(r.toks[d.from].line), r.endLine(d.to-1), f.toks[at[d.from]:at[d.to-1]+1])
	}
	return nil
}

var goesOnShell = set("; ;; & && | || do then else elif { ( in")

func specialSQL(l *lexer, c byte) bool {
	if c != '$' {
		return false
	}
	n := l.wordEnd(l.pos + 1)
	if l.byteAt(n) == '$' && l.bodies < mostBodies && !strings.EqualFold(l.prev(1).text, "delimiter") && class[l.src[l.pos+1]] != digit {
		if text, _, ok := strings.Cut(l.src[n+1:], l.src[l.pos:n+1]); ok {
			l.sqlBody(n+1, n+1+len(text))
			return true
		}
		l.bodies++ // a text with many marks that have no partner is no SQL
	}
	l.take(mark, 1)
	return true
}

const mostBodies = 4 // inside each other, or without an end

// sqlBody emits the words of a $$ body from start to end, without its comments, as tokens.
func (l *lexer) sqlBody(start, end int) {
	tag := start - l.pos
	l.emit(text, "$$", l.pos, start)
	inner := &lexer{syn: l.syn, src: l.src[:end], pos: start, top: -1, starts: l.starts, line: l.line, bodies: l.bodies + 1}
	inner.run()
	l.groups = append(l.groups, group{open: int32(len(l.toks) - 1), close: int32(len(l.toks) + len(inner.toks)), up: l.top, shut: '$'})
	l.toks, l.from, l.to = append(l.toks, inner.toks...), append(l.from, inner.from...), append(l.to, inner.to...)
	l.pos = end + tag
	l.emit(text, "$$", end, l.pos)
}

var sqlKinds = byWord(map[string]Kind{"table view type domain": Type, "function procedure trigger event macro aggregate": Func,
	"index sequence policy rule": Value, "schema database": Module})

// readSQL finds what CREATE statements create. Case has no meaning outside quotes.
func readSQL(f *File, src string) (imports [][2]int) {
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
	f.toks = r.toks
	return nil
}

// sqlEnd returns the token after the statement at i: after its semicolon, outside brackets, bodies and blocks.
func (r *indentation) sqlEnd(i int) (end int, certain bool) {
	code, depth := false, 0
	for n := i + 1; (r.is(i, "create") || r.is(i, "alter")) && n < min(i+9, len(r.toks)); n++ {
		code = code || r.toks[n].kind == word && hasCode[r.toks[n].text]
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
		case code && r.is(i, "end") && !(i+1 < len(r.toks) && afterEnd[r.toks[i+1].text]):
			depth = max(depth-1, 0)
		}
	}
	return i, depth == 0
}

var (
	hasCode   = set("function procedure trigger event package")
	afterEnd  = set("if loop while repeat")
	beforeSQL = set("if not exists concurrently") // between a kind and a name
)

// create adds what the statement from i to end creates: the name after its kind.
func (r *indentation) create(i, end int) {
	n := i + 1
	for ; n < min(end, i+9) && sqlKinds[r.toks[n].text] == ""; n++ {
	}
	if n == end || n == i+9 {
		return
	}
	kind, name := sqlKinds[r.toks[n].text], ""
	for n++; n < end && beforeSQL[r.toks[n].text]; n++ {
	}
	for part := true; n < end && part; n++ {
		if r.is(n, "[") && n+2 < end {
			n++
		}
		if r.toks[n].kind != word && r.toks[n].kind != text {
			break
		}
		name = dotted(name, strings.Trim(r.src[r.from[n]:r.to[n]], "\"`'"))
		if r.is(n+1, "]") {
			n++
		}
		n++
		part = r.is(n, ".")
	}
	last := end
	for last > i+1 && (r.is(last-1, "go") || r.is(last-1, ";")) {
		last--
	}
	if r.is(last, ";") && last < end {
		last++
	}
	if name != "" && !(r.is(i+1, "index") && name == "on") {
		r.declare(name, kind, i, last)
	}
}
