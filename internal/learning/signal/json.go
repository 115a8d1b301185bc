package signal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

const maxDepth = 4 // JSON in strings of JSON in …

// marks are the authors of the strings in an object, by its role, its type, or its own key.
var marks = map[string]Source{
	"assistant": Assistant, "model": Assistant, "agent_message": Assistant,
	"user": User, "human": User, "user_message": User,
	"system": System, "developer": System,
	"tool": Tool, "function": Tool, "tool_use": Tool, "tool_result": Tool, "tool_call": Tool, "toolUseResult": Tool,
	"function_call": Tool, "function_call_output": Tool, "custom_tool_call": Tool, "custom_tool_call_output": Tool,
	"local_shell_call": Tool, "local_shell_call_output": Tool, "mcp_tool_call": Tool, "command_execution": Tool,
}

// jsonLine reads the line that v begins with as JSON, and returns its length. It returns 0 when the line is something else.
func (s *scanner) jsonLine(v []byte, line, depth int, from Source) (int, error) {
	v = firstLine(v)
	text := bytes.TrimLeft(v, " \t")
	member := text[0] == '"'
	if bytes.IndexByte(text, '<') < 0 && !bytes.Contains(text, []byte(`\u003`)) { // no signal, as it is or escaped
		if !member && record(text) { // most lines of a transcript
			return len(v), nil
		}
		return 0, nil
	}
	if member {
		text = bytes.TrimSuffix(bytes.TrimRight(text, " \t\r"), []byte(","))
		text = slices.Concat([]byte("{"), text, []byte("}"))
	}
	if !json.Valid(text) {
		return 0, nil
	}
	return len(v), s.json(json.NewDecoder(bytes.NewReader(text)), line, depth, from, nil)
}

// record reports whether text begins like a JSON object with a key, or like an array of such.
func record(text []byte) bool {
	text = bytes.TrimLeft(text[1:], " \t[{")
	return len(text) > 0 && text[0] == '"'
}

// json scans the string values of the next value of d, each as a text of its own. A value that names the author of the object
// around it is not scanned: it sets author, which is nil for other values.
func (s *scanner) json(d *json.Decoder, line, depth int, from Source, author *Source) error {
	t, err := d.Token()
	if err != nil {
		return nil // the line is valid JSON: this is its end
	}
	if text, ok := t.(string); ok && author != nil {
		*author = cmp.Or(marks[text], *author)
		return nil
	} else if ok {
		return s.text([]byte(text), line, depth+1, from)
	}
	open, nested := t.(json.Delim)
	if !nested {
		return nil
	}
	for err == nil && d.More() {
		under := from
		var author *Source
		if open == '{' {
			key, _ := d.Token()
			name, _ := key.(string)
			if marks[name] == Tool {
				under = Tool
			}
			if name == "role" || name == "type" {
				author = &from
			}
		}
		err = s.json(d, line, depth, under, author)
	}
	_, _ = d.Token() // its closing bracket
	return err
}
