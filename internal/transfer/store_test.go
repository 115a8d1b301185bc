package transfer

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/store"
)

func open(t testing.TB, dir string) *learning.Learnings {
	t.Helper()
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	l := learning.New(st, ix)
	t.Cleanup(func() {
		l.Close()
		ix.Close()
		st.Close()
	})
	return l
}

func importInto(t testing.TB, l *learning.Learnings, text string) Imported {
	t.Helper()
	out, err := ImportIdeas(t.Context(), l, strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func export(t testing.TB, l *learning.Learnings) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := ExportIdeas(t.Context(), l, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// files are the bytes of all ideas by name.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(filepath.Join(dir, ".sdd", "ideas"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := os.ReadFile(p)
		out[filepath.Base(p)] = string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheSeedsLinesThroughAStore(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	out := importInto(t, l, seed)
	if out.Created != 2 || len(out.Warnings) > 0 {
		t.Fatalf("%+v", out)
	}
	if diff := cmp.Diff(seed, export(t, l)); diff != "" {
		t.Error(diff)
	}
	i, err := l.Get(t.Context(), "idea-030")
	if err != nil {
		t.Fatal(err)
	}
	if i.Impact != "high" || !i.Validated || i.Parent != "idea-020" || i.Category == "" || strings.Join(i.AppliedTo, " ") != "idea-021 idea-022" {
		t.Errorf("%+v", i)
	}
	before := files(t, dir)
	if again := importInto(t, l, seed); again.Duplicate != 2 || again.Created+again.Updated > 0 {
		t.Errorf("%+v", again)
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Error(diff)
	}
	// What is exported elsewhere comes back the same, and into a store of its own as well.
	other := open(t, t.TempDir())
	importInto(t, other, export(t, l))
	if diff := cmp.Diff(seed, export(t, other)); diff != "" {
		t.Error(diff)
	}
}

// TestNothingIsLostThroughAStore brings odd lines into a store and out again: the same objects, whatever they hold.
func TestNothingIsLostThroughAStore(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	all := slices.DeleteFunc(slices.Clone(oddLines), func(line string) bool { return strings.Contains(line, "No id,") })
	all = append(all,
		`{"id":"m","color":"yellow","status":"active","content":"  ## A heading\r\nand a fence\n`+"```"+`\nopen","metadata":{"scope":"local","category":"Testing","impact":"low"}}`,
		`{"id":"g2","color":"green","status":"review","content":"Who and how much","metadata":{"agents":["a","b"],"impact":"high","category":7}}`,
		`{"id":"idea-0123456789ab","color":"blue","status":"blocked","content":"An id as ours, for another text"}`)
	out := importInto(t, l, strings.Join(all, "\n"))
	if out.Created != len(all) || out.LeftOut > 0 {
		t.Fatalf("%+v", out)
	}
	written := strings.Split(export(t, l), "\n")
	for _, line := range all {
		id := strings.Trim(strings.Fields(strings.NewReplacer(":", " ", ",", " ").Replace(line))[1], `"`)
		n := slices.IndexFunc(written, func(w string) bool {
			return strings.HasPrefix(w, `{"id":"`+id+`",`) || strings.HasPrefix(w, `{"id":`+id+`,`)
		})
		if n < 0 {
			t.Errorf("%s is not there", id)
			continue
		}
		sameObject(t, line, written[n])
	}
	before := files(t, dir)
	if again := importInto(t, l, strings.Join(all, "\n")); again.Duplicate != len(all) {
		t.Errorf("%+v", again)
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Error(diff)
	}
	if i, err := l.Get(t.Context(), "idea-0123456789ab"); err != nil || i.Status != "blocked" {
		t.Errorf("%+v %v", i, err)
	}
	if i, err := l.Get(t.Context(), "g2"); err != nil || strings.Join(i.Agents, " ") != "a b" || i.Impact != "high" || i.Category != "" {
		t.Errorf("%+v %v", i, err)
	}
}

// TestAnImportGainsAndLosesNothing imports a line, changes the idea here, and imports a later line of the same idea.
func TestAnImportGainsAndLosesNothing(t *testing.T) {
	const content = "Ports below 1024 need a capability"
	line := func(status, metadata string) string {
		return fmt.Sprintf(`{"id":"idea-7","color":"yellow","status":%q,"content":%q,"createdAt":"2026-01-01T00:00:00Z","metadata":{%s}}`, status, content, metadata)
	}
	review := func(action string) func(*testing.T, *learning.Learnings) {
		return func(t *testing.T, l *learning.Learnings) {
			if _, err := l.Review(t.Context(), learning.Action{Action: action, IDs: []string{"idea-7"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	nothing := func(*testing.T, *learning.Learnings) {}
	for _, c := range []struct {
		name, first string
		here        func(*testing.T, *learning.Learnings)
		then        string
		action      string
		want        func(learning.Idea) string
		is          string
	}{
		{"archived there", line("active", `"scope":"local"`), nothing, line("archived", `"scope":"local","archivedAt":"2026-02-01T00:00:00Z","archivedReason":"old"`), learning.Updated,
			func(i learning.Idea) string { return i.Status + " " + i.ArchivedReason }, "archived old"},
		{"brought back here since", line("archived", `"archivedAt":"2026-02-01T00:00:00Z"`), review("resurrect"), line("archived", `"archivedAt":"2026-02-01T00:00:00Z"`), learning.Duplicate,
			func(i learning.Idea) string { return i.Status }, "active"},
		{"brought back there", line("archived", `"archivedAt":"2026-02-01T00:00:00Z"`), nothing, line("active", `"archivedAt":"2026-02-01T00:00:00Z","resurrectedAt":"2026-03-01T00:00:00Z","resurrectedBy":"ann"`), learning.Updated,
			func(i learning.Idea) string { return i.Status + " " + i.ResurrectedBy }, "active ann"},
		{"promoted here", line("active", `"scope":"local"`), review("promote"), line("active", `"scope":"local"`), learning.Duplicate,
			func(i learning.Idea) string { return i.Scope }, "global"},
		{"promoted there, by another agent, used", line("active", `"scope":"local","sourceAgentId":"ed-001"`), nothing, line("active", `"scope":"global","sourceAgentId":"flo-2","appliedTo":["idea-9"],"validated":true`), learning.Updated,
			func(i learning.Idea) string { return fmt.Sprint(i.Scope, i.Agents, i.AppliedTo, i.Validated) }, "global[ed-001 flo-2] [idea-9] true"},
		{"deleted here", line("active", ``), review("delete"), line("active", ``), learning.Duplicate,
			func(i learning.Idea) string { return i.Status }, "deleted"},
		{"an impact here", line("active", `"impact":"low"`), nothing, line("active", `"impact":"critical"`), learning.Duplicate,
			func(i learning.Idea) string { return i.Impact }, "low"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t, t.TempDir())
			importInto(t, l, c.first)
			c.here(t, l)
			out := importInto(t, l, c.then)
			if out.Ideas[0].Action != c.action {
				t.Errorf("it is %s, want %s", out.Ideas[0].Action, c.action)
			}
			i, err := l.Get(t.Context(), "idea-7")
			if err != nil {
				t.Fatal(err)
			}
			if got := c.want(i); got != c.is {
				t.Errorf("got %q, want %q", got, c.is)
			}
			if again := importInto(t, l, c.then); again.Duplicate != 1 {
				t.Errorf("the second time: %+v", again)
			}
		})
	}
}

// TestTwoProjectsWithTheSameIDs imports two files whose ids count from one: neither takes the other's place, and
// what refers to an id finds the idea of its own file.
func TestTwoProjectsWithTheSameIDs(t *testing.T) {
	file := func(of string) string {
		return `{"id":"idea-2","color":"yellow","status":"active","content":"The ` + of + ` caches","parentId":"idea-1","metadata":{"appliedTo":["idea-1"]}}
{"id":"idea-1","color":"green","status":"active","content":"Build the ` + of + `"}
`
	}
	l := open(t, t.TempDir())
	for _, of := range []string{"server", "client"} {
		for n := range 2 {
			out := importInto(t, l, file(of))
			if n == 0 && out.Created != 2 || n == 1 && out.Duplicate != 2 {
				t.Errorf("%s, time %d: %+v", of, n, out)
			}
		}
	}
	all, _, err := l.All(t.Context())
	if err != nil || len(all) != 4 {
		t.Fatalf("%d, %v", len(all), err)
	}
	parent := map[string]string{}
	for _, i := range all {
		if i.Parent != "" {
			p, err := l.Get(t.Context(), i.Parent)
			if err != nil {
				t.Error(err)
			}
			parent[i.Content] = p.Content
			if a, err := l.Get(t.Context(), i.AppliedTo[0]); err != nil || a.Content != p.Content {
				t.Errorf("%+v, %v", a, err)
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"The server caches": "Build the server", "The client caches": "Build the client"}, parent); diff != "" {
		t.Error(diff)
	}
}

func TestLinesThatAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	out := importInto(t, l, `{"id":"a","color":"yellow","status":"active","content":"An older text"}
no json
{"id":"a","color":"yellow","status":"active","content":"A newer text"}
{"id":"b","color":"yellow","status":"active","content":"The key is `+"ghp_"+"q7Rk2mXv9LpT4bNc8WzE1yHf6JdSa3UgQ0Zi"+`"}
{"id":"c","color":"yellow","status":"active","content":" "}
{"id":"d","color":"yellow","status":"active","content":"`+strings.Repeat("x", 2<<20)+`"}
{"id":"e","color":"teal","status":"active","content":"No such colour"}
`)
	if out.Created != 2 || out.LeftOut != 5 {
		t.Errorf("%+v", out)
	}
	var got []string
	for _, w := range out.Warnings {
		got = append(got, fmt.Sprint(w.Line, " ", w.Code))
	}
	if diff := cmp.Diff([]string{"1 again", "2 malformed", "4 refused", "5 empty", "6 refused", "7 color"}, got); diff != "" {
		t.Error(diff)
	}
	for _, src := range files(t, dir) {
		if strings.Contains(src, "ghp_") || strings.Contains(src, "An older text") {
			t.Error(src)
		}
	}
	// What cannot be imported makes no store.
	empty := t.TempDir()
	importInto(t, open(t, empty), "[]\n")
	if _, err := os.Stat(filepath.Join(empty, ".sdd")); err == nil {
		t.Error("there is a store")
	}
}

func TestOwnIdeasGoOutAndIn(t *testing.T) {
	l := open(t, t.TempDir())
	for _, in := range []learning.Input{
		{Color: "yellow", Content: "Tests use Vitest, not Jest", Scope: "global", Agent: "ed-001", Parent: "WEB-1"},
		{Color: "green", Content: "Move the parser", Agent: "ed-001", Impact: "low"},
		{Color: "white", Content: "It is moved"},
	} {
		if _, err := l.Add(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	out := export(t, l)
	if strings.Contains(out, "category") || !strings.Contains(out, `"impact":"`) {
		t.Error(out)
	}
	other := open(t, t.TempDir())
	if got := importInto(t, other, out); got.Created != 3 || len(got.Warnings) > 0 {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(out, export(t, other)); diff != "" {
		t.Error(diff)
	}
	a, err := l.Get(t.Context(), "idea-997b9713b605")
	if err != nil {
		t.Fatal(err)
	}
	b, err := other.Get(t.Context(), "idea-997b9713b605")
	if err != nil || b.Category != a.Category || len(b.Aliases) > 0 {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestNatural(t *testing.T) {
	got := []string{"idea-10", "b", "idea-9", "idea-09", "a2b10", "a2b9", "", "idea-"}
	slices.SortStableFunc(got, natural)
	if diff := cmp.Diff([]string{"", "a2b9", "a2b10", "b", "idea-", "idea-9", "idea-09", "idea-10"}, got); diff != "" {
		t.Error(diff)
	}
}
