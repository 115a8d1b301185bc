package journal

import (
	"bytes"
	"reflect"
	"testing"
	"time"
)

// TestParseBrief compares it with parseEntry, without what it skips.
func TestParseBrief(t *testing.T) {
	texts := []string{"", "x", `,"sections":[{"name":"no"}]`, `],"patch":[`, `{"name":`, `"},{"name":"no",`, "\\\"", "line\nline", "日本語\u2028<&>", "}"}
	for i, a := range texts {
		for k, b := range texts {
			e := Entry{ID: "1", Op: Save, Record: a, Path: b, Tool: b, Session: a, Time: time.Unix(int64(i), int64(k)).UTC(), Use: "explore", Lock: b, Source: []string{a, b}, Revision: i * k}
			if i > 0 {
				e.Sections = []Change{{Name: a, Before: b, After: a}, {Name: b, Before: a, After: b}}
			}
			if k > 0 {
				e.Patch = []Hunk{{0, 1, a}, {2, 3, b}}
			}
			line, err := e.line()
			if err != nil {
				t.Fatal(err)
			}
			line = bytes.TrimSpace(line)
			want, _ := parseEntry(line)
			want.Patch, want.Revision, want.Source = nil, 0, nil
			for i := range want.Sections {
				want.Sections[i].Before, want.Sections[i].After = "", ""
			}
			got, ok := parseBrief(line)
			if !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("%s\ngot  %+v\nwant %+v", line, got, want)
			}
		}
	}
	for _, bad := range []string{"", "{", "garbage}", `{"id":"1","op":"save","sections":[`, `{"id":1,"op":"save","sections":[]}`,
		`{"id":"1","op":"save","record":"x","path":"y","before":"","after":"","sections":[{"name":7}]}`} {
		if e, ok := parseBrief([]byte(bad)); ok {
			t.Errorf("%q is an entry: %+v", bad, e)
		}
	}
}
