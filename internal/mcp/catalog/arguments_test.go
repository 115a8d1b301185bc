package catalog

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"sdd/internal/fault"
)

const testSchema = `{
	"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"required":["title"],
	"properties":{
		"title":{"type":"string","minLength":1,"maxLength":10,"description":"Short topic"},
		"limit":{"type":"integer","minimum":1,"maximum":100},
		"floor":{"type":"integer","minimum":0},
		"page":{"type":"integer","default":10},
		"share":{"type":"number","maximum":1},
		"scope":{"type":"string","enum":["project","personal"]},
		"code":{"type":"string","pattern":"^[a-z]+$"},
		"text":{"type":"string","minLength":3},
		"tags":{"type":"array","items":{"type":"string","enum":["goals","unknowns"]},"minItems":1},
		"any":{"description":"Anything"},
		"parts":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["path"],"properties":{
			"path":{"type":"string","description":"Where"},"line":{"type":"integer"}}}},
		"open":{"type":"object","properties":{"x":{"type":"boolean"}}}}}`

func TestArguments(t *testing.T) {
	s, err := readSchema(json.RawMessage(testSchema))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat(`long\n`, 30_000)
	tests := []struct{ in, out, message, hint string }{
		{`{"title":"x","text":"` + long + `"}`, `{"title":"x","text":"` + long + `"}`, "", ""},
		{`{"title":"x","limit":5.0,"text":"y","text":"` + long + `"}`, `{"title":"x","limit":5,"text":"` + long + `"}`, "", ""},
		{`{"title":"x","limit":5.0,"text":"` + long + `","text":"yes"}`, `{"title":"x","limit":5,"text":"yes"}`, "", ""},
		{`{"title":"x","limit":"` + long + `"}`, ``, `limit must be an integer, not "` + strings.Repeat(`long\n`, 7) + `long…"`, ""},
		{`{"title":"x"}`, `{"title":"x"}`, "", ""},
		{`{"title":"x","limit":5.0,"floor":1e2,"share":0.5}`, `{"title":"x","limit":5,"floor":100,"share":0.5}`, "", ""},
		{`{"title":"x","limit":null,"tags":null,"parts":[{"path":"a","line":null}]}`, `{"title":"x","parts":[{"path":"a"}]}`, "", ""},
		{`{"title":"x","any":{"deep":[1,null]},"open":{"y":1,"x":true}}`, `{"title":"x","any":{"deep":[1,null]},"open":{"y":1,"x":true}}`, "", ""},
		{`{"title":"<a>&"}`, `{"title":"<a>&"}`, "", ""},
		{`{"title":5,"title":"x"}`, `{"title":"x"}`, "", ""},
		{`{"title":"x","open":{"y":1,"x":null,"y":[{}]}}`, `{"title":"x","open":{"y":[{}]}}`, "", ""},
		{`{"tags":[` + strings.Repeat(`"goals",`, 10_000) + `"goals"],"title":"x"}`, ``, "tags has 10001 items, at most 10000 are allowed", ""},
		{`{"title":"x","scope":"` + strings.Repeat(`\u00e9\\`, 50) + `"}`, ``, "scope must be one of project, personal, not \"" + strings.Repeat(`é\\`, 19) + "é…\"", ""},
		{``, ``, "title is required", "give title: Short topic"},
		{`null`, ``, "title is required", "give title: Short topic"},
		{`{"title":""}`, ``, "title is required", "give title: Short topic"},
		{`{"title":null}`, ``, "title is required", "give title: Short topic"},
		{`{"title":"elevenchars"}`, ``, "title has 11 characters, at most 10 are allowed", "shorten it"},
		{`{"title":"日本語日本語日本語日"}`, `{"title":"日本語日本語日本語日"}`, "", ""},
		{`{"titel":"x"}`, ``, `there is no argument "titel" (did you mean "title"?); title is required`, "arguments: title, any, code, floor, limit, open, page, parts, scope, share, tags, text; give title: Short topic"},
		{`{"title":"x","limit":"5"}`, ``, `limit must be an integer, not "5"`, `send it without quotes: "limit": 5`},
		{`{"title":"x","limit":"five"}`, ``, `limit must be an integer, not "five"`, ""},
		{`{"title":"x","limit":0}`, ``, `limit must be 1 to 100, not 0`, ""},
		{`{"title":"x","limit":1.5}`, ``, `limit must be an integer, not 1.5`, "send a whole number"},
		{`{"title":"x","limit":123456789012345678901234567890}`, ``, `limit must be an integer, not 123456789012345678901234567890`, "send a whole number"},
		{`{"title":"x","page":0}`, ``, `page must be at least 1, not 0`, "omit it to use the default, 10"},
		{`{"title":"x","scope":"","page":2}`, `{"title":"x","page":2}`, "", ""},
		{`{"title":"x","floor":-1}`, ``, `floor must be at least 0, not -1`, ""},
		{`{"title":"x","share":2}`, ``, `share must be at most 1, not 2`, ""},
		{`{"title":"x","share":1e999}`, ``, `share is out of range: 1e999`, ""},
		{`{"title":"x","share":true}`, ``, `share must be a number, not true`, ""},
		{`{"title":"x","scope":"Personal"}`, ``, `scope must be one of project, personal, not "Personal"`, `send "scope": "personal"`},
		{`{"title":"x","scope":"team"}`, ``, `scope must be one of project, personal, not "team"`, ""},
		{`{"title":"x","code":"A1"}`, ``, `code must match ^[a-z]+$, which "A1" does not`, ""},
		{`{"title":"x","text":""}`, ``, `text must not be empty`, "omit it or give a text"},
		{`{"title":"x","text":"ab"}`, ``, `text has 2 characters, at least 3 are needed`, ""},
		{`{"title":"x","tags":"goals"}`, ``, `tags must be an array, not "goals"`, `send a list, also for one value: "tags": ["…"]`},
		{`{"title":["x","y"]}`, ``, `title must be a string, not an array`, `send one text: "title": "…"`},
		{`{"title":"x","tags":[]}`, ``, `tags has 0 items, at least 1 are needed`, ""},
		{`{"title":"x","tags":["goals","goal"]}`, ``, `tags[1] must be one of goals, unknowns, not "goal"`, `send "tags[1]": "goals"`},
		{`{"title":"x","parts":[{"path":"a"},{"pth":"b"}]}`, ``, `there is no field "parts[1].pth" (did you mean "path"?); parts[1].path is required`, "fields: path, line; give parts[1].path: Where"},
		{`{"title":"x","parts":[7]}`, ``, `parts[0] must be an object, not 7`, ""},
		{`{"title":"x","open":[]}`, ``, `open must be an object, not an array`, ""},
		{`{"title":"x","any":1,"open":{"x":"yes"}}`, ``, `open.x must be true or false, not "yes"`, ""},
		{`[]`, ``, `the arguments are an array, not an object`, "send an object with title, any, code, floor, limit, open, page, parts, scope, share, tags, text"},
		{`"x"`, ``, `the arguments are "x", not an object`, "send an object with title, any, code, floor, limit, open, page, parts, scope, share, tags, text"},
		{`{"a":1,"b":2,"c":3,"d":4,"title":"x"}`, ``, `there is no argument "a"; there is no argument "b"; there is no argument "c"; and 1 more`, "arguments: title, any, code, floor, limit, open, page, parts, scope, share, tags, text"},
	}
	for _, test := range tests {
		got, err := s.check(json.RawMessage(test.in))
		if test.message == "" {
			if err != nil || !sameJSON(string(got), test.out) {
				t.Errorf("%s: got %s, %v", test.in, got, err)
			}
			continue
		}
		f := fault.Of(err)
		if err == nil || f.Code != fault.Invalid || f.Message != test.message || f.Hint != test.hint {
			t.Errorf("%s:\n got %q, %q\nwant %q, %q", test.in, f.Message, f.Hint, test.message, test.hint)
		}
	}
}

