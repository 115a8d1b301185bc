package agents

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type learned struct {
	Status, Code, Message string
	Results               []struct{ ID, Action, File, Scope, Impact, Category string }
	Warnings              []struct{ Code string }
}

type moved struct {
	Status, Code, Message string
	Items                 []struct{ ID, Kind, From, To, File, Content string }
	Graduates             []string
	Events                []struct{ Event, Idea string }
	NextCursor            string `json:"next_cursor"`
}

// TestAgentsLearn is the life of a learning through MCP: signals become files, another server sees them at once, a
// person edits one, the parent is done.
func TestAgentsLearn(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	s, other := connect(t, bin, dir, nil), connect(t, bin, dir, nil)

	out, r := call[learned](t, s, "sdd_learn", map[string]any{"agent": "ed-001", "parent": "WEB-12", "text": "Done.\n" +
		"<swarm>LEARNING_GLOBAL:All API calls go through gateway</swarm>\n<swarm>LEARNING_LOCAL:This hook requires cleanup</swarm>\n" +
		"`<swarm>LEARNING_LOCAL:an example</swarm>` <swarm>LEARNING_LOCAL:</swarm>"})
	if len(out.Results) != 2 || out.Results[0].Action != "created" || out.Results[0].Impact != "high" || len(out.Warnings) != 1 || out.Warnings[0].Code != "empty" {
		t.Fatalf("%+v\n%s", out, text(r))
	}
	global, local := out.Results[0], out.Results[1]
	again, _ := call[learned](t, other, "sdd_learn", map[string]any{"content": "all api calls go through gateway ", "agent": "flo-002", "scope": "global"})
	if len(again.Results) != 1 || again.Results[0].ID != global.ID || again.Results[0].Action != "joined" {
		t.Errorf("again: %+v", again)
	}
	list, r := call[moved](t, other, "sdd_review", map[string]any{"action": "list"})
	if len(list.Items) != 2 || !strings.Contains(text(r), "This hook requires cleanup") {
		t.Errorf("list: %+v\n%s", list, text(r))
	}

	edit(t, filepath.Join(dir, filepath.FromSlash(local.File)), "status: active", "status: outdated")
	done, r := call[moved](t, s, "sdd_review", map[string]any{"action": "validate", "ids": []string{local.ID}})
	if r.IsError || len(done.Items) != 1 || done.Items[0].From != "outdated" || done.Items[0].To != "active" {
		t.Errorf("validate after a hand edit: %+v\n%s", done, text(r))
	}
	bad, r := call[moved](t, s, "sdd_review", map[string]any{"action": "resurrect", "ids": []string{local.ID}})
	if !r.IsError || !strings.Contains(bad.Message, "can only resurrect archived") {
		t.Errorf("resurrect: %+v\n%s", bad, text(r))
	}
	done, r = call[moved](t, s, "sdd_review", map[string]any{"action": "done", "ids": []string{"WEB-12"}})
	if len(done.Items) != 2 || done.Items[0].To != "archived" || len(done.Graduates) == 0 {
		t.Errorf("done: %+v\n%s", done, text(r))
	}
	events, _ := call[moved](t, other, "sdd_review", map[string]any{"action": "events", "limit": 100})
	var names []string
	for _, e := range events.Events {
		names = append(names, e.Event)
	}
	if got := strings.Join(names, " "); strings.Count(got, "idea:yellow_created") != 2 || strings.Count(got, "idea:yellow_archived") != 2 {
		t.Errorf("events: %s", got)
	}

	res, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "sdd://idea/" + global.ID})
	if err != nil {
		t.Fatal(err)
	}
	onDisk, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(global.File)))
	if res.Contents[0].Text != string(onDisk) || len(onDisk) == 0 {
		t.Errorf("the resource is not the file:\n%s", res.Contents[0].Text)
	}
	page, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "sdd://learnings"})
	if err != nil || !strings.HasPrefix(page.Contents[0].Text, "# Project Learnings") {
		t.Errorf("the view: %v %+v", err, page)
	}
}

// TestWhoSubscribedIsTold edits a learning by hand and then commits a change of what it names: both reach who has
// subscribed to the learnings, without a call, and the second one marks what they say.
func TestWhoSubscribedIsTold(t *testing.T) {
	bin, c := build(t), newClone(t, "repo")
	c.Write("src/parser.go", "package parser\n")
	updated := make(chan string, 100)
	s := connect(t, bin, c.Dir, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	})
	out, _ := call[learned](t, s, "sdd_learn", map[string]any{"content": "The parser in `src/parser.go` is lazy", "scope": "global"})
	c.Commit("one")
	if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "sdd://learnings"}); err != nil {
		t.Fatal(err)
	}
	reads := func(part string) bool {
		t.Helper()
		res, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "sdd://learnings"})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(res.Contents[0].Text, part)
	}
	// The client does not wait until its subscription stands: edit until it hears.
	c.Edit(out.Results[0].File, "is lazy", "is lazy by design")
	for notified := false; !notified; {
		c.Write(out.Results[0].File, c.Read(out.Results[0].File)+"\n")
		select {
		case uri := <-updated:
			notified = uri == "sdd://learnings"
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the hand edit was not told")
		}
	}
	if !reads("is lazy by design") {
		t.Error("the hand edit is not read")
	}
	c.Commit("two")
	for len(updated) > 0 {
		<-updated
	}
	c.Write("src/parser.go", "package parser // eager\n")
	c.Commit("three")
	for notified := false; !notified; {
		select {
		case <-updated:
			notified = reads("(check: touched by ")
		case <-t.Context().Done():
			t.Fatal("the commit was not told")
		}
	}
}
