package symbol

import "strings"

var notNames = set(`if for while switch return sizeof catch else do throw new delete void int char short long float double bool auto ` +
	`unsigned signed
	const volatile static inline extern struct class union enum case default break goto this base lock using foreach typedef register ` +
	`noexcept alignas
	decltype __attribute__ __declspec requires static_assert _Static_assert synchronized try operator where when`)

// typed reads a member "type name(…)" or "type name = …" of Java, C#, C or C++ that begins at s and whose modifiers end
// before i.
func (w *walker) typed(s, i, end int, in container) int {
	c := w.syn.lang == "c" || w.syn.lang == "cpp"
	if c && i < end {
		if n, ok := w.cPrefix(s, i, end, in); ok {
			return n
		}
	}
	words := 0
	for j := i; j < end; j++ {
		t := w.toks[j]
		switch t.kind {
		case directive, number, text:
			continue
		case word:
			if t.text == "operator" && (c || w.syn.lang == "csharp") {
				return w.operator(s, j, end, in)
			}
			if t.text == "this" && w.is(j+1, "[") { // C# indexer
				return w.accessors(s, "this[]", w.over(j+1, end), end, in)
			}
			if c && (w.role(j) == typ || w.role(j) == closed) && words > 0 && w.isWord(j+1) { // static struct x …
				if brace, next := w.stop(j, end, true); brace > 0 && next > 0 && !w.has(j, brace, "(") {
					return w.cType(s, j, w.role(j), brace, next, end, in)
				}
			}
			if t.text == "template" && c {
				j = max(j, w.angle(j+1, end)-1)
				continue
			}
			words++
			continue
		}
		switch t.text {
		case "@":
			if n := w.attributes(j, end); n > j {
				j = n - 1
			}
		case "<":
			if n := w.angle(j, end); n > j {
				j = n - 1
			}
		case "(":
			return w.callable(s, j, end, in, words)
		case "=", ";", ",", ":":
			if t.text == ":" && c && w.isWord(j-1) && words == 1 { // a label: public:
				return j + 1
			}
			return w.fields(s, j, end, in, words)
		case "=>", "{":
			switch {
			case w.syn.lang == "csharp" && words > 1:
				return w.accessors(s, w.explicit(j-1), j, end, in)
			case c && words > 1 && t.text == "{":
				return w.fields(s, j, end, in, words)
			}
			if n := w.over(j, end); n > 0 {
				return n
			}
			return w.pass(j+1, end)
		case "[":
			n := w.over(j, end)
			if n < 0 {
				return w.resync(j, end)
			}
			j = n - 1
		case ")", "]", "}":
			return j + 1
		}
	}
	return end
}

// explicit returns the name whose last word is at i.
func (w *walker) explicit(i int) string {
	if w.is(i, ">") {
		for i > 0 && !w.is(i, "<") {
			i--
		}
		i--
	}
	if i < 0 || !w.isWord(i) || notNames[w.toks[i].text] {
		return ""
	}
	return strings.TrimPrefix(w.toks[i].text, "@")
}

// fields reads the names of "type a = 1, b;" whose first name is before token j.
func (w *walker) fields(s, j, end int, in container, words int) int {
	_, next := w.stop(j, end, false)
	if next < 0 {
		return w.resync(j, end)
	}
	if !w.is(next-1, ";") { // int x{1} without an end, or a macro
		return next
	}
	for words > 1 && j < next {
		at := j - 1
		for w.is(at, "]") && w.match[at] >= 0 {
			at = int(w.match[at]) - 1
		}
		if name := w.explicit(at); name != "" && !w.is(at-1, "::") {
			w.add(in, name, Value, s, next, !w.is(s, "extern"))
		}
		j = w.find(j, next, ",") + 1
		for j < next && !(w.toks[j].kind == mark && strings.Contains("=;,[", w.toks[j].text)) {
			j++
		}
	}
	return next
}

