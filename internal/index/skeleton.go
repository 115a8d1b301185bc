package index

import (
	"bytes"
	"unicode/utf8"

	"sdd/internal/record"
)

// Of a record the index needs the front matter and the headings. The Markdown parser finds the headings, and that is
// most of the work of reading a record. In a text of only headings, paragraphs and simple lists the other lines cannot
// change the headings, so the parser gets empty lines in their place.

// skeleton returns src with empty lines for those that cannot matter to the structure, false where any line may matter.
func skeleton(src []byte) ([]byte, bool) {
	if !utf8.Valid(src) || bytes.IndexByte(src, 0) >= 0 {
		return nil, false
	}
	body, ok := frontBlock(src)
	if !ok {
		return nil, false
	}
	out := append(make([]byte, 0, body+512), src[:body]...)
	headings := 0
	for rest := src[body:]; len(rest) > 0; {
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 {
			n = len(rest)
		}
		line := rest[:n]
		rest = rest[n:]
		switch lineKind(line) {
		case structural:
			return nil, false
		case headingLine:
			if headings++; headings > 1 && (len(line) < 2 || line[1] != '#') {
				return nil, false // the text after it may be a part of its own
			}
			out = append(out, line...)
		case plainLine:
			if line[n-1] == '\n' {
				out = append(out, '\n')
			}
		}
	}
	return out, true
}

// frontBlock returns the end of the front matter, 0 without one. It returns false when the end is uncertain.
func frontBlock(src []byte) (end int, ok bool) {
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		return 0, false
	}
	if !bytes.HasPrefix(src, []byte("---")) {
		return 0, true
	}
	end = frontEnd(src)
	if end == 0 || bytes.Contains(src[:end], []byte{'\r'}) || !bytes.HasPrefix(src, []byte("---\n")) ||
		!bytes.HasSuffix(src[:end], []byte("\n---\n")) {
		return 0, false
	}
	return end, true
}

// kinds of lines
const (
	plainLine = iota
	headingLine
	structural
)

// lineKind returns the possible kind of a line, in a text that has only plain lines and headings so far.
func lineKind(line []byte) int {
	const deepest = 8
	indent := 0
	for indent < len(line) && line[indent] == ' ' {
		indent++
	}
	rest := line[indent:]
	if len(rest) == 0 || rest[0] == '\n' {
		return plainLine
	}
	if indent > deepest {
		return structural
	}
	switch c := rest[0]; c {
	case '#':
		if indent == 0 {
			return headingLine // inside a list it would be indented
		}
		return structural
	case '-', '*', '+':
		if len(rest) > 2 && rest[1] == ' ' && startsText(rest[2]) || c == '*' && len(rest) > 2 && rest[1] == '*' && startsText(rest[2]) {
			return plainLine
		}
		return structural
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		marker := 0
		for marker < len(rest) && '0' <= rest[marker] && rest[marker] <= '9' {
			marker++
		}
		if marker+2 < len(rest) && (rest[marker] == '.' || rest[marker] == ')') && rest[marker+1] == ' ' && !startsText(rest[marker+2]) {
			return structural
		}
		return plainLine
	case '`':
		if len(rest) > 1 && rest[1] == '`' {
			return structural
		}
		return plainLine
	default:
		if startsText(c) || bytes.IndexByte([]byte(`"'(_|!.,;?$@/%&{}`), c) >= 0 {
			return plainLine
		}
		return structural
	}
}

func startsText(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// parseRecord parses the parts of a record that the index needs: the sections have no text.
func parseRecord(file string, src []byte, d record.Defaults) record.Record {
	// The other kinds take their title or id from the text.
	kind, _ := record.KindOf(file)
	if (kind == record.Exploration || kind == record.Decision) && (d.Limits.File <= 0 || len(src) <= d.Limits.File) {
		if bones, ok := skeleton(src); ok {
			if r := record.Parse(file, bones, d); len(r.Problems) == 0 {
				r.Etag = record.Etag(src)
				return r
			}
		}
	}
	return record.Parse(file, src, d)
}
