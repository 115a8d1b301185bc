package markdown

import (
	"bytes"
	"slices"
)

// Each change of a section is proved by parsing the whole file, which makes many changes of one file dear. Mostly it can be said beforehand
// which headings there will be: those that are there, at places that have moved, and the new section's. So several
// changes are first made that way, and what was foreseen is proved once, at the end. Where it was not to be foreseen,
// or was wrong, they are made again one by one.

// foretold makes the changes in u without parsing in between; false leaves it to changed.
func (u *update) foretold(changes []Change) (sections []Known, ok bool) {
	u.foresees = true
	sections, err := u.changed(changes)
	if err != nil || u.doc == u.given {
		return sections, err == nil
	}
	doc, err := Parse(u.doc.Src, u.from)
	if err != nil || !slices.Equal(doc.Headings, u.doc.Headings) {
		return nil, false
	}
	u.doc = doc
	return sections, true
}

// foresee is splice with the first ending, for a text whose only heading is its first line, if any.
func (u *update) foresee(at Span, text string, wanted func(inside []Heading) bool) bool {
	added := []byte(text)
	var inside []Heading
	first := len(added) - len(bytes.TrimLeft(added, "\r\n"))
	rest := first
	if first < len(added) && added[first] == '#' {
		rest = lineEnd(added, first)
		line := added[first:rest]
		inside = []Heading{{Level: runLength(line), Text: atxText(line), Span: Span{at.Start + first, at.Start + rest}}}
	}
	if mayHaveHeading(added[rest:]) || !wanted(inside) {
		return false
	}
	src := u.doc.Src
	out := make([]byte, 0, len(src)+len(added))
	out = append(append(append(out, src[:at.Start]...), added...), src[at.End:]...)
	doc := &Doc{Src: out, From: u.doc.From}
	shift := len(added) - (at.End - at.Start)
	for _, h := range u.doc.Headings {
		switch {
		case h.Span.Start < at.Start:
			doc.Headings = append(doc.Headings, h)
		case h.Span.Start >= at.End:
			doc.Headings = append(append(doc.Headings, inside...), h)
			moved := &doc.Headings[len(doc.Headings)-1].Span
			moved.Start, moved.End = moved.Start+shift, moved.End+shift
			inside = nil
		}
	}
	doc.Headings = append(doc.Headings, inside...)
	doc.arrange()
	u.doc = doc
	return true
}

// mayHaveHeading reports whether a heading may be a direct child of the document that text is. It says so of some
// texts that have none, and never the other way round.
func mayHaveHeading[T string | []byte](text T) bool {
	for i := 0; i < len(text); i++ {
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		if i == len(text) {
			return false
		}
		switch c := text[i]; c {
		case '#':
			return true
		case '=', '-':
			for i < len(text) && (text[i] == c || text[i] == ' ' || text[i] == '\t') {
				i++
			}
			if i == len(text) || text[i] == '\n' || text[i] == '\r' {
				return true // an underline, perhaps
			}
		}
		for i < len(text) && text[i] != '\n' && text[i] != '\r' {
			i++
		}
	}
	return false
}

// mayStayOpen reports whether a block in text may go on over a blank line and a heading after it. It says so of some
// texts in which none does, and never the other way round.
func mayStayOpen(text []byte) bool {
	for len(text) > 0 {
		line := text
		if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		if line = bytes.TrimLeft(line, " \t"); len(line) > 0 && (line[0] == '<' || line[0] == '`' || line[0] == '~') {
			return true
		}
	}
	return false
}
