package learning

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/config"
	"sdd/internal/fault"
)

// Stored text is data. Where it is shown to an agent or in a view, a learning is the rest of one line that begins with
// its id, so that no heading, fence, list or comment can begin in it; a tag that would announce a
// learning when the page is scanned again is no tag any more.

var tags = regexp.MustCompile(`<(/?(?:swarm|axiom|chorus)\b)`)

// line returns text on one line: every run of white space and of characters that nobody sees is a space.
func line(text string) string {
	if isLine(text) {
		return text // nearly always
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1 // would turn the line around
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// isLine reports whether text is plain ASCII on one line, with single spaces between its words.
func isLine(text string) bool {
	was := byte(' ')
	for n := range len(text) {
		c := text[n]
		if c < ' ' || c >= 0x7f || c == ' ' && was == ' ' {
			return false
		}
		was = c
	}
	return was != ' '
}

// item is a learning as a line of a list.
func item(id, content string) string {
	content = line(content)
	if strings.IndexByte(content, '<') >= 0 {
		content = tags.ReplaceAllString(content, "&lt;$1")
	}
	return "- [" + id + "] " + content
}

// brief is a value of a caller as it is told back.
func brief(s string) string {
	s = line(strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) > 100 {
		return string([]rune(s)[:100]) + "…"
	}
	return s
}

// plain refuses what no text file should hold.
func plain(arg, s string) error {
	if !utf8.ValidString(s) {
		return fault.New(fault.Invalid, "%s is not valid UTF-8", arg).For(arg).With("convert the text to UTF-8")
	}
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\x1b' {
			return fault.New(fault.Invalid, "%s holds the control character U+%04X", arg, r).For(arg).With("remove it")
		}
	}
	return nil
}

// oneLine checks an argument that becomes a value of the front matter, and returns it without space around it.
func oneLine(arg, s string, lim config.Limits) (string, error) {
	s = strings.TrimSpace(s)
	if n := utf8.RuneCountInString(s); n > lim.Title {
		return "", fault.New(fault.Invalid, "%s has %d characters, at most %d are allowed", arg, n, lim.Title).For(arg).With("shorten it")
	}
	if err := plain(arg, s); err != nil {
		return "", err
	}
	if strings.ContainsAny(s, "\r\n") {
		return "", fault.New(fault.Invalid, "%s has more than one line", arg).For(arg).With("give one line")
	}
	return s, nil
}

// text checks a content and returns it without space around it, its lines ended by LF.
func text(arg, s string, lim config.Limits) (string, error) {
	if err := plain(arg, s); err != nil {
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
