package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sdd/internal/learning"
	_ "sdd/internal/longtest" // files are in memory where there is room
	"sdd/internal/record"
)

const seed = `{"id":"idea-030","color":"yellow","status":"active","content":"rehype requires explicit config for GFM","parentId":"idea-020","metadata":{"scope":"global","sourceGreenId":"idea-020","sourceAgentId":"ed-001","impact":"high","validated":true,"appliedTo":["idea-021","idea-022"],"supersededBy":null}}
{"id":"idea-031","color":"yellow","status":"archived","content":"Use unified() not rehype()","parentId":"idea-020","metadata":{"scope":"local","sourceGreenId":"idea-020","sourceAgentId":"ed-001","impact":"medium","validated":false,"appliedTo":[],"supersededBy":null}}
`

func read(t testing.TB, text string) ([]Idea, []Warning) {
	t.Helper()
	var ideas []Idea
	warnings, err := EachIdea(strings.NewReader(text), func(_ int, i Idea) error {
		ideas = append(ideas, i)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ideas, warnings
}

func write(t testing.TB, ideas []Idea) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteIdeas(&b, ideas); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// fields compares ideas by their exported fields.
var fields = cmpopts.IgnoreUnexported(learning.Idea{})

func TestTheSeedsLines(t *testing.T) {
	got, warnings := read(t, seed)
	none := Extra{Absent: []string{"createdAt"}}
	want := []Idea{
		{Extra: none, Idea: learning.Idea{ID: "idea-030", Color: "yellow", Status: "active", Content: "rehype requires explicit config for GFM",
			Parent: "idea-020", Scope: "global", Agents: []string{"ed-001"}, Impact: "high", Validated: true, AppliedTo: []string{"idea-021", "idea-022"}}},
		{Extra: none, Idea: learning.Idea{ID: "idea-031", Color: "yellow", Status: "archived", Content: "Use unified() not rehype()",
			Parent: "idea-020", Scope: "local", Agents: []string{"ed-001"}, Impact: "medium"}},
	}
	if diff := cmp.Diff(want, got, fields); diff != "" || len(warnings) > 0 {
		t.Errorf("%v\n%s", warnings, diff)
	}
	if diff := cmp.Diff(seed, write(t, got)); diff != "" {
		t.Error(diff)
	}
	// An import may date them, and may forget what the fields do not hold.
	for n := range got {
		got[n].Created = "2026-01-02T03:04:05Z"
	}
	if diff := cmp.Diff(seed, write(t, got)); diff != "" {
		t.Error(diff)
	}
	for n := range got {
		got[n].Created, got[n].Extra = "", Extra{}
	}
	if diff := cmp.Diff(seed, write(t, got)); diff != "" {
		t.Error(diff)
	}
}

// oddLines are objects that must come out as they went in.
var oddLines = []string{
	`{"id":"idea-001","color":"black","status":"active","content":"When I publish, I want <b>drafts</b>, so that nothing leaks","parentId":null,"childIds":["idea-002"],"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-03T10:00:00Z","history":[{"timestamp":"2026-01-01T00:00:00Z","type":"update","actor":"user"}],"metadata":{"jtbd":"When…","satisfied":false,"projectContext":{"n":1.50}}}`,
	`{"id":"g","color":"green","status":"failed","content":"Set up the parser","parentId":"b","metadata":{"assignee":"ed-002","execution":{"retryCount":2,"signals":["PROGRESS:50"]},"scope":7}}`,
	`{"id":"w","color":"white","content":"A green one that is done"}`,
	`{"id":"w2","color":"White","status":"done","content":"And another"}`,
	`{"id":"y1","color":"yellow","status":"active","content":"No metadata"}`,
	`{"id":"y2","color":"yellow","status":"active","content":"Null metadata","metadata":null}`,
	`{"id":"y3","color":"yellow","status":"active","content":"A list","metadata":[1,2]}`,
	`{"id":"y4","color":"yellow","status":"outdated","content":"Times","createdAt":1767225600123,"metadata":{"scope":"GLOBAL","archivedAt":"2026-02-03T04:05:06.789+02:00","archivedReason":"parent_green_completed","resurrectedAt":1767225600,"resurrectedBy":"user","category":"testing"}}`,
	`{"id":"y5","color":"yellow","status":"in-progress","content":"Odd values","metadata":{"scope":3,"impact":"huge","validated":"yes","appliedTo":"x","supersededBy":{},"sourceAgentId":["a"],"archivedAt":"yesterday"}}`,
	`{"id":"y6","color":"yellow","status":"active","content":"Another source","parentId":"p","metadata":{"sourceGreenId":"q","agents":["a","b"],"sourceAgentId":"a"}}`,
	`{"id":"y7","color":"yellow","status":"active","content":"Agents without a first","metadata":{"agents":["a","b"],"sourceAgentId":null}}`,
	`{"id":30,"color":"orange","status":"Completed","content":"A number as id","parentId":29,"x.y":{"metadata":{}},"Metadata":1}`,
	`{"color":"teal","content":"No id, no status, no such colour"}`,
	`{"id":"r","color":"red","status":"deferred","content":"Not now","parentId":null,"metadata":{}}`,
	`{"id":"p","color":"purple","status":null,"content":"Which one?\nLine two\u2028 \ud83d\ude80","metadata":{"options":[],"decision":null}}`,
}

func TestNothingIsLost(t *testing.T) {
	for _, line := range oddLines {
		ideas, _ := read(t, line)
		if len(ideas) != 1 {
			t.Errorf("%s: %d ideas", line, len(ideas))
			continue
		}
		sameObject(t, line, write(t, ideas))
		// Extra survives as one JSON value.
		var back Extra
		data, err := json.Marshal(ideas[0].Extra)
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil {
			t.Fatal(err)
		}
		ideas[0].Extra = back
		sameObject(t, line, write(t, ideas))
	}
}

func sameObject(t testing.TB, in, out string) {
	t.Helper()
	if want, got := decode(t, in), decode(t, out); !reflect.DeepEqual(want, got) {
		t.Errorf("%s\ncame out as\n%s", in, out)
	}
}

func decode(t testing.TB, line string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFields(t *testing.T) {
	for _, c := range []struct {
		line string
		get  func(Idea) any
		want any
	}{
		{oddLines[2], func(i Idea) any { return i.Color + " " + i.Status }, "green done"},
		{oddLines[7], func(i Idea) any { return i.Created }, "2026-01-01T00:00:00Z"},
		{oddLines[7], func(i Idea) any { return i.ArchivedAt }, "2026-02-03T02:05:06Z"},
		{oddLines[7], func(i Idea) any { return i.ResurrectedAt }, "2026-01-01T00:00:00Z"},
		{oddLines[7], func(i Idea) any { return i.Scope + " " + i.Category }, "global Testing"},
		{oddLines[8], func(i Idea) any { return i.Status + i.Impact + i.ArchivedAt }, "active"},
		{oddLines[9], func(i Idea) any { return i.Parent + " " + string(i.Extra.Metadata["sourceGreenId"]) }, `p "q"`},
		{oddLines[9], func(i Idea) any { return strings.Join(i.Agents, " ") }, "a b"},
		{oddLines[11], func(i Idea) any { return i.ID + " " + i.Parent + " " + i.Status }, "30 29 done"},
		{oddLines[12], func(i Idea) any { return i.Color + " " + i.Status }, "gray pending"},
		{oddLines[13], func(i Idea) any { return i.Status }, "pending"},
	} {
		ideas, _ := read(t, c.line)
		if got := c.get(ideas[0]); got != c.want {
			t.Errorf("%s: got %v, want %v", c.line, got, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	for raw, want := range map[string]string{
		`"2026-01-15T10:00:00Z"`:                     "2026-01-15T10:00:00Z",
		`"2026-01-15T10:00:00.999Z"`:                 "2026-01-15T10:00:00Z",
		`"2026-01-15T10:00:00+05:30"`:                "2026-01-15T04:30:00Z",
		`"2026-01-15T10:00:00"`:                      "2026-01-15T10:00:00Z",
		`"2026-01-15 10:00:00"`:                      "2026-01-15T10:00:00Z",
		`"2026-01-15"`:                               "2026-01-15T00:00:00Z",
		`"2026-01-15 10:00:00.5 +0200 CEST m=+0.01"`: "2026-01-15T08:00:00Z",
		`1768471200000`:                              "2026-01-15T10:00:00Z",
		`1.7684712e12`:                               "2026-01-15T10:00:00Z",
		`"1768471200000"`:                            "2026-01-15T10:00:00Z",
		`1768471200`:                                 "2026-01-15T10:00:00Z",
		`1768471200.75`:                              "2026-01-15T10:00:00Z",
		`null`:                                       "", `""`: "", `"soon"`: "!", `-5`: "!", `1e300`: "!", `true`: "!", `"2026-13-01"`: "!", `"NaN"`: "!",
	} {
		got, ok := readTime(json.RawMessage(raw))
		if !ok {
			got = "!"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

func TestStatuses(t *testing.T) {
	for _, c := range []struct{ color, status, want string }{
		{"yellow", "pending", "active"}, {"yellow", "done", "archived"}, {"yellow", "Superseded", "outdated"}, {"yellow", "soft-deleted", "deleted"}, {"yellow", "failed", "active"},
		{"green", "in review", "review"}, {"green", "timed_out", "timeout"}, {"green", "archived", "done"}, {"green", "claimed", "active"},
		{"blue", "failed", "blocked"}, {"blue", "review", "active"}, {"gray", "todo", "pending"}, {"purple", "needs_human", "blocked"},
	} {
		ideas, warnings := read(t, `{"id":"a","content":"c","color":"`+c.color+`","status":"`+c.status+`"}`)
		if got := ideas[0].Status; got != c.want || len(warnings) > 0 {
			t.Errorf("%s %s: got %q with %v, want %q", c.color, c.status, got, warnings, c.want)
		}
	}
	for to := range replacements {
		if !slices.Contains(record.StatusesOf(record.Idea, ""), to) {
			t.Errorf("%q is no status", to)
		}
	}
	for from, to := range statuses {
		if !slices.Contains(record.StatusesOf(record.Idea, ""), to) {
			t.Errorf("%q stands for %q, which is no status", from, to)
		}
	}
}

// TestAChangeWinsOverTheSpelling changes what a field holds: the old spelling must not come back.
func TestAChangeWinsOverTheSpelling(t *testing.T) {
	ideas, _ := read(t, `{"id":"y","color":"yellow","status":"in_progress","content":"c","parentId":null,"createdAt":1767225600123,"odd":1,"metadata":{"scope":"LOCAL","impact":"huge","archivedAt":1767225600}}`)
	i := &ideas[0]
	i.Status, i.Scope, i.Impact, i.ArchivedAt, i.Validated, i.SupersededBy = "archived", "global", "low", "2026-03-01T00:00:00Z", true, "idea-9"
	want := `{"id":"y","color":"yellow","status":"archived","content":"c","parentId":null,"createdAt":1767225600123,"odd":1,` +
		`"metadata":{"scope":"global","impact":"low","validated":true,"supersededBy":"idea-9","archivedAt":"2026-03-01T00:00:00Z"}}` + "\n"
	if diff := cmp.Diff(want, write(t, ideas)); diff != "" {
		t.Error(diff)
	}
}

func TestBadLines(t *testing.T) {
	text := "\ufeff" + `{"id":"a","color":"blue","status":"done","content":"first"}` + "\r\n\r\n" +
		"not json\n" +
		"[1]\n" +
		"null\n" +
		`{"id":"b","color":"blue","status":"done","content":"  "}` + "\n" +
		`{"id":"a","color":"blue","status":"active","content":"first, again"}` + "\n" +
		`{"id":"c","color":"teal","status":"lost","content":"odd","createdAt":"soon","metadata":3}` + "\n" +
		`{"id":"d","color":"blue","content":"` + strings.Repeat("x", MaxLine) + `"}` + "\n" +
		`{"id":"e","color":"blue","status":"done","content":"cut`
	ideas, warnings := read(t, text)
	var got []string
	for _, i := range ideas {
		got = append(got, i.ID+" "+i.Content)
	}
	if diff := cmp.Diff([]string{"a first", "a first, again", "c odd"}, got); diff != "" {
		t.Error(diff)
	}
	type place struct {
		Code string
		Line int
	}
	var places []place
	for _, w := range warnings {
		places = append(places, place{w.Code, w.Line})
		if w.Text == "" {
			t.Errorf("%+v says nothing", w)
		}
	}
	want := []place{{Malformed, 3}, {Malformed, 4}, {Malformed, 5}, {Empty, 6}, {Value, 8}, {Color, 8}, {Status, 8}, {Time, 8}, {Malformed, 9}, {Malformed, 10}}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Error(diff)
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	ideas := []Idea{}
	_, err := EachIdea(io.MultiReader(strings.NewReader(seed), iotest.ErrReader(broken)), func(_ int, i Idea) error {
		ideas = append(ideas, i)
		return nil
	})
	if len(ideas) != 2 || err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("%d ideas, %v", len(ideas), err)
	}
	if err := WriteIdeas(failing{broken}, ideas); err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestRenamed(t *testing.T) {
	in := []Idea{
		{Idea: learning.Idea{ID: "idea-aa", Parent: "idea-bb", AppliedTo: []string{"idea-bb", "PROJ-1"}, SupersededBy: "idea-aa"}},
		{Idea: learning.Idea{ID: "idea-bb"}},
	}
	got := Renamed(in, map[string]string{"idea-aa": "idea-030", "idea-bb": "idea-020"})
	want := []Idea{
		{Idea: learning.Idea{ID: "idea-030", Parent: "idea-020", AppliedTo: []string{"idea-020", "PROJ-1"}, SupersededBy: "idea-030"}},
		{Idea: learning.Idea{ID: "idea-020"}},
	}
	if diff := cmp.Diff(want, got, fields); diff != "" || in[0].AppliedTo[0] != "idea-bb" {
		t.Errorf("%s%v", diff, in)
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add(seed)
	f.Add(strings.Join(oddLines, "\r\n"))
	for _, l := range oddLines {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ideas, warnings := read(t, text)
		count := 1 + strings.Count(text, "\n")
		for _, w := range warnings {
			if w.Line < 1 || w.Line > count || w.Text == "" {
				t.Fatalf("%q: %+v", text, w)
			}
		}
		for _, i := range ideas {
			if !slices.Contains(record.Colors, i.Color) || !slices.Contains(record.StatusesOf(record.Idea, i.Color), i.Status) || strings.TrimSpace(i.Content) == "" {
				t.Fatalf("%q: %+v", text, i)
			}
		}
		out := write(t, ideas)
		again, _ := read(t, out)
		if twice := write(t, again); twice != out {
			t.Fatalf("%q: written as\n%s\nand then as\n%s", text, out, twice)
		}
		n := 0
		written := strings.Split(out, "\n")
		for _, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
			if one, _ := read(t, line); len(one) == 1 {
				sameObject(t, line, written[n])
				n++
			}
		}
	})
}

func BenchmarkReadWrite(b *testing.B) {
	text := strings.Repeat(strings.Join(oddLines, "\n")+"\n", 200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ideas, _ := read(b, text)
		if err := WriteIdeas(io.Discard, ideas); err != nil {
			b.Fatal(err)
		}
	}
}
