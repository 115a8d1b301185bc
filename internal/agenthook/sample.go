package agenthook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

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
