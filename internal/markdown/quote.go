package markdown

import (
	"bytes"
	"strings"
)

// Quote returns stored text as data for an agent, in a fence that names the source; headings are demoted by `by` levels (to 6 at most).
func Quote(text, source string, by int) string {
	text = Demote(text, by)
	fence := strings.Repeat("`", max(3, LongestRun(text, '`')+1))
	source = strings.Map(func(r rune) rune {
		if r == '`' || r < ' ' {
			return -1
		}
		return r
	}, source)
	if !strings.HasSuffix(text, "\n") && text != "" {
		text += "\n"
	}
	return fence + "markdown source=\"" + source + "\"\n" + text + fence + "\n"
}

// Demote moves every heading that is a direct child of the document down by `by` levels, to 6 at most, as an ATX heading.
func Demote(text string, by int) string {
	if by <= 0 || !mayHaveHeading(text) {
		return text
	}
	d, err := Parse([]byte(text), 0)
	if err != nil {
		return text
	}
	var b strings.Builder
	at := 0
	for _, h := range d.Headings {
		lines := text[h.Span.Start:h.Span.End]
		end := strings.TrimRight(lines, "\r\n")
		level := strings.Repeat("#", min(6, h.Level+by))
		b.WriteString(text[at:h.Span.Start])
		b.WriteString(strings.TrimRight(level+" "+strings.Join(strings.Fields(h.Text), " "), " "))
		b.WriteString(lines[len(end):])
		at = h.Span.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// mayHaveHeading reports whether text may have a heading as a direct child of the document; never false for a text with one.
func mayHaveHeading(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.Trim(line, blank)
		if line != "" && (line[0] == '#' || strings.Trim(line, "=- \t") == "") {
			return true
		}
	}
	return false
}

// CodeSpan returns text on one line as a code span.
func CodeSpan(s string) string {
	marks := strings.Repeat("`", LongestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return marks + s + marks
}

// LongestRun returns the length of the longest run of c in s: a fence or code span around s needs one more.
func LongestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if run++; s[i] != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// FenceMark returns the length of the mark of a line that begins fenced code, 0 for any other, such as one with a code span.
func FenceMark(line []byte) int {
	if len(line) == 0 || line[0] != '`' && line[0] != '~' {
		return 0
	}
	run := runLength(line)
	if run < 3 || line[0] == '`' && bytes.IndexByte(line[run:], '`') >= 0 {
		return 0
	}
	return run
}