// sameJSON reports whether two texts hold one value, whatever the order of names.
func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// What the frame cannot check it must not accept in silence.
func TestSchemasThatAreRefused(t *testing.T) {
	for _, s := range []string{
		`{"type":"object"}`,
		`{"type":"object","additionalProperties":true}`,
		`{"type":"string","additionalProperties":false}`,
		`{"type":["object","null"],"additionalProperties":false}`,
		`{"type":"object","additionalProperties":false,"properties":{"x":{"oneOf":[]}}}`,
		`{"type":"object","additionalProperties":false,"properties":{"x":{"$ref":"#"}}}`,
		`{"type":"object","additionalProperties":false,"properties":{"x":{"type":"string","pattern":"("}}}`,
		`{"type":"object","additionalProperties":false,"required":["y"]}`,
		`{"type":"object"`,
	} {
		if _, err := readSchema(json.RawMessage(s)); err == nil {
			t.Errorf("accepted: %s", s)
		}
	}
}

// Whatever is sent, checking never panics, has words for every refusal, and what passes
// passes again unchanged.
func TestArgumentsProperty(t *testing.T) {
	s, err := readSchema(json.RawMessage(testSchema))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	known := append(s.names(), "titel", "x")
	var value func(depth int) any
	value = func(depth int) any {
		switch n := r.IntN(12); {
		case n == 0:
			return nil
		case n == 1:
			return r.IntN(2) == 0
		case n == 2:
			return r.IntN(200) - 50
		case n == 3:
			return json.Number([]string{"5.0", "1e2", "0.1", "1e400", "-0"}[r.IntN(5)])
		case n < 7:
			return []string{"", "x", "project", "personal", "goals", "5", strings.Repeat("é", 12)}[r.IntN(7)]
		case n < 9 || depth == 0:
			return "x"
		case n == 9:
			list := []any{}
			for range r.IntN(3) {
				list = append(list, value(depth-1))
			}
			return list
		default:
			m := map[string]any{}
			for range r.IntN(3) {
				m[[]string{"path", "line", "x", "y"}[r.IntN(4)]] = value(depth - 1)
			}
			return m
		}
	}
	passed := 0
	for range 20_000 {
		args := map[string]any{}
		for range r.IntN(4) {
			args[known[r.IntN(len(known))]] = value(2)
		}
		if r.IntN(4) > 0 {
			args["title"] = "t"
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.check(raw)
		if err != nil {
			if f := fault.Of(err); f.Code != fault.Invalid || f.Message == "" || len(f.Message) > 2000 {
				t.Fatalf("%s: %+v", raw, f)
			}
			continue
		}
		passed++
		again, err := s.check(got)
		if err != nil || string(again) != string(got) {
			t.Fatalf("%s passed as %s, then %s, %v", raw, got, again, err)
		}
	}
	if passed < 1000 {
		t.Errorf("only %d passed: the test does not reach far", passed)
	}
}