// accessors reads a property whose body or arrow is at j.
func (w *walker) accessors(s int, name string, j, end int, in container) int {
	if j < 0 {
		return w.resync(s, end)
	}
	next := j
	if w.is(j, "{") {
		if next = w.over(j, end); next < 0 {
			return w.resync(j, end)
		}
	}
	if w.is(next, "=>") || w.is(next, "=") {
		if _, next = w.stop(next, end, false); next < 0 {
			return w.resync(j, end)
		}
	}
	if next > j {
		w.add(in, name, Value, s, next, true)
	}
	return max(next, j+1)
}

// operator reads operator==(…) whose keyword is at j.
func (w *walker) operator(s, j, end int, in container) int {
	name := "operator"
	n := j + 1
	if w.is(n, "(") && w.is(n+1, ")") {
		name, n = "operator()", n+2
	}
	for n < end && !w.is(n, "(") {
		if w.is(n, ";") || w.is(n, "{") {
			return w.pass(n, end)
		}
		if w.isWord(n) && n == j+1 {
			name += " "
		}
		name += w.toks[n].text
		n++
	}
	return w.params(s, n, end, w.owners(j-1, in), name)
}

// owners returns the container of a name after "A::B::", which ends at i.
func (w *walker) owners(i int, in container) container {
	var parts []string
	for w.is(i, "::") {
		i--
		if w.is(i, ">") {
			for n := 0; i > 0 && !w.is(i, "<") && n < 100; n++ {
				i--
			}
			i--
		}
		if i < 0 || !w.isWord(i) {
			break
		}
		parts = append([]string{w.toks[i].text}, parts...)
		i--
	}
	if len(parts) == 0 {
		return in
	}
	in.name = strings.TrimPrefix(in.name+"."+strings.Join(parts, "."), ".")
	return in
}

// callable reads a function whose parameters begin at j.
func (w *walker) callable(s, j, end int, in container, words int) int {
	n := w.over(j, end)
	if n < 0 {
		return w.resync(j, end)
	}
	name, at := "", j-1
	if w.is(at, ">") {
		for k := 0; at > s && !w.is(at, "<") && k < 100; k++ {
			at--
		}
		at--
	}
	if at >= s && w.isWord(at) {
		name = w.toks[at].text
	}
	if w.is(at-1, "~") {
		name, at = "~"+name, at-1
	}
	c := w.syn.lang == "c" || w.syn.lang == "cpp"
	if c && (name == "" || notNames[name] || words > 1 && upper(name) && w.isWord(n) && !afterParams[w.toks[n].text] &&
		!upper(w.toks[n].text)) {
		switch {
		case name == "alignas" || name == "__attribute__" || name == "__declspec" || name == "decltype" || name == "explicit" || upper(name):
			return w.typed(s, n, end, in)
		}
		return w.after(n, end)
	}
	own := w.owners(at-1, in)
	if notNames[name] {
		return w.after(n, end)
	}
	if words == 1 && (c || w.syn.lang == "csharp" || w.syn.lang == "java") { // no type: a constructor, or a macro
		last := own.name[strings.LastIndexByte(own.name, '.')+1:]
		if strings.TrimPrefix(name, "~") != last && (own.name == in.name && (in.name != "" || upper(name)) || w.syn.lang != "c" &&
			own.name == in.name) {
			if upper(name) && n < end && w.newLine(n) && !w.is(n, "{") {
				return n // a macro on its own line
			}
			return w.after(n, end)
		}
	}
	return w.params(s, j, end, own, name)
}

var afterParams = set("const noexcept override final volatile throw throws requires try where default mutable")

