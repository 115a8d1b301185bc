package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type decided struct {
	Status, Code, Message, Hint string
	Results                     []struct {
		ID, Action, File string
		Confidence       float64
	}
	Suggestions []struct {
		ID, Relation string
		Score        float64
	}
}

// TestAgentsDecide is the life of a decision through MCP: recorded, recorded again by another agent, superseded, edited by
// hand, read as a resource.
func TestAgentsDecide(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	s, other := connect(t, bin, dir, nil), connect(t, bin, dir, nil)

	first, r := call[decided](t, s, "sdd_decide", map[string]any{"decision": "Use JWT for sessions", "reasons": []string{"services stay stateless"}, "alternatives": []string{"cookies"}})
	if r.IsError || len(first.Results) != 1 || first.Results[0].Action != "created" || first.Results[0].Confidence != 1 {
		t.Fatalf("%+v\n%s", first, text(r))
	}
	again, _ := call[decided](t, other, "sdd_decide", map[string]any{"decision": "we use JWT for our sessions", "reasons": []string{"no session store"}})
	if len(again.Results) != 1 || again.Results[0].ID != first.Results[0].ID || again.Results[0].Action != "merged" {
		t.Errorf("again: %+v", again)
	}
	file := filepath.Join(dir, filepath.FromSlash(first.Results[0].File))
	edit(t, file, "- no session store", "- no session store to run")
	third, _ := call[decided](t, s, "sdd_decide", map[string]any{"decision": "Use JWT for sessions", "reasons": []string{"no session store to run"}})
	if src, _ := os.ReadFile(file); third.Results[0].Action != "merged" || strings.Count(string(src), "\n- ") != 4 {
		t.Errorf("after a hand edit: %+v\n%s", third, src)
	}
	next, r := call[decided](t, other, "sdd_decide", map[string]any{"decision": "Use PASETO for sessions", "supersedes": first.Results[0].ID})
	if r.IsError || !strings.Contains(text(r), first.Results[0].ID+" is superseded now") {
		t.Errorf("%+v\n%s", next, text(r))
	}
	bad, r := call[decided](t, s, "sdd_decide", map[string]any{"decision": "Use Biscuit", "depends_on": []string{"decision/use-pasetoo"}})
	if !r.IsError || bad.Code != "not_found" || !strings.Contains(bad.Hint, "decision/use-paseto-for-sessions") {
		t.Errorf("%+v", bad)
	}
	told, r := call[decided](t, s, "sdd_decide", map[string]any{"text": "We went with Kafka instead of RabbitMQ because we need replay. Should we use Redis?"})
	if r.IsError || len(told.Results) != 1 || told.Results[0].Action != "created" || told.Results[0].Confidence < 0.85 {
		t.Errorf("%+v\n%s", told, text(r))
	}
	found, _ := call[struct {
		Results []struct{ ID, Type string }
	}](t, s, "sdd_search", map[string]any{"query": "replay", "type": "decision"})
	if len(found.Results) != 1 || found.Results[0].ID != told.Results[0].ID {
		t.Errorf("%+v", found)
	}
	got, _ := call[struct {
		ID       string
		Sections []struct{ Name, Text string }
	}](t, s, "sdd_get", map[string]any{"id": "decision/use-jwt-for-sessions", "sections": []string{"Decision Outcome"}})
	if len(got.Sections) != 1 || !strings.Contains(got.Sections[0].Text, "because") {
		t.Errorf("%+v", got)
	}
	res, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "sdd://decision/use-jwt-for-sessions"})
	if err != nil {
		t.Fatal(err)
	}
	if onDisk, _ := os.ReadFile(file); res.Contents[0].Text != string(onDisk) || !strings.Contains(string(onDisk), "status: superseded") {
		t.Errorf("the resource is not the file:\n%s", res.Contents[0].Text)
	}
}
