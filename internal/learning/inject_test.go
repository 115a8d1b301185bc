package learning

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

func TestInject(t *testing.T) {
	f := newFixture(t)
	ids := map[string]string{}
	inputs := map[string]Input{
		"global low":      {Content: "Prefer const", Scope: "global", Impact: "low", Agent: "sam-1"},
		"global critical": {Content: "Tokens expire", Scope: "global", Impact: "critical", Agent: "sam-1"},
		"global high":     {Content: "All calls go through the gateway", Scope: "global", Impact: "high"},
		"validated high":  {Content: "All tables have a key", Scope: "global", Impact: "high"},
		"mine":            {Content: "My module uses injection", Agent: "ed-001", Impact: "medium"},
		"mine too":        {Content: "My other module is slow", Agent: "Ed-014", Impact: "critical"},
		"theirs":          {Content: "Their module is fast", Agent: "edna-001", Impact: "critical"},
		"nobody's":        {Content: "Nobody said this", Impact: "critical"},
		"outdated":        {Content: "Was so", Scope: "global"},
		"archived":        {Content: "Was so long ago", Scope: "global"},
		"deleted":         {Content: "Was never so", Scope: "global"},
	}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		ids[name] = f.learn(inputs[name]).ID
	}
	f.act("validate", ids["validated high"])
	f.act("outdate", ids["outdated"])
	f.act("archive", ids["archived"])
	f.act("delete", ids["deleted"])
	want := func(agent, query string, names ...string) Injection {
		t.Helper()
		in, err := f.Inject(t.Context(), agent, query, 0)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, n := range names {
			all = append(all, ids[n])
		}
		if !slices.Equal(in.Included, all) || len(in.Omitted) != 0 || in.TokensUsed != tokens.Count(in.Text) {
			t.Errorf("agent %q: %v, want %v: %+v", agent, in.Included, names, in)
		}
		return in
	}
	in := want("ed-777", "", "mine too", "global critical", "validated high", "global high", "mine", "global low")
	text := "# Project Learnings (Global)\n\n- [" + ids["global critical"] + "] Tokens expire\n- [" + ids["validated high"] + "] All tables have a key\n- [" +
		ids["global high"] + "] All calls go through the gateway\n- [" + ids["global low"] + "] Prefer const\n\n# Your Learnings (Local)\n\n- [" +
		ids["mine too"] + "] My other module is slow\n- [" + ids["mine"] + "] My module uses injection\n"
	if in.Text != text {
		t.Errorf("text:\n%s\nwant:\n%s", in.Text, text)
	}
	want("", "", "nobody's", "global critical", "validated high", "global high", "global low")
	f.write(".sdd/config.yaml", "learning: {match: instance}\n")
	want("ed-001", "", "global critical", "validated high", "global high", "mine", "global low")
	for _, n := range []int{-1, 49, 100_001} {
		if _, err := f.Inject(t.Context(), "", "", n); !fault.Is(err, fault.Invalid) {
			t.Errorf("max_tokens %d: %v", n, err)
		}
	}
}

func TestInjectByQuery(t *testing.T) {
	f := newFixture(t)
	for _, c := range []string{"The login form validates on blur", "Invoices are numbered by year", "The pool has ten connections"} {
		f.learn(Input{Content: c, Scope: "global", Impact: "medium"})
	}
	critical := f.learn(Input{Content: "Backups run at night", Scope: "global", Impact: "critical"})
	in, err := f.Inject(t.Context(), "", "how are invoices numbered", 0)
	if err != nil || len(in.Included) != 4 || in.Included[0] != critical.ID || in.Included[1] != idOf("Invoices are numbered by year") {
		t.Errorf("%+v, %v", in, err)
	}
}

