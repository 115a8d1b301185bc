package transfer

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/candidate"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/store"
)

// project opens the store of a new project called demo.
func project(t testing.TB) Uses {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return opened(t, dir)
}

func opened(t testing.TB, dir string) Uses {
	t.Helper()
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	st, err := store.Open(store.Options{Dir: dir, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	u := Uses{Store: st, Index: ix, Learnings: learning.New(st, ix), Inbox: candidate.New(st, ix, candidate.Options{}), Now: now}
	t.Cleanup(func() {
		u.Inbox.Close()
		u.Learnings.Close()
		ix.Close()
		st.Close()
	})
	return u
}

// tree is every record of a store, by its path. What inbox and learnings date themselves has no time.
func tree(t testing.TB, u Uses) map[string]string {
	t.Helper()
	out := map[string]string{}
	root := filepath.Join(u.Store.Dir(), ".sdd")
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil && !u.Store.Exists() {
			return fs.SkipAll
		}
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, p)
		if name == ".local" || name == "views" {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".md" {
			return nil
		}
		src, err := os.ReadFile(p)
		out[filepath.ToSlash(name)] = string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var madeNow = regexp.MustCompile(`created: "?20[0-9T:-]+Z"?\n`)

// undated leaves away when candidates without a date were put into the inbox.
func undated(tree map[string]string) map[string]string {
	out := map[string]string{}
	for name, src := range tree {
		if strings.HasPrefix(name, "inbox/") {
			src = madeNow.ReplaceAllString(src, "")
		}
		out[name] = src
	}
	return out
}

func bring(t testing.TB, u Uses, format, path string) Brought {
	t.Helper()
	out, err := Import(t.Context(), u, format, Ask{Path: path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// stable is the law: what came in comes in again and changes nothing here, and makes the same records elsewhere.
func stable(t testing.TB, format, path string) (first Brought, u Uses) {
	t.Helper()
	u = project(t)
	first = bring(t, u, format, path)
	a := tree(t, u)
	again := bring(t, u, format, path)
	if again.Created+again.Updated+again.Kept > 0 {
		t.Error(again.Text())
	}
	if diff := cmp.Diff(a, tree(t, u)); diff != "" {
		t.Errorf("the same again changed the records: %s", diff)
	}
	other := project(t)
	bring(t, other, format, path)
	if diff := cmp.Diff(undated(a), undated(tree(t, other))); diff != "" {
		t.Errorf("it makes other records elsewhere: %s", diff)
	}
	return first, u
}

var token = "ghp_" + "Zr8kQ2mVx7LpT4sWc9YbN1dHf6JgE3uAo5Rk"

// hoofyExport is a file with what Hoofy keeps.
func hoofyExport(t testing.TB) string {
	t.Helper()
	src, err := os.ReadFile("testdata/hoofy.json")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "memory.json")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(src), "@SECRET@", token)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// golden compares with a file of testdata; SDD_UPDATE=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if os.Getenv("SDD_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryFormat(t *testing.T) {
	for _, c := range []struct{ name, format, path string }{
		{"hoofy", Hoofy, ""},
		{"engram", Engram, "testdata/engram.json"},
		{"memory", Memory, "testdata/memory.jsonl"},
		{"madr", MADR, "testdata/madr"},
		{"adr-tools", ADRTools, "testdata/adr-tools"},
		{"backlog", Backlog, "testdata/backlog"},
		{"basic-memory", BasicMemory, "testdata/basic-memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.path == "" {
				c.path = hoofyExport(t)
			}
			if found, err := Detect(c.path); err != nil || found != c.format {
				t.Errorf("found %q, %v", found, err)
			}
			out, u := stable(t, c.format, c.path)
			var b strings.Builder
			b.WriteString(out.Text())
			files := undated(tree(t, u))
			for _, name := range sortedKeys(files) {
				fmt.Fprintf(&b, "-- %s --\n%s", name, files[name])
			}
			golden(t, c.name, b.String())
		})
	}
}

func edit(t testing.TB, u Uses, file, old, new string) {
	t.Helper()
	name := filepath.Join(u.Store.Dir(), filepath.FromSlash(file))
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(src), old) {
		t.Fatalf("%s has no %q:\n%s", file, old, src)
	}
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(src), old, new)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestEditsStay: what the user edited since stays, and the import says so.
func TestEditsStay(t *testing.T) {
	for _, c := range []struct{ format, path, file, old, new string }{
		{Hoofy, "", ".sdd/explore/session-storage.md", "Log in once a week.", "Log in once a month."},
		{Hoofy, "", ".sdd/decisions/sessions-in-postgresql.md", "- one service less to run", "- one service less to run\n- Bo knows it"},
		{Hoofy, "", ".sdd/ideas/idea-eec130deeb74-fixed-n-plus-1-in-the-user-list.md", "400 queries", "500 queries"},
		{Hoofy, "", ".sdd/facts/fact-dd69ae35d883-ci-runs-on-two-cores.md", "CI runs on two cores\n\nTests", "CI runs on four cores.\n\nTests"},
		{Hoofy, "", ".sdd/inbox/fact-7e79efed98e3-ask-ana-about-the-cache.md", "She wrote it.", "She and Bo wrote it."},
		{Memory, "testdata/memory.jsonl", ".sdd/facts/fact-79359f8250cb-john-smith-prefers-morning-meetings.md", "John_Smith: Prefers morning", "Mr. Smith prefers evening"},
		{MADR, "testdata/madr", ".sdd/decisions/jwt-for-sessions.md", "it needs no store", "it needs no database"},
		{MADR, "testdata/madr", ".sdd/decisions/opaque-tokens.md", "be taken back at once", "be revoked at once"},
		{ADRTools, "testdata/adr-tools", ".sdd/decisions/write-decisions-down.md", "A change of mind", "Another mind"},
		{Backlog, "testdata/backlog", ".sdd/decisions/ship-nightly-builds-yes.md", "more to store", "more to pay"},
		{BasicMemory, "testdata/basic-memory", ".sdd/explore/billing-ops-billing-md.md", "The runbook", "A runbook"},
	} {
		t.Run(c.format+filepath.Base(c.file), func(t *testing.T) {
			if c.path == "" {
				c.path = hoofyExport(t)
			}
			u := project(t)
			bring(t, u, c.format, c.path)
			edit(t, u, c.file, c.old, c.new)
			a := tree(t, u)
			again := bring(t, u, c.format, c.path)
			if again.Created+again.Updated > 0 || again.Kept != 1 {
				t.Errorf("%s", again.Text())
			}
			if diff := cmp.Diff(a, tree(t, u)); diff != "" {
				t.Errorf("the records changed: %s", diff)
			}
		})
	}
}

func TestSecretsStayOut(t *testing.T) {
	u := project(t)
	out := bring(t, u, Hoofy, hoofyExport(t))
	if !slices.ContainsFunc(out.LeftOut, func(l Left) bool {
		return l.From == "observation 10" && strings.Contains(l.Why, "looks like a GitHub token")
	}) {
		t.Errorf("%s", out.Text())
	}
	for name, src := range tree(t, u) {
		if strings.Contains(src, token) {
			t.Errorf("%s holds it", name)
		}
	}
}

// The memories of another project come in only when they are asked for.
func TestProjects(t *testing.T) {
	path := hoofyExport(t)
	for name, want := range map[string]int{"": 7, "other": 2, AnyProject: 8} { // the one of no project is everybody's
		u := project(t)
		out, err := Import(t.Context(), u, Hoofy, Ask{Path: path, Project: name}, nil)
		if err != nil || out.Created != want {
			t.Errorf("%q: %v %s", name, err, out.Text())
		}
	}
}

// What two formats bring and what is here already is one record, and each of the formats gets its own back.
func TestWhatIsHereAlready(t *testing.T) {
	u := project(t)
	m, err := u.Learnings.Import(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Store(t.Context(), learning.Idea{Color: "yellow", Status: "active", Content: "Retries need jitter, or all clients come back at once."}); err != nil {
		t.Fatal(err)
	}
	out := bring(t, u, Engram, "testdata/engram.json")
	if out.Updated != 1 || out.Created != 5 {
		t.Errorf("%s", out.Text())
	}
	a := tree(t, u)
	lines := export(t, u.Learnings)
	if got := importInto(t, u.Learnings, lines); got.Duplicate != 1 {
		t.Errorf("%s", got.Text())
	}
	if diff := cmp.Diff(a, tree(t, u)); diff != "" {
		t.Error(diff)
	}
	line := `{"id":"idea-7","color":"yellow","status":"active","content":"Retries need jitter, or all clients come back at once.","odd":1}` + "\n"
	importInto(t, u.Learnings, line)
	a = tree(t, u)
	if got := importInto(t, u.Learnings, line); got.Duplicate != 1 {
		t.Errorf("%s", got.Text())
	}
	if out := bring(t, u, Engram, "testdata/engram.json"); out.Duplicate != 6 {
		t.Errorf("%s", out.Text())
	}
	if diff := cmp.Diff(a, tree(t, u)); diff != "" {
		t.Error(diff)
	}
}

func TestHostileFiles(t *testing.T) {
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	long := strings.Repeat("x", MaxLine)
	for _, c := range []struct {
		name, format, text string
		created, left      int
		fails              string
	}{
		{"a broken line", Memory, "{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"t\",\"observations\":[\"one\"]}\n{\"type\":\n{\"type\":\"entity\",\"name\":\"b\",\"entityType\":\"t\",\"observations\":[\"two\"]}", 2, 1, ""},
		{"a line that is too long", Memory, `{"type":"entity","name":"` + long + `"}` + "\n" + `{"type":"entity","name":"b","entityType":"","observations":[]}`, 1, 1, ""},
		{"an observation that is too long", Memory, `{"type":"entity","name":"b","entityType":"t","observations":["` + long[:1<<20] + `","short"]}`, 1, 1, ""},
		{"other types", Memory, `{"type":"entity","name":7,"observations":{}}` + "\n[]\nnull\n7\n" + `{"type":"x"}` + "\n" + `{"type":"relation","from":"a"}`, 0, 6, ""},
		{"more keys", Memory, `{"type":"entity","name":"b","entityType":"t","observations":[],"ttl":7}`, 1, 1, ""},
		{"control characters", Memory, `{"type":"entity","name":"b\u0000","entityType":"t\nu","observations":["a\u0007b","fine"]}`, 0, 2, ""},
		{"nothing", Memory, "", 0, 0, ""},
		{"no line at all", Memory, "hello\n", 0, 0, "no JSON object"},
		{"cut JSON", Engram, "{\"observations\": [\n{\"id\": 1,\n", 0, 0, "line 3"},
		{"no observations", Engram, `{"sessions": []}`, 0, 0, "no observations"},
		{"an empty list", Hoofy, `[]`, 0, 0, ""},
		{"a list of rows", Hoofy, `[{"id":1,"type":"config","title":"CI","content":"two cores","deleted_at":null},7]`, 1, 1, ""},
		{"odd observations", Hoofy, `{"observations":[{},null,7,{"title":"a\u0000b","type":"decision"},{"title":"` + long[:3000] + `","type":"decision"},{"title":"t","type":["x"],"content":{"a":1}},{"title":"../../x","type":"decision","content":"---\n# a\n"},{"title":"e","type":"explore","content":"<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n"}]}`, 2, 6, ""},
		{"a database", Hoofy, "SQLite format 3" + strings.Repeat("\x00", 200), 0, 0, "SQLite"},
	} {
		u := project(t)
		out, err := Import(t.Context(), u, c.format, Ask{Path: write("x", c.text)}, nil)
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v", c.name, err)
			}
			if u.Store.Exists() {
				t.Errorf("%s: it made a store", c.name)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		default:
			left := 0
			for _, l := range out.LeftOut {
				left += max(1, l.Count)
			}
			if out.Created != c.created || left != c.left {
				t.Errorf("%s: %.2000s", c.name, out.Text())
			}
			if again := bring(t, u, c.format, write("x", c.text)); again.Created+again.Updated+again.Kept > 0 {
				t.Errorf("%s, again: %.2000s", c.name, again.Text())
			}
			for name := range tree(t, u) {
				if !filepath.IsLocal(name) {
					t.Errorf("%s: %s", c.name, name)
				}
			}
		}
	}
}

// The import lists repeated and empty parts of a graph; several lines with one name are one entity.
func TestGraphsThatRepeatThemselves(t *testing.T) {
	entity := func(name, kind, observations string) string {
		return fmt.Sprintf(`{"type":"entity","name":%q,"entityType":%q,"observations":[%s]}`, name, kind, observations)
	}
	relation := `{"type":"relation","from":"a","to":"b","relationType":"uses"}`
	for _, c := range []struct {
		name    string
		lines   []string
		created int
		left    []string
	}{
		{"nothing odd", []string{entity("a", "t", `"one","two"`), relation}, 3, nil},
		{"an empty observation", []string{entity("a", "t", `"one","","two"," \n"`)}, 2, []string{"line 1: observation 2 of \"a\" is empty", "line 1: observation 4 of \"a\" is empty"}},
		{"only empty ones", []string{entity("a", "t", `""`)}, 1, []string{"line 1: observation 1 of \"a\" is empty"}},
		{"null", []string{entity("a", "t", `"one",null`)}, 1, []string{"line 1: observation 2 of \"a\" is empty"}},
		{"one twice", []string{entity("a", "t", `"one","two","one"`)}, 2, []string{"line 1: observation 3 of \"a\" is there already"}},
		{"one twice but for its spaces", []string{entity("a", "t", `"one two","one two "`)}, 1, []string{"line 1: observation 2 of \"a\" is there already"}},
		{"another type", []string{entity("a", "t", `"one"`), entity("a", "u", `"two"`)}, 2, []string{"line 2: \"a\" is of type \"t\" already, and not of \"u\" too"}},
		{"the same type on two lines", []string{entity("a", "t", `"one"`), entity("b", "t", `"x"`), entity("a", "t", `"two","one"`)}, 3, []string{"line 3: observation 2 of \"a\" is there already"}},
		{"first without observations", []string{entity("a", "t", ""), entity("a", "t", `"one"`)}, 1, nil},
		{"then without observations", []string{entity("a", "t", `"one"`), entity("a", "t", "")}, 1, nil},
		{"twice without observations", []string{entity("a", "t", ""), entity("a", "t", "")}, 1, nil},
		{"a relation twice", []string{relation, entity("a", "t", `"one"`), relation}, 2, []string{"line 3: the relation is there already"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.jsonl")
			if err := os.WriteFile(path, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			out, _ := stable(t, Memory, path)
			var left []string
			for _, l := range out.LeftOut {
				left = append(left, l.Line())
			}
			if diff := cmp.Diff(c.left, left); diff != "" || out.Created != c.created || out.Duplicate > 0 {
				t.Errorf("%s\n%s", diff, out.Text())
			}
		})
	}
}

func TestDetect(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"ideas": seed, "none": "hello", "database": "SQLite format 3", "empty": "", "object": "{}", "two": `{"observations":[{"id":1,"type":"decision"}]}`,
		"hoofy": `{"observations":[{"id":1,"type":"explore"}]}`, "memory": "\n" + `{"type":"relation","from":"a","to":"b","relationType":"c"}`,
		"folder/notes.md": "# Notes\n", "both/a.md": "# A\n\n## Status\n\nAccepted\n\n## Decision\n\nYes.\n", "both/b.md": "# B\n\n## Decision Outcome\n\nNo.\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"ideas": IdeasJSONL, "hoofy": Hoofy, "memory": Memory, "none": "none that is known", "empty": "none that is known", "object": "none that is known",
		"two": "engram or hoofy", "database": "SQLite", "folder": "none that is known", "both": "adr-tools or madr", "missing": "there is no file",
	} {
		found, err := Detect(filepath.Join(dir, name))
		if found != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %q, %v", name, found, err)
		}
	}
}

