package symbol

import (
	"slices"
	"strings"
)

// role is what a word does at the beginning of a declaration.
type role uint8

const (
	none role = iota
	modifier
	typ     // class, struct, …: a name and perhaps a body of declarations
	enum    // as typ, with constants at the beginning of its body
	closed  // as typ, without declarations in its body
	space   // namespace: its name is no part of the names inside
	impl    // a body of declarations that belong to a type
	fn      // a name, parameters, perhaps a body
	value   // a name and a value
	alias   // a type without a body
	imports // a statement that only names other files and modules
	skip    // a statement without a name
	label   // words before a colon that ends them
)

type decls struct {
	roles   map[string]role
	pairs   map[string]bool // two keywords, joined by +, of which the first is a modifier
	lines   bool            // a line end may end a statement
	typed   bool            // members are "type name(…)" or "type name = …"
	classes bool            // the members of a class have no keyword: "name(…) { }" (JavaScript)
}

var (
	jsDecls = &decls{lines: true, classes: true, pairs: set("const+enum"), roles: byWord(map[string]role{
		"export default declare abstract async": modifier, "class interface": typ, "enum": closed, "namespace module global": space,
		"function": fn, "const let var": value, "type": alias, "import": imports})}
	kotlinDecls = &decls{lines: true, pairs: set("enum+class enum+interface fun+interface"), roles: byWord(map[string]role{
		`public private protected internal open abstract final sealed data inner inline value annotation override lateinit const suspend
			operator infix tailrec external expect actual companion`: modifier,
		"class interface object": typ, "enum": enum, "fun constructor": fn, "val var": value, "typealias": alias, "import package": imports,
		"init": skip})}
	swiftDecls = &decls{lines: true, pairs: set("class+func class+var class+let class+override class+final class+subscript"),
		roles: byWord(map[string]role{
			`public private internal fileprivate open final static override mutating nonmutating lazy weak unowned dynamic optional required
			convenience indirect async nonisolated isolated consuming borrowing prefix postfix infix distributed package`: modifier,
			"class struct enum protocol actor": typ, "extension": impl, "func init deinit subscript": fn, "let var": value,
			"typealias associatedtype": alias,
			"import":                   imports, "case operator precedencegroup": skip})}
	rustDecls = &decls{pairs: set("const+fn const+unsafe const+async const+extern"), roles: byWord(map[string]role{
		"pub async unsafe extern default auto": modifier, "trait": typ, "struct enum union": closed, "mod": space, "impl": impl,
		"fn macro_rules": fn,
		"const static":   value, "type": alias, "use": imports})}
	phpDecls = &decls{roles: byWord(map[string]role{
		"abstract final public private protected static readonly var": modifier, "class interface trait enum": typ, "namespace": space,
		"function": fn, "const": value, "use require require_once include include_once": imports, "case": skip})}
	javaDecls = &decls{typed: true, roles: byWord(map[string]role{
		"public private protected static final abstract native synchronized transient volatile strictfp default sealed non": modifier,
		"class interface record": typ, "enum": enum, "import package": imports})}
	csDecls = &decls{typed: true, pairs: set("record+class record+struct"), roles: byWord(map[string]role{
		`public private protected internal static readonly sealed abstract virtual override async extern unsafe partial new ` +
			`const volatile
			ref required file event fixed scoped global`: modifier,
		"class struct interface record": typ, "enum": closed, "namespace": space, "delegate": alias, "using": imports})}
	cDecls = &decls{typed: true, roles: byWord(map[string]role{"extern inline friend template static const constexpr": modifier,
		"class struct union": typ, "enum": closed, "namespace": space, "typedef": alias, "using": imports,
		"static_assert _Static_assert asm __asm__": skip, "public private protected signals Q_SIGNALS": label})}
)

// deepest is the number of containers inside each other that are read: each one costs a fingerprint of what it contains.
const deepest = 12

// walker finds the declarations in the tokens of a language with brackets.
type walker struct {
	*lexer
	f       *File
	d       *decls
	c       bool     // C and C++
	skipped [][2]int // the tokens of imports
	bodies  map[string]bool
	drafts  []int // symbols without a body
	header  bool  // the header of a class is read
	lost    bool  // the end of the statement is not certain: nothing of it is added
}

