package rag

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
)

// shapes are answers in the forms of servers that exist, each about the same two places.
var shapes = map[string]struct {
	result *mcp.CallToolResult
	want   []Snippet
}{
	"claude-context": {
		text("Found 2 results for query: \"retry\" in codebase '/work/app'\n\n1. Code snippet (go) [app]\n   Location: src/retry.go:3-5\n   Rank: 1\n   Context: \n```go\nfunc retry() {\n\tagain()\n}\n```\n\n2. Code snippet (go) [app]\n   Location: src/main.go:10-10\n   Rank: 2\n   Context: \n```go\nretry()\n```\n"),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5, Text: "func retry() {\n\tagain()\n}"}, {Path: "src/main.go", Start: 10, End: 10, Text: "retry()"}},
	},
	"grepai": {
		text(`[{"file_path":"src/retry.go","start_line":3,"end_line":5,"score":0.81,"content":"func retry() {\n\tagain()\n}"},{"file_path":"src/main.go","start_line":10,"end_line":10,"score":0.5,"content":"retry()"}]`),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5, Text: "func retry() {\n\tagain()\n}"}, {Path: "src/main.go", Start: 10, End: 10, Text: "retry()"}},
	},
	"grepai compact": {
		text(`[{"file_path":"src/retry.go","start_line":3,"end_line":5,"score":0.81}]`),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5}},
	},
	"ragex": {
		text("📄 src/retry.go\n  L3-5: func retry() {\n\n📄 src/main.go\n  L10: retry()\n"),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5}, {Path: "src/main.go", Start: 10, End: 10}},
	},
	"ragex raw": {
		text("src/retry.go:3\nsrc/main.go:10\n"),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 3}, {Path: "src/main.go", Start: 10, End: 10}},
	},
	"semble": {
		structure(`{"query":"retry","results":[{"file_path":"src/retry.go","start_line":3,"end_line":5,"score":0.9,"content":"func retry() {"}]}`),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5, Text: "func retry() {"}},
	},
	"semble markdown": {
		text("Results for: retry\n\n## 1. src/retry.go:3-5 [score=0.9]\n```\nfunc retry() {\n```\n"),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5, Text: "func retry() {"}},
	},
	"sourcerer": {
		text("src/retry.go::retry\nsrc/client.go::Client::Close\n"),
		[]Snippet{{Path: "src/retry.go", Symbol: "retry"}, {Path: "src/client.go", Symbol: "Close"}},
	},
	"qdrant": {
		text("Results for the query 'retry'", `<entry><content>func retry() {</content><metadata>{"path": "src/retry.go", "start_line": 3, "end_line": 5}</metadata></entry>`),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5, Text: "func retry() {"}},
	},
	"codebase-memory": {
		text(`{"total":2,"has_more":false,"groups":[{"file":"src/retry.go","rows":[{"name":"retry","label":"Function","start_line":3,"end_line":5}]},{"file":"src/main.go","rows":[{"name":"main","label":"Function","start_line":10,"end_line":12}]}]}`),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5, Symbol: "retry"}, {Path: "src/main.go", Start: 10, End: 12, Symbol: "main"}},
	},
	"code-index": {
		structure(`{"results":[{"file":"src/retry.go","line":3,"text":"func retry() {"}],"pagination":{"total_matches":1,"returned":1,"has_more":false}}`),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 3, Text: "func retry() {"}},
	},
	"serena": {
		text(`[{"name_path":"retry","kind":12,"location":{"relative_path":"src/retry.go","start_line":3,"end_line":5},"body":"func retry() {"}]`),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5, Symbol: "retry", Text: "func retry() {"}},
	},
	"language server": {
		text(`[{"uri":"file:///work/app/src/retry.go","range":{"start":{"line":2,"character":0},"end":{"line":4,"character":1}}}]`),
		[]Snippet{{Path: "file:///work/app/src/retry.go", Start: 3, End: 5}},
	},
	"codegraph": {
		text("## Relevant code for: retry\n\n### retry (function)\n**File:** `src/retry.go` (lines 3-5)\n\n```go\nfunc retry() {\n```\n"),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5, Text: "func retry() {"}},
	},
	"several blocks": {
		text("src/retry.go:3-5\n```\nfunc retry() {\n```", "src/main.go:10"),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5, Text: "func retry() {"}, {Path: "src/main.go", Start: 10, End: 10}},
	},
	"text inside structure": {
		structure(`{"result":"src/retry.go:3-5\nsrc/main.go:10\n"}`),
		[]Snippet{{Path: "src/retry.go", Start: 3, End: 5}, {Path: "src/main.go", Start: 10, End: 10}},
	},
	"windows and anchors": {
		text("C:\\app\\src\\retry.go:3-5\nsee ../x/y.py#L7-L9 and more\n"),
		[]Snippet{{Path: `C:\app\src\retry.go`, Start: 3, End: 5}, {Path: "../x/y.py", Start: 7, End: 9}},
	},
}

func text(blocks ...string) *mcp.CallToolResult {
	res := &mcp.CallToolResult{}
	for _, b := range blocks {
		res.Content = append(res.Content, mcp.NewTextContent(b))
	}
	return res
}

func structure(json string) *mcp.CallToolResult {
	res := text(json)
	res.RawStructuredContent = []byte(json)
	return res
}

func TestShapes(t *testing.T) {
	for name, c := range shapes {
		a, err := parseResult(c.result)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, a.Snippets); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(a.Loose) > 0 {
			t.Errorf("%s: loose texts %q", name, a.Loose)
		}
	}
}

func TestNothingFoundIsNoFailure(t *testing.T) {
	for _, s := range []string{
		"No results found.", "No results found for query: \"x\" in codebase '/work/app'", "No matching chunks found.", "No relevant code found", "[]", "null", "", "{}",
		`{"query":"x","results":[]}`, `{"results":[],"pagination":{"total_matches":0}}`, "Found 0 results", "0 matches found",
	} {
		a, err := parseResult(text(s))
		if err != nil || len(a.Snippets) > 0 || len(a.Loose) > 0 {
			t.Errorf("%q: %+v, %v", s, a, err)
		}
	}
	if a, err := parseResult(&mcp.CallToolResult{}); err != nil || len(a.Snippets) > 0 {
		t.Errorf("no content: %+v, %v", a, err)
	}
}

func TestFailuresToldAsSuccess(t *testing.T) {
	for _, s := range []string{
		"Error: Codebase '/work/app' is not indexed. Please index it first using the index_codebase tool.", "Workspace not indexed", "Error: connection refused",
		`{"error":"index missing"}`, `{"success":false,"message":"no database"}`, `{"error":{"message":"boom"}}`, "Indexing is still in progress",
	} {
		if _, err := parseResult(text(s)); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%q: %v", s, err)
		}
	}
	res := text("boom")
	res.IsError = true
	if _, err := parseResult(res); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), `"boom"`) {
		t.Errorf("isError: %v", err)
	}
}

func TestLooseText(t *testing.T) {
	a, err := parseResult(text("The retry logic doubles its delay and gives up after a minute."))
	if err != nil || len(a.Loose) != 1 || len(a.Snippets) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range shapes {
		f.Add(textOf(c.result))
	}
	f.Add("```\n```")
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s)
		if err == nil && len(a.Snippets) > maxSnippets {
			t.Fatal("too many")
		}
		for _, p := range a.Snippets {
			if p.Path == "" {
				t.Fatalf("a place without a path: %+v", p)
			}
		}
	})
}