// The law holds for any text of a graph, an export or a folder of records.
func TestAnyTextIsStable(t *testing.T) {
	words := []string{"a", "B", "é", "日本", "## Context", "# H", "\n", "\n\n", "```", "---", "- x", "  ", "**What**: ", "**Why**: ", "\n**Why**: y", "<!--", "<b>", `"q"`, ": ", "#t", "[x](0001-a.md)", "\r\n", "Decision Outcome\n===\n", "\t"}
	r := rand.New(rand.NewPCG(7, 8))
	text := func(most int) string {
		var b strings.Builder
		for range r.IntN(most) {
			b.WriteString(words[r.IntN(len(words))])
		}
		return b.String()
	}
	line := func() string { return strings.Join(strings.Fields(text(5)), " ") }
	for range 2 {
		dir := t.TempDir()
		write := func(name string, src []byte) string {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, src, 0o600); err != nil {
				t.Fatal(err)
			}
			return file
		}
		var graph []byte
		var all []map[string]any
		types := []string{"decision", "learning", "config", "manual", "explore", "architecture", "?"}
		for n := range 6 {
			raw, err := json.Marshal(map[string]any{"type": "entity", "name": fmt.Sprint(n, text(2)), "entityType": text(2), "observations": []string{text(6), text(6)}})
			if err != nil {
				t.Fatal(err)
			}
			graph = append(append(graph, raw...), '\n')
			all = append(all, map[string]any{"id": n + 1, "sync_id": fmt.Sprint("obs-", n), "session_id": "s", "type": types[r.IntN(len(types))], "title": line(),
				"content": text(9), "scope": []string{"project", "personal"}[r.IntN(2)], "created_at": "2026-01-01 00:00:00", "updated_at": "2026-01-01 00:00:00"})
			write(fmt.Sprintf("adr/%04d-x.md", n), []byte(fmt.Sprintf("# %d. T%d %s\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n\n## Context\n\n%s\n\n## Decision\n\n%s\n\n## Consequences\n\n%s", n, n, line(), text(5), text(5), text(5))))
			write(fmt.Sprintf("madr/%04d-x.md", n), []byte(fmt.Sprintf("---\nstatus: accepted\n---\n# T%d %s\n\n## Context and Problem Statement\n\n%s\n\n## Decision Outcome\n\n%s", n, line(), text(5), text(5))))
			write(fmt.Sprintf("notes/%d.md", n), []byte(fmt.Sprintf("---\ntitle: N%d\npermalink: n%d\n---\n%s\n- [decision] %s\n- [lesson] %s\n", n, n, text(9), line(), line())))
		}
		raw, err := json.Marshal(map[string]any{"observations": all})
		if err != nil {
			t.Fatal(err)
		}
		stable(t, Memory, write("graph", graph))
		stable(t, Engram, write("export", raw))
		stable(t, ADRTools, filepath.Join(dir, "adr"))
		stable(t, MADR, filepath.Join(dir, "madr"))
		stable(t, BasicMemory, filepath.Join(dir, "notes"))
		if t.Failed() {
			t.FailNow()
		}
	}
}

