package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tiktoken-go/tokenizer"
)

// tools returns the names of all tools that have schemas.
func tools() []string {
	var names []string
	for _, n := range Names() {
		if tool, ok := strings.CutSuffix(n, ".input"); ok {
			names = append(names, strings.TrimPrefix(tool, "tools/"))
		}
	}
	return names
}

func parse(name string) map[string]any {
	var n map[string]any
	if err := json.Unmarshal(Load(name), &n); err != nil {
		panic(fmt.Sprintf("schema: %s: %v", name, err))
	}
	return n
}

func TestAllCompile(t *testing.T) {
	names := Names()
	for _, want := range []string{
		"exploration", "idea", "fact", "decision", "candidate", "config", "tools/error",
		"tools/sdd_explore.input", "tools/sdd_explore.output", "tools/sdd_get.input", "tools/sdd_search.output",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("no schema %q in %v", want, names)
		}
	}
	for _, name := range names {
		n := parse(name)
		if n["$schema"] != Dialect {
			t.Errorf("%s: $schema is %v", name, n["$schema"])
		}
		if n["type"] != "object" {
			t.Errorf("%s: type is %v", name, n["type"])
		}
		if once, again := Compile(name), Compile(name); once != again {
			t.Errorf("%s: compiled twice", name)
		}
	}
}

// TestInputs holds the arguments of every tool to what strict clients take: a closed object,
// each argument described and of one plain type, no references and no unions.
func TestInputs(t *testing.T) {
	for _, tool := range tools() {
		n := parse("tools/" + tool + ".input")
		if n["additionalProperties"] != false {
			t.Errorf("%s: arguments are not closed", tool)
		}
		for _, r := range list(n["required"]) {
			if n["properties"].(map[string]any)[r.(string)] == nil {
				t.Errorf("%s: required %v is no argument", tool, r)
			}
		}
		for name, p := range n["properties"].(map[string]any) {
			if s, _ := p.(map[string]any)["description"].(string); s == "" {
				t.Errorf("%s: %s is not described", tool, name)
			}
		}
		plain(t, tool, n)
	}
}

// TestOutputs holds results to the rules that they share with arguments. They are open.
func TestOutputs(t *testing.T) {
	for _, tool := range tools() {
		n := parse("tools/" + tool + ".output")
		plain(t, tool, n)
		var listed map[string]any
		if err := json.Unmarshal(Listed(tool), &listed); err != nil {
			t.Fatal(err)
		}
		plain(t, tool+" as listed", listed)
		if got, want := list(listed["required"]), list(n["required"]); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s: lists %v of %v", tool, got, want)
		}
		if text := string(Listed(tool)); strings.Contains(text, "description") || strings.Contains(text, "additionalProperties") {
			t.Errorf("%s: listed is described or closed: %s", tool, text)
		}
		for _, r := range list(n["required"]) {
			if n["properties"].(map[string]any)[r.(string)] == nil {
				t.Errorf("%s: required %v is no field", tool, r)
			}
		}
	}
}

func TestListed(t *testing.T) {
	want := `{"type":"object","required":["query","total","results","next_cursor","omitted"]}`
	if got := string(Listed("sdd_search")); got != want {
		t.Errorf("Listed = %s\nwant %s", got, want)
	}
}

// plain walks a schema and refuses what some client drops a tool or an argument for.
func plain(t *testing.T, where string, n map[string]any) {
	t.Helper()
	for _, key := range []string{"$ref", "$defs", "oneOf", "anyOf", "allOf", "not", "if", "patternProperties", "prefixItems", "const", "nullable"} {
		if _, ok := n[key]; ok {
			t.Errorf("%s: has %s", where, key)
		}
	}
	switch typ := n["type"].(type) {
	case string:
		if typ == "array" {
			items, ok := n["items"].(map[string]any)
			if !ok {
				t.Errorf("%s: array without items", where)
			}
			plain(t, where+"[]", items)
		}
	default:
		t.Errorf("%s: type is %v", where, n["type"])
	}
	props, _ := n["properties"].(map[string]any)
	for name, p := range props {
		sub, ok := p.(map[string]any)
		if !ok {
			t.Errorf("%s.%s: is %v", where, name, p)
			continue
		}
		plain(t, where+"."+name, sub)
		if def, ok := sub["default"]; ok {
			if err := compileValue(t, sub).Validate(def); err != nil {
				t.Errorf("%s.%s: the default is not allowed: %v", where, name, err)
			}
		}
	}
}

func compileValue(t *testing.T, n map[string]any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sdd:///value.json", n); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("sdd:///value.json")
}

func list(v any) []any { l, _ := v.([]any); return l }

