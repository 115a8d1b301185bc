package transcript

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"sdd/internal/pattern"
)

// records has the reader of the records of one file for each format that has JSON records. It returns the messages of a record, which
// begins on line n.
var records = map[Format]func() func(line []byte, n int) []Message{
	ClaudeCode: claudeRecords, Codex: codexRecords, Gemini: geminiRecords, Cursor: claudeRecords, Copilot: copilotRecords,
}

// part is a part of a message's content. Clients have the same names for it.
type part struct {
	Type, Text, Name, ID string
	Input                struct{ Command string }
	ToolUseID            string `json:"tool_use_id"`
	IsError              bool   `json:"is_error"`
	Content              json.RawMessage
}

// parts reads content that is a string or a list of parts.
func parts(raw json.RawMessage) (list []part) {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		return []part{{Type: "text", Text: text}}
	}
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		all = []json.RawMessage{raw}
	}
	for _, one := range all {
		var p part
		if json.Unmarshal(one, &p) == nil {
			list = append(list, p)
		}
	}
	return list
}

// words joins the texts of parts. A part without a type is text.
func words(raw json.RawMessage) string { return texts(parts(raw)) }

func texts(list []part) string {
	var texts []string
	for _, p := range list {
		if (p.Type == "" || strings.HasSuffix(p.Type, "text")) && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// commands are those that have not ended, by the id of their call.
type commands map[string]Message

const maxOpen = 1000 // commands

func (c commands) start(id, line string, m Message) {
	if len(c) >= maxOpen {
		clear(c)
	}
	if id != "" && line != "" && len(line) <= maxLine/64 {
		m.Role, m.Command, m.Text = Command, line, ""
		c[id] = m
	}
}

func (c commands) end(id string, failed bool) []Message {
	m, ok := c[id]
	if !ok {
		return nil
	}
	delete(c, id)
	m.Failed = failed
	return []Message{m}
}

var exitCode = pattern.Late(`(?i)\bexit(?:ed)?(?: with)?(?: exit)?[ _]code\\?"?:? ?(-?\d+)`)

// exited reads the exit code in the output of a command's tool.
func exited(output string) (failed, known bool) {
	m := exitCode().FindStringSubmatch(output[:min(len(output), 4<<10)])
	if m == nil {
		m = exitCode().FindStringSubmatch(output[max(0, len(output)-1<<10):])
	}
	return m != nil && strings.Trim(m[1], "0") != "", m != nil
}

// at parses a client's time: RFC 3339, or milliseconds since 1970.
func at(raw json.RawMessage) time.Time {
	var text string
	var ms int64
	if json.Unmarshal(raw, &text) == nil {
		t, _ := time.Parse(time.RFC3339, text)
		return t.UTC()
	}
	if json.Unmarshal(raw, &ms) == nil && ms > 0 && ms < 1<<43 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

// claudeRecords reads Claude Code's records, and Cursor's, which have the role at their top and no time.
func claudeRecords() func([]byte, int) []Message {
	ran := commands{}
	return func(line []byte, n int) (out []Message) {
		var r struct {
			Type, Role, SessionID     string
			IsSidechain, IsMeta       bool
			IsCompactSummary          bool
			IsVisibleInTranscriptOnly bool
			Timestamp                 json.RawMessage
			Message                   struct{ Content json.RawMessage }
		}
		if json.Unmarshal(line, &r) != nil || r.IsMeta || r.IsCompactSummary || r.IsVisibleInTranscriptOnly {
			return nil
		}
		m := Message{Time: at(r.Timestamp), Session: r.SessionID, Line: n}
		switch r.Type + r.Role {
		case "assistant":
			m.Role = Agent
		case "user":
			if r.IsSidechain {
				m.Role = Agent
			}
		default:
			return nil
		}
		list := parts(r.Message.Content)
		for _, p := range list {
			switch {
			case p.Type == "tool_use" && p.Name == "Bash":
				ran.start(p.ID, p.Input.Command, m)
			case p.Type == "tool_result":
				output := words(p.Content)
				_, said, refused := strings.Cut(output, "the user said:\n")
				if refused && p.IsError && strings.HasPrefix(output, "The user doesn't want to ") {
					out = append(out, Message{Role: User, Text: said, Time: m.Time, Session: m.Session, Line: n})
				}
				if failed := strings.HasPrefix(output, "Exit code "); failed || !p.IsError {
					out = append(out, ran.end(p.ToolUseID, failed && p.IsError)...)
				}
			}
		}
		m.Text = texts(list)
		return append(out, m)
	}
}

// codexRecords reads Codex's records; the oldest have no envelope.
func codexRecords() func([]byte, int) []Message {
	ran, session := commands{}, ""
	return func(line []byte, n int) []Message {
		var r struct {
			Type               string
			Timestamp, Payload json.RawMessage
		}
		if json.Unmarshal(line, &r) != nil {
			return nil
		}
		if r.Payload == nil {
			r.Payload, r.Type = line, "response_item"
		}
		var p struct {
			ID, Type, Role, Message string
			CallID                  string `json:"call_id"`
			Arguments               string
			Content, Output         json.RawMessage
		}
		if json.Unmarshal(r.Payload, &p) != nil {
			return nil
		}
		m := Message{Time: at(r.Timestamp), Session: session, Line: n}
		switch r.Type + " " + p.Type {
		case "session_meta ":
			session = cmp.Or(session, p.ID)
			return nil
		case "event_msg user_message":
			m.Text = p.Message
		case "event_msg agent_message":
			m.Role, m.Text = Agent, p.Message
		case "response_item message":
			if m.Text = words(p.Content); p.Role == "assistant" {
				m.Role = Agent
			} else if p.Role != "user" {
				return nil
			}
		case "response_item function_call":
			ran.start(p.CallID, shellCommand(p.Arguments), m)
			return nil
		case "response_item function_call_output":
			if failed, known := exited(string(p.Output)); known {
				return ran.end(p.CallID, failed)
			}
			return nil
		default:
			return nil
		}
		return []Message{m}
	}
}

// shellCommand returns the command line in the arguments of a shell tool, "" of another tool.
func shellCommand(arguments string) string {
	var a struct {
		Command json.RawMessage
		Cmd     string
	}
	if json.Unmarshal([]byte(arguments), &a) != nil {
		return ""
	}
	var words []string
	var line string
	switch {
	case json.Unmarshal(a.Command, &words) == nil && len(words) > 2 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c"):
		return words[2] // bash -lc LINE
	case words != nil:
		return strings.Join(words, " ")
	case json.Unmarshal(a.Command, &line) == nil:
		return line
	}
	return a.Cmd
}

// geminiRecords reads the messages of Gemini CLI, alone or in a record with many. A record in a record has none.
func geminiRecords() func([]byte, int) []Message {
	session := ""
	var read func(line []byte, n int, inRecord bool) []Message
	read = func(line []byte, n int, inRecord bool) (out []Message) {
		var r struct {
			Type, SessionID         string
			Timestamp               json.RawMessage
			Content, DisplayContent json.RawMessage
			Messages                []json.RawMessage
			Set                     struct{ Messages []json.RawMessage } `json:"$set"`
			ToolCalls               []struct {
				Args   struct{ Command string }
				Status string
				Result json.RawMessage
			}
		}
		if json.Unmarshal(line, &r) != nil {
			return nil
		}
		messages := append(r.Messages, r.Set.Messages...)
		if inRecord && len(messages) > 0 {
			return nil
		}
		session = cmp.Or(r.SessionID, session)
		for _, one := range messages {
			out = append(out, read(one, n, true)...)
		}
		m := Message{Time: at(r.Timestamp), Session: session, Line: n}
		switch r.Type {
		case "user":
			if m.Text = words(r.DisplayContent); m.Text == "" {
				m.Text, _, _ = strings.Cut(words(r.Content), "--- Content from referenced files ---")
			}
		case "gemini":
			m.Role, m.Text = Agent, words(r.Content)
		default:
			return out
		}
		out = append(out, m)
		for _, c := range r.ToolCalls {
			if failed, known := exited(string(c.Result)); c.Args.Command != "" && (known || c.Status == "success") {
				out = append(out, Message{Role: Command, Command: c.Args.Command, Failed: failed, Time: m.Time, Session: session, Line: n})
			}
		}
		return out
	}
	return func(line []byte, n int) []Message { return read(line, n, false) }
}

// copilotRecords reads the events of Copilot CLI, and the chats of VS Code: a request with its answer, or a change of the chat.
func copilotRecords() func([]byte, int) []Message {
	ran, session := commands{}, ""
	type request struct {
		Timestamp json.RawMessage
		Message   struct{ Text string }
		Response  []json.RawMessage
	}
	return func(line []byte, n int) (out []Message) {
		var r struct {
			Type, SessionID string
			Timestamp       json.RawMessage
			Data            struct {
				SessionID, Content, ToolCallID string
				Arguments                      struct{ Command string }
				Success                        bool
				Result                         json.RawMessage
			}
			Kind     int
			K        []any
			V        json.RawMessage
			Requests []request
		}
		if json.Unmarshal(line, &r) != nil {
			return nil
		}
		m := Message{Time: at(r.Timestamp), Session: session, Line: n, Text: r.Data.Content}
		switch {
		case r.Type == "session.start":
			session = r.Data.SessionID
			return nil
		case r.Type == "user.message":
			return []Message{m}
		case r.Type == "assistant.message":
			m.Role = Agent
			return []Message{m}
		case r.Type == "tool.execution_start":
			ran.start(r.Data.ToolCallID, r.Data.Arguments.Command, m)
			return nil
		case r.Type == "tool.execution_complete":
			failed, _ := exited(string(r.Data.Result))
			return ran.end(r.Data.ToolCallID, failed || !r.Data.Success)
		case r.Type != "":
			return nil
		}
		var one request
		switch path := r.K; {
		case r.V != nil && len(path) == 0: // the whole chat
			var chat struct {
				SessionID string
				Requests  []request
			}
			if json.Unmarshal(r.V, &chat) == nil {
				session, r.Requests = chat.SessionID, chat.Requests
			}
		case len(path) == 1 && path[0] == "requests":
			json.Unmarshal(r.V, &r.Requests)
		case len(path) == 3 && path[0] == "requests" && path[2] == "response":
			json.Unmarshal(r.V, &one.Response)
			r.Requests = []request{one}
		case r.V == nil && r.Requests == nil:
			json.Unmarshal(line, &one)
			r.Requests = []request{one}
		}
		for _, q := range r.Requests {
			m := Message{Time: at(q.Timestamp), Session: session, Line: n, Text: q.Message.Text}
			said := m
			said.Role, said.Text = Agent, answer(q.Response)
			out = append(out, m, said)
		}
		return out
	}
}

func answer(list []json.RawMessage) string {
	var b strings.Builder
	for _, raw := range list {
		var p struct {
			Kind    string
			Value   json.RawMessage
			Content struct{ Value string }
		}
		var text string
		if json.Unmarshal(raw, &p) != nil {
			continue
		}
		switch {
		case p.Kind == "markdownContent":
			text = p.Content.Value
		case p.Kind == "":
			json.Unmarshal(p.Value, &text)
		case p.Kind == "inlineReference":
			continue
		default:
			text = "\n\n"
		}
		b.WriteString(text)
	}
	return b.String()
}
