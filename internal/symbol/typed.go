package symbol

import "strings"

var notNames = set(`if for while switch return sizeof catch else do throw new delete void int char short long float double bool auto ` +
	`unsigned signed
	const volatile static inline extern struct class union enum case default break goto this base lock using foreach typedef register ` +
	`noexcept alignas
	decltype __attribute__ __declspec requires static_assert _Static_assert synchronized try operator where when`)

// typed reads a member "type name(…)" or "type name = …" of Java, C#, C or C++ that begins at s and whose modifiers end before i.
func (w *walker) typed(s, i, end int, in container) int {
	if i >= end {
		return end
	}
	if w.c && w.isWord(i) && upper(w.toks[i].text) && s == i && i+1 < end && w.newLine(i) && w.newLine(i+1) { // a macro on its own line
		return i + 1
	}
	words := 0
	for j := i; j < end; j++ {
		t := w.toks[j]
		switch {
		case t.kind == word && t.text == "operator" && w.syn.lang != "java":
			return w.operator(s, j, end, in)
		case t.kind == word && t.text == "this" && w.is(j+1, "["): // C# indexer
			return w.accessors(s, "this[]", w.over(j+1, end), end, in)
		case t.kind == word:
			words++
		}
		if t.kind != mark {
			continue
		}
		switch t.text {
		case "<":
			j = max(w.angle(j, end)-1, j)
		case "(":
			return w.callable(s, j, end, in, words)
		case "=", ";", ",", ":":
			return w.fields(s, j, end, in, words)
		case "=>", "{":
			switch {
			case w.syn.lang == "csharp" && words > 1:
				return w.accessors(s, w.named(j), j, end, in)
			case w.c && words > 1 && t.text == "{":
				return w.fields(s, j, end, in, words)
			}
			return w.pass(j, end)
		case "[":
			j = w.over(j, end) - 1
		case ")", "]", "}":
			return j + 1
		}
	}
	return end
}

// nameBefore returns the token of the name before token j and its type arguments.
func (w *walker) nameBefore(j int) int {
	j--
	if w.is(j, ">") {
		for n := 0; j > 0 && !w.is(j, "<") && n < 100; n++ {
			j--
		}
		j--
	}
	return j
}

// named returns the name before token j, "" where there is none.
func (w *walker) named(j int) string {
	if j = w.nameBefore(j); j < 0 || !w.isWord(j) || notNames[w.toks[j].text] {
		return ""
	}
	return strings.TrimPrefix(w.toks[j].text, "@")
}

