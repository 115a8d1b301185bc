package markdown

import (
	"bytes"
	"strings"
)

// form separates a text from its byte order mark, line ends and last line end. In text every line has an end: "\n" for the style of most
// lines, "\r\n" for the other one. So files that differ only in style have equal lines, and an exception keeps its style.
type form struct {
	text  string
	bom   bool
	crlf  bool
	final bool
}

func formOf(src []byte) form {
	var f form
	src, f.bom = bytes.CutPrefix(src, bom)
	f.final = len(src) == 0 || src[len(src)-1] == '\n'
	f.text = string(src)
	if bytes.IndexByte(src, '\r') >= 0 {
		n := strings.Count(f.text, "\r\n")
		f.crlf = n > strings.Count(f.text, "\n")-n && !strings.Contains(f.text, "\r\r\n") // ends could not restore it
		f.text = f.ends(f.text)
	}
	if !f.final {
		f.text += "\n"
	}
	return f
}

// ends exchanges the two styles of line ends if the form's style is CRLF.
func (f form) ends(text string) string {
	if !f.crlf || text == "" {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if s, ok := strings.CutSuffix(line, "\r\n"); ok {
			b.WriteString(s + "\n")
		} else if s, ok := strings.CutSuffix(line, "\n"); ok {
			b.WriteString(s + "\r\n")
		} else {
			b.WriteString(line)
		}
	}
	return b.String()
}

// mergedForm returns the form of the merged text. It merges each trait by itself: a side's change wins.
func mergedForm(b, o, t form) form {
	pick := func(get func(form) bool) bool {
		if get(o) == get(b) {
			return get(t)
		}
		return get(o) // changed, and with two values there is only one other
	}
	// A text without lines has no style, and no last line's end.
	for _, f := range []*form{&b, &o, &t} {
		if f.text == "" {
			f.final, f.crlf = true, o.crlf || t.crlf
		}
	}
	return form{
		bom:   pick(func(f form) bool { return f.bom }),
		crlf:  pick(func(f form) bool { return f.crlf }),
		final: pick(func(f form) bool { return f.final }),
	}
}

// write returns text in the form f. An open text ends with a conflict marker and keeps its last line end.
func (f form) write(text string, open bool) []byte {
	if !f.final && !open {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	text = f.ends(text)
	if f.bom {
		text = string(bom) + text
	}
	return []byte(text)
}
