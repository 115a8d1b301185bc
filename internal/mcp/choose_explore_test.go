package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/explore"
	"sdd/internal/index"
	"sdd/internal/store"
)

// The tool asks about a title that is nearly another one where the client can ask its user. Without an answer it saves a new exploration.
func TestNearExploration(t *testing.T) {
	const stored = "---\ntitle: User authentication\n---\n\n## Goals\n\n- short tokens\n"
	const other = `"title":"User authentification","goals":"- no passwords"`
	near := func(t *testing.T) (*link, string) {
		dir := t.TempDir()
		file := filepath.Join(dir, ".sdd", "explore", "user-authentication.md")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(stored), 0o666); err != nil {
			t.Fatal(err)
		}
		st, err := store.Open(store.Options{Dir: dir, Tool: "test"})
		if err != nil {
			t.Fatal(err)
		}
		ix := index.Open(st)
		srv, end, err := open(t.Context(), app.Mount{Store: st, Index: ix}, app.AgentOptions{Version: "1"}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			end()
			ix.Close()
			st.Close()
		})
		return connect(t, srv), file
	}
	saved := func(t *testing.T, r said) (out explore.Result) {
		t.Helper()
		var res struct{ StructuredContent json.RawMessage }
		if err := json.Unmarshal(r.Result, &res); err != nil || r.Error != nil {
			t.Fatalf("%v, %+v", err, r)
		}
		if err := json.Unmarshal(res.StructuredContent, &out); err != nil {
			t.Fatalf("%v: %s", err, r.Result)
		}
		return out
	}
	asNew := func(t *testing.T, r explore.Result, file string) {
		t.Helper()
		if r.ID != "explore/user-authentification" || r.Action != "created" || len(r.Similar) != 1 || r.Similar[0].ID != "explore/user-authentication" {
			t.Errorf("%+v", r)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != stored {
			t.Errorf("%v, %s", err, now)
		}
	}
	joined := func(t *testing.T, r explore.Result) {
		t.Helper()
		if r.ID != "explore/user-authentication" || r.Action != "updated" || r.Sections.Goals != "- short tokens\n- no passwords" && r.Sections.Goals != "- short tokens\n\n- no passwords" {
			t.Errorf("%+v", r)
		}
	}

	t.Run("nobody can be asked", func(t *testing.T) {
		l, file := near(t)
		l.send(call("1", "sdd_explore", "{"+other+"}"))
		asNew(t, saved(t, l.next()), file)
	})
	for answer, as := range map[string]string{
		`"result":{"action":"accept","content":{"exploration":"explore/user-authentication"}}`:   "joined",
		`"result":{"action":"accept","content":{"exploration":"new"}}`:                           "new",
		`"result":{"action":"accept","content":{"exploration":"../../etc/passwd"}}`:              "new",
		`"result":{"action":"accept","content":{"exploration":["explore/user-authentication"]}}`: "new",
		`"result":{"action":"accept"}`: "new",
		`"result":{"action":"decline","content":{"exploration":"explore/user-authentication"}}`: "new",
		`"result":{"action":"cancel"}`:       "new",
		`"error":{"code":-1,"message":"no"}`: "new",
	} {
		t.Run("2025 "+answer, func(t *testing.T) {
			l, file := near(t)
			l.hello("2025-11-25")
			l.send(call("1", "sdd_explore", "{"+other+"}"))
			q := l.next()
			if q.Method != "elicitation/create" || !strings.Contains(string(q.Params), `"enum":["new","explore/user-authentication"]`) {
				t.Fatalf("%+v", q)
			}
			l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, q.ID, answer))
			if r := saved(t, l.next()); as == "joined" {
				joined(t, r)
			} else {
				asNew(t, r, file)
			}
		})
	}
	for answer, as := range map[string]string{
		`{"action":"accept","content":{"exploration":"explore/user-authentication"}}`: "joined",
		`{"action":"decline"}`: "new",
	} {
		t.Run("2026 "+answer, func(t *testing.T) {
			l, file := near(t)
			const modern = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sdd_explore","arguments":{%s}%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`
			l.send(fmt.Sprintf(modern, other, ""))
			if r := l.next(); !strings.Contains(string(r.Result), `"resultType":"input_required"`) || !strings.Contains(string(r.Result), `"exploration"`) {
				t.Fatalf("%s", r.Result)
			}
			if files, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.md")); len(files) != 1 {
				t.Fatalf("written before the answer: %q", files)
			}
			l.send(fmt.Sprintf(modern, other, `,"inputResponses":{"exploration":`+answer+`}`))
			if r := saved(t, l.next()); as == "joined" {
				joined(t, r)
			} else {
				asNew(t, r, file)
			}
		})
	}
	t.Run("no question", func(t *testing.T) {
		l, _ := near(t)
		l.hello("2025-11-25")
		for args, want := range map[string]string{
			`"title":"user authentication","goals":"- long tokens"`:      `"action":"updated"`,
			`"title":"Something else","goals":"- x"`:                     `"action":"created"`,
			`"title":"User authentification"`:                            "At least one context field",
			`"title":"User authentification","goals":"x","if_match":"0"`: `"code":"conflict"`,
		} {
			l.send(call("1", "sdd_explore", "{"+args+"}"))
			if r := l.next(); r.Method != "" || !strings.Contains(string(r.Result), want) {
				t.Errorf("%s: %+v", args, r)
			}
		}
	})
}
