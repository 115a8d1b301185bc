package transcript

import (
	"encoding/json"
	"strings"
	"time"

	"sdd/internal/pattern"
)

// records has the reader of one JSON record for each format that has records.
var records = map[Format]func(put func(Message) error) func(line []byte, n int) error{
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
	if len(raw) == 0 {
		return nil
	}
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
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

// commands pairs the start of a command with its end.
type commands struct {
	open map[string]Message
}

const maxOpen = 1000 // commands that have not ended

func (c *commands) start(id, line string, m Message) {
	if c.open == nil || len(c.open) >= maxOpen {
		c.open = map[string]Message{}
	}
	if id != "" && line != "" && len(line) <= maxLine/64 {
		m.Role, m.Command, m.Text = Command, line, ""
		c.open[id] = m
	}
}

func (c *commands) end(id string, failed bool, put func(Message) error) error {
	m, ok := c.open[id]
	if !ok {
		return nil
	}
	delete(c.open, id)
	m.Failed = failed
	return put(m)
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
func claudeRecords(put func(Message) error) func([]byte, int) error {
	var ran commands
	return func(line []byte, n int) error {
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
				if said, ok := refusal(output); ok && p.IsError {
					if err := put(Message{Role: User, Text: said, Time: m.Time, Session: m.Session, Line: n}); err != nil {
						return err
					}
				}
				if failed := strings.HasPrefix(output, "Exit code "); failed || !p.IsError {
					if err := ran.end(p.ToolUseID, failed && p.IsError, put); err != nil {
						return err
					}
				}
			}
		}
		m.Text = texts(list)
		return put(m)
	}
}

// refusal returns the user's words in the result of a tool that the user refused.
func refusal(output string) (said string, ok bool) {
	if !strings.HasPrefix(output, "The user doesn't want to ") {
		return "", false
	}
	_, said, ok = strings.Cut(output, "the user said:\n")
	return said, ok
}

// codexRecords reads Codex's records; the oldest have no envelope.
func codexRecords(put func(Message) error) func([]byte, int) error {
	var ran commands
	session := ""
	return func(line []byte, n int) error {
		type payload struct {
			ID, Type, Role, Message, Name string
			CallID                        string `json:"call_id"`
			Arguments                     string
			Content, Output               json.RawMessage
		}
		var r struct {
			Type      string
			Timestamp json.RawMessage
			Payload   json.RawMessage
		}
		if json.Unmarshal(line, &r) != nil {
			return nil
		}
		if r.Payload == nil {
			r.Payload, r.Type = line, "response_item"
		}
		var p payload
		if json.Unmarshal(r.Payload, &p) != nil {
			return nil
		}
		m := Message{Time: at(r.Timestamp), Session: session, Line: n}
		switch r.Type + " " + p.Type {
		case "session_meta ":
			if session == "" {
				session = p.ID
			}
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
				return ran.end(p.CallID, failed, put)
			}
			return nil
		default:
			return nil
		}
		return put(m)
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

// geminiRecords reads the messages of Gemini CLI, alone or in a record with many.
func geminiRecords(put func(Message) error) func([]byte, int) error {
	session := ""
	var read func(line []byte, n int) error
	read = func(line []byte, n int) error {
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
		if r.SessionID != "" {
			session = r.SessionID
		}
		for _, one := range append(r.Messages, r.Set.Messages...) {
			if nested(one) {
				continue
			}
			if err := read(one, n); err != nil {
				return err
			}
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
			return nil
		}
		if err := put(m); err != nil {
			return err
		}
		for _, c := range r.ToolCalls {
			if failed, known := exited(string(c.Result)); c.Args.Command != "" && (known || c.Status == "success") {
				if err := put(Message{Role: Command, Command: c.Args.Command, Failed: failed, Time: m.Time, Session: session, Line: n}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return read
}

// nested reports whether a message of a record is a record with messages.
func nested(one json.RawMessage) bool {
	var r struct {
		Messages, Set json.RawMessage
		Update        json.RawMessage `json:"$set"`
	}
	return json.Unmarshal(one, &r) == nil && (r.Messages != nil || r.Update != nil)
}

// copilotRecords reads the events of Copilot CLI, and the chats of VS Code: a request with its answer, or a change of the chat.
func copilotRecords(put func(Message) error) func([]byte, int) error {
	var ran commands
	session := ""
	type request struct {
		Timestamp json.RawMessage
		Message   struct{ Text string }
		Response  []json.RawMessage
	}
	ask := func(q request, n int) error {
		m := Message{Time: at(q.Timestamp), Session: session, Line: n, Text: q.Message.Text}
		if err := put(m); err != nil {
			return err
		}
		m.Role, m.Text = Agent, answer(q.Response)
		return put(m)
	}
	return func(line []byte, n int) error {
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
			return put(m)
		case r.Type == "assistant.message":
			m.Role = Agent
			return put(m)
		case r.Type == "tool.execution_start":
			ran.start(r.Data.ToolCallID, r.Data.Arguments.Command, m)
			return nil
		case r.Type == "tool.execution_complete":
			failed, _ := exited(string(r.Data.Result))
			return ran.end(r.Data.ToolCallID, failed || !r.Data.Success, put)
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
			if err := ask(q, n); err != nil {
				return err
			}
		}
		return nil
	}
}

// answer joins the Markdown of an answer in VS Code.
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
