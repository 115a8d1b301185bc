package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/explore"
	"sdd/internal/index"
	"sdd/internal/longtest"
	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// bounded is a client that measures every answer.
type bounded struct {
	*link
	called map[string]bool
}

// huge writes a store whose records are long and many, and returns the files by path.
func huge(t *testing.T) (dir string, files map[string]string) {
	t.Helper()
	long := func(about string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s number %d is \"quoted\" and <odd>, 日本語.\n", about, i)
		}
		return b.String()
	}
	files = map[string]string{}
	put := func(name, head, body string) { files[name] = "---\n" + head + "---\n\n" + body }
	put("explore/big.md", "title: Big\n", "Before the first heading.\n\n## Goals\n\n"+long("goal", 900)+"\n## Odd / name\n\n"+long("odd", 20)+"\n## Goals\n\n"+long("second", 30)+"\n## Context\n\nshort\n")
	put("explore/wide.md", "title: Wide\n", func() (b string) {
		for i := range 1200 {
			b += fmt.Sprintf("## Heading number %d with a name that is long\n\ntext %d\n\n", i, i)
		}
		return b
	}())
	put("explore/head.md", "title: Head\nlist: ["+strings.Repeat("a long value of a key, ", 3000)+"x]\n", "## Goals\n\n- short\n")
	put("explore/line.md", "title: Line\n", "## Context\n\n"+strings.Repeat("oneverylongword", 6000)+"\n")
	hex := func(i int) string { return fmt.Sprintf("%012x", 0xabc000000000+i) }
	for i := range 130 {
		n := 3
		if i%40 == 0 {
			n = 450
		}
		put("explore/many-"+hex(i)+".md", fmt.Sprintf("title: Many %s %s\n", hex(i), strings.Repeat("words of a title ", 11)), "## Goals\n\n"+long("many", n))
		put("ideas/idea-"+hex(i)+"-x.md", "id: idea-"+hex(i)+"\ncolor: yellow\nstatus: active\nscope: global\n", long("learning "+hex(i), n))
		put("facts/fact-"+hex(i)+"-x.md", "id: fact-"+hex(i)+"\nlevel: 1\ndomain: big"+fmt.Sprint(i%40)+"\nstatus: "+[]string{"active", "stale"}[i%2]+"\n", long("fact "+hex(i), n))
		put("decisions/choice-"+hex(i)+".md", "title: Choice "+hex(i)+"\nstatus: accepted\n"+map[bool]string{true: "depends_on: [decision/choice-" + hex(i-1) + "]\n"}[i > 0],
			"# Choice "+hex(i)+"\n\n## Context and Problem Statement\n\n"+long("problem", n)+"\n## Decision Outcome\n\nChoice, because "+long("reason", n))
		put("inbox/fact-"+hex(10_000+i)+"-x.md", "id: fact-"+hex(10_000+i)+"\nkind: fact\nconfidence: 0.5\nstatus: pending\nlevel: 1\n", long("candidate "+hex(i), n)+"\n## Evidence\n\n"+long("evidence", n))
	}
	dir = t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, ".sdd", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, files
}

// answer returns what is no notification.
func (b bounded) answer() said {
	b.t.Helper()
	for {
		if r := b.next(); r.Method == "" {
			return r
		}
	}
}