type container struct {
	name   string // "" at the top and in namespaces of the top
	depth  int
	indent int32 // the column of its first line, -1 at the top
	class  bool
}

func (syn *syntax) language() language {
	return language{syn.lang, func(f *File, src string) (imports [][2]int) {
		l := newLexer(syn, src)
		if syn.lang == "php" {
			l.html()
		}
		l.run()
		w := &walker{lexer: l, f: f, d: syn.decls, c: syn.decls == cDecls, bodies: map[string]bool{}}
		if syn.jsx || syn.lang == "typescript" {
			w.plainJS()
		}
		for i := range w.toks {
			if w.is(i, ";") && (w.is(i-1, ";") || w.is(i-1, "}") && (syn.lang == "java" || syn.lang == "csharp")) {
				w.toks[i].kind = gone // an empty statement
			}
			if syn.lang == "rust" && w.is(i, ",") && w.is(i-1, "}") && !w.is(i+1, ")") {
				w.toks[i].kind = gone // after the block of a match arm
			}
		}
		w.walk(0, len(l.toks), container{indent: -1})
		w.defines()
		w.finish()
		f.toks, f.aside, f.steps = l.toks, l.aside, l.steps
		return w.skipped
	}}
}

func (w *walker) isWord(i int) bool { return i >= 0 && i < len(w.toks) && w.toks[i].kind == word }

func (w *walker) role(i int) role {
	if i < len(w.toks) && w.toks[i].kind == word {
		return w.d.roles[w.toks[i].text]
	}
	return none
}

func (w *walker) newLine(i int) bool {
	return i <= 0 || i >= len(w.toks) || w.toks[i].line > w.toks[i-1].line && w.toks[i].line > int32(w.endLine(i-1))
}

// indent returns the column of the first token in the line of token i.
func (w *walker) indent(i int) int32 {
	start := w.starts[w.toks[i].line-1]
	n := start
	for int(n) < len(w.src) && class[w.src[n]] == blank {
		n++
	}
	return n - start
}

// over returns the token after the group that begins at i. Without an end before end the statement is lost.
func (w *walker) over(i, end int) int {
	if i < end {
		if m := int(w.match[i]); m > i && m < end {
			return m + 1
		}
	}
	return w.lose(i, end)
}

// lose ends a statement that goes on at i, and returns the next token at which another can begin.
func (w *walker) lose(i, end int) int {
	w.lost = true
	for n := i + 1; n < end; n++ {
		if w.toks[n].line > w.toks[i].line {
			return n
		}
	}
	return end
}

// angle returns the token after the type arguments that begin at i, i itself when they are none.
func (w *walker) angle(i, end int) int {
	depth := 0
	for j := i; j < end && j < i+400 && w.is(i, "<"); j++ {
		w.step()
		if w.toks[j].kind != mark {
			continue
		}
		switch w.toks[j].text {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return j + 1
			}
		case "(", "[", "{":
			m := int(w.match[j])
			if m < j || m >= end {
				return i
			}
			j = m
		case ";", ")", "]", "}", "&&", "||":
			return i
		}
	}
	return i
}

// stop finds the end of the statement that goes on at i: next is the token after it, and brace its body, -1 for none.
func (w *walker) stop(i, end int, body bool) (brace, next int) {
	equals := false
	for first := i; i < end; i++ {
		w.step()
		t := w.toks[i]
		if t.kind == directive {
			continue
		}
		if w.d.lines && i > first && w.newLine(i) && !w.continues(i, body, equals) {
			return -1, i
		}
		if t.kind == text && int(w.match[i]) > i {
			i = int(w.match[i]) - 1
			continue
		}
		if t.kind == text || t.kind == word {
			continue
		}
		switch t.text {
		case ";":
			return -1, i + 1
		case "=":
			body, equals = false, true
		case "<":
			if body {
				i = max(w.angle(i, end)-1, i)
			}
		case "=>":
			body = body && w.d.classes
		case ")", "]", "}":
			return -1, w.lose(first, end)
		case "(", "[", "{":
			n := w.over(i, end)
			switch {
			case w.lost:
				return -1, w.lose(first, end)
			case t.text == "{" && body && !(w.d.classes && i > 0 && beforeType[w.toks[i-1].text]):
				return i, n
			}
			i = n - 1
		}
	}
	return -1, end
}

