// Package lines finds, reads and encodes lines, and cuts texts between characters. A line ends after its line feed, or at the end of the
// text.
package lines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// End returns the offset after the end of the line that contains at.
func End(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// First returns the first line of src with its end.
func First(src []byte) []byte { return src[:End(src, 0)] }

// Border returns the last offset of text up to n that is not inside a character.
func Border[T string | []byte](text T, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// Newline returns the line end of most lines of src, "\n" if there is a tie or no line.
func Newline(src []byte) string {
	if crlf := bytes.Count(src, []byte("\r\n")); crlf > bytes.Count(src, []byte("\n"))-crlf {
		return "\r\n"
	}
	return "\n"
}

// Read appends the next line of r with its end to buf, and skips the rest of a line once buf has most bytes or more. The error is that
// of r: the last line may come with io.EOF.
func Read(r *bufio.Reader, buf []byte, most int) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(buf) < most {
			buf = append(buf, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}

// JSON returns a value that always encodes as JSON with a line end, and without the escapes for HTML. indent is that of a level, "" for
// one line.
func JSON(v any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	_ = e.Encode(v)
	return b.Bytes()
}
