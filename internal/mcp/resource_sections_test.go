package mcp

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/index"
	"sdd/internal/store"
)

// A section has an address, its heading is completed, and who subscribed to it hears of an edit by hand.
func TestSectionResource(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".sdd", "explore", "user-auth.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	const text = "---\ntitle: User auth\n---\n\n## Goals\n\n- short tokens\n\n## Open ends\n\nlater\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(store.Options{Dir: dir, Tool: "test"})
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
	l.hello("2025-11-25")
	ask := func(method, params string) said {
		t.Helper()
		l.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`)
		return l.next()
	}
	for section, want := range map[string]string{"Goals": "- short tokens", "open%20ends": "later"} {
		if r := ask("resources/read", `{"uri":"sdd://explore/user-auth/`+section+`"}`); r.Error != nil || !strings.Contains(string(r.Result), `"text":"`+want+`"`) {
			t.Errorf("%s: %+v", section, r)
		}
	}
	for _, uri := range []string{"sdd://explore/user-auth/nothing", "sdd://explore/nothing/Goals", "sdd://explore/user-auth/..", "sdd://explore/user-auth/Goals/x"} {
		if r := ask("resources/read", `{"uri":"`+uri+`"}`); r.Error == nil {
			t.Errorf("%s: %s", uri, r.Result)
		}
	}
	for given, want := range map[string][]string{
		``: {"Goals", "Constraints", "Preferences", "Unknowns", "Decisions", "Context"}, `user-auth`: {"Goals", "Open ends"}, `nothing`: {},
	} {
		r := ask("completion/complete", `{"ref":{"type":"ref/resource","uri":"sdd://explore/{slug}/{section}"},"argument":{"name":"section","value":""},"context":{"arguments":{"slug":"`+given+`"}}}`)
		var got struct{ Completion struct{ Values []string } }
		if err := json.Unmarshal(r.Result, &got); err != nil || !slices.Equal(got.Completion.Values, want) {
			t.Errorf("%q: %s", given, r.Result)
		}
	}
	if r := ask("resources/subscribe", `{"uri":"sdd://explore/user-auth/Goals"}`); r.Error != nil {
		t.Fatalf("%+v", r.Error)
	}
	if err := os.WriteFile(file, []byte(text+"more\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := l.next(); r.Method != "notifications/resources/updated" || !strings.Contains(string(r.Params), "sdd://explore/user-auth/Goals") {
		t.Errorf("%+v", r)
	}
}