var beforeType = set(": | & => < , ? extends is") // what an object type of a signature follows

var (
	goesOnAfter = set("= + - * / % & | ^ < , ( [ { . : => -> && || ?? == != <= :: in instanceof extends as is implements new typeof " +
		"keyof await where else by of satisfies")
	goesOnAt = set("= + - * / % & | ^ < > , ) ] } . ? : => -> && || ?? == != <= :: in instanceof extends as is implements where else by " +
		"of satisfies throws rethrows")
)

// continues reports whether a statement goes on at token i, the first of its line.
func (w *walker) continues(i int, body, equals bool) bool {
	a, b := w.toks[i-1], w.toks[i]
	if (a.kind == mark || a.kind == word) && goesOnAfter[a.text] || (b.kind == mark || b.kind == word) && goesOnAt[b.text] {
		return !(a.text == "*" && w.syn.lang == "kotlin")
	}
	switch b.text {
	case "{":
		return body && b.kind == mark
	case "(", "[":
		return w.d.classes && equals && b.kind == mark
	case "get", "set":
		return w.syn.lang == "kotlin" && b.kind == word && (w.is(i+1, "(") || w.newLine(i+1))
	case "private", "protected", "internal", "public", "constructor", "@":
		if w.syn.lang == "kotlin" && w.header {
			for n := i; n < i+6 && n < len(w.toks); n++ {
				if w.is(n, "constructor") {
					return true
				}
			}
		}
		return w.syn.lang == "kotlin" && w.is(i+1, "set") && w.newLine(i+2)
	case "async":
		return w.syn.lang == "swift" && !w.isWord(i+1)
	}
	return a.text == "?" && w.d.classes && a.kind == mark || b.kind == text && strings.HasPrefix(b.text, "`") && w.d.classes
}

func (w *walker) attributes(i, end int) int {
	for first := i; i < end; {
		next := w.is(i+1, "[")
		switch t := w.toks[i]; {
		case t.kind == directive && i > first: // #if around an attribute
			i++
		case w.is(i, "@") && w.isWord(i+1) && !w.is(i+1, "interface"):
			i += 2
			for (w.is(i, ".") || w.is(i, ":") && w.syn.lang == "kotlin") && w.isWord(i+1) {
				i += 2
			}
			if w.is(i, "(") && w.from[i] == w.to[i-1] {
				i = w.over(i, end)
			}
		case w.is(i, "#") && (next && w.syn.lang != "c" || w.is(i+1, "!") && w.is(i+2, "[")):
			for !w.is(i, "[") {
				i++
			}
			i = w.over(i, end)
		case w.is(i, "[") && (w.syn.lang == "csharp" || w.c && next):
			i = w.over(i, end)
		default:
			return i
		}
	}
	return i
}

// begins reports whether the word at i is a keyword there and no name.
func (w *walker) begins(i int) bool {
	if i+1 >= len(w.toks) {
		return false
	}
	n, keyword := w.toks[i+1], w.toks[i].text
	switch {
	case n.kind == word || n.kind == text:
		return true
	case n.kind != mark:
		return false
	case n.text == "(":
		return beforeBracket[keyword] || keyword == "func"
	case n.text == "?" || n.text == "!":
		return keyword == "init" || keyword == "macro_rules" || w.syn.lang == "php"
	}
	return strings.Contains("{ @ # [ * < &", n.text) || keyword == "func" || keyword == "non"
}

var beforeBracket = set("pub init constructor subscript private public internal fileprivate package open unowned extern static_assert asm")

func (w *walker) walk(i, end int, in container) {
	for i < end {
		w.lost = false
		i = max(w.statement(i, end, in), i+1)
	}
	w.lost = false
}