// params reads the rest of a function from its parameters at j, and adds it.
func (w *walker) params(s, j, end int, in container, name string) int {
	n := w.over(j, end)
	if n < 0 {
		return w.resync(s, end)
	}
	c := w.syn.lang == "c" || w.syn.lang == "cpp"
	for i := n; i < end; i++ {
		t := w.toks[i]
		if t.kind == word {
			if c && !afterParams[t.text] && !upper(t.text) && !strings.HasPrefix(t.text, "__") && !w.is(i-1, "->") && !w.has(n, i, "->") &&
				!w.has(n, i, "requires") {
				return w.after(i, end)
			}
			continue
		}
		if t.kind != mark {
			continue
		}
		switch t.text {
		case "{":
			next := w.over(i, end)
			if next < 0 {
				return w.resync(i, end)
			}
			for w.is(next, "catch") { // a function that is a try block
				if next = w.over(w.find(next, end, "{"), end); next < 0 {
					return w.resync(i, end)
				}
			}
			w.add(in, name, Func, s, next, true)
			return next
		case ";":
			w.add(in, name, Func, s, i+1, in.class && !c)
			return i + 1
		case "=", "=>", ",":
			if t.text == "," && !c {
				continue // throws A, B; where T : A, new()
			}
			_, next := w.stop(i, end, false)
			if next < 0 {
				return w.resync(i, end)
			}
			if t.text != "," {
				w.add(in, name, Func, s, next, t.text == "=>")
			}
			return next
		case ":":
			if c {
				if i = w.initializers(i+1, end) - 1; i < 0 {
					return w.resync(n, end)
				}
			}
		case "(", "[":
			if i = w.over(i, end) - 1; i < 0 {
				return w.resync(n, end)
			}
		case "<":
			i = max(w.angle(i, end)-1, i)
		case ")", "]", "}":
			return i + 1
		}
	}
	return end
}

// initializers returns the token after "a(1), b{2}" of a constructor; 0 when they have no end.
func (w *walker) initializers(i, end int) int {
	for i < end {
		for i < end && (w.isWord(i) || w.is(i, "::")) {
			i++
		}
		if w.is(i, "<") {
			n := w.angle(i, end)
			if n == i {
				return 0
			}
			i = n
			continue
		}
		if !w.is(i, "(") && !w.is(i, "{") {
			return 0
		}
		if i = w.over(i, end); i < 0 {
			return 0
		}
		for w.is(i, ".") {
			i++
		}
		if !w.is(i, ",") {
			return i
		}
		i++
	}
	return 0
}

// cPrefix reads what only C and C++ have at the beginning of a declaration; false when a type or name begins at i.
func (w *walker) cPrefix(s, i, end int, in container) (int, bool) {
	switch t := w.toks[i]; {
	case t.text == "extern" && i+1 < end && w.toks[i+1].kind == text:
		if w.is(i+2, "{") {
			if n := w.over(i+2, end); n > 0 {
				w.walk(i+3, n-1, in)
				return n, true
			}
		}
		return w.statementAt(s, i+2, end, in), true
	case t.kind == word && (t.text == "public" || t.text == "private" || t.text == "protected" || t.text == "signals" ||
		t.text == "Q_SIGNALS"):
		for i++; i < end && w.isWord(i); i++ {
		}
		return i + 1, true
	case t.text == "template" && w.is(i+1, "<"):
		n := w.angle(i+1, end)
		if n == i+1 {
			return w.resync(i, end), true
		}
		return w.statementAt(s, n, end, in), true
	case t.text == "friend" && w.role(i+1) != typ:
		return w.statementAt(s, i+1, end, in), true
	case t.text == "friend" || t.text == "static_assert" || t.text == "_Static_assert" || t.text == "asm" || t.text == "__asm__":
		return w.pass(i+1, end), true
	case t.text == "inline" && w.is(i+1, "namespace"):
		return w.namespace(s, i+1, end, in), true
	case t.kind == word && upper(t.text) && i+1 < end && w.newLine(i+1) && w.newLine(i) && s == i: // a macro on its own line
		return i + 1, true
	case t.text == ";" || t.text == "}" || t.text == ")" || t.text == "]":
		return i + 1, true
	}
	return 0, false
}

