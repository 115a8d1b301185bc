package agenthook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"sdd/internal/lines"
)

// Answer returns what a hook prints so that the client's model reads the text; nothing where the client passes none on.
func Answer(client string, in Input, text string) []byte {
	c := Named(client)
	if c == nil || text == "" || in.Kind == "" || in.Kind == Compacting || in.Kind == End || c.ID == "kiro" && in.Kind == File {
		return nil
	}
	switch c.answer {
	case specific:
		return lines.JSON(map[answerForm]output{specific: {in.Event, text}}, "")
	case plainText:
		return []byte(text + "\n")
	case noAnswer:
		return nil
	}
	return lines.JSON(map[answerForm]string{c.answer: text}, "")
}

type output struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

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
	return lines.JSON(event, "")
}

// Check returns an error when the client would not read what a hook printed for its first event. No output is in order.
func Check(c *Client, out []byte) error {
	if len(bytes.TrimSpace(out)) == 0 {
		return nil
	}
	ok := utf8.Valid(out)
	if c.answer != plainText {
		var answer map[answerForm]json.RawMessage
		if err := json.Unmarshal(out, &answer); err != nil {
			return fmt.Errorf("%s reads JSON from a hook, and this is none: %.40q", c.Name, out)
		}
		given, text := output{}, ""
		if c.answer == specific {
			ok = json.Unmarshal(answer[specific], &given) == nil && given.Event == c.Events[0].Name && given.Context != ""
		} else {
			ok = json.Unmarshal(answer[c.answer], &text) == nil && text != ""
		}
	}
	if !ok {
		return fmt.Errorf("%s does not read a hook's answer of this form: %.40q", c.Name, out)
	}
	return nil
}