// statement reads one declaration and returns the token after it.
func (w *walker) statement(s, end int, in container) int {
	members := in.class && w.d.classes
	if t := w.toks[s]; t.kind == directive || t.kind == gone || (t.kind == text || t.kind == number) && !members {
		return s + 1
	}
	i := w.attributes(s, end)
	if i >= end || w.is(s, "#") && w.is(s+1, "!") {
		return i
	}
	if members {
		return w.member(s, i, end, in)
	}
	constants := false
	for i < end {
		pair := w.role(i) != none && i+1 < end && w.d.pairs[w.toks[i].text+"+"+w.toks[i+1].text]
		macro := w.c && w.isWord(i) && upper(w.toks[i].text) && !w.newLine(i+1) && (w.role(i+1) == modifier || w.role(i+1) == typ)
		if !pair && !macro && (w.role(i) != modifier || !w.begins(i)) {
			break
		}
		constants = constants || w.role(i) == enum
		i++
		if w.is(i, "(") && w.syn.lang != "csharp" && !w.is(i-1, "extern") {
			i = w.over(i, end)
		}
		if w.c && w.is(i, "<") { // template
			n := w.angle(i, end)
			if n == i {
				return w.lose(i, end)
			}
			i = n
		}
		for i < end && w.toks[i].kind == text { // extern "C"
			i++
		}
		i = w.attributes(i, end)
	}
	if w.is(i, "@") && w.is(i+1, "interface") {
		i++
	}
	if i >= end {
		return end
	}
	r := w.role(i)
	switch {
	case r != none && !w.begins(i) && r != label:
		r = none
	case constants && r == typ:
		r = enum
	case w.is(i, "record") && !(w.isWord(i+1) && i+2 < end && strings.Contains("( < { : ;", w.toks[i+2].text)):
		r = none
	}
	switch {
	case r == label:
		return w.find(i, end, ":") + 1
	case r != none:
		return w.keyword(s, i, r, end, in)
	case w.is(i, "{") && i > s && (w.c || w.syn.lang == "rust"): // extern "C" { }
		n := w.over(i, end)
		w.walk(i+1, n-1, in)
		return n
	case w.d.typed:
		return w.typed(s, i, end, in)
	case w.syn.lang == "php" && i > s && in.name != "":
		return w.property(s, i, end, in)
	case w.d.classes:
		return w.assignment(s, i, end, in)
	}
	return w.pass(i, end)
}

// pass returns the token after a statement without a name.
func (w *walker) pass(i, end int) int {
	if w.is(i, "{") {
		return w.over(i, end)
	}
	if w.is(i, ";") || w.is(i, "}") || w.is(i, ")") {
		return i + 1
	}
	return w.after(i, end)
}

func (w *walker) after(i, end int) int {
	_, next := w.stop(i, end, true)
	return next
}

// keyword reads a declaration whose keyword is at i and that begins at s.
func (w *walker) keyword(s, i int, r role, end int, in container) int {
	switch r {
	case imports:
		return w.imported(s, i, end, in)
	case skip:
		return w.pass(i+1, end)
	case space:
		return w.namespace(s, i, end, in)
	case impl:
		return w.extension(s, i, end, in)
	}
	w.header = r == typ || r == enum
	brace, next := w.stop(i, end, r == fn || r == typ || r == enum || r == closed)
	w.header = false
	switch {
	case w.lost:
		return next
	case w.c && r == alias:
		return w.typedef(s, i, end, in)
	case w.c:
		return w.cType(s, i, r, brace, next, end, in)
	}
	n := i + 1
	for w.is(n, "*") || w.is(n, "&") || w.is(n, "!") || w.is(n, "mut") {
		n++
	}
	n = w.angle(n, next) // fun <T> name
	name := ""
	switch kw := w.toks[i].text; {
	case kw == "init" || kw == "deinit" || kw == "subscript" || kw == "constructor":
		name = kw
	case kw == "func" && n < next && w.toks[n].kind == mark:
		for ; n < next && w.toks[n].kind == mark && !w.is(n, "("); n++ {
			name += w.toks[n].text
		}
	case kw == "delegate":
		if n = w.nameBefore(w.find(n, next, "(")); n > i {
			name = w.toks[n].text
		}
	case w.isWord(n) && n < next:
		name = w.toks[n].text
		for w.syn.lang == "kotlin" && r != typ && r != enum { // List<T>?.name
			m := w.angle(n+1, next)
			for w.is(m, "?") {
				m++
			}
			if !w.is(m, ".") || !w.isWord(m+1) || m+1 >= next {
				break
			}
			n = m + 1
			name = w.toks[n].text
		}
	}
	name = strings.Trim(name, "`")
	switch r {
	case fn:
		w.add(in, name, Func, s, next, brace >= 0 || w.d.lines && !w.d.classes || w.has(i, next, "="))
	case alias:
		w.add(in, name, Type, s, next, true)
	case value:
		w.values(s, n, next, in)
	case typ, enum, closed:
		w.add(in, name, Type, s, next, true)
		if name != "" {
			in = w.into(in, name, s)
		}
		if brace >= 0 && r != closed && in.depth < deepest {
			from := brace + 1
			if r == enum { // after its constants
				from = min(w.find(from, next-1, ";")+1, next-1)
			}
			w.walk(from, next-1, in)
		}
	}
	return next
}

