package discovery

import (
	"strings"
)

// pythonDoc returns the first sentence of a module's documentation string.
func pythonDoc(src []byte) string {
	text := string(src)
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if !strings.HasPrefix(text, "#") {
			break
		}
		_, rest, _ := strings.Cut(text, "\n")
		text = rest
	}
	for _, quote := range []string{`"""`, "'''", `r"""`, `"`, "'"} {
		if rest, ok := strings.CutPrefix(text, quote); ok {
			end := strings.TrimPrefix(quote, "r")
			if doc, _, ok := strings.Cut(rest, end); ok {
				paragraph, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(doc, "\r\n", "\n")), "\n\n")
				return sentence(notLegal(paragraph), 200)
			}
		}
	}
	return ""
}

// rustDoc returns the first sentence of a file's `//!` documentation.
func rustDoc(src []byte) string {
	var doc []string
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		text, ok := strings.CutPrefix(line, "//!")
		switch text = strings.TrimSpace(text); {
		case ok && text == "" && len(doc) > 0:
			return sentence(strings.Join(doc, " "), 200)
		case ok && !strings.HasPrefix(text, "#") && text != "":
			doc = append(doc, text)
		case !ok && line != "" && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "#!["):
			return sentence(strings.Join(doc, " "), 200)
		}
	}
	return sentence(strings.Join(doc, " "), 200)
}