// ask calls a tool and reads its structured content into v.
func (b bounded) ask(tool string, args map[string]any, v any) {
	b.t.Helper()
	b.called[tool] = true
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	b.send(call("1", tool, string(raw)))
	r := b.answer()
	var res struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(r.Result, &res); err != nil || r.Error != nil {
		b.t.Fatalf("%s: %v, %+v", tool, err, r)
	}
	if res.IsError && v != nil {
		b.t.Fatalf("%s: %s", tool, res.Content[0].Text)
	}
	var text strings.Builder
	for _, c := range res.Content {
		if !strings.HasPrefix(c.Text, "Changed since your last call: ") {
			text.WriteString(c.Text)
		}
	}
	brief := raw[:min(len(raw), 80)]
	if n := tokens.Count(text.String()); n > catalog.MaxTokens {
		b.t.Errorf("%s %s: the text takes %d tokens", tool, brief, n)
	}
	if n := tokens.Count(string(res.StructuredContent)); n > catalog.MaxTokens {
		b.t.Errorf("%s %s: the structured content takes %d tokens", tool, brief, n)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(res.StructuredContent, v); err != nil {
		b.t.Fatal(err)
	}
}

// read reads a resource to its last byte. An outline is followed to the whole.
func (b bounded) read(uri string) string {
	b.t.Helper()
	var text strings.Builder
	for part := 0; ; part++ {
		b.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri))
		r := b.answer()
		var res struct {
			Contents []struct {
				URI, MIMEType, Text string
				Meta                map[string]any `json:"_meta"`
			}
		}
		if err := json.Unmarshal(r.Result, &res); err != nil || r.Error != nil || len(res.Contents) == 0 {
			b.t.Fatalf("%s: %v, %+v", uri, err, r.Error)
		}
		n := 0
		for _, c := range res.Contents {
			n += tokens.Count(c.Text)
		}
		if n > catalog.MaxTokens {
			b.t.Errorf("%s takes %d tokens", uri, n)
		}
		first := res.Contents[0]
		if first.URI != uri {
			b.t.Fatalf("%s: %s", uri, first.URI)
		}
		if _, whole, ok := strings.Cut(first.Text, "too long for one answer. The whole file, in parts: "); ok && part == 0 && !strings.Contains(uri, "?offset=") {
			uri, _, _ = strings.Cut(whole, "\n")
			continue
		}
		text.WriteString(first.Text)
		next, _ := first.Meta["sdd/next"].(string)
		if next == "" {
			return text.String()
		}
		if len(res.Contents) != 2 || res.Contents[1].URI != next || !strings.Contains(res.Contents[1].Text, next) || first.Meta["sdd/total"] == nil {
			b.t.Fatalf("%s: the rest is not named: %+v", uri, res.Contents[1:])
		}
		uri = next
	}
}

