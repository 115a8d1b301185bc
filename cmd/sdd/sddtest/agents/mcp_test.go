package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sdd/schema"
)

// connect starts `sdd mcp` in dir and connects the official SDK's client to it.
func connect(t *testing.T, bin, dir string, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command(bin, "mcp")
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	c := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, opts)
	s, err := c.Connect(t.Context(), over(cmd), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the server did not end well: %v", err)
		}
	})
	return s
}

// call calls a tool and decodes its structured content.
func call[T any](t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) (T, *mcp.CallToolResult) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var v T
	raw, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, raw)
	}
	// What is answered is what schema/ says of it.
	name := "tools/" + tool + ".output"
	if r.IsError {
		name = "tools/error"
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Compile(name).Validate(doc); err != nil {
		t.Errorf("%s: %v\n%s", tool, err, raw)
	}
	return v, r
}

func text(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if tc, ok := c.(*mcp.TextContent); ok {
			b.WriteString(tc.Text + "\n")
		}
	}
	return b.String()
}

type saved struct {
	ID, Action, File, Etag, Status, Code, Message string
	Revision                                      int
	Changed                                       []string
	Sections                                      map[string]string
	Similar                                       []struct{ ID, Title string }
}

type found struct {
	Total      int
	NextCursor string `json:"next_cursor"`
	Results    []struct {
		ID, Title, File, Section string
		Line                     int
	}
}

// TestAgentAndEditor is the first whole use: an agent saves, a person edits the same file, both
// see each other's text, nothing is lost.
func TestAgentAndEditor(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	updated := make(chan string, 100)
	s := connect(t, bin, dir, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	})

	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if tool.OutputSchema == nil || tool.Annotations == nil || tool.Title == "" {
			t.Errorf("%s lacks title, annotations or output schema", tool.Name)
		}
	}
	if got := strings.Join(names, " "); got != "sdd_context sdd_explore sdd_search sdd_get sdd_learn sdd_fact sdd_decide sdd_review sdd_code sdd_docs" {
		t.Errorf("tools: %s", got)
	}

	first, r := call[saved](t, s, "sdd_explore", map[string]any{"title": "User auth", "goals": "- log in by mail", "decisions": "- magic links"})
	if first.Action != "created" || first.File != ".sdd/explore/user-auth.md" || r.IsError {
		t.Fatalf("first save: %+v\n%s", first, text(r))
	}
	path := filepath.Join(dir, filepath.FromSlash(first.File))

	if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "sdd://explore/user-auth"}); err != nil {
		t.Fatal(err)
	}
	// Since 2026-07-28 this client does not wait until its subscription stands: edit until it hears.
	edit(t, path, "- magic links", "- magic links, valid for ten minutes")
	for notified := false; !notified; {
		edit(t, path, "\n## Decisions", "\n\n## Decisions")
		select {
		case uri := <-updated:
			notified = uri == "sdd://explore/user-auth"
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the hand edit was not told")
		}
	}

	hits, r := call[found](t, s, "sdd_search", map[string]any{"query": "ten minutes"})
	if hits.Total != 1 || hits.Results[0].Section != "Decisions" || hits.Results[0].ID != first.ID {
		t.Errorf("search after a hand edit: %+v", hits)
	}
	if !strings.Contains(text(r), "Changed since your last call") {
		t.Errorf("the digest is missing:\n%s", text(r))
	}

	// A save over the text read before merges with the hand edit.
	second, r := call[saved](t, s, "sdd_explore", map[string]any{"title": "user auth!", "goals": "- log in by mail\n- log out", "if_match": first.Etag})
	if r.IsError || second.Action != "updated" || !strings.Contains(second.Sections["decisions"], "ten minutes") {
		t.Fatalf("second save: %+v\n%s", second, text(r))
	}
	if strings.Contains(text(r), "saved by ") { // the edits above may still be reported here
		t.Errorf("a client is told of its own save:\n%s", text(r))
	}
	third, _ := call[saved](t, s, "sdd_explore", map[string]any{"title": "User auth", "goals": "- log in by mail\n- log out"})
	if third.Action != "unchanged" || third.Etag != second.Etag {
		t.Errorf("third save: %+v", third)
	}
	near, _ := call[saved](t, s, "sdd_explore", map[string]any{"title": "User auths", "goals": "x"})
	if len(near.Similar) != 1 || near.Similar[0].ID != first.ID {
		t.Errorf("similar: %+v", near.Similar)
	}

	bad, r := call[saved](t, s, "sdd_explore", map[string]any{"goals": "x"})
	if !r.IsError || bad.Status != "error" || !strings.Contains(bad.Message, "title is required") {
		t.Errorf("no title: %+v\n%s", bad, text(r))
	}
	res, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "sdd://explore/user-auth"})
	if err != nil {
		t.Fatal(err)
	}
	onDisk, _ := os.ReadFile(path)
	if res.Contents[0].Text != string(onDisk) {
		t.Errorf("the resource is not the file:\n%s", res.Contents[0].Text)
	}
}

// edit replaces text in a file as an editor that saves by rename does.
func edit(t *testing.T, path, old, new string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%q does not stand in\n%s", old, data)
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, []byte(strings.Replace(string(data), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp, path); err != nil {
		t.Fatal(err)
	}
}
