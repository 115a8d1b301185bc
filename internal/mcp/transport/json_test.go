package transport

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzJSON takes any text apart. What is valid comes to the same as with encoding/json.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, ` { "a" : [ 1 , -2.5e3 , true , null , "x" ] , "b\n\"": { "c" : { } } } `, `{"a":1,"a":2}`, `["\\","\\\"",[],{"]":"}"}]`,
		`{"\ud83d\ude00":"\u00e9"}`, "{\"\xff\":\"\xff\"}", `{"a":"` + "\\\\\\\\" + `"}`, `1`, `"x"`, `nul`, `{"a"}`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.TrimSpace(text)
		if ok := json.Valid(text); ok != (Valid(text) == nil) {
			t.Fatalf("valid: %v", ok)
		} else if !ok {
			return
		}
		if got := string(text[:skipValue(text, 0)]); got != string(text) {
			t.Fatalf("the value is %q", got)
		}
		switch kindOf(text) {
		case "object":
			want := map[string]json.RawMessage{}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			got := map[string]json.RawMessage{}
			Members(text, func(name string, value json.RawMessage) bool {
				got[name] = value
				return true
			})
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%q, want %q", got, want)
			}
		case "array":
			want := []json.RawMessage{}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			got := []json.RawMessage{}
			elements(text, func(value json.RawMessage) bool {
				got = append(got, value)
				return true
			})
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%q, want %q", got, want)
			}
		case "string":
			var want string
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			if got := Unquote(text); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	})
}
