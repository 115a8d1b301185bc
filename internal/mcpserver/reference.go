package mcpserver

import "encoding/json"

// ToolInfo describes a tool for the reference.
type ToolInfo struct {
	Name, Title, Description, Toolset string
	Aliases                           []string
	Writes                            bool
	Input                             json.RawMessage // the JSON Schema of its arguments
}

// Tools returns the tools in the order in which they are listed, without those of other servers.
func Tools() []ToolInfo {
	var out []ToolInfo
	for _, t := range (core{}).catalog().Tools {
		out = append(out, ToolInfo{t.Name, t.Title, t.Description, t.Toolset, t.Aliases, t.Writes, t.Input})
	}
	return out
}
