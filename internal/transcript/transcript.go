// Package transcript reads the sessions that clients of agents keep: what the user wrote, what the agent wrote, and the commands that
// ran. Text of a message has only their own words: tool output, code, quotes, logs and the context that a client adds are left out.
//
// A transcript may be damaged or still grow. Whatever is whole is read: a line that is no JSON, half a line at the end and a line
// above 4 MiB are skipped.
package transcript

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	"sdd/internal/fault"
	"sdd/internal/pattern"
)

// Format is the name of a client's form of transcripts.
type Format string

const (
	ClaudeCode   Format = "claude-code"
	Codex        Format = "codex"
	Gemini       Format = "gemini"
	Cursor       Format = "cursor"
	Copilot      Format = "copilot"
	SpecStory    Format = "specstory"
	MarkdownChat Format = "markdown-chat"
)

// Formats are all formats, in the order of the reference.
var Formats = []Format{ClaudeCode, Codex, Gemini, Cursor, Copilot, SpecStory, MarkdownChat}

// About describes the files of each format.
var About = map[Format]string{
	ClaudeCode:   "sessions of Claude Code (~/.claude/projects/*/*.jsonl), its subagents' too",
	Codex:        "sessions of Codex (~/.codex/sessions/**/rollout-*.jsonl)",
	Gemini:       "sessions of Gemini CLI (~/.gemini/tmp/*/chats/session-*.json, .jsonl)",
	Cursor:       "sessions of Cursor (~/.cursor/projects/*/agent-transcripts/**/*.jsonl), or a chat exported as Markdown",
	Copilot:      "sessions of Copilot CLI (~/.copilot/session-state/*/events.jsonl) and of VS Code (chatSessions/*.json, .jsonl)",
	SpecStory:    "sessions that SpecStory keeps (.specstory/history/*.md)",
	MarkdownChat: "sessions in Markdown with headings or labels such as \"## User\" and \"**Assistant:**\"",
}

// Role is the origin of a message.
type Role uint8

// Roles of messages. A prompt that an agent gives a subagent is the agent's.
const (
	User Role = iota
	Agent
	Command // a shell command that ended
)

// Message is a message of a session, or a command that ran in it.
type Message struct {
	Role    Role
	Text    string    // of the user or the agent: their own words; its lines are those of the message
	Time    time.Time // zero when the transcript has none
	Session string    // the client's id, "" when the transcript has none
	Line    int       // of the file, 1-based, where the message begins
	Command string    // of Command: the command line
	Failed  bool      // of Command

	spread bool // the lines of Text are lines of the file
}

// At returns the line of the file that has line n of Text, both 1-based.
func (m Message) At(n int) int {
	if m.spread {
		return m.Line + n - 1
	}
	return m.Line
}

const (
	maxLine = 4 << 20 // bytes of a line or of a JSON value; a longer one is skipped
	maxText = 1 << 20 // bytes of a message; the rest of a longer one is left out
	peeked  = 64 << 10
)

// Read reads the messages of a transcript in their order, and stops at the first error of yield. It needs less than 32 MiB of memory
// for a transcript of any size. Faults: Invalid (an unknown format), and the error of r.
func Read(r io.Reader, f Format, yield func(Message) error) error {
	if !slices.Contains(Formats, f) {
		return fault.New(fault.Invalid, "format %q is unknown", f).For("format").With("allowed: " + Names())
	}
	b := bufio.NewReaderSize(r, peeked)
	head, _ := b.Peek(peeked)
	out := &filter{yield: yield}
	if f == SpecStory || f == MarkdownChat || f == Cursor && !startsJSON(head) {
		return readMarkdown(b, f == SpecStory, out.put)
	}
	read, messages, session := readLines, records[f](), ""
	if (f == Gemini || f == Copilot) && isDocument(head) {
		read = readDocument
		if m := sessionID().FindSubmatch(head); m != nil {
			session = string(m[1])
		}
	}
	return read(b, func(line []byte, n int) error {
		for _, m := range messages(line, n) {
			m.Session = cmp.Or(m.Session, session)
			if err := out.put(m); err != nil {
				return err
			}
		}
		return nil
	})
}

var sessionID = pattern.Late(`"sessionId"\s*:\s*"([^"\\]{0,200})"`) // of a document

// Names lists the formats.
func Names() string {
	var names []string
	for _, f := range Formats {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// filter passes messages on that have words, and each once: clients write some messages in two forms.
type filter struct {
	yield  func(Message) error
	recent []Message
}

func (f *filter) put(m Message) error {
	if m.Role != Command {
		m.Text = ownWords(m.Text)
		if m.Text == "" {
			return nil
		}
		same := func(o Message) bool { return o.Role == m.Role && o.Text == m.Text && o.Session == m.Session }
		if slices.ContainsFunc(f.recent, same) {
			return nil
		}
		f.recent = append(f.recent[max(0, len(f.recent)-3):], m) // the last four
	}
	return f.yield(m)
}

// Prose returns the words of the roles in a transcript of one of the formats; of any other text, all of it. In Markdown the words keep
// their lines. The caller reads to the end, or closes it.
func Prose(r io.Reader, formats []Format, roles ...Role) io.ReadCloser {
	b := bufio.NewReaderSize(r, peeked)
	head, _ := b.Peek(peeked)
	f := Detect("", head)
	if !slices.Contains(formats, f) {
		return io.NopCloser(b)
	}
	from, to := io.Pipe()
	go func() {
		line := 1
		to.CloseWithError(Read(b, f, func(m Message) error {
			if !slices.Contains(roles, m.Role) {
				return nil
			}
			text := strings.Repeat("\n", max(0, m.Line-line)) + m.Text + "\n\n"
			line += strings.Count(text, "\n")
			_, err := io.WriteString(to, text)
			return err
		}))
	}()
	return from
}
