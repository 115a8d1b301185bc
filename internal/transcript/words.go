package transcript

import (
	"slices"
	"strings"

	"sdd/internal/pattern"
)

var (
	// injected is the context that clients add to a prompt: elements with a compound name, and some simple ones.
	openTag = pattern.Late(`(?i)<([a-z]+(?:[_-][a-z]+)+|instructions|environment|context|attachments?|skill|persona)(?: [^<>\n]{0,300})?>`)
	query   = pattern.Late(`(?s)<(user_query|user-query|userRequest)>(.*?)</(?:user_query|user-query|userRequest)>`)
	logLine = pattern.Late(`(?i)^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|\[?(?:info|warn|warning|error|debug|trace|fatal)\]?[: ]` +
		`|at \S+ ?\(|traceback |npm err|error ts\d|\$ |❯ |➜ |\S+@\S+[:~]\S*[$#] |[+-]{3} [ab]/|@@ |diff --git |panic: |goroutine \d` +
		`|\{"|\d+→)`)
)

const logStart = 100 // bytes of a line in which the mark of a log begins

// Beginnings of messages that a client writes in the user's name.
var clientWords = []string{
	"Caveat: The messages below were generated", "This session is being continued from a previous conversation", "[Request interrupted",
	"# AGENTS.md instructions", "<user_instructions>", "<environment_context>", "<INSTRUCTIONS>", "This is the Gemini CLI.",
	"Implement the following plan:", "[Image: source:", "Base directory for this skill:", "Your task is to create a detailed summary",
	"API Error",
}

// ownWords leaves out of a message what its author did not write for it: code, quotes, logs, and what a client added. Lines keep their
// places. A message without any words is "".
func ownWords(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.Contains(text, "</user") {
		if m := query().FindAllStringSubmatch(text, -1); m != nil {
			text = ""
			for _, q := range m {
				text += q[2] + "\n"
			}
		}
	}
	if _, after, ok := strings.Cut(text, "## My request for Codex:"); ok {
		text = after
	}
	start := strings.TrimSpace(text)
	if slices.ContainsFunc(clientWords, func(w string) bool { return strings.HasPrefix(start, w) }) {
		return ""
	}
	text = withoutTags(text)
	lines := strings.Split(text[:min(len(text), maxText)], "\n")
	fence := ""
	for i, l := range lines {
		trimmed := strings.TrimSpace(l)
		f := fenceOf(trimmed)
		switch {
		case fence != "":
			if strings.HasPrefix(f, fence) && trimmed == f {
				fence = ""
			}
		case f != "":
			fence = f
		case strings.HasPrefix(trimmed, ">"), logLine().MatchString(l[:min(len(l), logStart)]):
		default:
			continue
		}
		lines[i] = ""
	}
	if strings.TrimSpace(strings.Join(lines, "")) == "" {
		return ""
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " \t\n")
}

const maxUnclosed = 50 // tags of a message: each is looked for up to its end

// withoutTags leaves out the elements of injected context, except for their line breaks.
func withoutTags(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	var b strings.Builder
	for unclosed := 0; unclosed < maxUnclosed; {
		m := openTag().FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		end := strings.Index(text[m[1]:], "</"+text[m[2]:m[3]]+">")
		if end < 0 {
			unclosed++
			b.WriteString(text[:m[1]])
			text = text[m[1]:]
			continue
		}
		end += m[1] + len("</>") + m[3] - m[2]
		b.WriteString(text[:m[0]])
		b.WriteString(strings.Repeat("\n", strings.Count(text[m[0]:end], "\n")))
		text = text[end:]
	}
	return b.String() + text
}
