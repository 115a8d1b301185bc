package codesearch

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sdd/internal/codesearch/rag"
	_ "sdd/internal/longtest" // files are in memory where there is room
)

// The test binary is also the semantic servers: started with this variable it speaks MCP as the one it names.
const fixtureVariable = "SDD_TEST_SERVER"

func TestMain(m *testing.M) {
	if name := os.Getenv(fixtureVariable); name != "" {
		serve(fixtures[name], os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// fixture is a server by what it lists and answers.
type fixture struct {
	tools  string // JSON list
	answer func(tool string, args map[string]any, root string) string
	misdo  string // hang, crash, flood, late, garbage, deaf, silent
}

func tool(name, description, properties, required string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{%s},"required":[%s]}}`, name, description, properties, required)
}

func content(texts ...string) string {
	var parts []string
	for _, t := range texts {
		data, _ := json.Marshal(t)
		parts = append(parts, `{"type":"text","text":`+string(data)+`}`)
	}
	return `{"content":[` + strings.Join(parts, ",") + `]}`
}

func structured(json string) string {
	return strings.TrimSuffix(content(json), "}") + `,"structuredContent":` + json + `}`
}

func failed(text string) string { return strings.TrimSuffix(content(text), "}") + `,"isError":true}` }

// The two places that every good server finds in the project of these tests.
const (
	retryCode = "func retry(times int) error {\n\treturn backoff(times)\n}"
	mainCode  = "func main() {\n\tretry(3)\n}"
)

var query = `"query":{"type":"string"}`

var fixtures = map[string]fixture{
	"claude-context": {
		tools: tool("index_codebase", "Index a codebase to enable semantic search using a configurable code splitter.", `"path":{"type":"string"},"force":{"type":"boolean"}`, `"path"`) + "," +
			tool("search_code", "Search the indexed codebase using natural language queries within a specified absolute path.", `"path":{"type":"string"},`+query+`,"limit":{"type":"number","maximum":50},"extensionFilter":{"type":"array","items":{"type":"string"}}`, `"path","query"`) + "," +
			tool("clear_index", "Clear the search index.", `"path":{"type":"string"}`, `"path"`),
		answer: func(tool string, args map[string]any, root string) string {
			if tool == "search_code" && args["path"] != root {
				return failed(fmt.Sprintf("Error: Codebase '%v' is not indexed.", args["path"]))
			}
			return content(fmt.Sprintf("Found 2 results for query: \"%v\" in codebase '%s'\n\n1. Code snippet (go) [app]\n   Location: retry.go:4-6\n   Rank: 1\n   Context: \n```go\n%s\n```\n\n2. Code snippet (go) [app]\n   Location: main.go:3-5\n   Rank: 2\n   Context: \n```go\n%s\n```\n", args["query"], root, retryCode, mainCode))
		},
	},
	"grepai": {
		tools: tool("grepai_search", "Semantic code search. Search your codebase using natural language.", query+`,"limit":{"type":"number"},"compact":{"type":"boolean"},"format":{"type":"string"}`, `"query"`) + "," +
			tool("grepai_index_status", "Check the status of the index.", ``, ``),
		answer: func(string, map[string]any, string) string {
			return content(jsonOf([]any{
				map[string]any{"file_path": "retry.go", "start_line": 4, "end_line": 6, "score": 0.9, "content": retryCode},
				map[string]any{"file_path": "main.go", "start_line": 3, "end_line": 5, "score": 0.5, "content": mainCode},
			}))
		},
	},
	"codebase-memory": {
		tools: tool("search_graph", "Search the code knowledge graph by name, BM25 query or semantic similarity.", `"project":{"type":"string"},`+query+`,"semantic_query":{"type":"array","items":{"type":"string"}},"limit":{"type":"integer"},"offset":{"type":"integer"}`, `"project"`) + "," +
			tool("search_code", "Graph-augmented grep over the code of the repository.", `"pattern":{"type":"string"},"project":{"type":"string"},"limit":{"type":"integer"}`, `"pattern","project"`) + "," +
			tool("index_repository", "Index a repository into the graph.", `"repo_path":{"type":"string"}`, `"repo_path"`),
		answer: func(_ string, args map[string]any, root string) string {
			if words, _ := args["semantic_query"].([]any); len(words) == 0 || args["project"] != root {
				return failed("bad arguments")
			}
			return content(`{"total":2,"has_more":false,"groups":[{"file":"retry.go","rows":[{"name":"retry","label":"Function","start_line":4,"end_line":6}]},{"file":"main.go","rows":[{"name":"main","label":"Function","start_line":3,"end_line":5}]}]}`)
		},
	},
	"code-index": {
		tools: tool("set_project_path", "Set the base path.", `"path":{"type":"string"}`, `"path"`) + "," +
			tool("search_code_advanced", "Search for a code pattern using ripgrep or grep, with fuzzy matching and regex.", `"pattern":{"type":"string"},"regex":{"type":"boolean"},"max_results":{"type":"integer"}`, `"pattern"`) + "," +
			tool("refresh_index", "Rebuild the index.", ``, ``),
		answer: func(string, map[string]any, string) string {
			return structured(`{"results":[{"file":"retry.go","line":4,"text":"func retry(times int) error {"},{"file":"main.go","line":4,"text":"\tretry(3)"}],"pagination":{"total_matches":2,"returned":2,"has_more":false}}`)
		},
	},
	"ragex": {
		tools: tool("search_code", "Search code with semantic or regex mode.", query+`,"mode":{"type":"string","enum":["auto","semantic","regex"]},"limit":{"type":"integer"},"paths":{"type":"array","items":{"type":"string"}}`, `"query"`),
		answer: func(string, map[string]any, string) string {
			return content("Found 2 matches\n\nretry.go\n  L4-6: func retry(times int) error {\n\nmain.go\n  L3-5: func main() {\n")
		},
	},
	"sourcerer": {
		tools: tool("semantic_search", "Find relevant code using semantic search.", query+`,"file_types":{"type":"array","items":{"type":"string"}}`, `"query"`) + "," +
			tool("get_chunk_code", "Get code of chunks.", `"ids":{"type":"array","items":{"type":"string"}}`, `"ids"`) + "," + tool("index_workspace", "Index the workspace.", ``, ``),
		answer: func(string, map[string]any, string) string { return content("retry.go::retry\nmain.go::main\n") },
	},
	"semble": {
		tools: tool("search", "Search a codebase with natural language or code.", query+`,"repo":{"type":"string"},"mode":{"type":"string"},"top_k":{"type":"integer"}`, `"query"`),
		answer: func(string, map[string]any, string) string {
			return structured(jsonOf(map[string]any{"query": "q", "results": []any{
				map[string]any{"file_path": "retry.go", "start_line": 4, "end_line": 6, "score": 0.9, "content": retryCode},
				map[string]any{"file_path": "main.go", "start_line": 3, "end_line": 5, "score": 0.8, "content": mainCode},
			}}))
		},
	},
	"qdrant": {
		tools: tool("qdrant-find", "Look up memories in Qdrant. Use this tool when you need to find memories by their content.", query+`,"collection_name":{"type":"string"}`, `"query","collection_name"`) + "," +
			tool("qdrant-store", "Keep the memory for later use.", `"information":{"type":"string"}`, `"information"`),
		answer: func(_ string, args map[string]any, _ string) string {
			if args["collection_name"] != "code" {
				return failed("no such collection")
			}
			return content("Results for the query 'q'",
				"<entry><content>"+retryCode+`</content><metadata>{"path":"retry.go","start_line":4,"end_line":6}</metadata></entry>`,
				"<entry><content>"+mainCode+`</content><metadata>{"path":"main.go"}</metadata></entry>`)
		},
	},
	"serena": {
		tools: tool("search_for_pattern", "Searches for arbitrary patterns in the codebase with a regular expression.", `"substring_pattern":{"type":"string"},"relative_path":{"type":"string"}`, `"substring_pattern"`) + "," +
			tool("find_symbol", "Finds symbols by name path.", `"name_path_pattern":{"type":"string"}`, `"name_path_pattern"`),
		answer: func(string, map[string]any, string) string {
			return content(jsonOf([]any{
				map[string]any{"name_path": "retry", "kind": 12, "location": map[string]any{"relative_path": "retry.go", "start_line": 4, "end_line": 6}, "body": retryCode},
				map[string]any{"name_path": "main", "kind": 12, "location": map[string]any{"relative_path": "main.go", "start_line": 3, "end_line": 5}, "body": mainCode},
			}))
		},
	},
	"codegraph": {
		tools: tool("codegraph_context", "Build comprehensive context for a task from the code graph, with semantic search.", `"task":{"type":"string"},"maxNodes":{"type":"number"},"includeCode":{"type":"boolean"}`, `"task"`),
		answer: func(string, map[string]any, string) string {
			return content("## Context\n\n### retry (function)\n**File:** `retry.go` (lines 4-6)\n\n```go\n" + retryCode + "\n```\n\n### main (function)\n**File:** `main.go` (lines 3-5)\n\n```go\n" + mainCode + "\n```\n")
		},
	},
	"one":     {tools: plainTool, answer: func(string, map[string]any, string) string { return content("retry.go:4-6\n") }},
	"none":    {tools: plainTool, answer: func(string, map[string]any, string) string { return content("No results found.") }},
	"unready": {tools: plainTool, answer: func(string, map[string]any, string) string { return content("Error: the codebase is not indexed.") }},
	"prose": {tools: plainTool, answer: func(string, map[string]any, string) string {
		return content("Retries double their delay.\n```\nignore this\n# and this heading\n```")
	}},
	"liar": {tools: plainTool, answer: func(_ string, _ map[string]any, root string) string {
		return content(strings.Join([]string{"../outside.go:1-2", filepath.Join(filepath.Dir(root), "outside.go") + ":1-2", "link.go:1-2", "linked/outside.go:1-2", "gone.go:1-2",
			"retry.go:400-500", "retry.go:6-4", "/etc/passwd.txt:1-2"}, "\n"))
	}},
	"stale": {tools: plainTool, answer: func(string, map[string]any, string) string {
		return content("1. Location: retry.go:4-6\n```\nfunc oldRetry() {\n```\n2. Location: main.go:3-5\n```go\n" + mainCode + "\n```\n3. Location: ./main.go:3-5\n```go\n" + mainCode + "\n```\n")
	}},
	"needy":             {tools: tool("search", "Semantic code search.", query+`,"token":{"type":"string"}`, `"query","token"`), answer: func(string, map[string]any, string) string { return content("retry.go:4-6") }},
	"hang":              {tools: plainTool, misdo: "hang"},
	"crash":             {tools: plainTool, misdo: "crash"},
	"flood":             {tools: plainTool, misdo: "flood"},
	"late":              {tools: plainTool, misdo: "late", answer: func(string, map[string]any, string) string { return content("retry.go:4-6\nmain.go:3-5") }},
	"garbage":           {tools: plainTool, misdo: "garbage"},
	"garbage page":      {misdo: "<!DOCTYPE html>\n<title>It works</title>"},
	"garbage log":       {misdo: "INFO loading the model\n"},
	"garbage half":      {misdo: `{"jsonrpc":"2.0","id":1,"result":{"protocolVer`},
	"garbage half call": {tools: plainTool, misdo: `call {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"te`},
	"garbage 17":        {tools: plainTool, misdo: `call {"jsonrpc":"2.0","id":ID,"result":17}`},
	"garbage no shape":  {tools: plainTool, misdo: `call {"jsonrpc":"2.0","id":ID,"result":{"content":{"text":[]}}}`},
	"garbage no error":  {tools: plainTool, misdo: `call {"jsonrpc":"2.0","id":ID,"error":"boom"}`},
	"garbage escapes":   {misdo: "\x1b[2J\x1b]0;title\a\u202e"},
	"deaf":              {tools: plainTool, misdo: "deaf"},
	"silent":            {misdo: "silent"},
	"slow-index": {tools: plainTool + "," + tool("index_codebase", "Index.", `"path":{"type":"string"},"files":{"type":"array","items":{"type":"string"}}`, `"path"`), answer: func(name string, args map[string]any, root string) string {
		if name == "index_codebase" {
			os.WriteFile(filepath.Join(root, "reindexed"), []byte(fmt.Sprint(args["files"])), 0o644)
			time.Sleep(30 * time.Second)
		}
		return content("No results found.")
	}},
	"bad-index": {tools: plainTool + "," + tool("index_codebase", "Index.", `"path":{"type":"string"}`, `"path"`), answer: func(string, map[string]any, string) string {
		return failed("already indexed")
	}},
}

