package agents

import (
	"strings"
	"testing"

	"sdd/internal/longtest"
)

// TestRefusalsNameTheArgument: a call with several texts that is refused for one says for which, and no line of a file that was
// never written.
func TestRefusalsNameTheArgument(t *testing.T) {
	bin, dir := build(t), everyState(t)
	s := connect(t, bin, dir, nil)
	token := "ghp_" + "Zq3xK9vTw7LmR2bYc4Hd8sPnAe5GuJ6fXoB1"
	refused := []struct{ kind, text string }{
		{"a secret", "- first\n- the key is " + token}, {"too long", strings.Repeat("word ", 60_000)}, {"too deep", strings.Repeat("> ", 150) + "x"},
		{"bad bytes", "a\x00b"},
	}
	calls := []struct {
		tool  string
		whole map[string]any // the rest of a call that is accepted
		args  []string       // texts
		lists []string       // of texts
		lines []string       // texts of one line, which nest nothing
		taken bool           // from a longer text, which may hold anything
	}{
		{"sdd_explore", map[string]any{"title": "T", "goals": "- x"}, []string{"goals", "constraints", "preferences", "unknowns", "decisions", "context"}, nil, []string{"title"}, false},
		{"sdd_decide", map[string]any{"decision": "Use T"}, []string{"decision"}, []string{"reasons", "consequences", "constraints", "assumptions", "alternatives"}, nil, false},
		{"sdd_decide", map[string]any{}, []string{"text"}, nil, nil, true},
		{"sdd_fact", map[string]any{"content": "It holds"}, []string{"content"}, nil, []string{"domain", "module", "source", "code_ref"}, false},
		{"sdd_learn", map[string]any{"content": "It is so"}, []string{"content"}, nil, []string{"parent", "agent", "category"}, false},
		{"sdd_learn", map[string]any{}, []string{"text"}, nil, nil, true},
		{"sdd_review", map[string]any{"action": "edit", "ids": []string{"idea-000000000001"}, "content": "x"}, []string{"content"}, nil, nil, false},
		{"sdd_review", map[string]any{"action": "archive", "ids": []string{"idea-000000000001"}}, []string{"reason"}, nil, nil, false},
		{"sdd_review", map[string]any{"action": "edit", "ids": []string{"fact-000000000002"}, "content": "x"}, []string{"content"}, nil, nil, false},
		{"sdd_review", map[string]any{"action": "edit", "ids": []string{"fact-00000000000a"}, "content": "x"}, []string{"content"}, nil, nil, false},
		{"sdd_review", map[string]any{"action": "reject", "ids": []string{"fact-00000000000a"}}, []string{"reason"}, nil, nil, false},
		{"sdd_review", map[string]any{"action": "apply", "ids": []string{"idea-000000000001"}}, nil, nil, []string{"target"}, false},
	}
	turn := 0
	for _, c := range calls {
		for _, arg := range append(append(append([]string{}, c.args...), c.lists...), c.lines...) {
			turn++
			for n, r := range refused {
				if n != turn%len(refused) && !longtest.Set() { // each argument once, each kind ten times
					continue
				}
				args := map[string]any{}
				for k, v := range c.whole {
					args[k] = v
				}
				args[arg] = r.text
				for _, l := range c.lists {
					if l == arg {
						args[arg] = []string{"fine", r.text}
					}
				}
				got, res := call[struct{ Message string }](t, s, c.tool, args)
				if !res.IsError && (r.kind == "too deep" || c.taken) {
					continue // it nests nothing where it is put, or only what is found in it is kept
				}
				name, _, _ := strings.Cut(strings.TrimPrefix(got.Message, "an entry of "), " ")
				if !res.IsError || strings.TrimSuffix(name, ":") != arg || strings.Contains(got.Message, ".sdd/") || strings.Contains(got.Message, "section") ||
					r.kind == "a secret" && strings.Contains(got.Message, "line") && !strings.Contains(got.Message, "line 2") && !strings.Contains(got.Message, "more than one line") {
					t.Errorf("%s, %s with %s: %.200s", c.tool, arg, r.kind, got.Message)
				}
			}
		}
	}
}
