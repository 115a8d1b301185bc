package learning

import (
	"strings"
	"unicode/utf8"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// Stored text is data. Where it is shown to an agent or in a view, a learning is the rest of one line that begins with
// its id, so that no heading, fence, list or comment can begin in it.

// line returns text on one line.
func line(text string) string { return markdown.Line(text) }

// item is a learning as a line of a list.
func item(id, content string) string {
	return "- [" + id + "] " + line(content)
}

// brief is a value of a caller as it is told back.
func brief(s string) string {
	s = line(strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) > 100 {
		return string([]rune(s)[:100]) + "…"
	}
	return s
}

// oneLine checks an argument that becomes a value of the front matter, and returns it without space around it.
func oneLine(arg, s string, lim config.Limits) (string, error) {
	s = strings.TrimSpace(s)
	return s, record.CheckLine(arg, s, lim.Title)
}

// text checks a content and returns it without space around it, its lines ended by LF.
func text(arg, s string, lim config.Limits) (string, error) {
	if err := record.CheckText(arg, s); err != nil {
		return "", err
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	if s = strings.TrimSpace(s); s == "" {
		return "", fault.New(fault.Invalid, "%s is required", arg).For(arg).With("say in a sentence or two what was found out")
	}
	if len(s) > lim.Section {
		return "", fault.New(fault.Invalid, "%s has %d bytes, at most %d are allowed", arg, len(s), lim.Section).For(arg).
			With("keep the essence and name the file that holds the rest; limits.section in .sdd/config.yaml sets the limit")
	}
	return s, nil
}
