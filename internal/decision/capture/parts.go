package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// phrase is the text of words from..to, without punctuation at its ends.
func (e *examination) phrase(from, to int) string {
	for from < to && (e.words[from].kind == stopWord || e.words[from].kind == commaWord) {
		from++
	}
	for to > from && (e.words[to-1].kind == stopWord && e.words[to-1].text != ")" && e.words[to-1].text != "]" || e.words[to-1].kind == commaWord) {
		to--
	}
	if from >= to {
		return ""
	}
	return strings.TrimSpace(trimMarks(e.text[e.words[from].start:e.words[to-1].end]))
}

// trimMarks drops a quotation mark or bracket that has lost its partner.
func trimMarks(s string) string {
	if strings.Count(s, `"`)%2 == 1 {
		s = strings.Trim(s, `"`)
	}
	if strings.Count(s, ")") > strings.Count(s, "(") {
		s = strings.TrimSuffix(s, ")")
	}
	return s
}

// parts fills in what the sentence says besides the decision, which rule matched at m.
func (e *examination) parts(v *verdict, m span) {
	for k, mk := range e.marks {
		if m.from >= 0 && mk.from >= m.from && mk.content <= m.to && mk.part != alternativePart {
			continue
		}
		to := e.extent(mk, k, m)
		text := e.phrase(mk.content, to)
		if text == "" || mk.part == alternativePart && strings.Count(text, " ") > 12 {
			continue
		}
		v.parts[mk.part] = append(v.parts[mk.part], text)
	}
	if m.from > 1 && len(v.parts[reasonPart]) == 0 {
		if cause := e.cause(m); cause != "" {
			v.parts[reasonPart] = append(v.parts[reasonPart], cause)
		}
	}
}

// cause is the clause before "so we …".
func (e *examination) cause(m span) string {
	hence := e.g.class("hence")
	for j := m.from - 1; j >= max(1, m.from-3); j-- {
		if e.words[j].kind != plainWord {
			continue
		}
		if !hence.has(e.words[j].text) {
			continue
		}
		from := j
		for from > 0 && e.words[from-1].kind != stopWord && !e.g.class("turn").has(e.words[from-1].text) {
			from--
		}
		if j-from < 3 {
			return ""
		}
		return e.phrase(from, j)
	}
	return ""
}

// extent is where the part that begins at mk ends.
func (e *examination) extent(mk mark, k int, m span) int {
	to := len(e.words)
	for i := mk.content; i < to; i++ {
		w := e.words[i]
		if w.kind == stopWord && !(w.text == "(" || w.text == ")" || w.text == ":") {
			to = i
		}
	}
	for _, next := range e.marks[k+1:] {
		if next.from >= mk.content && next.from < to && !(mk.part != alternativePart && next.part == alternativePart) {
			to = next.from
		}
	}
	if m.from > mk.from && m.from < to && m.from >= mk.content { // it stands before the decision
		to = m.from
		for j := m.from - 1; j > mk.content; j-- { // the comma that ends its clause
			if e.words[j].kind == commaWord {
				to = j
				break
			}
		}
	}
	if mk.part == alternativePart {
		return e.option(mk.content, to)
	}
	return to
}

// option cuts an alternative down to its name: it ends at a comma or, unless it is told by a verb, at
// the preposition that goes on about the decision.
func (e *examination) option(from, to int) int {
	ends := e.g.class("optionends")
	told := e.g.class("optionverb").has(e.words[from].text)
	for i := from; i < to; i++ {
		w := e.words[i]
		if w.kind == commaWord || w.kind == stopWord || i > from+1 && e.g.class("turn").has(w.text) {
			return i
		}
		if i > from && !told && ends.has(w.text) && !ends.has(e.words[from].text) {
			return i
		}
	}
	return to
}

// statement is the decision in a few words: the clause of the rule without what leads to it, and
// without reasons and consequences.
func (e *examination) statement(m span) string {
	from, to := 0, len(e.words)
	at := 0
	if m.from >= 0 {
		at = m.from
		for i := m.from; i > 0; i-- {
			if w := e.words[i-1]; w.kind == stopWord && w.text != ")" && w.text != "(" || e.g.class("turn").has(w.text) {
				from = i
				break
			}
		}
	}
	for i := max(m.to, at); i < to; i++ {
		if w := e.words[i]; w.kind == stopWord && w.text != ":" && w.text != "(" && w.text != ")" || e.g.class("turn").has(w.text) && i > at+1 && i > 0 && e.words[i-1].kind == commaWord {
			to = i
		}
	}
	for _, mk := range e.marks {
		if mk.part == alternativePart {
			continue
		}
		switch {
		case mk.from >= max(m.to, at+1) && mk.from < to:
			to = mk.from
		case mk.from < at && mk.from >= from: // "Because …, we chose": goes on after the comma
			from = at
			for j := at - 1; j > mk.content; j-- {
				if e.words[j].kind == commaWord {
					from = j + 1
					break
				}
			}
		}
	}
	if m.here >= 0 && m.here < to && !e.g.class("keep").has(e.words[m.here].text) {
		from = m.here
		for from < to && e.g.class("strip").has(e.words[from].text) {
			from++
		}
	}
	for from < to && from < at && (e.joining.has(e.words[from].text) || e.words[from].kind == commaWord) {
		from++
	}
	s := e.phrase(from, to)
	if s == "" {
		return ""
	}
	return capitalised(s, from < len(e.words) && e.words[from].kind == plainWord)
}

// capitalised puts a capital at the start of a plain word; names as gRPC stay.
func capitalised(s string, plain bool) string {
	first, _, _ := strings.Cut(s, " ")
	if !plain || strings.ToLower(first) != first {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
