package agenthook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Answer returns what a hook prints so that the client's model reads the text, with a line end; nothing when there is no text, or when
// the client passes no text on at that event. Clients reject an answer in another form, or at another event.
func Answer(client string, in Input, text string) []byte {
	c := Named(client)
	if c == nil || text == "" || in.Kind == "" || in.Kind == Compacting || in.Kind == End || c.ID == "kiro" && in.Kind == File {
		return nil
	}
	switch c.answer {
	case specific:
		type output struct {
			HookEventName     string `json:"hookEventName"`
			AdditionalContext string `json:"additionalContext"`
		}
		return encode(map[string]output{"hookSpecificOutput": {in.Event, text}})
	case snakeContext:
		return encode(map[string]string{"additional_context": text})
	case camelContext:
		return encode(map[string]string{"additionalContext": text})
	case plainText:
		return []byte(text + "\n")
	}
	return nil
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts always encode
	}
	return b.Bytes()
}

// SampleSession is the session of Sample.
const SampleSession = "sdd-doctor"

// Sample returns what the client writes to its first hook, for a session that just began in a folder and has no transcript.
func Sample(c *Client, dir string) []byte {
	event := map[string]any{"hook_event_name": c.Events[0].Name, "session_id": SampleSession, "cwd": dir, "source": "startup"}
	switch c.ID {
	case "cursor":
		delete(event, "cwd")
		event["conversation_id"], event["workspace_roots"] = SampleSession, []string{dir}
	case "windsurf":
		event = map[string]any{"agent_action_name": c.Events[0].Name, "trajectory_id": SampleSession, "tool_info": map[string]string{"cwd": dir}}
	}
	return encode(event)
}

// Check returns an error when the client would not read what a hook printed for its first event. No output is in order.
func Check(c *Client, out []byte) error {
	if len(bytes.TrimSpace(out)) == 0 {
		return nil
	}
	var answer struct {
		Specific struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
		Snake string `json:"additional_context"`
		Camel string `json:"additionalContext"`
	}
	if c.answer != plainText {
		if err := json.Unmarshal(out, &answer); err != nil {
			return fmt.Errorf("%s reads JSON from a hook, and this is none: %.40q", c.Name, out)
		}
	}
	ok := false
	switch c.answer {
	case specific:
		ok = answer.Specific.Event == c.Events[0].Name && answer.Specific.Context != ""
	case snakeContext:
		ok = answer.Snake != ""
	case camelContext:
		ok = answer.Camel != ""
	case plainText:
		ok = utf8.Valid(out)
	}
	if !ok {
		return fmt.Errorf("%s does not read a hook's answer of this form: %.40q", c.Name, out)
	}
	return nil
}