// fields reads the names of "type a = 1, b;" whose first name is before token j.
func (w *walker) fields(s, j, end int, in container, words int) int {
	_, next := w.stop(j, end, false)
	if !w.is(next-1, ";") { // int x{1} without an end, or a macro
		return next
	}
	for words > 1 && j < next {
		at := j
		for w.is(at-1, "]") && w.match[at-1] >= 0 {
			at = int(w.match[at-1])
		}
		if name := w.named(at); name != "" && !w.is(at-2, "::") {
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
	next := j
	if w.is(j, "{") {
		next = w.over(j, end)
	}
	if w.is(next, "=>") || w.is(next, "=") {
		_, next = w.stop(next, end, false)
	}
	w.add(in, name, Value, s, next, true)
	return max(next, j+1)
}

func (w *walker) operator(s, j, end int, in container) int {
	name := "operator"
	n := j + 1
	if w.is(n, "(") && w.is(n+1, ")") {
		name, n = "operator()", n+2
	}
	for ; n < end && !w.is(n, "("); n++ {
		if w.isWord(n) && n == j+1 {
			name += " "
		}
		name += w.toks[n].text
	}
	return w.params(s, n, end, w.owners(j-1, in), name)
}

// owners returns the container of a name after "A::B::", which ends at i.
func (w *walker) owners(i int, in container) container {
	var parts []string
	for w.is(i, "::") {
		if i = w.nameBefore(i); !w.isWord(i) {
			break
		}
		parts = append([]string{w.toks[i].text}, parts...)
		i--
	}
	if len(parts) > 0 {
		in.name = strings.TrimPrefix(in.name+"."+strings.Join(parts, "."), ".")
	}
	return in
}

func (w *walker) callable(s, j, end int, in container, words int) int {
	n, at, name := w.over(j, end), w.nameBefore(j), ""
	if at >= s && w.isWord(at) {
		name = w.toks[at].text
	}
	if w.is(at-1, "~") {
		name, at = "~"+name, at-1
	}
	if w.c && (name == "" || notNames[name] || words > 1 && upper(name) && w.isWord(n) && !afterParams[w.toks[n].text] &&
		!upper(w.toks[n].text)) { // no function: what has brackets before a type or name
		if beforeName[name] || upper(name) {
			return w.typed(s, n, end, in)
		}
		return w.after(n, end)
	}
	if notNames[name] {
		return w.after(n, end)
	}
	own := w.owners(at-1, in)
	if words == 1 { // no type: a constructor, or a macro
		last := own.name[strings.LastIndexByte(own.name, '.')+1:]
		if strings.TrimPrefix(name, "~") != last && own.name == in.name && (w.syn.lang != "c" || in.name != "" || upper(name)) {
			if upper(name) && n < end && w.newLine(n) && !w.is(n, "{") {
				return n // a macro on its own line
			}
			return w.after(n, end)
		}
	}
	return w.params(s, j, end, own, name)
}

var (
	afterParams = set("const noexcept override final volatile throw throws requires try where default mutable")
	beforeName  = set("alignas __attribute__ __declspec decltype explicit")
)

// params reads the rest of a function from its parameters at j, and adds it.
func (w *walker) params(s, j, end int, in container, name string) int {
	n := w.over(j, end)
	typed := false // the type of the result, or what a template requires, follows
	for i := n; i < end; i++ {
		t := w.toks[i]
		if t.kind == word {
			typed = typed || t.text == "requires"
			if w.c && !typed && !afterParams[t.text] && !upper(t.text) && !strings.HasPrefix(t.text, "__") {
				return w.after(i, end)
			}
			continue
		}
		if t.kind != mark {
			continue
		}
		switch t.text {
		case "->":
			typed = true
		case "{":
			next := w.over(i, end)
			w.add(in, name, Func, s, next, true)
			return next
		case ";":
			w.add(in, name, Func, s, i+1, in.class && !w.c)
			return i + 1
		case "=", "=>", ",":
			if t.text == "," && !w.c {
				continue // throws A, B; where T : A, new()
			}
			_, next := w.stop(i, end, false)
			if t.text != "," {
				w.add(in, name, Func, s, next, t.text == "=>")
			}
			return next
		case ":":
			if w.c {
				i = w.initializers(i+1, end) - 1
			}
		case "(", "[":
			i = w.over(i, end) - 1
		case "<":
			i = max(w.angle(i, end)-1, i)
		}
	}
	return end
}

// initializers returns the token after "a(1), b{2}" of a constructor.
func (w *walker) initializers(i, end int) int {
	for ; i < end; i++ {
		for w.isWord(i) || w.is(i, "::") {
			i = w.angle(i+1, end)
		}
		if !w.is(i, "(") && !w.is(i, "{") {
			break
		}
		if i = w.over(i, end); !w.is(i, ",") {
			return i
		}
	}
	return w.lose(min(i, end-1), end)
}

// typedef reads one of C and C++ whose keyword is at i, with the struct in it.
func (w *walker) typedef(s, i, end int, in container) int {
	_, next := w.stop(i, end, false)
	at := next - 2
	for (w.is(at, "]") || w.is(at, ")")) && int(w.match[at]) > i {
		open := int(w.match[at])
		if at = open - 1; w.is(open+1, "*") && w.isWord(open+2) { // typedef int (*name)(int);
			at = open + 2
		}
	}
	if !w.is(next-1, ";") || at <= i || !w.isWord(at) {
		return next
	}
	w.add(in, w.toks[at].text, Type, s, next, true)
	if k := w.role(i + 1); (k == typ || k == closed) && w.isWord(i+2) && w.is(i+3, "{") && w.toks[i+2].text != w.toks[at].text {
		w.add(in, w.toks[i+2].text, Type, i+1, int(w.match[i+3])+1, true)
	}
	return next
}

// cType reads class, struct, union and enum of C and C++. What only looks like one, such as "struct x f(void) {", is a member.
func (w *walker) cType(s, i int, r role, brace, next, end int, in container) int {
	if brace < 0 { // "struct x;" or "struct x y;"
		return w.typed(s, i+1, end, in)
	}
	name, at := "", -1
	for j := i + 1; j < brace && !w.is(j, ":"); j++ {
		t := w.toks[j]
		switch {
		case w.is(j, "<"):
			j = max(w.angle(j, brace)-1, j)
		case t.kind == word && w.is(j+1, "(") && (notNames[t.text] || upper(t.text)): // an attribute
			j = w.over(j+1, brace) - 1
		case w.is(j, "[") && w.is(j+1, "["):
			j = w.over(j, brace) - 1
		case t.kind == word && w.is(j+1, "(") || t.kind == mark && strings.Contains("=*&,[", t.text):
			return w.typed(s, i+1, end, in)
		case t.kind == word && t.text != "final" && w.role(j) != typ:
			name, at = t.text, j
		}
	}
	tail := w.find(next, min(end, next+20), ";")
	if !w.is(tail, ";") {
		return next
	}
	inner := in
	if name != "" {
		own := w.owners(at-1, in)
		w.add(own, name, Type, s, tail+1, true)
		inner = w.into(own, name, s)
	}
	if r == typ && in.depth < deepest {
		w.walk(brace+1, next-1, inner)
	}
	if tail > next && w.isWord(tail-1) && !upper(w.toks[tail-1].text) {
		w.add(in, w.toks[tail-1].text, Value, s, tail+1, true)
	}
	return tail + 1
}

// upper reports whether a name is written as macros are.
func upper(s string) bool {
	return len(s) > 1 && strings.ToUpper(s) == s && class[s[0]] == letter
}
