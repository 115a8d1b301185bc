package transcript

import (
	"bufio"
	"io"
	"strings"
	"time"

	"sdd/internal/lines"
	"sdd/internal/pattern"
)

var (
	specHeader  = pattern.Late(`^_\*\*(User|Agent|Assistant)( - sidechain)?(?: \((.*)\))?\*\*_$`)
	specSession = pattern.Late(`^<!-- .* Session (\S+) \((.+)\) -->$`)
	chatUser    = `user|human|you|me|prompt|пользователь|человек`
	chatAgent   = `assistant|agent|ai|bot|model|claude(?: code)?|chatgpt|gpt-\S+|codex|cursor|(?:github )?copilot|gemini` +
		`|ассистент|агент`
	chatHeader = pattern.Late(`(?i)^(?:(#{1,6}) +|(\*\*|__))?(?:[^\pL\pN#*_<>|\x60-]{1,4} ?)?(?:(` + chatUser + `)|(?:` + chatAgent +
		`))(?: \([^()]*\))?(:)?(\*\*|__)?(:)?(?: (.*))?$`)
	stamp = pattern.Late(`\d{4}-\d\d-\d\d[ T_]\d\d[:-]\d\d(?:[:-]\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?`)
)

// readMarkdown reads a transcript in Markdown, SpecStory's or a chat with headings or labels of its speakers.
func readMarkdown(r *bufio.Reader, spec bool, put func(Message) error) error {
	var m Message
	var text strings.Builder
	started, fence, ruled := false, "", true
	closing := "" // the line that ends a tool's output or the agent's thoughts
	flush := func() error {
		if !started {
			return nil
		}
		m.Text, m.spread = text.String(), true
		text.Reset()
		return put(m)
	}
	var read []byte
	for n, done := 1, false; !done; n++ {
		var err error
		if read, err = lines.Read(r, read[:0], maxText); err != nil && err != io.EOF {
			return err
		}
		done = err == io.EOF
		line := strings.TrimRight(string(read), "\r\n")
		trimmed := strings.TrimSpace(line)
		if s := specSession().FindStringSubmatch(trimmed); spec && s != nil && !started {
			m.Session, m.Time = s[1], stamped(s[2])
		}
		if closing != "" && trimmed != closing && !(spec && ruled && specHeader().MatchString(trimmed)) {
			line = ""
		} else if role, when, rest, ok := speaker(trimmed, spec); ok && (fence == "" || ruled) {
			if err := flush(); err != nil {
				return err
			}
			m.Role, m.Line, started, fence, closing = role, n, true, "", ""
			if !when.IsZero() {
				m.Time = when
			}
			line = rest
		} else if closing != "" {
			line, closing = "", ""
		} else if f := fenceOf(trimmed); f != "" && (fence == "" || strings.HasPrefix(f, fence) && trimmed == f) {
			if fence != "" {
				f = ""
			}
			fence = f
		} else if fence == "" {
			if closing = hidden(trimmed); closing != "" {
				line = ""
			}
			if strings.HasSuffix(trimmed, closing) {
				closing = ""
			}
		}
		if trimmed != "" {
			ruled = trimmed == "---"
		}
		if trimmed == "---" && fence == "" {
			line = ""
		}
		if started && text.Len() < maxText {
			text.WriteString(line)
			text.WriteByte('\n')
		}
	}
	return flush()
}

// speaker reads a line that begins a message: its role, its time, and the words after a label.
func speaker(line string, spec bool) (role Role, when time.Time, rest string, ok bool) {
	if spec {
		h := specHeader().FindStringSubmatch(line)
		if h == nil || len(line) > 200 {
			return 0, time.Time{}, "", false
		}
		if h[1] != "User" || h[2] != "" {
			role = Agent
		}
		return role, stamped(h[3]), "", true
	}
	h := chatHeader().FindStringSubmatch(line)
	if h == nil {
		return 0, time.Time{}, "", false
	}
	heading, bold, colon, rest := h[1] != "", h[2] != "", h[4] != "" || h[6] != "", h[7]
	if bold != (h[5] != "") || !heading && !bold && !colon || rest != "" && !colon {
		return 0, time.Time{}, "", false
	}
	if h[3] == "" {
		role = Agent
	}
	return role, stamped(line), rest, true
}

// hidden returns the line that ends a block which is nobody's words, "" when line begins none.
func hidden(line string) string {
	switch {
	case strings.HasPrefix(line, "<tool-use"):
		return "</details></tool-use>"
	case strings.HasPrefix(line, "<think><details>"):
		return "</details></think>"
	case strings.HasPrefix(line, "<details"):
		return "</details>"
	}
	return ""
}

// fenceOf returns the marks of a code fence that line begins or ends, "" for another line.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 && !strings.Contains(line[n:], mark) {
			return line[:n]
		}
	}
	return ""
}

// stamped parses the time in a heading; without a zone it is UTC.
func stamped(text string) time.Time {
	s := strings.NewReplacer("T", " ", "_", " ").Replace(stamp().FindString(text))
	for _, form := range []string{"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05-0700", "2006-01-02 15:04:05", "2006-01-02 15-04-05Z07:00",
		"2006-01-02 15:04Z07:00", "2006-01-02 15:04"} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
