package symbol

import "strings"

var memberModifiers = set("public private protected static readonly override abstract declare async get set accessor")

// member reads a member of a class or interface that begins at s and whose decorators end before i.
func (w *walker) member(s, i, end int, in container) int {
	for w.isWord(i) && memberModifiers[w.toks[i].text] && i+1 < end && (w.toks[i+1].kind == text || w.toks[i+1].kind == number ||
		w.isWord(i+1) && (!w.newLine(i+1) || i > s) || w.is(i+1, "[") || w.is(i+1, "*") || w.is(i+1, "{")) {
		i++
	}
	if w.is(i, "*") {
		i++
	}
	if i >= end {
		return end
	}
	name, n := "", i+1
	switch t := w.toks[i]; {
	case w.is(i, "["):
		n = w.over(i, end)
	case t.kind == word || t.kind == number || t.kind == text:
		name = t.text
	case w.is(i, ","):
		return i + 1
	default:
		return w.pass(i, end)
	}
	for w.is(n, "?") || w.is(n, "!") {
		n++
	}
	m := w.angle(n, end)
	call := w.is(m, "(")
	brace, next := w.stop(n, end, call)
	last := next
	if c := w.find(n, next, ","); c < next && brace < 0 && (call || !w.has(n, c, "=") && !w.has(n, c, "<")) { // of an interface
		last, next = c, c+1
	} else if w.is(next-1, ",") {
		last--
	}
	kind := Value
	if call || w.isFunc(w.find(n, next, "=")+1, next) {
		kind = Func
	}
	w.add(in, name, kind, s, last, brace >= 0 || !call || last < next)
	return next
}

// assignment reads "exports.f = …", "A.prototype.f = …", "export * from …" and other statements.
func (w *walker) assignment(s, i, end int, in container) int {
	if i > s && (w.is(i, "*") || w.is(i, "{")) && w.is(s, "export") { // export {a} from "b"
		_, next := w.stop(i, end, false)
		w.skipped = append(w.skipped, [2]int{s, next})
		return next
	}
	n := i
	for w.isWord(n) && w.is(n+1, ".") && w.isWord(n+2) {
		n += 2
	}
	if n == i || !w.is(n+1, "=") {
		return w.pass(i, end)
	}
	_, next := w.stop(n+1, end, false)
	if w.isFunc(n+2, next) {
		var parts []string
		for j := i; j <= n; j += 2 {
			if t := w.toks[j].text; t != "prototype" && t != "module" && t != "exports" && t != "this" && t != "window" {
				parts = append(parts, t)
			}
		}
		w.add(in, strings.Join(parts, "."), Func, s, next, true)
	}
	return next
}

// property reads "public ?int $name = 1;" of PHP.
func (w *walker) property(s, i, end int, in container) int {
	_, next := w.stop(i, end, true)
	for j := i; j < next && !w.is(j, "=") && !w.is(j, "{"); j++ {
		if w.isWord(j) && w.toks[j].text[0] == '$' {
			w.add(in, w.toks[j].text[1:], Value, s, next, true)
			break
		}
	}
	return next
}

// plainJS marks the tokens that prettier adds and removes: semicolons, parentheses, quotes around keys, the first | of a union.
func (w *walker) plainJS() {
	loops := map[int]bool{} // the semicolons of for (;;)
	for i := range w.toks {
		t := &w.toks[i]
		if w.is(i, "for") && w.is(i+1, "(") {
			end := int(w.match[i+1])
			for j := w.find(i+2, end, ";"); j < end; j = w.find(j+1, end, ";") {
				loops[j] = true
			}
		}
		switch {
		case t.kind == mark && t.text == ";" && !w.needed(i) && !loops[i]:
			t.kind = gone
		case t.kind == mark && t.text == "(" && w.match[i] > 0:
			m := int(w.match[i])
			if m == i+2 && w.isWord(i+1) && w.is(m+1, "=>") || w.wraps(i, m) {
				t.kind, w.toks[m].kind = gone, gone
			}
		case t.kind == mark && (t.text == "|" || t.text == "&") && i > 0 && w.toks[i-1].kind == mark && leadsUnion[w.toks[i-1].text]:
			t.kind = gone // the first one of a union over several lines
		case t.kind == text && i > 0 && w.is(i+1, ":") && (w.is(i-1, "{") || w.is(i-1, ",")) && isName(t.text):
			t.kind = word
		}
	}
}

var leadsUnion = set("= : ( < , => [ ?")

func isName(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) && s[i] != '$' || i == 0 && class[s[0]] == digit {
			return false
		}
	}
	return s != ""
}

