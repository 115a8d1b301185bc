package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/answer"
	"sdd/internal/candidate"
	"sdd/internal/index"
	"sdd/internal/store"
)

// open makes a store of these files, below .sdd, and its workspace.
func open(t *testing.T, files map[string]string) *App {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, ".sdd", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return reopen(t, dir)
}

func reopen(t *testing.T, dir string) *App {
	t.Helper()
	st, err := store.Open(store.Options{Dir: dir, Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	w := New(st, ix, Options{})
	t.Cleanup(func() { w.Close(); ix.Close(); st.Close() })
	return w
}

func ago(days int) string { return time.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly) }

func fixture() map[string]string {
	fact := func(id, keys, text string) string { return "---\nid: fact-" + id + "\n" + keys + "---\n" + text + "\n" }
	return map[string]string{
		"facts/fact-000000000001-a.md": fact("000000000001", "level: 0\ncreated: 2020-01-01\n", "Old and told long ago."),
		"facts/fact-000000000002-b.md": fact("000000000002", "level: 0\ncreated: 2020-01-01\n", "Old and told yesterday."),
		"facts/fact-000000000003-c.md": fact("000000000003", "level: 1\ncreated: "+ago(3)+"\n", "New and never told."),
		"facts/fact-000000000004-d.md": fact("000000000004", "level: 3\ncreated: 2020-01-01\n", "Stale and never told."),
		"facts/fact-000000000005-e.md": fact("000000000005", "level: 2\nstatus: archived\ncreated: 2020-01-01\n", "Archived."),
		"facts/fact-000000000006-f.md": fact("000000000006", "level: 2\n", "Without a date."),
		"decisions/use-a.md":           "---\ntitle: Use A\nstatus: accepted\ndate: 2026-01-01\n---\n\n## Decision Outcome\n\nChosen option: \"A\", because it is small.\n",
		"decisions/use-b.md":           "---\ntitle: Use B\nstatus: accepted\ndate: 2026-01-02\ndepends_on:\n  - decision/use-c\n---\n",
		"decisions/use-c.md":           "---\ntitle: Use C\nstatus: accepted\ndate: 2026-01-02\n---\n",
		"decisions/use-d.md":           "---\ntitle: Use D\nstatus: proposed\ndate: 2026-01-02\n---\n",
		"ideas/idea-000000000001-a.md": "---\nid: idea-000000000001\ncolor: yellow\nstatus: active\n---\nA learning.\n",
		"ideas/idea-000000000002-b.md": "---\nid: idea-000000000002\ncolor: red\nstatus: blocked\n---\nA risk.\n",
		".local/discovery.json":        `{"at":"2026-01-01T00:00:00Z","manifests":{},"facts":[],"took_ms":42}`,
		".local/metrics/context.log": "s 2025-01-01\nf 2025-01-01 fact-000000000001 fact-000000000004\nf " + ago(1) + " fact-000000000002\n" +
			"c " + ago(5) + " aaaaaaaa 3\nc " + ago(4) + " aaaaaaaa 2\nc " + ago(1) + " bbbbbbbb 2\nc " + ago(1) + " - 4\nt 2 3\nnonsense\nc x y z\n",
	}
}

func TestStatus(t *testing.T) {
	s, err := open(t, fixture()).Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"facts", s.Facts, Facts{ByLevel: map[string]int{"0": 2, "1": 1, "2": 1, "3": 1}, ByState: map[string]int{"active": 4, "stale": 1, "archived": 1}}},
		{"ideas", s.Ideas, map[string]int{"yellow active": 1, "red blocked": 1}},
		{"decisions", s.Decisions, Decisions{ByStatus: map[string]int{"accepted": 3, "proposed": 1}, WithCause: 3, CausalCoverage: 0.75}},
		{"discovery", s.Discovery, &Discovery{"2026-01-01T00:00:00Z", 42}},
		{"context", s.Context, answer.Usage{Since: "2025-01-01", Calls: 14, Sessions: 4, CallsPerSession: 2.5, Unused: 3}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	for _, want := range []string{"L0 2 L1 1 L2 1 L3 1", "75 % have a reason", "in 42 ms", ": 14, 2.5 a session", "90 days: 3"} {
		if !strings.Contains(s.Text(), want) {
			t.Errorf("the text lacks %q:\n%s", want, s.Text())
		}
	}
}

// TestUsed: the records in a context count as used, in this process, the next and another one at the same time, and reading alone
// leaves no trace.
// TestInboxNumbers: facts and decisions that were found in commits count as approved.
func TestInboxNumbers(t *testing.T) {
	files := fixture()
	files["facts/fact-000000000007-g.md"] = "---\nid: fact-000000000007\nlevel: 0\nsource: commit a1b2c3d4e5f6\n---\nFound in a commit.\n"
	files["facts/fact-000000000008-h.md"] = "---\nid: fact-000000000008\nlevel: 0\nsource: commits are small\n---\nNot found in one.\n"
	files["decisions/use-e.md"] = "---\ntitle: Use E\nstatus: accepted\nsource: commit a1b2c3d4e5f6\n---\n"
	files["inbox/use-f.md"] = "---\ntitle: Use F\nkind: decision\nstatus: rejected\n---\n\n## Decision Outcome\n\nUse F.\n"
	w := open(t, files)
	s, err := w.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := (candidate.Numbers{Approved: 2, Rejected: 1, Ratio: 2.0 / 3}); s.Inbox != want {
		t.Errorf("the status says %+v", s.Inbox)
	}
}

func TestUsed(t *testing.T) {
	ctx := context.Background()
	files := fixture()
	delete(files, ".local/metrics/context.log")
	w := open(t, files)
	dir := w.Store.Dir()
	unused := func(w *App) answer.Usage {
		t.Helper()
		u, err := w.Answers.Usage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	if u := unused(w); u != (answer.Usage{Unused: 3}) {
		t.Fatalf("before: %+v", u)
	}
	q := answer.Query{Query: "old and stale", Mode: answer.Route, Session: "one"}
	for _, q := range []answer.Query{q, {Query: q.Query, Session: "one", ReadOnly: true}} {
		if _, err := w.Answers.Brief(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	if u := unused(w); u.Calls != 0 || u.Unused != 3 {
		t.Errorf("reading was counted: %+v", u)
	}
	other := reopen(t, dir)
	for _, who := range []struct {
		w       *App
		session string
	}{{w, "one"}, {w, "one"}, {w, "two"}, {other, "one"}, {other, ""}} {
		if _, err := who.w.Answers.Brief(ctx, answer.Query{Query: q.Query, Mode: answer.Extract, Session: who.session}); err != nil {
			t.Fatal(err)
		}
	}
	w.Answers.Close()
	other.Answers.Close()
	want := answer.Usage{Since: ago(0), Calls: 5, Sessions: 3, CallsPerSession: 4.0 / 3}
	u := unused(reopen(t, dir))
	if want.Unused = u.Unused; u != want || u.Unused >= 3 {
		t.Errorf("after: %+v, want %+v", u, want)
	}
}

// TestUsageIsBounded: a long log is compacted, and gives the same figures.
func TestUsageIsBounded(t *testing.T) {
	ctx := context.Background()
	files := fixture()
	files[".local/metrics/context.log"] += strings.Repeat("f "+ago(200)+" fact-000000000001\nc "+ago(3)+" cccccccc 1\n", 20_000) +
		strings.Repeat("q "+ago(3)+"T00:00:00Z 12 0 Where is it?\n", 300)
	w := open(t, files)
	before, err := w.Answers.Usage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Answers.Brief(ctx, answer.Query{Query: "nothing of the kind", MaxTokens: 50, Mode: answer.Extract}); err != nil {
		t.Fatal(err)
	}
	after, err := w.Answers.Usage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	before.Calls++
	if after.Unused > before.Unused {
		t.Errorf("facts: %d, then %d", before.Unused, after.Unused)
	}
	after.Unused = before.Unused
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	if st, err := os.Stat(filepath.Join(w.Store.Dir(), ".sdd/.local/metrics/context.log")); err != nil || st.Size() > 6000 {
		t.Errorf("the log: %v, %v", st.Size(), err)
	}
}
