package inbox

import (
	"fmt"
	"strings"
	"unicode"

	"sdd/internal/markdown"
	"sdd/internal/store"
)

// line returns text on one line, without what steers a terminal or turns a line around.
func line(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}

// Text renders candidates for an agent or a person, a line each: what they say is quoted as data.
func Text(list []Candidate) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "- [%s] %s %s %.2f", line(c.ID), line(c.Kind), line(c.Status), c.Confidence)
		if c.Commit != "" {
			fmt.Fprintf(&b, " (commit %s)", line(c.Commit[:min(len(c.Commit), 12)]))
		}
		fmt.Fprintf(&b, ": %s\n", line(c.Content))
		if c.Reason != "" {
			fmt.Fprintf(&b, "  reason: %s\n", line(c.Reason))
		}
	}
	return markdown.Quote(b.String(), store.Folder+"/inbox", 0)
}
