package secrets

import "strings"

// Mask returns text with each secret replaced by its kind in brackets, such as "[a GitHub token]".
func Mask(text string) string {
	found := Scan([]byte(text))
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