// TestTokens keeps the arguments of each tool within its share of the 2,000 tokens that ten
// tools have for names, descriptions and arguments, and the result within its share of 1,000.
func TestTokens(t *testing.T) {
	enc, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	count := func(b []byte) int {
		n, err := enc.Count(string(b))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	most := map[string]int{"sdd_explore": 250, "sdd_decide": 215}
	for _, tool := range tools() {
		in, out := count(Input(tool)), count(Listed(tool))
		t.Logf("%-12s arguments %4d  result %4d", tool, in, out)
		limit := most[tool]
		if limit == 0 {
			limit = 200
		}
		if in > limit {
			t.Errorf("%s: arguments take %d tokens, at most %d", tool, in, limit)
		}
		if out > 65 {
			t.Errorf("%s: the listed result takes %d tokens, at most 65", tool, out)
		}
	}
}

func TestInputKeepsOrder(t *testing.T) {
	got := string(Input("sdd_explore"))
	if !strings.HasPrefix(got, `{"type":"object","additionalProperties":false,"required":["title"],"properties":{"title":{`) {
		t.Errorf("Input = %s", got)
	}
}

func TestValidation(t *testing.T) {
	for _, c := range []struct {
		schema, value string
		ok            bool
	}{
		{"exploration", `{}`, true},
		{"exploration", `{"title":"A","revision":3,"scope":"personal","created":"2026-11-20","mine":[1]}`, true},
		{"exploration", `{"created":"2026-11-20T10:00:00Z"}`, true},
		{"exploration", `{"scope":"team"}`, false},
		{"exploration", `{"revision":0}`, false},
		{"exploration", `{"revision":"3"}`, false},
		{"exploration", `{"created":"yesterday"}`, false},
		{"idea", `{"id":"idea-0123456789ab","color":"yellow","status":"outdated"}`, true},
		{"idea", `{"color":"yellow","status":"done"}`, false},
		{"idea", `{"color":"green","status":"timeout"}`, true},
		{"idea", `{"color":"blue","status":"timeout"}`, false},
		{"idea", `{"color":"white"}`, false},
		{"idea", `{"id":"idea-030"}`, false},
		{"fact", `{"level":3,"confidence":0.85,"ttl":{"days":7,"refresh_on":"api/**","on_expire":"stale"}}`, true},
		{"fact", `{"level":4}`, false},
		{"fact", `{"ttl":{"on_expire":"burn"}}`, false},
		{"decision", `{"status":"accepted","supersedes":"decision/a","depends_on":["decision/b"]}`, true},
		{"decision", `{"status":"maybe"}`, false},
		{"candidate", `{"kind":"fact","status":"approved","confidence":0.5,"level":1}`, true},
		{"candidate", `{"status":"active"}`, false},
		{"config", `{"project":"sdd","pipeline":"openspec","limits":{"title":200,"section":262144,"file":1048576}}`, true},
		{"config", `{"limits":{"title":1001}}`, false},
		{"config", `{"limits":{"titel":100}}`, false},
		{"config", `{"pipeline":"waterfall"}`, false},
		{"config", `{"search_strategy":{"mode":"hybrid","timeout":"5s","min_snippets":2,"rag":{"mcp_tool":"search_code","server":{"command":"npx","args":["-y"],"env":{}},"args":{}}}}`, true},
		{"config", `{"search_strategy":{"mode":"hybrid"}}`, false},
		{"config", `{"search_strategy":{"mode":"rag"}}`, false},
		{"config", `{"search_strategy":{"mode":"grep"}}`, true},
		{"config", `{"learning":{"match":"instance","on_parent_done":"local","categories":{"Security":["token","secret"]}}}`, true},
		{"config", `{"docs":{"sources":{"python":"/usr/share/doc/python3"},"roots":[],"hosts":[],"allow_private":false}}`, true},
		{"config", `{"include":"docs","secrets":{"allow":["0123456789ab"]},"hooks":{"on-learning":"notify"}}`, true},
		{"config", `{"include":["code","docs"],"budgets":{"search":1000}}`, true},
		{"config", `{"include":"everything"}`, false},
		{"tools/sdd_explore.input", `{"title":"A","goals":"b","clear":["goals"],"append":true}`, true},
		{"tools/sdd_explore.input", `{"goals":"b"}`, false},
		{"tools/sdd_explore.input", `{"title":"A","goal":"b"}`, false},
		{"tools/sdd_search.input", `{}`, true},
		{"tools/sdd_search.input", `{"limit":"10"}`, false},
		{"tools/error", `{"status":"error","code":"invalid","message":"title is required","hint":"give one"}`, true},
		{"tools/error", `{"status":"error","code":"oops","message":"","hint":""}`, false},
	} {
		t.Run(fmt.Sprintf("%s %s", c.schema, c.value), func(t *testing.T) {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(c.value))
			if err != nil {
				t.Fatal(err)
			}
			if err := Compile(c.schema).Validate(v); (err == nil) != c.ok {
				t.Errorf("valid is %v: %v", err == nil, err)
			}
		})
	}
}
