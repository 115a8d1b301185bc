package answer

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/markdown"
	"sdd/internal/pattern"
)

// markdownOf converts reStructuredText to Markdown, line by line, as far as passages need it, without comments and directives.
func markdownOf(src []byte) []byte {
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	lines := strings.Split(string(rstRole().ReplaceAll(rstLink().ReplaceAll(src, []byte("$1$2")), []byte("$1`"))), "\n")
	var levels []string // the styles of headings, the highest first
	drawn := func(n int) byte {
		if n < 0 || n >= len(lines) || len(lines[n]) < 3 || strings.IndexByte("=-~^\"'`#*+_:.", lines[n][0]) < 0 ||
			strings.Trim(lines[n], lines[n][:1]+" ") != "" {
			return 0
		}
		return lines[n][0]
	}
	out := make([]string, len(lines))
	comment, done := false, 0 // done counts the lines that are written
	note := 0                 // the indentation of the note that a line is in, 0 outside
	number, from := 0, 0      // of the last item marked "#.", and its indentation
	for n, line := range lines {
		if n < done {
			continue
		}
		mark := drawn(n + 1)
		text := strings.TrimSpace(line)
		if indent := strings.Index(line, text); strings.HasPrefix(text, "#. ") {
			if indent != from {
				number, from = 0, indent
			}
			number++
			line = line[:indent] + strconv.Itoa(number) + line[indent+1:]
		} else if text != "" && indent <= from {
			number = 0
		}
		comment = comment && (text == "" || line[0] == ' ')
		inNote := note > 0 && (text == "" || strings.HasPrefix(line, "  "))
		if !inNote {
			note = 0
		} else if text != "" {
			note = min(note, len(line)-len(strings.TrimLeft(line, " ")))
			line = line[note:]
		}
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
			if m := noteDirective().FindStringSubmatch(text); m != nil {
				out[n], note, comment = strings.ReplaceAll(m[1], "``", "`"), 1<<10, false
				continue
			}
			if comment = text != "::" && !strings.Contains(text, "::"); text == "::" || codeDirective().MatchString(text) {
				done = literal(out, lines, n)
			}
		case strings.HasPrefix(text, "+-"), strings.HasPrefix(text, "+="):
			out[n] = "|"
		default:
			if rest, ok := strings.CutSuffix(line, "::"); ok {
				line, done = strings.TrimRight(rest, " :")+":", literal(out, lines, n)
			}
			out[n] = strings.ReplaceAll(line, "``", "`")
		}
	}
	return []byte(strings.Join(out, "\n"))
}

// rstLink matches a text with its address, of which the text stays, and rstRole the role of a code span.
var (
	rstLink = pattern.Late("(?::[a-z]+(?::[a-z]+)?:)`([^`<\\n]*[^`<\\s]) +<[^>`\\n]+>`|`([^`<\\n]*[^`<\\s]) +<[^>`\\n]+>`__?")
	rstRole = pattern.Late("(^|[\\s(]):[a-z]+(?::[a-z]+)?:`")
)

// noteDirective finds those whose content is text, which may begin on their line.
var noteDirective = pattern.Late(`^\.\. (?:note|tip|warning|important|hint|caution|danger|attention|seealso)::\s*(.*)$`)

// codeDirective finds the first lines of directives whose content is code.
var codeDirective = pattern.Late(`^\.\. (?:code|code-block|sourcecode|prompt|parsed-literal)::`)

// literal writes the code that line n introduces as a fence, and returns the number of lines up to its end, 0 if there is no code.
func literal(out, lines []string, n int) int {
	blank := func(k int) bool { return k >= len(lines) || strings.TrimSpace(lines[k]) == "" }
	from := n + 1
	directive := strings.HasPrefix(strings.TrimSpace(lines[n]), ".. ")
	for from < len(lines) && (blank(from) || directive && strings.HasPrefix(strings.TrimSpace(lines[from]), ":") &&
		!blank(from-1)) { // and its options
		from++
	}
	end := from
	for end < len(lines) && (blank(end) || indentOf(lines[end]) > indentOf(lines[n])) {
		end++
	}
	for end > from && blank(end-1) {
		end--
	}
	if end == from || !blank(from-1) || !blank(end) {
		return 0
	}
	ticks := max(3, markdown.LongestRun(strings.Join(lines[from:end], "\n"), '`')+1)
	fence := strings.Repeat(" ", indentOf(lines[n])) + strings.Repeat("`", ticks)
	out[from-1] = fence
	copy(out[from:end], lines[from:end])
	if end < len(lines) {
		out[end] = fence
	}
	return end + 1
}