// Every tool result and every resource stays within 8,000 tokens, and what does not fit can be reached to the last byte.
func TestEverythingIsBounded(t *testing.T) {
	longtest.Only(t) // TestResultsAreBounded has the least of it
	t.Parallel()
	dir, files := huge(t)
	st, err := store.Open(store.Options{Dir: dir, Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	ix := index.Open(st)
	defer ix.Close()
	srv, end, err := open(t.Context(), app.Mount{Store: st, Index: ix}, app.AgentOptions{Version: "1", Toolsets: []string{"all", "compat"}}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	b := bounded{connect(t, srv), map[string]bool{}}

	// Every resource that is listed, page by page, and every byte of it.
	seen := map[string]string{}
	for cursor := ""; ; {
		b.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":%q}}`, cursor))
		r := b.answer()
		if n := tokens.Count(string(r.Result)); n > catalog.MaxTokens {
			t.Errorf("a page of resources takes %d tokens", n)
		}
		var page struct {
			Resources  []struct{ URI, Name string }
			NextCursor string
		}
		if err := json.Unmarshal(r.Result, &page); err != nil || r.Error != nil {
			t.Fatal(err, r.Error)
		}
		for _, one := range page.Resources {
			if _, twice := seen[one.URI]; twice {
				t.Errorf("%s is listed twice", one.URI)
			}
			seen[one.URI] = b.read(one.URI)
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	texts := slices.Collect(maps.Values(seen))
	for name, text := range files {
		if !strings.HasPrefix(name, "inbox/") && !slices.Contains(texts, text) {
			t.Errorf("%s cannot be read whole as a resource", name)
		}
	}
	// The sections of a long exploration have addresses of their own.
	for uri, want := range map[string]string{
		"sdd://explore/big/Goals": "second number 29", "sdd://explore/big/Context": "short", "sdd://explore/line/Context": "oneverylongword",
		"sdd://explore/wide/Heading%20number%207%20with%20a%20name%20that%20is%20long": "text 7",
	} {
		if got := b.read(uri); !strings.Contains(got, want) {
			t.Errorf("%s: %d bytes", uri, len(got))
		}
	}
	for _, uri := range []string{"sdd://explore/big?offset=999999999", "sdd://explore/big?offset=-1", "sdd://explore/big?offset=x", "sdd://explore/big?offset=99999999999999999999"} {
		b.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri))
		if r := b.answer(); r.Error == nil {
			t.Errorf("%s: %s", uri, r.Result)
		}
	}

	// Records by the tool that reads them, from byte to byte.
	for name, text := range files {
		if !strings.HasPrefix(name, "explore/") && !strings.Contains(name, "abc000000000") {
			continue
		}
		want := record.Parse(name, []byte(text), record.Defaults{})
		sections, err := lookup.Sections(want, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(sections) > 10 {
			continue // one by one takes long; their text is read as a resource
		}
		for n, s := range sections {
			if s.Name == "" || n > 0 && slices.ContainsFunc(sections[:n], func(o record.Section) bool { return o.Name == s.Name }) {
				continue
			}
			var got strings.Builder
			for offset := 0; ; {
				var r lookup.Record
				b.ask("sdd_get", map[string]any{"id": ".sdd/" + name, "sections": []string{s.Name}, "offset": offset}, &r)
				if len(r.Sections) == 0 {
					t.Fatalf("%s %s: nothing from %d on: %+v", name, s.Name, offset, r.Omitted)
				}
				got.WriteString(r.Sections[0].Text)
				offset = r.Sections[0].Offset + len(r.Sections[0].Text)
				if offset >= r.Sections[0].Total {
					break
				}
			}
			if got.String() != s.Text {
				t.Errorf("%s %s: %d of %d bytes", name, s.Name, got.Len(), len(s.Text))
			}
		}
	}

	// Lists, page by page.
	var total int
	found := map[string]bool{}
	for cursor := ""; ; {
		var f struct {
			Total      int
			Results    []struct{ ID, File string }
			NextCursor string `json:"next_cursor"`
		}
		b.ask("sdd_search", map[string]any{"query": "", "limit": 100, "max_tokens": 8000, "cursor": cursor}, &f)
		for _, r := range f.Results {
			found[r.File] = true
		}
		if total, cursor = f.Total, f.NextCursor; cursor == "" {
			break
		}
	}
	if total != len(files) || len(found) != total {
		t.Errorf("%d of %d records found, there are %d", len(found), total, len(files))
	}
	pages := func(args map[string]any) (ids map[string]bool, events int) {
		ids = map[string]bool{}
		for cursor := ""; ; {
			var page app.Reviewed
			args["cursor"] = cursor
			b.ask("sdd_review", args, &page)
			for _, item := range page.Items {
				ids[item.ID] = true
			}
			events += len(page.Events)
			if page.NextCursor == "" || page.NextCursor == cursor {
				return ids, events
			}
			cursor = page.NextCursor
		}
	}
	for kind, want := range map[string]int{"learning": 130, "fact": 130, "candidate": 130} {
		if ids, _ := pages(map[string]any{"action": "list", "kind": kind, "limit": 500}); len(ids) != want {
			t.Errorf("%d of %d of kind %s are listed", len(ids), want, kind)
		}
	}

	// An action on many records has a bounded answer too, and all of it can be listed afterwards.
	var facts, learnings, candidates []string
	for name := range files {
		id := strings.TrimSuffix(filepath.Base(name), "-x.md")
		switch filepath.Dir(name) {
		case "ideas":
			learnings = append(learnings, id)
		case "facts":
			facts = append(facts, id)
		case "inbox":
			candidates = append(candidates, id)
		}
	}
	b.ask("sdd_review", map[string]any{"action": "validate", "ids": learnings}, &app.Reviewed{})
	b.ask("sdd_review", map[string]any{"action": "outdate", "ids": learnings[:5], "reason": strings.Repeat("it is not so any more ", 9)}, &app.Reviewed{})
	b.ask("sdd_review", map[string]any{"action": "refresh", "ids": facts}, &app.Reviewed{})
	b.ask("sdd_review", map[string]any{"action": "approve", "ids": candidates[:10]}, &app.Reviewed{})
	b.ask("sdd_review", map[string]any{"action": "graduate", "ids": learnings[110:]}, &app.Reviewed{})
	if _, n := pages(map[string]any{"action": "events", "limit": 500}); n < 130 {
		t.Errorf("%d events", n)
	}
	var signals, answer strings.Builder
	for i := range 160 {
		if i < 50 {
			fmt.Fprintf(&signals, "<swarm>LEARNING_GLOBAL: the %dth signal says that thing %d breaks when thing %d does</swarm>\n", i, i, i+1)
		}
		fmt.Fprintf(&answer, "We decided to use tool %d because it is %d times faster than tool %d.\n\n", i, i+2, i+1)
	}
	b.ask("sdd_learn", map[string]any{"text": signals.String()}, &struct{}{})
	b.ask("sdd_decide", map[string]any{"text": answer.String()}, &struct{}{})
	many := func(about string) (list []string) {
		for i := range 120 {
			list = append(list, fmt.Sprintf("%s number %d holds for a long time", about, i))
		}
		return list
	}
	b.ask("sdd_decide", map[string]any{"decision": "Use everything", "reasons": many("reason"), "alternatives": many("alternative"), "consequences": many("consequence")}, &struct{}{})
	b.ask("sdd_fact", map[string]any{"content": strings.TrimSpace(strings.Repeat("fact number 3 is quoted and odd. ", 900)), "domain": "big1"}, &struct{}{})
	var saved explore.Result
	b.ask("sdd_explore", map[string]any{"title": "Big", "unknowns": strings.Repeat("what is it? ", 9000)}, &saved)
	if len(saved.Omitted) == 0 {
		t.Errorf("%+v", saved.Omitted)
	}
	b.ask("sdd_context", map[string]any{"query": "number quoted odd"}, &struct{}{})
	b.ask("sdd_context", map[string]any{"query": "choice", "max_tokens": 8000, "include_causal": true}, &struct{}{})
	b.ask("sdd_code", map[string]any{"query": "number"}, &struct{}{})
	b.ask("sdd_docs", map[string]any{"source": "nowhere", "query": "x"}, nil)

	// The tools of other servers.
	b.ask("rlm_discover_project", nil, &struct{}{})
	b.ask("rlm_route_context", map[string]any{"query": "number"}, &struct{}{})
	b.ask("rlm_extract_facts", nil, nil)
	b.ask("rlm_approve_fact", map[string]any{"content": strings.TrimSpace(strings.Repeat("approved text ", 2000)), "level": 1}, nil)
	b.ask("rlm_add_hierarchical_fact", map[string]any{"content": strings.TrimSpace(strings.Repeat("added text ", 2000)), "level": 1}, nil)
	b.ask("rlm_get_causal_chain", map[string]any{"query": "Choice " + "abc000000081", "max_depth": 20}, &struct{}{})
	b.ask("rlm_record_causal_decision", map[string]any{"decision": "Use more of everything", "reasons": many("reason")}, &struct{}{})
	b.ask("rlm_set_ttl", map[string]any{"fact_id": facts[0], "ttl_days": 3}, nil)
	b.ask("rlm_get_stale_facts", map[string]any{"include_archived": true}, &struct{}{})
	b.ask("rlm_index_embeddings", nil, &struct{}{})
	b.ask("rlm_get_hierarchy_stats", nil, &struct{}{})
	b.ask("rlm_get_facts_by_domain", map[string]any{"domain": "big0", "include_stale": true}, &struct{}{})
	b.ask("rlm_list_domains", nil, &struct{}{})
	b.ask("rlm_refresh_fact", map[string]any{"fact_id": facts[0]}, nil)
	b.ask("rlm_delete_fact", map[string]any{"fact_id": facts[0]}, nil)
	b.ask("rlm_install_git_hooks", nil, nil)
	b.ask("rlm_health_check", nil, &struct{}{})
	b.ask("rlm_get_pending_candidates", map[string]any{"limit": 500}, &struct{}{})
	b.ask("rlm_approve_candidate", map[string]any{"candidate_id": candidates[70]}, nil)
	b.ask("rlm_reject_candidate", map[string]any{"candidate_id": candidates[71]}, nil)
	b.ask("rlm_approve_all_candidates", nil, nil)
	b.ask("rlm_extract_from_conversation", map[string]any{"text": answer.String()}, &struct{}{})

	for _, tool := range slices.Concat(Offers().Tools, Offers().Compat) {
		if !b.called[tool.Name] {
			t.Errorf("%s was not called", tool.Name)
		}
	}
}