// needed reports whether a semicolon is more than a line end.
func (w *walker) needed(i int) bool {
	if i+1 >= len(w.toks) {
		return false
	}
	n := w.toks[i+1]
	return n.kind == mark && strings.Contains("([/+-*", n.text) && n.text != "++" && n.text != "--" || n.kind == text &&
		strings.HasPrefix(n.text, "`")
}

// wraps reports whether the parentheses at i and m change nothing: what is in them binds more tightly than the operators around them.
func (w *walker) wraps(i, m int) bool {
	if i == 0 || m == i+1 || w.is(i+1, "{") || w.is(i+1, "function") || w.is(i+1, "class") {
		return false
	}
	before, after := i-1, m+1
	for before > 0 && w.toks[before].kind == gone && w.toks[before].text == "(" && after < len(w.toks) && w.toks[after].text == ")" {
		before, after = before-1, after+1
	}
	p, left := w.toks[before], 0
	first, operator := before, p.text // the lexer may part "===" and others
	for first > 0 && w.toks[first-1].kind == mark && w.to[first-1] == w.from[first] && binds[w.toks[first-1].text+operator] > 0 {
		first--
		operator = w.toks[first].text + operator
	}
	switch {
	case w.is(i+1, "<") && p.kind == mark && !strings.Contains(")]>", p.text): // markup
		return true
	case p.kind == word && (p.text == "return" || p.text == "throw"):
	case p.kind != mark:
		return false
	case operator == "=" || p.text == "=>" || p.text == "(" || p.text == "[" || p.text == "," || p.text == ":":
		left = 1
	case operator == "?" && w.is(after, ":"):
		return true
	default:
		if left = binds[operator]; left < 4 || !w.ends(first-1) {
			return false
		}
	}
	inner, loosest := w.loosest(i+1, m)
	if inner <= left {
		return false
	}
	if after >= len(w.toks) {
		return true
	}
	n := w.toks[after]
	operator, _ = w.binary(after)
	if right := binds[operator]; n.kind == mark && right > 2 && operator != ":" {
		return inner > right || inner == right && loosest == operator && operator != "**" && operator != "?"
	}
	return n.kind == mark && strings.Contains(";)]},", n.text) || n.kind == gone && n.text == ";" || w.newLine(after) &&
		!w.continues(after, false, true) && n.text != "=>"
}

// binds has the operators of JavaScript by how tightly they bind (ECMAScript, 13: Expressions).
var binds = levels(", ...", "= += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??= => yield", "? :", "?? ||", "&&", "|", "^", "&",
	"== != === !==", "in instanceof as satisfies < > <= >=", "<< >> >>>", "+ -", "* / %", "**")

func levels(operators ...string) map[string]int {
	m := map[string]int{}
	for i, level := range operators {
		for op := range strings.FieldsSeq(level) {
			m[op] = i + 1
		}
	}
	return m
}

// primary binds more tightly than every operator with two sides.
const primary = 20

// binary returns the operator that begins at token i, of which the lexer may make several tokens, and its last token.
func (w *walker) binary(i int) (string, int) {
	op := w.toks[i].text
	for i+1 < len(w.toks) && w.toks[i+1].kind == mark && w.to[i] == w.from[i+1] && binds[op+w.toks[i+1].text] > 0 {
		i++
		op += w.toks[i].text
	}
	return op, i
}

// loosest returns the operator between tokens i and end that binds least, and how tightly; 0 for what is no plain expression.
func (w *walker) loosest(i, end int) (level int, op string) {
	level = primary
	for ; i < end; i++ {
		w.step()
		t, first := w.toks[i], i
		if t.kind == mark {
			t.text, i = w.binary(i)
		}
		n := binds[t.text]
		switch {
		case t.kind == text || t.kind == number || n == 0 && t.kind == word:
			continue
		case n == 0 && !strings.Contains(". ?. ! ~ ( [ {", t.text):
			return 0, ""
		case w.match[i] > int32(i):
			i = int(w.match[i])
			continue
		case n > 0 && (n < 4 || w.ends(first-1)) && n < level:
			level, op = n, t.text
		case n > 3 && !w.ends(first-1) || n == 0:
			level = min(level, primary-1) // a sign before a value, or a member of one
		}
	}
	return level, op
}

// ends reports whether token i can be the end of a value.
func (w *walker) ends(i int) bool {
	if i < 0 {
		return false
	}
	t := w.toks[i]
	return t.kind == text || t.kind == number || t.kind == word && binds[t.text] == 0 && t.text != "return" && t.text != "typeof" ||
		(t.kind == mark || t.kind == gone) && (t.text == ")" || t.text == "]" || t.text == "}")
}
