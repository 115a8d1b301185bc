package transport

import (
	"bytes"
	"encoding/json"
)

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

// maxValues bounds the values of a message. Decoded, a small value takes up to fifty times its text.
const maxValues = 20_000

// separators counts the commas of a JSON text outside its strings.
func separators(text []byte) (n int) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ',' && !quoted:
			n++
		}
	}
	return n
}