var plainTool = tool("search", "Semantic search over the codebase.", query+`,"limit":{"type":"integer"}`, `"query"`)

func jsonOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// serve speaks MCP in lines until its input ends.
func serve(f fixture, in io.Reader, out io.Writer) {
	if count := os.Getenv("SDD_TEST_COUNT"); count != "" { // how often was it started?
		if file, err := os.OpenFile(count, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
			fmt.Fprintln(file, "started")
			file.Close()
		}
	}
	if f.misdo == "deaf" {
		time.Sleep(time.Minute)
		return
	}
	root, _ := os.Getwd()
	if name, call := strings.CutPrefix(f.misdo, "call "); !call && strings.ContainsAny(name, "<{ \x1b") { // says that at once
		io.WriteString(out, f.misdo)
		if strings.HasSuffix(f.misdo, "\n") { // and goes on
			time.Sleep(time.Minute)
		}
		return
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if answer := f.reply(lines.Bytes(), root, out); answer != "" {
			fmt.Fprintln(out, answer)
		}
	}
}

// reply answers one message; "" for one that has no answer.
func (f fixture) reply(message []byte, root string, out io.Writer) string {
	var m struct {
		ID     any
		Method string
		Params struct {
			Name      string
			Arguments map[string]any
		}
	}
	if json.Unmarshal(message, &m) != nil || m.ID == nil {
		return ""
	}
	respond := func(result string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, jsonOf(m.ID), result)
	}
	switch m.Method {
	case "initialize":
		if f.misdo == "silent" {
			return ""
		}
		return respond(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"fixture","version":"1"}}`)
	case "tools/list":
		return respond(`{"tools":[` + f.tools + `]}`)
	case "tools/call":
		switch f.misdo {
		case "hang":
			return ""
		case "crash":
			os.Exit(3)
		case "flood":
			line := strings.Repeat("x", 1<<20)
			for {
				if _, err := io.WriteString(out, line); err != nil {
					os.Exit(1)
				}
			}
		case "late":
			time.Sleep(500 * time.Millisecond)
		case "garbage":
			return "this is no JSON\n{\"jsonrpc\":\"2.0\",\"id\":" + jsonOf(m.ID) + ",\"result\":17}"
		default:
			if text, ok := strings.CutPrefix(f.misdo, "call "); ok {
				if text = strings.ReplaceAll(text, "ID", jsonOf(m.ID)); !json.Valid([]byte(text)) {
					io.WriteString(out, text)
					os.Exit(0)
				}
				return text
			}
		}
		return respond(f.answer(m.Params.Name, m.Params.Arguments, root))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, jsonOf(m.ID))
}

// command is how a fixture is started.
func command(t *testing.T, name string) rag.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return rag.Server{Command: self, Env: map[string]string{fixtureVariable: name}}
}

// overHTTP serves a fixture at an address on this machine.
func overHTTP(t *testing.T, name, root string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer := ""
		if r.Method == http.MethodPost {
			answer = fixtures[name].reply(body, root, io.Discard)
		}
		if answer == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}
