package secrets

import (
	"slices"
	"strings"
)

// Mask returns text with each secret replaced by its kind in brackets, such as "[a GitHub token]".
func Mask(text string) string { return mask(text, Scan([]byte(text))) }

func mask(text string, found []Finding) string {
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start] + "[" + f.What + "]")
		at = f.End
	}
	return b.String() + text[at:]
}

// Masker masks the secrets in the texts of one session. A value that the words around it showed to be a secret is masked in every
// later text too. The zero value is ready.
type Masker struct{ known []masked }

// masked is a secret and its kind in brackets.
type masked struct{ value, what string }

const (
	mostKnown = 200 // values that a Masker remembers
	longWord  = 16  // bytes: a shorter value without a digit may be a word
)

// Mask is the function Mask for the next text.
func (m *Masker) Mask(text string) string {
	found := Scan([]byte(text))
	for _, f := range found {
		k := masked{text[f.Start:f.End], "[" + f.What + "]"}
		sure := len(k.value) >= longWord || len(k.value) >= longWord/2 && strings.ContainsAny(k.value, digits)
		if sure && len(m.known) < mostKnown && !slices.Contains(m.known, k) {
			m.known = append(m.known, k)
		}
	}
	text = mask(text, found)
	for _, k := range m.known {
		text = strings.ReplaceAll(text, k.value, k.what)
	}
	return text
}
