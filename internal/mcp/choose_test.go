package mcp

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/index"
	"sdd/internal/store"
)

// A tool asks the user where the client can, else its error lists the choices.
func TestChoices(t *testing.T) {
	dir := t.TempDir()
	for name, head := range map[string]string{"login.md": "title: Login", "login@web.md": "title: Login\nproject: web"} {
		file := filepath.Join(dir, ".sdd", "explore", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("---\n"+head+"\n---\n\n## Goals\n\n- of "+name+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(store.Options{Dir: dir, Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	ix := index.Open(st)
	defer ix.Close()
	w := app.New(st, ix, app.Options{})
	defer w.Close()
	put, err := w.Inbox.Put(t.Context(), []candidate.Candidate{
		{Kind: "fact", Content: "The cache is cold on Mondays.", Confidence: 0.5},
		{Kind: "fact", Content: "Uploads end after 90 seconds.", Confidence: 0.6},
	}, candidate.By{})
	if err != nil || len(put) != 2 {
		t.Fatalf("%v, %v", put, err)
	}
	srv, end, err := open(t.Context(), app.Mount{Store: st, Index: ix}, app.AgentOptions{Version: "1"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer end()

	mute := connect(t, srv)
	mute.send(call("1", "sdd_get", `{"id":"Login"}`))
	if r := mute.next(); !strings.Contains(string(r.Result), `"code":"ambiguous"`) {
		t.Errorf("%s", r.Result)
	}
	mute.send(call("2", "sdd_review", `{"action":"approve"}`))
	if r := mute.next(); !strings.Contains(string(r.Result), "ids is required") {
		t.Errorf("%s", r.Result)
	}

	l := connect(t, srv)
	l.hello("2025-11-25")
	answer := func(content string) string {
		t.Helper()
		q := l.next()
		if q.Method != "elicitation/create" {
			t.Fatalf("nobody was asked: %+v", q)
		}
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, content))
		return string(q.Params)
	}
	for _, content := range []string{`{"action":"cancel"}`, `{"action":"accept","content":{}}`, `{"action":"decline","content":{"` + put[0].ID + `":true}}`} {
		l.send(call("2", "sdd_review", `{"action":"approve"}`))
		answer(content)
		if r := l.next(); !strings.Contains(string(r.Result), "nothing was approved") {
			t.Errorf("%s: %s", content, r.Result)
		}
	}
	l.send(call("2", "sdd_review", `{"action":"approve"}`))
	if asked := answer(`{"action":"accept","content":{"` + put[1].ID + `":true,"fact-000000000000":true}}`); !regexp.MustCompile(`"title":"The cache is cold on Mondays\."`).MatchString(asked) {
		t.Error(asked)
	}
	if r := l.next(); !strings.Contains(string(r.Result), `"to":"approved"`) || strings.Contains(string(r.Result), put[0].ID) {
		t.Errorf("%s", r.Result)
	}
}
