package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"sdd/internal/fault"
)

var entry = []Member{{"command", "/opt/sdd"}, {"args", []string{"mcp"}}}

const entryJSON = `{"args":["mcp"],"command":"/opt/sdd"}`

func TestSet(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"empty":         {"", "{\n  \"s\": {\n    \"x\": {\n      \"command\": \"/opt/sdd\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
		"an object":     {"{}\n", "{\n  \"s\": {\n    \"x\": {\n      \"command\": \"/opt/sdd\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
		"no servers":    {"{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"s\": {\n    \"x\": {\n      \"command\": \"/opt/sdd\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
		"tabs":          {"{\n\t\"s\": {\n\t\t\"b\": {}\n\t}\n}", "{\n\t\"s\": {\n\t\t\"b\": {},\n\t\t\"x\": {\n\t\t\t\"command\": \"/opt/sdd\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}"},
		"CRLF and mark": {"\ufeff{\r\n    \"s\": {\r\n    }\r\n}\r\n", "\ufeff{\r\n    \"s\": {\r\n        \"x\": {\r\n            \"command\": \"/opt/sdd\",\r\n            \"args\": [\"mcp\"]\r\n        }\r\n    }\r\n}\r\n"},
		"one line":      {`{"a": 1, "s": {"b": {}}}`, `{"a": 1, "s": {"b": {}, "x": {"command": "/opt/sdd", "args": ["mcp"]}}}`},
		"minified":      {`{"a":1,"s":{"b":{}}}`, `{"a":1,"s":{"b":{},"x":{"command":"/opt/sdd","args":["mcp"]}}}`},
		"trailing commas": {"{\n  \"s\": {\n    \"b\": 1, // why\n  },\n}\n",
			"{\n  \"s\": {\n    \"b\": 1, // why\n    \"x\": {\n      \"command\": \"/opt/sdd\",\n      \"args\": [\"mcp\"]\n    },\n  },\n}\n"},
		"comments": {"// top\n{\n  \"s\": { /* all */\n    \"b\": 1 // why\n    // \"c\": 2\n  } // end\n}\n// bye",
			"// top\n{\n  \"s\": { /* all */\n    \"b\": 1, // why\n    \"x\": {\n      \"command\": \"/opt/sdd\",\n      \"args\": [\"mcp\"]\n    }\n    // \"c\": 2\n  } // end\n}\n// bye"},
		"only a comment": {"{\n  \"s\": {\n    // none yet\n  }\n}\n",
			"{\n  \"s\": {\n    \"x\": {\n      \"command\": \"/opt/sdd\",\n      \"args\": [\"mcp\"]\n    }\n    // none yet\n  }\n}\n"},
		"a slash and a star in a comment": {"{\n  \"s\": { // of src/*.ts\n    /* none yet */\n  }\n}\n",
			"{\n  \"s\": { // of src/*.ts\n    \"x\": {\n      \"command\": \"/opt/sdd\",\n      \"args\": [\"mcp\"]\n    }\n    /* none yet */\n  }\n}\n"},
		"replaced": {"{\n  \"s\": {\n    \"x\": {\"command\": \"/old\"}, // mine\n    \"b\": 1\n  }\n}\n",
			"{\n  \"s\": {\n    \"x\": {\"command\": \"/opt/sdd\", \"args\": [\"mcp\"]}, // mine\n    \"b\": 1\n  }\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Set([]byte(c.src), entry, "s", "x")
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got\n%q\nwant\n%q", got, c.want)
			}
			value, _, ok, err := Get(got, "s", "x")
			if data, _ := json.Marshal(value); !ok || err != nil || string(data) != entryJSON {
				t.Errorf("reads back as %s, %v, %v", data, ok, err)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	for name, c := range map[string]struct {
		src, want string
		prune     int
	}{
		"first":                     {"{\n  \"s\": {\n    \"x\": 1, // mine\n    \"b\": 2\n  }\n}", "{\n  \"s\": { // mine\n    \"b\": 2\n  }\n}", 0},
		"last":                      {"{\"s\": {\"b\": 2, \"x\": 1}}", "{\"s\": {\"b\": 2}}", 0},
		"alone":                     {"{\"s\": { \"x\": 1 }, \"a\": 1}", "{\"s\": {}, \"a\": 1}", 0},
		"alone, with its object":    {"{\"a\": 1, \"s\": { \"x\": 1 }}", "{\"a\": 1}", 1},
		"beside a comment":          {"{\"s\": { /* c */ \"x\": 1 }}", "{\"s\": { /* c */ }}", 1},
		"behind a line comment":     {"{\"s\": {\"b\": 1, // c\n\"x\": 1}}", "{\"s\": {\"b\": 1 // c\n}}", 0},
		"missing":                   {"{\"s\": {\"b\": 2}}", "{\"s\": {\"b\": 2}}", 1},
		"behind a trailing comma":   {"{\n  \"s\": {\n    \"b\": 2,\n    \"x\": 1,\n  },\n}", "{\n  \"s\": {\n    \"b\": 2,\n  },\n}", 0},
		"no such object":            {"{}", "{}", 1},
		"named with an escape":      {`{"s": {"\u0078": 1, "b": 2}}`, `{"s": {"b": 2}}`, 0},
		"line comment, no line end": {"{\"s\": {// c\n\"x\": 1, \"b\": 2}}", "{\"s\": {// c\n \"b\": 2}}", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, was, err := Remove([]byte(c.src), c.prune, "s", "x")
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want || was != (c.src != c.want) {
				t.Errorf("got (%v)\n%q\nwant\n%q", was, got, c.want)
			}
		})
	}
}

func TestWhatIsLeftAlone(t *testing.T) {
	for src, line := range map[string]int{
		"[1]": 1, "{\n\"a\": }": 2, "{\"a\": 1": 1, "{\"a\" 1}": 1, "{a: 1}": 1, "{\"a\": 'x'}": 1, "{\"a\": 1}}": 1, "/* {}": 1,
		"{\n\n\"s\": []}": 3, "{\"s\": 1}": 1, "{\"s\": {}, \n\"s\": {}}": 2, "{\"s\": {\"x\": 1,\n\"x\": 2}}": 2, "\xff\xfe{\x00}\x00": 1,
		"{\"a\": \"x\ny\"}": 1, "{\"a\": \"\\q\"}": 1, "{\"a\": tru}": 1, "{\"a\": 01}": 1, "{\"a\": [1 2]}": 1, "{\"a\": \"": 1, "{,}": 1, "null": 1,
		"{\"a\": " + strings.Repeat("[", 100000): 1, "{\"s\": {\"x\": 1, \"\\u0078\": 2}}": 1,
	} {
		for what, do := range map[string]func() error{
			"Set":    func() error { _, err := Set([]byte(src), entry, "s", "x"); return err },
			"Remove": func() error { _, _, err := Remove([]byte(src), 1, "s", "x"); return err },
			"Get":    func() error { _, _, _, err := Get([]byte(src), "s", "x"); return err },
		} {
			err := do()
			if f := fault.Of(err); err == nil || f.Code != fault.Broken || f.Line != line {
				t.Errorf("%s of %.40q: %v, line %d, want line %d", what, src, err, f.Line, line)
			}
		}
	}
}

// writer makes texts as people write them.
type writer struct {
	r       *rand.Rand
	b       strings.Builder
	newline string
	flat    bool
}

func (w *writer) gap(depth int) {
	switch {
	case w.flat:
		w.b.WriteString([]string{"", " ", " /* c } */ "}[w.r.IntN(3)])
	default:
		if w.r.IntN(8) == 0 {
			w.b.WriteString(" /* two" + w.newline + "lines */")
		}
		if w.r.IntN(6) == 0 {
			w.b.WriteString(" // it's \"so\", {")
		}
		w.b.WriteString(w.newline + strings.Repeat("\t", depth))
	}
}

func (w *writer) object(depth int, names ...string) {
	w.b.WriteString("{")
	for i := range w.r.IntN(4) {
		names = append(names, fmt.Sprintf("k%d\\u0041\\\"", i))
	}
	w.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i, n := range names {
		w.gap(depth + 1)
		w.b.WriteString(`"` + n + `":`)
		if w.r.IntN(2) == 0 {
			w.b.WriteString(" ")
		}
		switch k := w.r.IntN(6); {
		case n == "s" || k == 0 && depth < 4:
			w.object(depth + 1)
		case k == 1:
			w.b.WriteString(`[1, "}", [{"a": null}]` + []string{"", ", "}[w.r.IntN(2)] + `]`)
		case k == 2:
			w.b.WriteString(`"// no \\ comment"`)
		case k == 3:
			w.b.WriteString("-1.5e+3")
		default:
			w.b.WriteString("true")
		}
		if i < len(names)-1 || w.r.IntN(3) == 0 {
			w.b.WriteString(",")
		}
	}
	if len(names) > 0 || w.r.IntN(2) == 0 {
		w.gap(depth)
	}
	w.b.WriteString("}")
}

// TestSetAndRemoveUndoEachOther: on texts of every shape, Set adds the entry and nothing else, Remove gives back the
// bytes, blanks of an empty object aside, and with a second entry behind the first all that is not the first stays.
func TestSetAndRemoveUndoEachOther(t *testing.T) {
	for seed := range uint64(2000) {
		w := &writer{r: rand.New(rand.NewPCG(seed, 1)), newline: []string{"\n", "\r\n"}[seed%2], flat: seed%5 == 0}
		if seed%7 == 0 {
			w.b.WriteString("\ufeff")
		}
		w.object(0, []string{"s", "other"}[seed%3/2])
		w.b.WriteString([]string{"", "\n", " // end"}[seed%3])
		src := []byte(w.b.String())
		before := decoded(t, src)
		set, err := Set(src, entry, "s", "x")
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		value, _, ok, err := Get(set, "s", "x")
		if data, _ := json.Marshal(value); !ok || err != nil || string(data) != entryJSON {
			t.Fatalf("seed %d: reads back as %s, %v", seed, data, err)
		}
		if again, err := Set(set, entry, "s", "x"); err != nil || !bytes.Equal(again, set) {
			t.Fatalf("seed %d: again: %v\n%s\nwas\n%s", seed, err, again, set)
		}
		if !subsequence(src, set) {
			t.Fatalf("seed %d: bytes are lost\n%s\nwas\n%s", seed, set, src)
		}
		_, _, had, err := Get(src, "s")
		if err != nil {
			t.Fatal(err)
		}
		prune := 1
		if had {
			prune = 0
		}
		back, _, err := Remove(set, prune, "s", "x")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !bytes.Equal(back, src) && squeeze(back) != squeeze(src) {
			t.Fatalf("seed %d: with it\n%s\nwithout it\n%s\nwas\n%s", seed, set, back, src)
		}
		if got := decoded(t, back); !reflect.DeepEqual(got, before) {
			t.Fatalf("seed %d: without it: %v, was %v", seed, got, before)
		}
		more, err := Set(set, "y", "s", "later")
		if err != nil {
			t.Fatal(err)
		}
		less, _, err := Remove(more, 0, "s", "x")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if v, _, _, err := Get(less, "s", "later"); err != nil || v != "y" {
			t.Fatalf("seed %d: the later one: %v, %v\n%s", seed, v, err, less)
		}
		if rest, _, err := Remove(less, prune, "s", "later"); err != nil || !reflect.DeepEqual(decoded(t, rest), before) {
			t.Fatalf("seed %d: without both: %v\n%s", seed, err, rest)
		}
	}
}

// squeeze takes out the blanks of empty objects.
func squeeze(src []byte) string {
	return strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "").Replace(string(src))
}

func decoded(t *testing.T, src []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(plain(bytes.TrimPrefix(src, []byte(byteOrderMark))), &v); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return v
}

func subsequence(part, whole []byte) bool {
	for _, c := range whole {
		if len(part) > 0 && part[0] == c {
			part = part[1:]
		}
	}
	return len(part) == 0
}

func FuzzSet(f *testing.F) {
	for _, s := range []string{"", "{}", "{\n  // c\n  \"s\": {\"b\": 1,},\n}\n", "\ufeff{\"s\":{}}", "{\"s\":{// x\n}}", "{\"a\":1/*x*/}", "//\r\n", "{\"s\":{\"x\":1}//\n}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		set, err := Set(src, entry, "s", "x")
		if err != nil {
			if !fault.Is(err, fault.Broken) {
				t.Fatalf("%v of %q", err, src)
			}
			return
		}
		value, _, ok, err := Get(set, "s", "x")
		if data, _ := json.Marshal(value); !ok || err != nil || string(data) != entryJSON {
			t.Fatalf("reads back as %s, %v from %q", data, err, set)
		}
		if again, err := Set(set, entry, "s", "x"); err != nil || !bytes.Equal(again, set) {
			t.Fatalf("again: %v\n%q\nwas\n%q", err, again, set)
		}
		back, was, err := Remove(set, 1, "s", "x")
		if err != nil || !was {
			t.Fatalf("%v, %v of %q", was, err, set)
		}
		if _, _, still, err := Get(back, "s", "x"); still || err != nil {
			t.Fatalf("%v, %v: %q", still, err, back)
		}
	})
}