// TestBudget injects learnings of all kinds into budgets of all sizes.
func TestBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields("gateway `src/a.go` token ``` <swarm>x</swarm> # -- é 日本語 🎉 \"quoted\" \\n {\"a\":1} ] ) ... 12345 aaaaaaaaaaaaaaaaaaaa")
	for range 150 {
		var list []*Idea
		for n := range r.IntN(120) {
			var c strings.Builder
			for range 1 + r.IntN(30) {
				c.WriteString(words[r.IntN(len(words))] + []string{" ", "\n", "  ", "."}[r.IntN(4)])
			}
			list = append(list, &Idea{ID: idOf(fmt.Sprint(n)), Content: c.String(), Scope: []string{record.Local, record.Global}[r.IntN(2)]})
		}
		budget := []int{50, 60, 99, 100, 120, 300, 1000, 5000}[r.IntN(8)]
		out := fill(list, budget)
		data, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		if n := tokens.Count(out.Text); n > budget || n != out.TokensUsed {
			t.Fatalf("the text has %d tokens (%d told), the budget is %d", n, out.TokensUsed, budget)
		}
		if n := tokens.Count(string(data)); budget >= tokens.TextOnly && n > budget {
			t.Fatalf("the JSON has %d tokens, the budget is %d", n, budget)
		}
		if len(out.Included)+out.OmittedTotal != len(list) || len(out.Omitted) > min(out.OmittedTotal, mostOmitted) {
			t.Fatalf("%d included, %d of %d omitted named, %d in all", len(out.Included), len(out.Omitted), out.OmittedTotal, len(list))
		}
		for row := range strings.Lines(out.Text) {
			if row != "\n" && !strings.HasPrefix(row, "- [idea-") && row != "# Project Learnings (Global)\n" && row != "# Your Learnings (Local)\n" {
				t.Fatalf("a learning made the line %q", row)
			}
		}
		if strings.Contains(out.Text, "<swarm>") || strings.Contains(out.Text, "</swarm>") {
			t.Fatal("a learning announces another one")
		}
		if len(list) > 0 && len(out.Included) == 0 && budget >= 1000 {
			t.Fatalf("nothing fits into %d tokens", budget)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("# a\r\n## b\u2028```\x0b- c\u0085</swarm>\u202e")
	f.Add("<swarm0")
	f.Fuzz(func(t *testing.T, text string) {
		got := record.Item("idea-1", text)
		if strings.ContainsAny(got, "\n\r\v\f\u0085\u2028\u2029\u202e") || !strings.HasPrefix(got, "- [idea-1] ") || strings.Contains(got, "<swarm") || strings.Contains(got, "</chorus") {
			t.Errorf("%q", got)
		}
	})
}

func TestViews(t *testing.T) {
	f := newFixture(t)
	ctx := t.Context()
	a := f.learn(Input{Content: "rehype requires explicit config\nfor GFM", Scope: "global", Category: "architecture"})
	b := f.learn(Input{Content: "Tests use Vitest, not Jest", Scope: "global", Category: "Testing"})
	c := f.learn(Input{Content: "Use unified() not rehype()", Agent: "ed-001"})
	d := f.learn(Input{Content: "# Not a heading", Agent: "ed-002"})
	gone := f.learn(Input{Content: "Was so", Scope: "global"})
	f.act("archive", gone.ID)
	if _, err := f.Review(ctx, Action{Action: "outdate", IDs: []string{b.ID}, Reason: "moved  to `bun`"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"learnings.md":           "# Project Learnings\n\n## Architecture\n- [" + a.ID + "] rehype requires explicit config for GFM\n\n## Testing\n- [" + b.ID + "] Tests use Vitest, not Jest (outdated: moved to `bun`)\n",
		"agents/ed/learnings.md": "# Ed Learnings\n\n## Patterns Observed\n- [" + c.ID + "] Use unified() not rehype()\n- [" + d.ID + "] ### Not a heading\n",
	}
	if _, err := f.View(ctx, "none.md"); !strings.Contains(fmt.Sprint(fault.Of(err).Hint), "agents/ed/learnings.md, learnings.md") {
		t.Errorf("views: %v", err)
	}
	if err := f.WriteViews(ctx); err != nil {
		t.Fatal(err)
	}
	for name, page := range want {
		if got, err := f.View(ctx, name); err != nil || string(got) != page {
			t.Errorf("%s:\n%s\nwant:\n%s (%v)", name, got, page, err)
		}
		if got := f.read(".sdd/views/" + name); got != page {
			t.Errorf("%s on disk:\n%s", name, got)
		}
	}
	if _, err := f.View(ctx, "agents/sam/learnings.md"); !fault.Is(err, fault.NotFound) {
		t.Errorf("no view: %v", err)
	}
	// They come back, and those of personas without learnings go.
	if err := os.RemoveAll(filepath.Join(f.dir, ".sdd", "views")); err != nil {
		t.Fatal(err)
	}
	f.write(".sdd/views/agents/sam/learnings.md", "old")
	f.act("delete", c.ID)
	f.act("delete", d.ID)
	f.Close() // what is due is written
	if got := f.read(".sdd/views/learnings.md"); got != want["learnings.md"] {
		t.Errorf("after deleting:\n%s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(f.dir, ".sdd", "views", "agents", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestKeep edits a file by hand and waits for the view.
func TestKeep(t *testing.T) {
	f := newFixture(t)
	y := f.learn(Input{Content: "Tests use Vitest", Scope: "global"})
	f.Keep(t.Context())
	view := filepath.Join(f.dir, ".sdd", "views", "learnings.md")
	wait := func(text string) {
		t.Helper()
		for page := []byte(nil); !strings.Contains(string(page), text); time.Sleep(5 * time.Millisecond) {
			page, _ = os.ReadFile(view)
		}
	}
	wait("Tests use Vitest")
	f.write(y.File, strings.Replace(f.read(y.File), "Vitest", "Bun", 1))
	wait("Tests use Bun")
	events, _, err := f.Events(t.Context(), "", 0)
	if err != nil || len(events) != 2 || events[1].Event != "idea:updated" || events[1].Detail["keys"] != "content" {
		t.Errorf("%+v, %v", events, err)
	}
}

// TestNothingThere asks where there is no store yet.
func TestNothingThere(t *testing.T) {
	f := newFixture(t)
	in, err := f.Inject(t.Context(), "ed-1", "anything", 0)
	list, next, total, err2 := f.List(t.Context(), Filter{})
	m, err3 := f.Metrics(t.Context())
	events, cursor, err4 := f.Events(t.Context(), "", 0)
	if err := errors.Join(err, err2, err3, err4, f.WriteViews(t.Context())); err != nil {
		t.Error(err)
	}
	if in.Text != "" || in.Included == nil || list == nil || next != "" || total != 0 || m.Total != 0 || len(events) != 0 || cursor == "" {
		t.Errorf("%+v %+v %q %d %+v %+v %q", in, list, next, total, m, events, cursor)
	}
	if _, err := f.Get(t.Context(), "idea-000000000000"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	f.Close()
	if entries, _ := os.ReadDir(f.dir); len(entries) > 0 {
		t.Errorf("asking made %v", entries)
	}
}

// TestDerived deletes everything but the records, and asks again.
func TestDerived(t *testing.T) {
	f := newFixture(t)
	p, err := f.Add(t.Context(), Input{Color: "green", Content: "Build the gate", Status: active})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 30 {
		y := f.learn(Input{Content: fmt.Sprintf("Thing %d of the gate is so", n), Scope: []string{"local", "global"}[n%2], Agent: fmt.Sprintf("ed-%d", n%3), Parent: p.ID, Impact: Impacts[n%4]})
		if n%5 == 0 {
			f.act([]string{"validate", "outdate", "archive"}[n/5%3], y.ID)
		}
	}
	answers := func(f *fixture) (out []string) {
		t.Helper()
		list, next, total, err := f.List(t.Context(), Filter{Limit: 10, Text: "thing"})
		if err != nil {
			t.Fatal(err)
		}
		in, err := f.Inject(t.Context(), "ed-5", "gate", 400)
		if err != nil {
			t.Fatal(err)
		}
		log, err := f.Log(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			list[i].path, log[i].path = "", ""
		}
		for _, v := range []any{list, next, total, in, log} {
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(data))
		}
		for name, page := range f.pages() {
			out = append(out, name+string(page))
		}
		slices.Sort(out[5:])
		return out
	}
	want := answers(f)
	f.Close()
	kept := open(t, f.dir) // with what was left behind
	if got := answers(kept); !slices.Equal(got, want) {
		t.Errorf("with the book of another process:\n%s\nwant:\n%s", got, want)
	}
	kept.Close()
	for _, dir := range []string{".local", "views"} {
		if err := os.RemoveAll(filepath.Join(f.dir, ".sdd", dir)); err != nil {
			t.Fatal(err)
		}
	}
	if got := answers(open(t, f.dir)); !slices.Equal(got, want) {
		t.Errorf("without anything derived:\n%s\nwant:\n%s", got, want)
	}
	f.write(".sdd/.local/learning/book", "sddbook1 nonsense")
	if got := answers(open(t, f.dir)); !slices.Equal(got, want) {
		t.Errorf("with a broken book:\n%s\nwant:\n%s", got, want)
	}
}

func TestList(t *testing.T) {
	f := newFixture(t)
	var ids []string
	for n := range 7 {
		ids = append(ids, f.learn(Input{Content: fmt.Sprintf("Thing %d is so", n), Scope: "global"}).ID)
	}
	slices.Reverse(ids)
	f.act("delete", ids[3])
	var got []string
	cursor, pages := "", 0
	for {
		list, next, total, err := f.List(t.Context(), Filter{Limit: 2, Cursor: cursor})
		if err != nil || total != 6 {
			t.Fatalf("%d, %v", total, err)
		}
		for _, i := range list {
			got = append(got, i.ID)
		}
		if pages++; next == "" {
			break
		}
		cursor = next
	}
	if want := slices.Concat(ids[:3], ids[4:]); !slices.Equal(got, want) || pages != 3 {
		t.Errorf("%v in %d pages, want %v", got, pages, want)
	}
	for name, c := range map[string]struct {
		f Filter
		n int
	}{
		"deleted": {Filter{Status: deleted}, 1}, "any": {Filter{Status: "any"}, 7}, "text": {Filter{Text: "IS thing"}, 6}, "no text": {Filter{Text: "thing nothing"}, 0},
		"agent": {Filter{Agent: "ed"}, 0}, "scope": {Filter{Scope: "global"}, 6}, "color": {Filter{Color: "white"}, 0},
	} {
		if _, _, n, err := f.List(t.Context(), c.f); err != nil || n != c.n {
			t.Errorf("%s: %d, want %d, %v", name, n, c.n, err)
		}
	}
	for name, bad := range map[string]Filter{"limit": {Limit: 501}, "status": {Status: "gone"}, "cursor": {Cursor: "x"}, "impact": {Impact: "x"}} {
		if _, _, _, err := f.List(t.Context(), bad); fault.Of(err).Arg != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	log, err := f.Log(t.Context())
	if err != nil || len(log) != 6 || log[0].ID != ids[6] {
		t.Errorf("log: %+v, %v", log, err)
	}
}

func TestMetrics(t *testing.T) {
	f := newFixture(t)
	a := f.learn(Input{Content: "a is so", Scope: "global", Impact: "high", Parent: "P-1"})
	b := f.learn(Input{Content: "b is so", Impact: "low", Parent: "P-1"})
	f.learn(Input{Content: "c is so", Impact: "low", Parent: "P-2"})
	f.learn(Input{Content: "d is so", Impact: "critical"})
	f.learn(Input{Content: "A IS SO"})
	f.act("validate", a.ID)
	f.act("outdate", b.ID)
	for _, agent := range []string{"", "ed-1"} { // 2 (a, and those without an agent) and 1
		if _, err := f.Inject(t.Context(), agent, "", 0); err != nil {
			t.Fatal(err)
		}
	}
	m, err := f.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"total":4,"by_status":{"active":3,"archived":0,"deleted":0,"outdated":1},"by_scope":{"global":1,"local":3},"duplicates_prevented":1,` +
		`"source_parents":{"P-1":2,"P-2":1},"injection_rate":2,"by_impact":{"critical":1,"high":1,"low":2,"medium":0},"validation_rate":0.25,"outdated_rate":0.25}`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestEvents(t *testing.T) {
	f := newFixture(t)
	ctx := t.Context()
	var heard []string
	cancel := f.Subscribe(func(e Event) { heard = append(heard, e.Event) })
	a := f.learn(Input{Content: "a is so"})
	f.act("promote", a.ID)
	f.act("outdate", a.ID)
	f.act("validate", a.ID)
	f.act("archive", a.ID)
	f.act("resurrect", a.ID)
	f.act("delete", a.ID)
	want := []string{"idea:yellow_created", "idea:updated", "idea:yellow_outdated", "idea:updated", "idea:yellow_archived", "idea:yellow_resurrected", "idea:yellow_deleted"}
	if !slices.Equal(heard, want) {
		t.Errorf("heard %v", heard)
	}
	cancel()
	all, next, err := f.Events(ctx, "", 0)
	var names []string
	for _, e := range all {
		names = append(names, e.Event)
		if e.Idea != a.ID || e.ID == "" || e.Time.IsZero() {
			t.Errorf("%+v", e)
		}
	}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v", names, err)
	}
	first, mid, err := f.Events(ctx, "", 3)
	if err != nil || len(first) != 3 {
		t.Fatal(first, err)
	}
	if rest, _, err := f.Events(ctx, mid, 0); err != nil || len(rest) != 4 || rest[0].Event != "idea:updated" ||
		rest[0].Detail["keys"] != "status,validated,outdated_reason,validated_at" {
		t.Errorf("%+v, %v", rest, err)
	}
	// Another process sees what this one did once, and a hand edit once.
	other := open(t, f.dir)
	if got, _, err := other.Events(ctx, next, 0); err != nil || len(got) != 0 {
		t.Errorf("told again: %+v, %v", got, err)
	}
	f.write(a.File, strings.Replace(f.read(a.File), "status: deleted", "status: outdated", 1))
	for _, l := range []*fixture{other, f, other} {
		got, _, err := l.Events(ctx, next, 0)
		if err != nil || len(got) != 1 || got[0].Event != "idea:yellow_outdated" || got[0].Detail["by"] != "edit" {
			t.Errorf("a hand edit: %+v, %v", got, err)
		}
	}
	b := other.learn(Input{Content: "b is so"})
	if got, _, err := f.Events(ctx, next, 0); err != nil || len(got) != 2 || got[1].Idea != b.ID {
		t.Errorf("what another process did: %+v, %v", got, err)
	}
	for _, cursor := range []string{"x", "99999999999-0"} {
		if _, _, err := f.Events(ctx, cursor, 0); !fault.Is(err, fault.Invalid) {
			t.Errorf("cursor %s: %v", cursor, err)
		}
	}
	logs, _ := filepath.Glob(filepath.Join(f.dir, ".sdd/.local/learning/events/*.jsonl"))
	for _, log := range logs {
		if text, err := os.ReadFile(log); err != nil || strings.Contains(string(text), "unwritten") {
			t.Errorf("%v, %s", err, text)
		}
	}
	if len(logs) == 0 {
		t.Error("no log of events")
	}
}
