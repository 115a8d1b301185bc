package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/explore"
	"sdd/internal/index"
	"sdd/internal/mcp/catalog"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// What has no budget of its own stays within 8,000 tokens, and names where the rest is.
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	st, err := store.Open(store.Options{Dir: t.TempDir(), Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	ix := index.Open(st)
	defer ix.Close()
	srv, end, err := open(t.Context(), app.Mount{Store: st, Index: ix}, app.AgentOptions{Version: "1"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	l := connect(t, srv)
	ask := func(tool string, args any, v any) {
		t.Helper()
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		l.send(call("1", tool, string(raw)))
		var r struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
		if err := json.Unmarshal(l.next().Result, &r); err != nil || r.IsError {
			t.Fatalf("%s: %v, %+v", tool, err, r)
		}
		for name, text := range map[string]string{"text": r.Content[0].Text, "JSON": string(r.StructuredContent)} {
			if n := tokens.Count(text); n > catalog.MaxTokens {
				t.Errorf("%s: the %s takes %d tokens", tool, name, n)
			}
		}
		if err := json.Unmarshal(r.StructuredContent, v); err != nil {
			t.Fatal(err)
		}
	}
	long := func(n int, about string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s number %d \"quoted\" is <odd>; ", about, i)
		}
		return strings.TrimSpace(b.String())
	}
	var saved explore.Result
	ask("sdd_explore", map[string]any{"title": "Big", "goals": "- short", "context": long(2000, "context"), "unknowns": long(2000, "unknown")}, &saved)
	if saved.Sections.Goals != "- short" || saved.Sections.Context != "" || len(saved.Omitted) != 2 || saved.Omitted[1].Bytes != len(long(2000, "context")) && saved.Omitted[0].Bytes != len(long(2000, "context")) {
		t.Errorf("%+v", saved.Omitted)
	}

	want := map[string]bool{}
	for i := range 12 {
		var learned struct{ Results []struct{ ID string } }
		ask("sdd_learn", map[string]any{"content": long([]int{1, 300, 2000}[i%3], fmt.Sprintf("learning %c", 'a'+i))}, &learned)
		want[learned.Results[0].ID] = true
	}
	var page app.Reviewed
	pages := 0
	for cursor := ""; pages == 0 || cursor != ""; pages++ {
		args := map[string]any{"action": "list"}
		if cursor != "" {
			args["cursor"] = cursor
		}
		page = app.Reviewed{}
		ask("sdd_review", args, &page)
		for _, item := range page.Items {
			if !want[item.ID] {
				t.Errorf("%s is listed twice, or is another", item.ID)
			}
			delete(want, item.ID)
		}
		cursor = page.NextCursor
	}
	if len(want) > 0 || pages < 3 {
		t.Errorf("%d pages, not listed: %v", pages, want)
	}
}
