package answer

import (
	"bytes"
	"slices"
	"strings"
)

// markdownOf converts reStructuredText to Markdown, line by line, as far as passages need it: headings, tables and the text of
// a directive. It drops comments and the lines of directives.
func markdownOf(src []byte) []byte {
	lines := strings.Split(string(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))), "\n")
	var levels []string // the styles of headings, the highest first
	drawn := func(n int) byte {
		if n < 0 || n >= len(lines) || len(lines[n]) < 3 || strings.IndexByte("=-~^\"'`#*+_:.", lines[n][0]) < 0 ||
			strings.Trim(lines[n], lines[n][:1]+" ") != "" {
			return 0
		}
		return lines[n][0]
	}
	out := make([]string, len(lines))
	comment := false
	for n, line := range lines {
		mark := drawn(n + 1)
		text := strings.TrimSpace(line)
		comment = comment && (text == "" || line[0] == ' ')
		switch {
		case comment:
		case drawn(n) != 0:
		case text != "" && (line[0] != ' ' || drawn(n-1) == mark) && mark != 0 && !strings.Contains(lines[n+1], " ") &&
			len(lines[n+1]) >= len(text)/2:
			style := lines[n+1][:1]
			if drawn(n-1) == mark {
				style += style // with a line above, too
			}
			if !slices.Contains(levels, style) {
				levels = append(levels, style)
			}
			out[n] = strings.Repeat("#", 1+min(3, slices.Index(levels, style))) + " " + text
		case strings.HasPrefix(text, ".. "), text == "..", text == "::":
			comment = text != "::" && !strings.Contains(text, "::")
		case strings.HasPrefix(text, "+-"), strings.HasPrefix(text, "+="):
			out[n] = "|"
		default:
			if rest, ok := strings.CutSuffix(line, "::"); ok {
				line = rest + ":"
			}
			out[n] = strings.ReplaceAll(line, "``", "`")
		}
	}
	return []byte(strings.Join(out, "\n"))
}