// statementAt reads the rest of a declaration that begins at s.
func (w *walker) statementAt(s, i, end int, in container) int {
	for i < end {
		n := w.attributes(i, end)
		if n == i {
			break
		}
		i = n
	}
	if i >= end {
		return end
	}
	if r := w.role(i); r != none && w.begins(i) {
		return w.keyword(s, i, r, end, in)
	}
	return w.typed(s, i, end, in)
}

// cType reads class, struct, union, enum, typedef and using of C and C++. What only looks like one, such as
// "struct x f(void) {", is a member.
func (w *walker) cType(s, i int, r role, brace, next, end int, in container) int {
	if r == alias { // typedef
		if _, next = w.stop(i, end, false); next < 0 {
			return w.resync(i, end)
		}
		at := next - 2
		for w.is(at, "]") || w.is(at, ")") {
			if open := int(w.match[at]); open > i {
				if w.is(open+1, "*") && w.isWord(open+2) { // typedef int (*name)(int);
					at = open + 2
					break
				}
				at = open - 1
				continue
			}
			break
		}
		if w.is(at, ")") {
			return next
		}
		if w.is(next-1, ";") && at > i && w.isWord(at) {
			w.add(in, w.toks[at].text, Type, s, next, true)
			if k := w.role(i + 1); (k == typ || k == closed) && w.isWord(i+2) && w.is(i+3, "{") && w.toks[i+2].text != w.toks[at].text {
				w.add(in, w.toks[i+2].text, Type, i+1, int(w.match[i+3])+1, true)
			}
		}
		return next
	}
	stop := next
	if brace > 0 {
		stop = brace
	}
	name, at := "", -1
	for j := i + 1; j < stop; j++ {
		t := w.toks[j]
		if t.kind == word && !(t.text == "final" || t.text == "class" || t.text == "struct") {
			if w.is(j+1, "(") { // a function, or a macro with arguments
				if n := w.over(j+1, end); n > 0 && n < stop && w.isWord(n) && (notNames[t.text] || upper(t.text)) {
					j = n - 1
					continue
				}
				return w.typed(s, i+1, end, in)
			}
			name, at = t.text, j
		}
		if t.kind != mark {
			continue
		}
		if t.text == ":" {
			break
		}
		if t.text == "<" {
			j = max(w.angle(j, stop)-1, j)
		}
		if t.text == "[" || t.text == "(" {
			if w.is(j+1, "[") && j == i+1 {
				j = w.over(j, end) - 1
				continue
			}
			return w.typed(s, i+1, end, in)
		}
		if strings.Contains("=*&,", t.text) {
			return w.typed(s, i+1, end, in)
		}
	}
	if brace < 0 { // "struct x;" or "struct x y;"
		if at > i+1 && next > 0 && w.isWord(at-1) && w.is(at+1, ";") {
			return w.typed(s, i+1, end, in)
		}
		return next
	}
	tail := next
	for tail < end && !w.is(tail, ";") && tail < next+20 && !w.is(tail, "(") && !w.is(tail, "{") && !w.is(tail, "}") &&
		w.toks[tail].kind != directive {
		if w.is(tail, "[") {
			tail = max(w.over(tail, end)-1, tail)
		}
		tail++
	}
	if w.is(tail, "(") || w.is(tail, "{") { // struct { … } f(void) {, or __attribute__((x))
		_, tail = w.stop(next, end, false)
		if tail < 0 {
			return w.resync(next, end)
		}
		tail--
	}
	if !w.is(tail, ";") {
		return next
	}
	whole := tail + 1
	inner := in
	if name != "" {
		own := w.owners(at-1, in)
		w.add(own, name, Type, s, whole, true)
		inner = w.into(own, name, s)
	}
	if r == typ && in.depth < deepest {
		w.walk(brace+1, next-1, inner)
	}
	if tail > next && w.isWord(tail-1) && !upper(w.toks[tail-1].text) {
		w.add(in, w.toks[tail-1].text, Value, s, whole, true)
	}
	return whole
}

// upper reports whether a name is written as macros are.
func upper(s string) bool {
	return len(s) > 1 && strings.ToUpper(s) == s && class[s[0]] == letter
}
