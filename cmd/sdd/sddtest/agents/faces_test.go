package agents

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommandsAnswerAsTools is law 9: a command with a flag for each argument prints the structured content of the tool.
func TestCommandsAnswerAsTools(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	put := func(name, text string) { write(t, filepath.Join(dir, filepath.FromSlash(name)), text) }
	for n := range 6 {
		put(fmt.Sprintf(".sdd/explore/token-%d.md", n), fmt.Sprintf(
			"---\ntitle: Token %d\nproject: %s\nsession_id: s%d\n---\n\n## Goals\n\n- the <refresh> token & its end\n\n## Context\n\n%s",
			n, []string{"shop", "till"}[n%2], n%3, strings.Repeat("- the token is renewed before it ends\n", 10*n)))
		put(fmt.Sprintf("token%d.go", n), fmt.Sprintf("package x\n\nfunc token%d() {}\n", n))
	}
	put(".sdd/personal/explore/token-own.md", "# Token of my own\n\n## Goals\n\n- token\n")
	put(".sdd/ideas/idea-0123456789ab-token.md", "---\nid: idea-0123456789ab\ncolor: yellow\nstatus: active\nscope: local\n---\n\nA token has an end.\n")
	s := connect(t, bin, dir, nil)

	first, _ := call[map[string]any](t, s, "sdd_search", map[string]any{"query": "token", "limit": 2})
	cursor, _ := first["next_cursor"].(string)
	if cursor == "" {
		t.Fatalf("no second page: %v", first)
	}
	for _, a := range []struct {
		tool    string
		args    map[string]any
		command []string
	}{
		{"sdd_search", map[string]any{"query": "token", "limit": 2}, []string{"search", "token", "--limit", "2"}},
		{"sdd_search", map[string]any{"query": "token", "limit": 2, "cursor": cursor},
			[]string{"search", "token", "--limit", "2", "--cursor", cursor}},
		{"sdd_search", map[string]any{"query": "token", "limit": 9, "type": "learning"},
			[]string{"search", "token", "--limit", "9", "--type", "learning"}},
		{"sdd_search", map[string]any{"query": "token", "limit": 9, "scope": "personal"},
			[]string{"search", "token", "--limit", "9", "--scope", "personal"}},
		{"sdd_search", map[string]any{"query": "token", "limit": 9, "project": "till"},
			[]string{"search", "token", "--limit", "9", "--project", "till"}},
		{"sdd_search", map[string]any{"query": "token", "limit": 9, "status": "active"},
			[]string{"search", "token", "--limit", "9", "--status", "active"}},
		{"sdd_search", map[string]any{"query": "token", "limit": 9, "session_id": "s1"},
			[]string{"search", "token", "--limit", "9", "--session-id", "s1"}},
		{"sdd_search", map[string]any{"query": "token", "limit": 9, "max_tokens": 300},
			[]string{"search", "token", "--limit", "9", "--max-tokens", "300"}},
		{"sdd_get", map[string]any{"id": "explore/token-4"}, []string{"show", "explore/token-4"}},
		{"sdd_get", map[string]any{"id": "Token 5", "project": "till"}, []string{"show", "Token 5", "--project", "till"}},
		{"sdd_get", map[string]any{"id": "Token of my own", "scope": "personal"},
			[]string{"show", "Token of my own", "--scope", "personal"}},
		{"sdd_get", map[string]any{"id": "explore/token-4", "sections": []string{"context"}, "offset": 40, "max_tokens": 200},
			[]string{"show", "explore/token-4", "--sections", "context", "--offset", "40", "--max-tokens", "200"}},
		{"sdd_code", map[string]any{"query": "token", "limit": 2}, []string{"code", "token", "--limit", "2"}},
		{"sdd_code", map[string]any{"query": "token", "pattern": "func token[34]", "paths": []string{"token3.go"}, "max_tokens": 400},
			[]string{"code", "token", "--pattern", "func token[34]", "--path", "token3.go", "--max-tokens", "400"}},
	} {
		t.Run(strings.Join(a.command, " "), func(t *testing.T) {
			tool, _ := call[map[string]any](t, s, a.tool, a.args)
			cmd := exec.Command(bin, append(a.command, "--json")...)
			cmd.Dir = dir
			stdout, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %v", cmd.Args, err)
			}
			var command map[string]any
			if err := json.Unmarshal(stdout, &command); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tool, command); diff != "" {
				t.Errorf("the tool and the command differ:\n%s", diff)
			}
		})
	}
}