// Two imports at once make each record once.
func TestTwoImportsAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := hoofyExport(t)
	both := []Uses{opened(t, dir), opened(t, dir)}
	outs := make([]Brought, len(both))
	var wait sync.WaitGroup
	for n, u := range both {
		wait.Go(func() {
			out, err := Import(t.Context(), u, Hoofy, Ask{Path: path}, nil)
			if err != nil {
				t.Error(err)
			}
			outs[n] = out
		})
	}
	wait.Wait()
	if n := outs[0].Created + outs[1].Created; n != 7 || outs[0].Kept+outs[1].Kept > 0 {
		t.Errorf("%s%s", outs[0].Text(), outs[1].Text())
	}
	alone := project(t)
	bring(t, alone, Hoofy, path)
	if diff := cmp.Diff(tree(t, alone), tree(t, both[0])); diff != "" {
		t.Error(diff)
	}
}

func TestLinksOfRecords(t *testing.T) {
	for told, want := range map[string]string{
		"superseded by [ADR-0005](0005-example.md)":                                 "[{superseded  0005-example.md}]",
		"superseded by ADR-0005":                                                    "[{superseded 5 }]",
		"Superseded by [3. Use X](0003-use-x.md)\n\nAmended by [4. Y](./0004-y.md)": "[{superseded  0003-use-x.md} {relates  0004-y.md}]",
		"Accepted\n\nSupersedes [2. Z](0002-z.md)":                                  "[{supersedes  0002-z.md}]",
		"Superceded by [3. New](0003-new.md)":                                       "[{superseded  0003-new.md}]",
		"Superceded with ADR-3":                                                     "[{superseded 3 }]",
		"Accepted\n\nSupercedes [2. Old](0002-old.md)":                              "[{supersedes  0002-old.md}]",
		strings.Repeat("Ⱥ", 30) + " replaces 7":                                     "[{supersedes 7 }]", // it has more bytes in lower case
		"Replaces 0007":                                                             "[{supersedes 7 }]",
		"accepted":                                                                  "[]",
		"Accepted on 2020-01-02":                                                    "[]",
		"* [Site](https://x.example/0001-a.md)":                                     "[]",
		"* Refines [ADR-0001](../a/0001-b.md)":                                      "[{relates  0001-b.md}]",
		"superseded by the next one":                                                "[]",
		"":                                                                          "[]",
	} {
		if got := fmt.Sprint(linksIn(told)); got != want {
			t.Errorf("%q: %s, want %s", told, got, want)
		}
	}
	for status, want := range map[string]string{"accepted": "accepted", "proposed": "proposed", "rejected": "rejected", "superseded": "superseded", "deprecated": "superseded", "": "accepted", "other": "accepted"} {
		if got := ourStatus(status); got != want {
			t.Errorf("%q: %s, want %s", status, got, want)
		}
	}
}