func (w *walker) into(in container, name string, s int) container {
	return container{name: dotted(in.name, name), depth: in.depth + 1, indent: w.indent(s), class: true}
}

// has reports whether a mark is between two tokens, outside brackets.
func (w *walker) has(i, end int, s string) bool { return w.find(i, end, s) < end }

func (w *walker) find(i, end int, s string) int {
	for ; i < end; i++ {
		w.step()
		if w.is(i, s) {
			return i
		}
		if w.match[i] > int32(i) {
			i = int(w.match[i])
		}
	}
	return end
}

// values adds the names of "const a = 1, b = 2", each with its own part when there are several.
func (w *walker) values(s, n, next int, in container) {
	from := s
	for n < next {
		comma := next
		if w.syn.lang == "php" {
			comma = w.find(n, next, ",")
		} else if w.d.classes {
			comma = w.comma(n, next)
		}
		if w.syn.lang == "php" && w.isWord(n+1) {
			n++ // const int X = 1
		}
		if w.isWord(n) {
			kind := Value
			if w.d.classes && w.isFunc(w.find(n, comma, "=")+1, comma) {
				kind = Func
			}
			w.add(in, strings.Trim(w.toks[n].text, "`"), kind, from, comma, true)
		}
		n = comma + 1
		from = n
	}
}

// comma returns the comma after the declarator at n, next for the last one.
func (w *walker) comma(n, next int) int {
	for j := n; j < next; j++ {
		switch m := int(w.match[j]); {
		case m > j:
			j = m
		case w.is(j, ","):
			return j
		case w.is(j, "<"):
			if m = w.angle(j, next); m > j && (!w.has(j+1, m-1, "=") || w.typeParameters(j)) {
				j = m - 1
			}
		}
	}
	return next
}

// typeParameters reports that < at i begins those of a function, which may have defaults.
func (w *walker) typeParameters(i int) bool {
	if w.isWord(i-1) && (w.is(i-2, "function") || w.is(i-2, "*")) {
		i--
	}
	return w.is(i-1, "=") || w.is(i-1, "function") || w.is(i-1, "async") || w.is(i-1, "*") && w.is(i-2, "function")
}

func (w *walker) isFunc(i, end int) bool {
	if w.is(i, "async") {
		i++
	}
	switch {
	case i >= end:
		return false
	case w.is(i, "function"), w.isWord(i) && w.is(i+1, "=>"):
		return true
	case w.is(i, "<"):
		if i = w.angle(i, end); !w.is(i, "(") {
			return false
		}
		fallthrough
	case w.is(i, "("):
		n := int(w.match[i]) + 1
		return i < n && n < end && (w.is(n, "=>") || w.is(n, ":") && w.has(n, end, "=>"))
	}
	return false
}

func (w *walker) imported(s, i, end int, in container) int {
	_, next := w.stop(i, end, false)
	switch {
	case w.c && w.is(i+2, "="): // using Name = Type;
		w.add(in, w.toks[i+1].text, Type, s, next, true)
	case !w.lost:
		w.skipped = append(w.skipped, [2]int{s, next})
	}
	return next
}

