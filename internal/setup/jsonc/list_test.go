package jsonc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"sdd/internal/fault"
)

var element = []Member{{"m", "a|b"}, {"hooks", []any{[]Member{{"command", "c"}, {"timeout", 10}}}}}

const elementJSON = `{"hooks":[{"command":"c","timeout":10}],"m":"a|b"}`

func TestPrepend(t *testing.T) {
	cases := []struct{ src, want string }{
		{"", "{\n  \"h\": {\n    \"E\": [\n      {\n        \"m\": \"a|b\",\n        \"hooks\": [\n          {\n            \"command\": \"c\"," +
			"\n            \"timeout\": 10\n          }\n        ]\n      }\n    ]\n  }\n}\n"},
		{`{"h":{"E":[]}}`, `{"h":{"E":[{"m":"a|b","hooks":[{"command":"c","timeout":10}]}]}}`},
		{`{"h": {"E": [1]}}`, `{"h": {"E": [{"m": "a|b", "hooks": [{"command": "c", "timeout": 10}]}, 1]}}`},
		{"{\r\n\t\"h\": {\"E\": [\r\n\t\t// mine\r\n\t\t1,\r\n\t]}\r\n}", "{\r\n\t\"h\": {\"E\": [\r\n\t\t{\r\n\t\t\t\"m\": \"a|b\",\r\n\t\t\t\"hooks\": [\r\n" +
			"\t\t\t\t{\r\n\t\t\t\t\t\"command\": \"c\",\r\n\t\t\t\t\t\"timeout\": 10\r\n\t\t\t\t}\r\n\t\t\t]\r\n\t\t},\r\n\t\t// mine\r\n\t\t1,\r\n\t]}\r\n}"},
	}
	for _, c := range cases {
		got, err := Prepend([]byte(c.src), element, "h", "E")
		if err != nil || string(got) != c.want {
			t.Errorf("%q: %v\n%s\nwant\n%s", c.src, err, got, c.want)
		}
	}
	for _, src := range []string{`{"h":{"E":{}}}`, `{"h":[]}`, `{"h":`} {
		if _, err := Prepend([]byte(src), element, "h", "E"); !fault.Is(err, fault.Broken) {
			t.Errorf("%q: %v", src, err)
		}
	}
}

func TestDrop(t *testing.T) {
	cases := []struct {
		index     int
		src, want string
	}{
		{1, `{"E": [1, 2, 3]}`, `{"E": [1, 3]}`},
		{2, `{"E": [1, 2, 3]}`, `{"E": [1, 2]}`},
		{0, "{\"E\": [\n  1,\n]}", `{"E": []}`},
		{0, "{\"E\": [\n  // c\n  1\n]}", "{\"E\": [\n  // c\n]}"},
		{1, "{\"E\": [\n  1,\n  // c\n  2\n]}", "{\"E\": [\n  1\n  // c\n]}"},
	}
	for _, c := range cases {
		got, err := Drop([]byte(c.src), c.index, "E")
		if err != nil || string(got) != c.want {
			t.Errorf("%q without %d: %v\n%q\nwant\n%q", c.src, c.index, err, got, c.want)
		}
	}
	if _, err := Drop([]byte(`{"E":[]}`), 0, "E"); err == nil {
		t.Error("an element that is not there")
	}
}

// FuzzPrepend: what Prepend adds, Drop takes away: with elements beside it gives back the bytes.
func FuzzPrepend(f *testing.F) {
	for _, s := range []string{"", "{}", `{"h":{"E":[]}}`, `{"h":{"E":[ 1 ]}}`, "{\"h\":{\"E\":[\n 1, // x\n 2,\n]}}", "\ufeff{\"h\":{\"E\":[/*c*/]}}",
		"{\"h\":{\"E\":[// x\n]}}", "{\r\n\"h\":{\"E\":[\r\n{}\r\n]}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		was, _, had, err := Get(src, "h", "E")
		set, err2 := Prepend(src, element, "h", "E")
		if err2 != nil {
			if !fault.Is(err2, fault.Broken) {
				t.Fatalf("%v of %q", err2, src)
			}
			return
		}
		if err != nil {
			t.Fatalf("written into what cannot be read: %v\n%q", err, src)
		}
		now, _, _, err := Get(set, "h", "E")
		all, _ := now.([]any)
		if err != nil || len(all) == 0 {
			t.Fatalf("reads back as %v, %v from %q", now, err, set)
		}
		if data, _ := json.Marshal(all[0]); string(data) != elementJSON {
			t.Fatalf("reads back as %s from %q", data, set)
		}
		back, err := Drop(set, 0, "h", "E")
		if err != nil {
			t.Fatalf("%v of %q", err, set)
		}
		rest, _, _, err := Get(back, "h", "E")
		if before, _ := was.([]any); err != nil || had && !reflect.DeepEqual(rest, was) && len(before) > 0 {
			t.Fatalf("without it: %v, %v\n%q", rest, err, back)
		}
		if before, _ := was.([]any); len(before) > 0 && !bytes.Equal(back, src) {
			t.Fatalf("with it\n%q\nwithout it\n%q\nwas\n%q", set, back, src)
		}
	})
}
