package answer

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"sdd/internal/pattern"
)

var (
	adocLink = pattern.Late(`(?:(?:link|xref):([^\s\[\]]+)|\b((?:https?|ftp)://[^\s\[\]]+))\[([^\]\n]+)\]`)
	adocRef  = pattern.Late(`<<[^<>\n,]*,? *([^<>\n]*)>>`)
	adocDrop = pattern.Late(`^(?:\[[^\]]*\]|:!?[\w-]+!?:.*|` +
		`(?:(?:image|video|audio|toc|include|ifn?def|ifeval|endif)::?[^\s\[]*\[[^\]]*\]\s*)+` +
		`|//.*|\+|--|={4,}|\*{4,}|_{4,}|\|={3,})$`)
	adocItem = pattern.Late(`^(\*+|-|\.+)[ \t]+(\S.*)$`)
	adocHead = pattern.Late(`^(={1,6})[ \t]+(\S.*?)(?:[ \t]+=+)?$`)
)

// fromAsciiDoc converts AsciiDoc to Markdown, line by line, as far as passages need it: headings, lists, code, tables and links.
func fromAsciiDoc(src []byte) []byte {
	lines := strings.Split(string(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))), "\n")
	open, before := "", "" // the line that began a block without marks, and the line before
	for n, line := range lines {
		text := strings.TrimRight(line, " \t")
		above := before
		before = text
		block := len(text) >= 4 && strings.IndexByte("-.+/`", text[0]) >= 0 && strings.Trim(text, text[:1]) == ""
		switch {
		case open == "" && underlines(text, above) && lines[n-1] == above:
			lines[n-1], lines[n] = strings.Repeat("#", 1+strings.IndexByte("=-~^+", text[0]))+" "+above, ""
		case open == "" && block:
			open, lines[n] = text, fenceOf(text)
		case open != "" && text == open:
			open, lines[n] = "", fenceOf(text)
		case open != "":
			if fenceOf(open) == "" { // a comment, or output as it is
				lines[n] = ""
			}
		case adocDrop().MatchString(text):
			lines[n] = ""
		case adocHead().MatchString(text):
			m := adocHead().FindStringSubmatch(text)
			lines[n] = strings.Repeat("#", len(m[1])) + " " + m[2]
		case len(text) > 1 && text[0] == '.' && text[1] != '.' && text[1] != ' ': // the title of a block
			lines[n] = text[1:] + ":"
		default:
			if m := adocItem().FindStringSubmatch(strings.TrimLeft(text, " \t")); m != nil {
				mark := map[bool]string{true: "1. ", false: "- "}[m[1][0] == '.']
				text = strings.Repeat("  ", len(m[1])-1) + mark + m[2]
			}
			lines[n] = adocRef().ReplaceAllString(adocLink().ReplaceAllString(text, "[$3]($1$2)"), "$1")
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// underlines reports whether a line makes a title of the one above it.
func underlines(text, above string) bool {
	far := utf8.RuneCountInString(above) - len(text)
	drawn := len(text) > 2 && strings.IndexByte("=-~^+", text[0]) >= 0 && strings.Trim(text, text[:1]) == ""
	return drawn && above != "" && -3 < far && far < 3
}

// fenceOf returns the fence for a block of code, "" for a comment or output as it is.
func fenceOf(mark string) string {
	if strings.IndexByte("/+", mark[0]) >= 0 {
		return ""
	}
	return "```"
}
