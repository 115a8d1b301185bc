package markdown

import "strings"

// text merges j's own lines: one side's change, words before form, changes in different places. All else is a conflict around them.
func (m *merger) text(j *joined) []part {
	b, o, t := j.at[inBase], j.at[inOurs], j.at[inTheirs]
	if o == nil || t == nil {
		return []part{{text: j.written(j.any())}}
	}
	clash := part{clash: true, ours: j.level(o), theirs: j.level(t)}
	if b != nil {
		clash.base = j.level(b)
	}
	switch {
	case o.box() != t.box() && (b == nil || o.box() != b.box() && t.box() != b.box()):
		return []part{clash}
	case o.content() == t.content():
		return []part{{text: j.inBetterForm()}}
	case b == nil:
		return []part{clash}
	case o.content() == b.content():
		return []part{{text: j.written(t)}}
	case t.content() == b.content():
		return []part{{text: j.written(o)}}
	}
	switch o.kind {
	case fenceUnit, codeUnit, htmlUnit, tableUnit, quoteUnit:
		parts := mergeLines(clash.base, clash.ours, clash.theirs)
		text, ok := clean(parts)
		if !ok || isStable(text, clash.base, clash.ours, clash.theirs, cleanLines) {
			return parts
		}
	case itemUnit, proseUnit:
		if text, ok := mergeProse(b, o, t); ok {
			return []part{{text: j.composed(text)}}
		}
	}
	return []part{clash}
}

// inBetterForm chooses between two forms of one text: the form that one side changed, else the form of the side whose order places it.
func (j *joined) inBetterForm() string {
	b, o, t := j.at[inBase], j.at[inOurs], j.at[inTheirs]
	ours, theirs := o.body(), t.body()
	switch {
	case ours != theirs && b != nil && ours == b.body(), ours == theirs && !j.by[inOurs]:
		return j.written(t)
	case ours != theirs && b != nil && theirs == b.body(), ours == theirs && !j.by[inTheirs]:
		return j.written(o)
	}
	return max(j.written(o), j.written(t))
}

// mergeProse merges two versions of a paragraph: by lines, else by words.
func mergeProse(b, o, t *unit) (string, bool) {
	var texts [3]string
	for _, u := range []*unit{b, o, t} {
		if u.kind == itemUnit && opensCode(u.body()) {
			return "", false
		}
		texts[u.of] = unwrapped(u.body())
	}
	merge := func(base, ours, theirs string) (string, bool) {
		if text, ok := cleanLines(base, ours, theirs); ok {
			return text, true
		}
		return mergeWords(base, ours, theirs)
	}
	text, ok := merge(texts[inBase], texts[inOurs], texts[inTheirs])
	return text, ok && isStable(text, texts[inBase], texts[inOurs], texts[inTheirs], merge)
}

func cleanLines(base, ours, theirs string) (string, bool) {
	return clean(mergeLines(base, ours, theirs))
}

// isStable reports whether merging either side again changes nothing; else repeated words make a change ambiguous.
func isStable(text, base, ours, theirs string, merge func(base, ours, theirs string) (string, bool)) bool {
	for _, side := range []string{ours, theirs} {
		if again, ok := merge(base, text, side); !ok || again != text {
			return false
		}
	}
	return true
}

// unwrapped returns a paragraph's text without the white space at both ends of its lines, but with its hard breaks.
func unwrapped(body string) string {
	var b strings.Builder
	for line := range strings.Lines(body) {
		b.WriteString(strings.Trim(line, blank))
		if strings.HasSuffix(strings.TrimRight(line, "\r\n"), "  ") {
			b.WriteString("  ")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// level returns u's own text, indented for j's place.
func (j *joined) level(u *unit) string {
	return reindent(u.own, u.parent.column(), j.parent.column)
}

// written returns u's own text with j's head and indentation.
func (j *joined) written(u *unit) string {
	h, body := u.item()
	switch {
	case u.kind != itemUnit:
		return j.level(u)
	case h == j.head:
		return u.own
	}
	first, rest := cutLine(body)
	return j.head.String() + first + reindent(rest, u.column(), j.column)
}

// composed converts text without indentation to j's own text.
func (j *joined) composed(text string) string {
	if j.any().kind != itemUnit {
		return reindent(text, 0, j.parent.column)
	}
	first, rest := cutLine(text)
	return j.head.String() + first + reindent(rest, 0, j.column)
}

func cutLine(text string) (first, rest string) {
	i := strings.IndexByte(text, '\n') + 1
	if i == 0 {
		return text, ""
	}
	return text[:i], text[i:]
}
