package agents

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sdd/schema"
)

// answer is a result with the keys of the other server.
type answer = map[string]any

// serve starts `sdd mcp` with flags in dir and connects the official client.
func serve(t *testing.T, bin, dir string, flags ...string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command(bin, append([]string{"mcp"}, flags...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	s, err := mcp.NewClient(&mcp.Implementation{Name: "old", Version: "1"}, nil).Connect(t.Context(), over(cmd), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// does calls a tool that must succeed.
func does(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) answer {
	t.Helper()
	got, r := call[answer](t, s, tool, args)
	if r.IsError {
		t.Fatalf("%s %v: %s", tool, args, text(r))
	}
	if tool != "rlm_health_check" && got["status"] != "success" {
		t.Errorf("%s: %v", tool, got)
	}
	return got
}

// fails calls a tool that must fail with an error of that code whose message has the words.
func fails(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any, code, words string) {
	t.Helper()
	got, r := call[answer](t, s, tool, args)
	if message, _ := got["message"].(string); !r.IsError || got["status"] != "error" || got["code"] != code || !strings.Contains(message, words) {
		t.Errorf("%s %v: %v", tool, args, got)
	}
}

func want(t *testing.T, what string, got answer, values answer) {
	t.Helper()
	for k, v := range values {
		a, _ := json.Marshal(got[k])
		b, _ := json.Marshal(v)
		if string(a) != string(b) {
			t.Errorf("%s: %s is %s, want %s", what, k, a, b)
		}
	}
}

// field returns the value of a key in each of a list's objects.
func field(got answer, list, key string) (values []any) {
	items, _ := got[list].([]any)
	for _, i := range items {
		values = append(values, i.(map[string]any)[key])
	}
	return values
}

// TestOldTools calls every tool of Memory Bridge 2.0 as its clients do, on a server that does not list them.
func TestOldTools(t *testing.T) {
	bin, c := build(t), newClone(t, "shop")
	c.Write("go.mod", "module example.com/shop\n\ngo 1.24\n\nrequire github.com/gin-gonic/gin v1.10.0\n")
	c.Write("main.go", "package main\n\nfunc main() {}\n")
	c.Write("README.md", "# shop\n\nA shop for bicycles.\n")
	c.Commit("base")
	s := serve(t, bin, c.Dir)

	got := does(t, s, "rlm_discover_project", map[string]any{"project_root": c.Dir, "task_hint": "logins"})
	want(t, "discover", got, answer{"project_type": "go", "project_name": "shop", "framework": "", "file_count": 3, "loc_estimate": 3, "warnings": []any{}})
	if n := got["facts_created"].(float64); n < 3 || got["discovery_tokens"].(float64) < n {
		t.Errorf("discover: %v", got)
	}
	if again := does(t, s, "rlm_discover_project", nil); again["facts_created"] != got["facts_created"] || c.Git("status", "--porcelain") != "" {
		t.Errorf("again: %v", again)
	}
	fails(t, s, "rlm_discover_project", map[string]any{"project_root": t.TempDir()}, "outside", "project_root")

	// Facts: kept, approved, refused.
	jwt := does(t, s, "rlm_add_hierarchical_fact", map[string]any{"content": "Tokens are signed with RS256", "level": 1, "domain": "auth", "module": "internal/auth", "code_ref": "main.go#L1", "ttl_days": 9})
	want(t, "add", jwt, answer{"content": "Tokens are signed with RS256", "level": "L1_DOMAIN", "domain": "auth", "module": "internal/auth"})
	id := jwt["fact_id"].(string)
	child := does(t, s, "rlm_add_hierarchical_fact", map[string]any{"content": "The key is read at start", "level": 2, "domain": "auth", "parent_id": id})
	ok := does(t, s, "rlm_approve_fact", map[string]any{"content": "Prices are kept in cents", "domain": "orders"})
	want(t, "approve", ok, answer{"level": 1, "domain": "orders", "content": "Prices are kept in cents"})
	project := does(t, s, "rlm_approve_fact", map[string]any{"content": "Orders are written in Go", "level": 0})
	want(t, "approve for the project", project, answer{"level": 0, "content": "Orders are written in Go"})
	c.Has(".sdd/facts/"+name(t, c, id), "confidence: 1", "code_ref: main.go#L1", "ttl:", "days: 9")
	c.Has(".sdd/facts/"+name(t, c, child["fact_id"].(string)), "parent: "+id)
	for _, bad := range []map[string]any{{"content": ""}, {"content": " \n"}, {}, {"content": "x", "level": 9}, {"content": "x", "ttl_days": 0}, {"content": "x", "color": "red"}} {
		fails(t, s, "rlm_add_hierarchical_fact", bad, "invalid", "")
	}
	fails(t, s, "rlm_add_hierarchical_fact", map[string]any{"content": "An orphan", "parent_id": "fact-000000000000"}, "not_found", "fact-000000000000")
	fails(t, s, "rlm_approve_fact", map[string]any{"content": ""}, "invalid", "content is required")

	// A ttl is stored, and old words are understood.
	set := does(t, s, "rlm_set_ttl", map[string]any{"fact_id": id, "ttl_days": 30, "refresh_trigger": "internal/auth/**"})
	want(t, "set_ttl", set, answer{"fact_id": id, "ttl_days": 30, "refresh_trigger": "internal/auth/**", "on_expire": "mark_stale"})
	c.Has(".sdd/facts/"+name(t, c, id), "days: 30", "on_expire: stale", "refresh_on: internal/auth/**")
	does(t, s, "rlm_set_ttl", map[string]any{"fact_id": id, "ttl_days": 2, "on_expire": "archive"})
	c.Has(".sdd/facts/"+name(t, c, id), "days: 2", "on_expire: archive", "refresh_on: internal/auth/**")
	fails(t, s, "rlm_set_ttl", map[string]any{"fact_id": "fact-000000000000", "ttl_days": 2}, "not_found", "fact-000000000000")
	fails(t, s, "rlm_set_ttl", map[string]any{"fact_id": id, "ttl_days": 0}, "invalid", "ttl_days")
	fails(t, s, "rlm_set_ttl", map[string]any{"fact_id": id, "ttl_days": 2, "on_expire": "burn"}, "invalid", "on_expire")

	// Old ones expire, and refreshing refreshes.
	childFile := ".sdd/facts/" + name(t, c, child["fact_id"].(string))
	c.Write(childFile, strings.Replace(c.Read(childFile), `created: "2026`, `created: "2020`, 1))
	stale := does(t, s, "rlm_get_stale_facts", nil)
	want(t, "stale", stale, answer{"stale_count": 1})
	if ids := field(stale, "stale_facts", "id"); len(ids) != 1 || ids[0] != child["fact_id"] || field(stale, "stale_facts", "level")[0] != "L2_MODULE" {
		t.Errorf("stale: %v", stale)
	}
	want(t, "report", stale["ttl_report"].(answer), answer{"processed": 1, "marked_stale": 1, "archived": 0, "deleted": 0, "errors": []any{}})
	c.Has(childFile, "status: stale")
	for _, with := range []bool{false, true} {
		list := does(t, s, "rlm_get_facts_by_domain", map[string]any{"domain": "Auth", "include_stale": with})
		if n := len(list["facts"].([]any)); (n == 2) != with || list["facts_count"] != float64(n) {
			t.Errorf("include_stale %v: %v", with, list)
		}
		routed := does(t, s, "rlm_route_context", map[string]any{"query": "when is the key read?", "include_stale": with})
		if strings.Contains(routed["context"].(string), "read at start") != with {
			t.Errorf("include_stale %v: %v", with, routed)
		}
	}
	done := does(t, s, "rlm_refresh_fact", map[string]any{"fact_id": child["fact_id"]})
	want(t, "refresh", done, answer{"fact_id": child["fact_id"]})
	want(t, "refreshed", does(t, s, "rlm_get_stale_facts", nil), answer{"stale_count": 0})
	fails(t, s, "rlm_refresh_fact", map[string]any{"fact_id": "nobody"}, "not_found", "nobody")
	does(t, s, "rlm_delete_fact", map[string]any{"fact_id": child["fact_id"]})
	c.Has(childFile, "status: archived")
	want(t, "archived", does(t, s, "rlm_get_stale_facts", map[string]any{"include_archived": true}), answer{"stale_count": 1})
	fails(t, s, "rlm_delete_fact", map[string]any{"fact_id": "nobody"}, "not_found", "nobody")
	fails(t, s, "rlm_delete_fact", nil, "invalid", "fact_id is required")
	fails(t, s, "rlm_get_facts_by_domain", nil, "invalid", "domain is required")

	// Context.
	routed := does(t, s, "rlm_route_context", map[string]any{"query": "How are tokens signed?", "max_tokens": 600})
	want(t, "route", routed, answer{"fallback_used": false})
	if !strings.Contains(routed["context"].(string), "RS256") || routed["routing_confidence"].(float64) <= 0 || routed["total_tokens"].(float64) > 600 ||
		!slices.Contains(routed["domains_loaded"].([]any), any("auth")) || routed["facts_count"].(float64) < 1 {
		t.Errorf("route: %v", routed)
	}
	want(t, "fallback", does(t, s, "rlm_route_context", map[string]any{"query": "zygomorphic quokka husbandry"}), answer{"fallback_used": true, "routing_confidence": 0})
	fails(t, s, "rlm_route_context", map[string]any{"query": ""}, "invalid", "query is required")
	fails(t, s, "rlm_route_context", map[string]any{"query": "x", "max_tokens": 1}, "invalid", "max_tokens")
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "rlm_enterprise_context", Arguments: map[string]any{"query": "How are tokens signed?", "include_causal": false}})
	if err != nil || r.IsError {
		t.Fatal(err, r)
	}
	for _, key := range []string{"status", "context", "facts_count", "tokens_used", "causal_chains_included", "discovery_performed"} {
		if _, ok := r.StructuredContent.(answer)[key]; !ok {
			t.Errorf("rlm_enterprise_context has no %s: %v", key, r.StructuredContent)
		}
	}

	// Decisions.
	made := does(t, s, "rlm_record_causal_decision", map[string]any{"decision": "Use JWT for sessions", "reasons": []string{"services stay stateless", "no session store"},
		"consequences": []string{"tokens cannot be revoked"}, "constraints": []string{"one team"}, "alternatives": []string{"cookies"}})
	want(t, "record", made, answer{"decision_id": "decision/use-jwt-for-sessions", "reasons_count": 2, "consequences_count": 1, "constraints_count": 1, "alternatives_count": 1})
	why := does(t, s, "rlm_get_causal_chain", map[string]any{"query": "why JWT?"})
	want(t, "chain", why, answer{"found": true, "decision": "Use JWT for sessions", "reasons": []any{"services stay stateless", "no session store"},
		"consequences": []any{"tokens cannot be revoked"}, "constraints": []any{"one team"}, "total_nodes": 6})
	if !strings.HasPrefix(why["mermaid"].(string), "flowchart TD\n") || !strings.Contains(why["summary"].(string), "stateless") {
		t.Errorf("chain: %v", why)
	}
	want(t, "no chain", does(t, s, "rlm_get_causal_chain", map[string]any{"query": "why quokkas?"}), answer{"found": false, "reasons": []any{}, "total_nodes": 0})
	fails(t, s, "rlm_get_causal_chain", map[string]any{"query": "why JWT?", "max_depth": 1000}, "invalid", "max_depth")
	fails(t, s, "rlm_record_causal_decision", map[string]any{"decision": ""}, "invalid", "decision is required")

	// Figures.
	domains := does(t, s, "rlm_list_domains", nil)
	if !slices.Contains(domains["domains"].([]any), any("orders")) || domains["domain_counts"].(answer)["auth"] != 1.0 || domains["total_domains"] != float64(len(domains["domains"].([]any))) {
		t.Errorf("domains: %v", domains)
	}
	stats := does(t, s, "rlm_get_hierarchy_stats", nil)
	want(t, "chains", stats["causal_chains"].(answer), answer{"decisions": 1, "total_nodes": 6, "total_edges": 5})
	facts := stats["memory_store"].(answer)
	want(t, "facts", facts, answer{"archived_facts": 1, "stale_facts": 0, "with_embeddings": 0})
	want(t, "index", does(t, s, "rlm_index_embeddings", nil), answer{"indexed_count": facts["total_facts"]})
	if sum := facts["by_level"].(answer); sum["L1_DOMAIN"].(float64) < 2 || sum["L0_PROJECT"].(float64) < 5 {
		t.Errorf("levels: %v", sum)
	}
	health := does(t, s, "rlm_health_check", nil)
	if health["status"] != "healthy" || !strings.Contains(health["l0_context"].(string), "fact-") {
		t.Errorf("health: %v", health)
	}
}

// name is the name of the file that holds a fact.
func name(t *testing.T, c *clone, id string) string {
	t.Helper()
	files, err := filepath.Glob(c.Path(".sdd/facts/" + id + "*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v %v", id, files, err)
	}
	return filepath.Base(files[0])
}

// TestOldCandidates is the way of candidates through the old tools: found in changes and in talk, approved, rejected.
func TestOldCandidates(t *testing.T) {
	bin, c := build(t), newClone(t, "shop")
	c.Write("main.go", "package main\n")
	c.Commit("base")
	c.Write("main.go", "package main\n\nvar dry = flag.Bool(\"dry-run\", false, \"Say what would be done\")\n")
	c.Write("serve.go", "package main\n\nvar home = os.Getenv(\"SHOP_HOME\")\n")
	s := serve(t, bin, c.Dir)

	found := does(t, s, "rlm_extract_facts", nil)
	ids := field(found, "candidates", "id")
	if len(ids) < 2 || found["auto_approved"] != 0.0 || found["pending_approval"] != float64(len(ids)) || found["total_changes"] != 2.0 {
		t.Fatalf("%v", found)
	}
	if again := does(t, s, "rlm_extract_facts", map[string]any{"source": "git_diff"}); len(field(again, "candidates", "id")) != len(ids) {
		t.Errorf("again: %v", again)
	}
	want(t, "nothing staged", does(t, s, "rlm_extract_facts", map[string]any{"source": "staged"}), answer{"candidates": []any{}, "total_changes": 0})
	file := does(t, s, "rlm_extract_facts", map[string]any{"source": "file", "file_path": "main.go"})
	for _, path := range field(file, "candidates", "file_path") {
		if path != "main.go" {
			t.Errorf("of another file: %v", file)
		}
	}
	if n := len(field(file, "candidates", "id")); n == 0 || n == len(ids) || file["total_changes"] != 1.0 {
		t.Errorf("of one file: %v", file)
	}
	fails(t, s, "rlm_extract_facts", map[string]any{"source": "file"}, "invalid", "file_path is required")
	fails(t, s, "rlm_extract_facts", map[string]any{"source": "file", "file_path": "gone.go"}, "not_found", "gone.go")
	fails(t, s, "rlm_extract_facts", map[string]any{"source": "file", "file_path": "/etc/passwd"}, "outside", "file_path")
	fails(t, s, "rlm_extract_facts", map[string]any{"source": "svn"}, "invalid", "source")

	list := does(t, s, "rlm_get_pending_candidates", map[string]any{"limit": 50})
	want(t, "pending", list, answer{"count": len(ids), "stats": answer{"pending": len(ids), "approved": 0, "rejected": 0}})
	first := does(t, s, "rlm_approve_candidate", map[string]any{"candidate_id": ids[0]})
	want(t, "approve", first, answer{"fact_id": ids[0]})
	does(t, s, "rlm_reject_candidate", map[string]any{"candidate_id": ids[1]})
	want(t, "after", does(t, s, "rlm_get_pending_candidates", nil), answer{"count": len(ids) - 2})
	fails(t, s, "rlm_approve_candidate", map[string]any{"candidate_id": "fact-000000000000"}, "not_found", "candidate")
	fails(t, s, "rlm_reject_candidate", map[string]any{"candidate_id": "fact-000000000000"}, "not_found", "candidate")
	want(t, "all", does(t, s, "rlm_approve_all_candidates", nil), answer{"approved_count": len(ids) - 2})

	c.Git("add", "main.go")
	want(t, "staged", does(t, s, "rlm_extract_facts", map[string]any{"source": "staged", "auto_approve": true}), answer{"total_changes": 1, "pending_approval": 0})
	c.Write("carts.go", "package main\n\nvar carts = flag.Int(\"carts\", 1, \"Carts that a customer has\")\n")
	more := does(t, s, "rlm_extract_facts", map[string]any{"source": "file", "file_path": c.Path("carts.go"), "auto_approve": true})
	want(t, "nothing that is not committed is approved by itself", more, answer{"auto_approved": 0, "pending_approval": 1})
	content := field(more, "candidates", "content")[0].(string)
	kept := does(t, s, "rlm_approve_fact", map[string]any{"content": content, "level": 3})
	want(t, "approved candidate", kept, answer{"fact_id": field(more, "candidates", "id")[0]})
	c.Has(".sdd/facts/"+name(t, c, kept["fact_id"].(string)), "## Evidence")
	want(t, "none of it waits", does(t, s, "rlm_get_pending_candidates", nil), answer{"count": len(field(more, "candidates", "id")) - 1})

	talk := "We decided to use Postgres for the order store because the team knows it.\n\nWhat about Redis?\n"
	said := does(t, s, "rlm_extract_from_conversation", map[string]any{"text": talk})
	if n := len(field(said, "candidates", "id")); n != 1 || said["pending_approval"] != 1.0 || said["auto_approved"] != 0.0 {
		t.Errorf("%v", said)
	}
	sure := does(t, s, "rlm_extract_from_conversation", map[string]any{"text": "## Decisions\n\nWe decided to use Kafka for events because the team runs it.\n", "auto_approve": true})
	want(t, "sure", sure, answer{"auto_approved": 1, "pending_approval": 0})
	fails(t, s, "rlm_extract_from_conversation", map[string]any{"text": ""}, "invalid", "text is required")

	hook := does(t, s, "rlm_install_git_hooks", nil)
	want(t, "hook", hook, answer{"message": "post-commit calls sdd now"})
	want(t, "hook again", does(t, s, "rlm_install_git_hooks", map[string]any{"hook_type": "post-commit"}), answer{"message": "post-commit calls sdd already"})
	fails(t, s, "rlm_install_git_hooks", map[string]any{"hook_type": "pre-push"}, "invalid", "hook_type")
}

// The tools are listed with the toolset compat only, and refused where what they do is switched off.
func TestOldToolsAreListedOnDemand(t *testing.T) {
	bin, c := build(t), newClone(t, "shop")
	list := func(s *mcp.ClientSession) (names []string) {
		t.Helper()
		tools, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	old := func(names []string) (n int) {
		for _, name := range names {
			if strings.HasPrefix(name, "rlm_") {
				n++
			}
		}
		return n
	}
	all := 1 // rlm_enterprise_context is an alias
	for _, name := range schema.Names() {
		if strings.HasPrefix(name, "tools/rlm_") && strings.HasSuffix(name, ".input") {
			all++
		}
	}
	s := serve(t, bin, c.Dir)
	before := list(s)
	does(t, s, "rlm_list_domains", nil)
	if n := old(before); n != 0 || !slices.Equal(list(s), before) {
		t.Errorf("%d of the old tools are listed, after a call %v", n, list(s))
	}
	if n := old(list(serve(t, bin, c.Dir, "--toolsets=default,compat"))); n != all {
		t.Errorf("%d of the old tools are listed, want %d", n, all)
	}
	reader := serve(t, bin, c.Dir, "--toolsets=default,compat", "--read-only")
	if names := list(reader); slices.Contains(names, "rlm_delete_fact") || !slices.Contains(names, "rlm_route_context") {
		t.Errorf("read-only: %v", names)
	}
	fails(t, reader, "rlm_delete_fact", map[string]any{"fact_id": "x"}, "unwritable", "read-only")
	does(t, reader, "rlm_get_stale_facts", nil)
	fails(t, serve(t, bin, c.Dir, "--toolsets=explore"), "rlm_delete_fact", map[string]any{"fact_id": "x"}, "unavailable", "switched off")
	if _, err := os.Stat(c.Path(".sdd")); err == nil {
		t.Error("reading made a store")
	}
}

// Every toolset has the tools that its name promises, and no other.
func TestToolsets(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	for set, want := range map[string]string{
		"explore": "sdd_explore sdd_get sdd_search", "context": "sdd_context sdd_fact", "learn": "sdd_learn", "decide": "sdd_decide", "review": "sdd_review",
		"code": "sdd_code", "docs": "sdd_docs",
	} {
		tools, err := serve(t, bin, dir, "--toolsets="+set).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range tools.Tools {
			names = append(names, tool.Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", set, got, want)
		}
	}
}
