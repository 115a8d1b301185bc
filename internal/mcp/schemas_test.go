package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sdd/schema"
)

// TestSchemasHaveKnownKeywords: the library ignores a keyword that it does not know, so a misspelled rule would check nothing.
func TestSchemasHaveKnownKeywords(t *testing.T) {
	known := strings.Fields("$schema type properties required additionalProperties items enum minimum maximum minLength maxLength " +
		"minItems maxItems pattern title description default examples format x-mcp-header")
	var walk func(tool string, keywords map[string]any)
	walk = func(tool string, keywords map[string]any) {
		for keyword, value := range keywords {
			if !slices.Contains(known, keyword) {
				t.Errorf("%s: unknown keyword %q", tool, keyword)
			}
			below, _ := value.(map[string]any)
			switch keyword {
			case "properties":
				for _, p := range below {
					walk(tool, p.(map[string]any))
				}
			case "items":
				walk(tool, below)
			}
		}
	}
	c := Offers()
	for _, tool := range append(c.Tools, c.Compat...) {
		var s map[string]any
		if err := json.Unmarshal(schema.Input(tool.Name), &s); err != nil {
			t.Fatal(err)
		}
		walk(tool.Name, s)
	}
}