// What observations become.
func TestObservationTexts(t *testing.T) {
	for _, c := range []struct{ kind, topic, want string }{
		{"decision", "", decisionType}, {"Architecture", "", decisionType}, {"decision", "explore/x", explorationType}, {"explore", "", explorationType},
		{"bugfix", "", learningType}, {"pattern", "", learningType}, {"discovery", "", learningType}, {"learning", "", learningType},
		{"config", "", factType}, {"session_summary", "", logType}, {"tool_use", "", logType}, {"manual", "", ""}, {"", "", ""},
	} {
		if got := becomes(c.kind, c.topic); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.kind, c.topic, got, c.want)
		}
	}
	if p, ok := formed("**What**: a\n**Why**: b\nmore\n**Learned**: c"); !ok || p != [4]string{"a", "b\nmore", "", "c"} {
		t.Errorf("%q %v", p, ok)
	}
	for _, s := range []string{"a\n**What**: b", "**Why**: b\n**What**: a", "**Why**: b", "", "**What**: a\n**What**: b"} {
		if _, ok := formed(s); ok {
			t.Errorf("%q has the form", s)
		}
	}
}

// A decision about a candidate is final: the same import does not restore the candidate.
func TestWhatWasDecidedHolds(t *testing.T) {
	for _, action := range []string{"approve", "reject"} {
		u := project(t)
		bring(t, u, Engram, "testdata/engram.json")
		if _, err := u.Inbox.Review(t.Context(), candidate.Action{Action: action, IDs: []string{"fact-88b6c3dc52dc"}, Reason: "no"}); err != nil {
			t.Fatal(err)
		}
		a := tree(t, u)
		if out := bring(t, u, Engram, "testdata/engram.json"); out.Duplicate != 6 {
			t.Errorf("%s: %s", action, out.Text())
		}
		if diff := cmp.Diff(a, tree(t, u)); diff != "" {
			t.Errorf("%s: %s", action, diff)
		}
	}
}
