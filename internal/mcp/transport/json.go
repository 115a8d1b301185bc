package transport

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Messages may be large, and a decoder copies its input more than once. So the transport checks a message as a whole and
// splits it in place: these functions return slices of their input, which must be valid JSON.

// Valid returns the syntax error of text, nil if it is JSON.
func Valid(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	return json.Unmarshal(text, &anything{}) // slower, but with the position of the error
}

// anything decodes any value and keeps nothing.
type anything struct{}

func (*anything) UnmarshalJSON([]byte) error { return nil }

// Members calls yield for every member of an object, in order, until it returns false.
func Members(object []byte, yield func(name string, value json.RawMessage) bool) {
	i := space(object, 1)
	for object[i] != '}' {
		end := skipValue(object, i)
		name := object[i:end]
		i = space(object, space(object, end)+len(":"))
		end = skipValue(object, i)
		if !yield(Unquote(name), object[i:end:end]) {
			return
		}
		if i = space(object, end); object[i] == ',' {
			i = space(object, i+1)
		}
	}
}

// elements calls yield for every element of an array, in order, until it returns false.
func elements(array []byte, yield func(value json.RawMessage) bool) {
	i := space(array, 1)
	for array[i] != ']' {
		end := skipValue(array, i)
		if !yield(array[i:end:end]) {
			return
		}
		if i = space(array, end); array[i] == ',' {
			i = space(array, i+1)
		}
	}
}

// space returns the end of the white space that begins at i.
func space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

// skipValue returns the end of the value that begins at i.
func skipValue(text []byte, i int) int {
	for depth := 0; ; {
		switch text[i] {
		case '"':
			i = skipString(text, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		default: // a number or a word
			for i < len(text) && strings.IndexByte(" \t\r\n,]}", text[i]) < 0 {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
}

// skipString returns the end of the string that begins at i.
func skipString(text []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(text[i:], '"')
		escapes := 0
		for text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// Unquote returns the text of a string.
func Unquote(raw []byte) string {
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// Separators counts the commas between the values of text.
func Separators(text []byte) (n int) {
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = skipString(text, i)
			continue
		case ',':
			n++
		}
		i++
	}
	return n
}

// Encode returns v as JSON for the wire: without line breaks, and without HTML escapes, which would
// cost tokens.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