func (w *walker) namespace(s, i, end int, in container) int {
	brace, next := w.stop(i, end, true)
	if brace < 0 {
		if !w.lost {
			w.skipped = append(w.skipped, [2]int{s, next}) // namespace X; mod x;
		}
		return next
	}
	var name []string
	for _, t := range w.toks[i+1 : brace] {
		if t.kind == word && t.text != "inline" || t.kind == text {
			name = append(name, strings.Split(strings.Trim(t.text, `\`), `\`)...)
		}
	}
	w.add(in, strings.Join(name, "."), Module, s, next, true)
	if in.depth < deepest {
		w.walk(brace+1, next-1, container{name: in.name, depth: in.depth + 1, indent: -1})
	}
	return next
}

func (w *walker) extension(s, i, end int, in container) int {
	brace, next := w.stop(i, end, true)
	name, depth := "", 0
	for j := i + 1; j < brace && !w.is(j, "where") && !(w.syn.lang == "swift" && w.is(j, ":")); j++ {
		t := w.toks[j]
		switch {
		case w.is(j, "<"):
			depth++
		case w.is(j, ">"):
			depth--
		case t.kind != word || depth > 0 || t.text[0] == '\'' || notSelf[t.text]:
		case t.text == "for":
			name = ""
		case w.is(j-1, ".") && name != "":
			name += "." + t.text
		case name == "" || w.is(j-1, "::"):
			name = t.text
		}
	}
	if name != "" && in.depth < deepest {
		w.walk(brace+1, next-1, w.into(container{depth: in.depth}, name, s))
	}
	return next
}

var notSelf = set("dyn mut const unsafe") // words before the type of an impl

// add adds a declaration from token s to before next. Without a body it gives way to one of its name that has a body.
func (w *walker) add(in container, name string, kind Kind, s, next int, body bool) {
	for next > s && w.toks[next-1].kind == directive {
		next--
	}
	if name == "" || s >= next || w.lost || w.bad && !w.certain(in, s, next) {
		return
	}
	name = dotted(in.name, name)
	if body || w.is(next-3, "=") && w.is(next-1, ";") && (w.is(next-2, "delete") || w.is(next-2, "default")) {
		w.bodies[name] = true
	} else {
		w.drafts = append(w.drafts, len(w.f.Symbols))
	}
	w.f.add(name, kind, int(w.toks[s].line), w.endLine(next-1), w.toks[s:next])
}

// certain reports whether the layout confirms an extent in a file whose brackets do not match.
func (w *walker) certain(in container, s, next int) bool {
	at := w.indent(s)
	top := in.indent < 0 && in.depth == 0
	c := w.d == cDecls && top
	if top && at > 0 && !(c && at == 1) || in.indent >= at {
		return false
	}
	last := next - 1
	for last > s && w.toks[last].kind == mark && strings.Contains(";,)", w.toks[last].text) {
		last--
	}
	if !w.is(last, "}") {
		return w.toks[s].line == w.toks[last].line
	}
	return w.toks[last].line == w.toks[s].line || w.newLine(last) && (w.indent(last) == at || c && w.indent(last) == 0)
}

// defines adds the macros of preprocessor lines.
func (w *walker) defines() {
	for i := 0; i+2 < len(w.toks); i++ {
		if w.toks[i].kind != directive || w.toks[i].text != "#" {
			continue
		}
		next := i + 1
		for next < len(w.toks) && w.toks[next].kind == directive && w.toks[next].text != "\n" {
			next++
		}
		switch w.toks[i+1].text {
		case "include", "include_next", "import", "pragma":
			w.skipped = append(w.skipped, [2]int{i, min(next+1, len(w.toks))})
		case "define":
			if next > i+3 && w.syn.lang != "csharp" {
				kind := Value
				if w.toks[i+3].text == "(" && w.from[i+3] == w.to[i+2] {
					kind = Func
				}
				w.f.add(w.toks[i+2].text, kind, int(w.toks[i].line), w.endLine(next-1), w.toks[i:next])
			}
		}
		i = next - 1
	}
}

// finish drops declarations that have a definition as well, and sorts the imports.
func (w *walker) finish() {
	f := w.f
	for _, i := range slices.Backward(w.drafts) {
		if w.bodies[f.Symbols[i].Name] && w.syn.lang != "typescript" {
			f.Symbols[i].Name = ""
		}
	}
	f.Symbols = slices.DeleteFunc(f.Symbols, func(s Symbol) bool { return s.Name == "" })
	slices.SortFunc(w.skipped, func(a, b [2]int) int { return a[0] - b[0] })
}
