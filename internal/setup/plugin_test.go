package setup

import (
	"encoding/json"
	"strings"
	"testing"

	"sdd/internal/agenthook"
	"sdd/internal/prompt"
)

// TestPlugin: a package starts the server, calls the hook at each of the client's events, and has every command.
func TestPlugin(t *testing.T) {
	for _, client := range PluginClients {
		files, err := Plugin(client, "1.2.3", "Keeps \"what\" is known")
		if err != nil {
			t.Fatal(err)
		}
		text, commands := map[string]string{}, 0
		for _, f := range files {
			text[f.Path] = f.Text
			if strings.HasPrefix(f.Path, "commands/") || strings.HasSuffix(f.Path, "/SKILL.md") {
				commands++
			} else if !json.Valid([]byte(f.Text)) {
				t.Errorf("%s: %s is no JSON:\n%s", client, f.Path, f.Text)
			}
		}
		if commands != len(prompt.All()) {
			t.Errorf("%s: %d commands", client, commands)
		}
		root, server := "", map[string]string{
			"claude-code": ".mcp.json", "gemini-cli": "gemini-extension.json", "codex": "plugins/sdd/.mcp.json", "cursor": "mcp.json",
		}[client]
		if client == "codex" {
			root = "plugins/sdd/"
		}
		var hooks struct {
			Hooks map[string][]struct {
				Hooks   []struct{ Command string }
				Command string // Cursor's
			}
		}
		if err := json.Unmarshal([]byte(text[root+"hooks/hooks.json"]), &hooks); err != nil {
			t.Fatal(err)
		}
		for _, e := range agenthook.Named(client).Events {
			got := hooks.Hooks[e.Name]
			if len(got) == 1 && len(got[0].Hooks) == 1 {
				got[0].Command = got[0].Hooks[0].Command
			}
			if len(got) != 1 || got[0].Command != "sdd hook "+client {
				t.Errorf("%s: %s runs %v", client, e.Name, got)
			}
		}
		for _, want := range []string{`"mcpServers"`, `"command": "sdd"`, `"mcp"`} {
			if !strings.Contains(text[server], want) {
				t.Errorf("%s: the server's entry lacks %s:\n%s", client, want, text[server])
			}
		}
	}
	if _, err := Plugin("zed", "1", "x"); err == nil {
		t.Error("a package for a client without one")
	}
}
