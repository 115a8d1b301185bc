package agents

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	counted "sdd/internal/tokens"
)

// TestBudgetsOfConfig asks the tool and the command the same without a budget: budgets of config.yaml holds for both, and
// both give one answer. What a call names goes before it.
func TestBudgetsOfConfig(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	put := func(name, text string) { write(t, filepath.Join(dir, filepath.FromSlash(name)), text) }
	goals := strings.Repeat("- the refresh token is renewed before it ends\n", 40)
	inventory := "# Sphinx inventory version 1\n# Project: Demo\n# Version: 1\n"
	for n := range 12 {
		put(fmt.Sprintf(".sdd/explore/refresh-token-%02d.md", n), fmt.Sprintf("# Refresh token %d\n\n## Goals\n\n%s", n, goals))
		put(fmt.Sprintf("token%02d.go", n), fmt.Sprintf("package x\n\nfunc refreshToken%d() {\n%s}\n", n, strings.Repeat("\tcall(`the refresh token`)\n", 20)))
		inventory += fmt.Sprintf("demo.refresh%d function page.html\n", n)
	}
	put("html/objects.inv", inventory)
	put(".sdd/config.yaml", "budgets: {search: 310, get: 320, context: 330, code: 340, docs: 450}\n")

	asked := []struct {
		key, tool string
		budget    int
		args      map[string]any
		command   []string
	}{
		{"search", "sdd_search", 310, map[string]any{"query": "refresh token"}, []string{"search", "refresh token"}},
		{"get", "sdd_get", 320, map[string]any{"id": "explore/refresh-token-03"}, []string{"show", "explore/refresh-token-03"}},
		{"context", "sdd_context", 330, map[string]any{"query": "refresh token", "mode": "route"}, []string{"context", "refresh token", "--mode", "route"}},
		{"code", "sdd_code", 340, map[string]any{"query": "refresh token"}, []string{"code", "refresh token"}},
		{"docs", "sdd_docs", 450, map[string]any{"source": "html", "query": "demo.refresh", "max_objects": 50, "include_documentation": false},
			[]string{"docs", "html", "demo.refresh", "--max-objects", "50", "--no-text"}},
	}
	s := connect(t, bin, dir, nil)
	for _, a := range asked {
		t.Run(a.key, func(t *testing.T) {
			said, res := call[map[string]any](t, s, a.tool, a.args)
			text := res.Content[0].(*mcp.TextContent).Text
			if n := sizeOf(t, said); n > a.budget {
				t.Errorf("the tool's structured answer has %d tokens, budgets.%s is %d", n, a.key, a.budget)
			}
			if n := counted.Count(text); n > a.budget || n < a.budget/4 {
				t.Errorf("the tool's text has %d tokens, budgets.%s is %d", n, a.key, a.budget)
			}
			run := func(more ...string) (out map[string]any) {
				cmd := exec.Command(bin, append(append(a.command, "--json"), more...)...)
				cmd.Dir = dir
				stdout, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v: %v", cmd.Args, err)
				}
				if err := json.Unmarshal(stdout, &out); err != nil {
					t.Fatal(err)
				}
				return out
			}
			told := run()
			if a.key == "context" { // the command has one form, in which the text takes its room
				if n := sizeOf(t, told); n > a.budget || told["context"] == "" {
					t.Errorf("the command's answer has %d tokens, budgets.context is %d: %v", n, a.budget, told)
				}
				told = said
			}
			if diff := cmp.Diff(said, told); diff != "" {
				t.Errorf("the tool and the command differ:\n%s", diff)
			}
			if n := sizeOf(t, run("--max-tokens", "900")); n <= a.budget || n > 900 {
				t.Errorf("with --max-tokens 900 the answer has %d tokens", n)
			}
		})
	}

	put(".sdd/config.yaml", "budgets: {search: 10}\n")
	check := exec.Command(bin, "check")
	check.Dir = dir
	if out, err := check.CombinedOutput(); err == nil || !strings.Contains(string(out), "budgets") {
		t.Errorf("a budget of 10: %v\n%s", err, out)
	}
	if said, _ := call[map[string]any](t, s, "sdd_search", map[string]any{"query": "refresh token"}); sizeOf(t, said) <= 310 {
		t.Errorf("a budget that cannot be was used")
	}
}

// sizeOf is what an answer takes as it is sent.
func sizeOf(t *testing.T, v any) int {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return counted.Count(string(data))
}
