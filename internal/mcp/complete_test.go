package mcp

import (
	"encoding/json"
	"fmt"
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

// Slugs, ids, projects, titles and sections are completed: a hundred at most, and how many there are in all is said.
func TestCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, ".sdd", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("config.yaml", "project: shop\n")
	for i := range 130 {
		put(fmt.Sprintf("explore/topic-%03d.md", i), fmt.Sprintf("---\ntitle: Topic %03d\n---\n\n## Goals\n\n- x\n", i))
		put(fmt.Sprintf("explore/topic-%03d@web.md", i), fmt.Sprintf("---\ntitle: Topic %03d\nproject: web\n---\n\n## Goals\n\n- of the web\n", i))
		put(fmt.Sprintf("facts/fact-%012x-x.md", i), fmt.Sprintf("---\nid: fact-%012x\nlevel: 1\nstatus: active\nproject: p%03d\n---\n\nfact %d\n", i, i, i))
	}
	put("explore/only.md", "---\ntitle: Only\nproject: Mobile App\n---\n\n## Goals\n\n- x\n\n## Open ends\n\n- y\n")
	put("decisions/use-x.md", "---\ntitle: Use X\nstatus: accepted\n---\n\n# Use X\n\n## Decision Outcome\n\nX\n")
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
	type completion struct {
		Values  []string
		Total   int
		HasMore bool
	}
	complete := func(ref, argument, typed string, given map[string]string) completion {
		t.Helper()
		kind := `{"type":"ref/prompt","name":"` + ref + `"}`
		if strings.Contains(ref, "://") {
			kind = `{"type":"ref/resource","uri":"` + ref + `"}`
		}
		args, _ := json.Marshal(given)
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":%s,"argument":{"name":%q,"value":%q},"context":{"arguments":%s}}}`, kind, argument, typed, args))
		r := l.next()
		var got struct{ Completion completion }
		if err := json.Unmarshal(r.Result, &got); err != nil || r.Error != nil {
			t.Fatalf("%v, %+v", err, r.Error)
		}
		return got.Completion
	}
	for _, tt := range []struct {
		ref, argument, typed string
		given                map[string]string
		first                string // of the values
		shown, total         int
	}{
		{"sdd://explore/{slug}", "slug", "", nil, "", 100, 261},
		{"sdd://explore/{slug}", "slug", "topic", nil, "", 100, 260},
		{"sdd://explore/{slug}", "slug", "TOPIC-01", nil, "", 20, 20},
		{"sdd://explore/{slug}", "slug", "@web", nil, "", 100, 130},
		{"sdd://explore/{slug}", "slug", "nothing", nil, "", 0, 0},
		{"sdd://explore/{slug}/{section}", "slug", "only", nil, "only@mobile-app", 1, 1},
		{"sdd://explore/{slug}/{section}", "section", "", nil, "Goals", 6, 6},
		{"sdd://explore/{slug}/{section}", "section", "open", map[string]string{"slug": "only@mobile-app"}, "Open ends", 1, 1},
		{"sdd://fact/{id}", "id", "fact-", nil, "fact-000000000000", 100, 130},
		{"sdd://decision/{slug}", "slug", "use", nil, "use-x", 1, 1},
		{"sdd://overview/{project}", "project", "", nil, "shop", 100, 133},
		{"sdd://overview/{project}", "project", "mob", nil, "Mobile App", 1, 1},
		{"explore", "title", "topic 12", nil, "Topic 120", 10, 10},
		{"handoff", "record", "explore/topic", nil, "", 100, 260},
		{"handoff", "record", "decision", nil, "decision/use-x", 1, 1},
	} {
		got := complete(tt.ref, tt.argument, tt.typed, tt.given)
		if len(got.Values) != tt.shown || got.Total != tt.total || got.HasMore != (tt.total > tt.shown) {
			t.Errorf("%s %s %q: %d values of %d, more: %v; %.5q", tt.ref, tt.argument, tt.typed, len(got.Values), got.Total, got.HasMore, got.Values)
		}
		if tt.first != "" && (len(got.Values) == 0 || got.Values[0] != tt.first) {
			t.Errorf("%s %s %q: %.5q", tt.ref, tt.argument, tt.typed, got.Values)
		}
		if sorted := slices.Clone(got.Values); len(slices.Compact(sorted)) != len(got.Values) {
			t.Errorf("%s %s %q: twice the same", tt.ref, tt.argument, tt.typed)
		}
	}
	// What was completed can be read, also where it has to be escaped; what is no project has no overview.
	for uri, want := range map[string]string{"sdd://overview/Mobile%20App": "Only", "sdd://overview/web": "130 found", "sdd://overview/shop": "Use X", "sdd://explore/only%40mobile-app": "Open ends"} {
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri))
		if r := l.next(); r.Error != nil || !strings.Contains(string(r.Result), want) {
			t.Errorf("%s: %+v %s", uri, r.Error, r.Result)
		}
	}
	for _, uri := range []string{"sdd://overview/nothing", "sdd://overview/a/b", "sdd://overview/"} {
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri))
		if r := l.next(); r.Error == nil {
			t.Errorf("%s: %s", uri, r.Result)
		}
	}
}
