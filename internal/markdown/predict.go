package markdown

import (
	"bytes"
	"slices"

	"sdd/internal/lines"
)

// Update checks each change of a section by parsing the whole file, which makes many changes of one file slow. It can mostly
// predict the headings of the result: the file's headings, at shifted places, and the new section's. So it first makes
// several changes with predicted headings, and checks the prediction with one parse at the end. If a change has no
// prediction, or the prediction was wrong, it makes the changes again one by one.

// predicted makes the changes in u without a parse after each. If ok is false, the caller must use changed.
func (u *update) predicted(changes []Change) (sections []Known, ok bool) {
	u.predicts = true
	sections, err := u.changed(changes)
	if err != nil || u.doc == u.given {
		return sections, err == nil
	}
	doc, err := Parse(u.doc.Src, u.given.From)
	if err != nil || !slices.Equal(doc.Headings, u.doc.Headings) {
		return nil, false
	}
	u.doc = doc
	return sections, true
}

// predict is splice with the first ending, for a text whose only heading is its first line, if any.
func (u *update) predict(at Span, text string, wanted func(inside []Heading) bool) bool {
	added := []byte(text)
	var inside []Heading
	first := len(added) - len(bytes.TrimLeft(added, "\r\n"))
	rest := first
	if first < len(added) && added[first] == '#' {
		rest = lines.End(added, first)
		line := added[first:rest]
		inside = []Heading{{Level: runLength(line), Text: atxText(line), Span: Span{at.Start + first, at.Start + rest}}}
	}
	if mayHaveHeading(added[rest:]) || !wanted(inside) {
		return false
	}
	doc := &Doc{Src: slices.Concat(u.doc.Src[:at.Start], added, u.doc.Src[at.End:]), From: u.doc.From}
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

// mayHaveHeading reports whether a heading may be a direct child of the document text. It is true for some texts
// without headings, but never false for a text with one.
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
				return true // it may be an underline
			}
		}
		for i < len(text) && text[i] != '\n' && text[i] != '\r' {
			i++
		}
	}
	return false
}

// mayStayOpen reports whether a block in text may continue past a blank line and a heading after it. It is true for some
// texts without such a block, but never false for a text with one.
func mayStayOpen(text []byte) bool {
	atStart := true // of a line, but for blanks
	for _, c := range text {
		switch {
		case c == '\r' || c == '\n':
			atStart = true
		case atStart && (c == '<' || c == '`' || c == '~'):
			return true
		case c != ' ' && c != '\t':
			atStart = false
		}
	}
	return false
}
