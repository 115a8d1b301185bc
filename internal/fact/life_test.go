package fact

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// TestMoves tries every action on every status: it does what the table has, or changes nothing.
func TestMoves(t *testing.T) {
	for _, status := range []string{active, stale, superseded, archived} {
		for _, action := range Actions {
			f := newFixture(t)
			id := "fact-000000000001"
			f.write(".sdd/facts/"+id+".md", "---\nid: "+id+"\n# kept\nstatus: "+status+"\nsuperseded_by: fact-2\nvalid_until: 2026-11-19\n---\n\nText\n\n## Notes\n\nn\n")
			before := f.read(".sdd/facts/" + id + ".md")
			got, err := f.Review(t.Context(), Action{Action: action, IDs: []string{id}, Content: "New text"})
			after := f.read(".sdd/facts/" + id + ".md")
			allowed := slices.Contains(life.Step(action).From, status)
			if (err == nil) != allowed {
				t.Errorf("%s of a %s one: %v", action, status, err)
				continue
			}
			if !allowed {
				if after != before || !strings.Contains(fault.Of(err).Hint, "allowed now: ") {
					t.Errorf("%s of a %s one: %+v\n%s", action, status, fault.Of(err), after)
				}
				continue
			}
			one := f.get(id)
			if want := life.Step(action).To; want != "" && one.State != want || action == "edit" && one.Content != "New text" {
				t.Errorf("%s of a %s one made it %s: %s", action, status, one.State, after)
			}
			if m := got.Items[0]; m.ID != id || m.Kind != "fact" || m.Etag != one.Etag || m.File != one.File {
				t.Errorf("%+v", m)
			}
			if !strings.Contains(after, "# kept\n") || !strings.HasSuffix(after, "## Notes\n\nn\n") {
				t.Errorf("%s touched other bytes:\n%s", action, after)
			}
		}
	}
}

func TestReviewRefuses(t *testing.T) {
	f := newFixture(t)
	id := f.add(Input{Content: "Text"}).ID
	for _, c := range []struct {
		a    Action
		code fault.Code
	}{
		{Action{Action: "promote", IDs: []string{id}}, fault.Invalid},
		{Action{Action: "refresh"}, fault.Invalid},
		{Action{Action: "refresh", IDs: []string{""}}, fault.Invalid},
		{Action{Action: "refresh", IDs: []string{"fact-ffffffffffff"}}, fault.NotFound},
		{Action{Action: "edit", IDs: []string{id}}, fault.Invalid},
		{Action{Action: "edit", IDs: []string{id, id}, Content: "x"}, fault.Invalid},
		{Action{Action: "edit", IDs: []string{id}, Content: "x", IfMatch: "0123456789abcdef"}, fault.Conflict},
		{Action{Action: "refresh", IDs: []string{id}, OnExpire: "burn"}, fault.Invalid},
		{Action{Action: "refresh", IDs: []string{id}, RefreshOn: "["}, fault.Invalid},
	} {
		if _, err := f.Review(t.Context(), c.a); !fault.Is(err, c.code) || fault.Of(err).Hint == "" {
			t.Errorf("%+v: %v", c.a, err)
		}
	}
	done, err := f.Review(t.Context(), Action{Action: "refresh", IDs: []string{id, "fact-ffffffffffff"}})
	if err == nil || len(done.Items) != 1 {
		t.Errorf("what is done before a failure: %+v, %v", done, err)
	}
}

func TestSetTTL(t *testing.T) {
	f := newFixture(t)
	f.write("api/a.go", "one\n")
	id := f.add(Input{Content: "Text", Level: 1, TTLDays: 2}).ID
	if _, err := f.Review(t.Context(), Action{Action: "refresh", IDs: []string{id}, TTLDays: 9, RefreshOn: "api/**"}); err != nil {
		t.Fatal(err)
	}
	if one := f.get(id); one.TTL.Days != 9 || one.TTL.RefreshOn != "api/**" || one.Seen == "" || one.Refreshed == "" {
		t.Errorf("%+v", one.TTL)
	}
	if _, err := f.Review(t.Context(), Action{Action: "refresh", IDs: []string{id}, OnExpire: "archive"}); err != nil {
		t.Fatal(err)
	}
	if one := f.get(id); one.TTL.Days != 9 || one.TTL.OnExpire != "archive" {
		t.Errorf("%+v", one.TTL)
	}
}

// TestRefreshedOnTwoBranches merges without a question; files that neither branch saw together are looked at again.
func TestRefreshedOnTwoBranches(t *testing.T) {
	fact := func(refreshed, seen string) []byte {
		return []byte("---\nid: fact-000000000001\nlevel: 1\nttl: {days: 7, refresh_on: \"api/**\", mine: 1}\nrefreshed: " + refreshed + "\nseen: " + seen + "\n---\n\nText\n")
	}
	base, a, b := fact("2026-11-01", "aaaaaaaaaaaa"), fact("2026-11-03", "bbbbbbbbbbbb"), fact("2026-11-02", "cccccccccccc")
	for _, m := range []record.Merged{record.Merge(record.Fact, base, a, b, markdown.MergeLabels{}), record.Merge(record.Fact, base, b, a, markdown.MergeLabels{})} {
		if want := fact("2026-11-03", "cccccccccccc"); len(m.Conflicts) > 0 || string(m.Out) != string(want) {
			t.Errorf("%+v\n%s", m.Conflicts, m.Out)
		}
	}
}

// TestRefreshKeepsTheTTL leaves a ttl as a person wrote it.
func TestRefreshKeepsTheTTL(t *testing.T) {
	f := newFixture(t)
	f.write("api/a.go", "one\n")
	f.write(".sdd/facts/a.md", "---\nid: fact-000000000001\nttl: {on_expire: stale, mine: [1], refresh_on: 'api/**', days: 7} # ours\n---\n\nText\n")
	f.act("refresh", "fact-000000000001")
	if text := f.read(".sdd/facts/a.md"); !strings.Contains(text, "\nttl: {on_expire: stale, mine: [1], refresh_on: 'api/**', days: 7} # ours\n") || !strings.Contains(text, "\nseen: ") {
		t.Errorf("%s", text)
	}
}

func TestGC(t *testing.T) {
	f := newFixture(t)
	f.write("api/a.go", "one\n")
	ids := map[string]string{}
	for name, in := range map[string]Input{
		"project": {}, "module": {Level: 2}, "stale": {TTLDays: 2}, "archive": {TTLDays: 2, OnExpire: "archive"}, "delete": {TTLDays: 2, OnExpire: "delete"},
		"later": {TTLDays: 90, OnExpire: "delete"}, "watching": {RefreshOn: "api/**", OnExpire: "delete"},
	} {
		in.Content = "Fact " + name
		ids[name] = f.add(in).ID
	}
	if got, err := f.GC(t.Context(), true, true, "test"); err != nil || len(got) != 0 {
		t.Fatalf("too early: %+v, %v", got, err)
	}
	f.now = f.now.AddDate(0, 0, 8)
	f.write("api/a.go", "two\n")
	before := f.read(f.get(ids["stale"]).File)
	plan, err := f.GC(t.Context(), false, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{ids["module"]: stale, ids["stale"]: stale, ids["archive"]: archived, ids["delete"]: archived, ids["watching"]: stale}
	for _, m := range plan {
		if want[m.ID] != m.To || m.From != active || m.Why == "" {
			t.Errorf("%+v", m)
		}
	}
	if len(plan) != len(want) || f.read(f.get(ids["stale"]).File) != before {
		t.Errorf("%d of %d, or a file was written", len(plan), len(want))
	}
	done, err := f.GC(t.Context(), true, true, "test")
	if err != nil || len(done) != len(want) {
		t.Fatal(done, err)
	}
	for name, status := range map[string]string{"project": active, "module": stale, "stale": stale, "archive": archived, "later": active, "watching": stale} {
		if one := f.get(ids[name]); one.Status != status {
			t.Errorf("%s: %s, want %s", name, one.Status, status)
		}
	}
	if _, err := f.Get(t.Context(), ids["delete"]); !fault.Is(err, fault.NotFound) {
		t.Errorf("it was to be purged: %v", err)
	}
	if again, err := f.GC(t.Context(), true, true, "test"); err != nil || len(again) != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
	last, _ := f.st.Last("")
	if _, err := f.st.TakeBack(t.Context(), last.ID); err != nil {
		t.Errorf("what is purged does not come back: %v", err)
	}
}

func TestPurge(t *testing.T) {
	f := newFixture(t)
	id := f.add(Input{Content: "Text"}).ID
	got, err := f.Review(t.Context(), Action{Action: "delete", IDs: []string{id}, Purge: true})
	if err != nil || got.Items[0].From != active || got.Items[0].To != deleted || len(f.files()) != 0 {
		t.Errorf("%+v, %v, %v", got, err, f.files())
	}
	if again := f.add(Input{Content: "Text"}); again.Action != Created {
		t.Errorf("added again: %+v", again)
	}
	if got, err := f.Review(t.Context(), Action{Action: "delete", IDs: []string{id}}); err != nil || got.Items[0].To != archived || len(f.files()) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestReadsEdits changes files by hand between calls.
func TestReadsEdits(t *testing.T) {
	f := newFixture(t)
	id := f.add(Input{Content: "Text"}).ID
	file := f.get(id).File
	f.write(file, strings.Replace(f.read(file), "status: active", "status: archived", 1))
	if f.get(id).State != archived {
		t.Error("an edit is not seen")
	}
	renamed := filepath.Join(f.dir, ".sdd", "facts", "renamed.md")
	if err := os.Rename(filepath.Join(f.dir, filepath.FromSlash(file)), renamed); err != nil {
		t.Fatal(err)
	}
	if one := f.get(id); one.File != ".sdd/facts/renamed.md" {
		t.Errorf("renamed: %+v", one)
	}
	if m := f.act("resurrect", id); m.File != ".sdd/facts/renamed.md" || m.To != active {
		t.Errorf("%+v", m)
	}
	f.write(".sdd/facts/copy.md", f.read(".sdd/facts/renamed.md"))
	if _, err := f.Get(t.Context(), id); !fault.Is(err, fault.Ambiguous) {
		t.Errorf("two files: %v", err)
	}
	if one := f.get(".sdd/facts/copy.md"); one.ID != id {
		t.Errorf("by file: %+v", one)
	}
	if err := os.Remove(renamed); err != nil {
		t.Fatal(err)
	}
	if one := f.get(id); one.File != ".sdd/facts/copy.md" {
		t.Errorf("one is gone: %+v", one)
	}
}

func TestGraduate(t *testing.T) {
	f := newFixture(t)
	l := learning.New(f.st, f.ix)
	defer l.Close()
	learn := func(content, category string) string {
		got, err := l.Learn(t.Context(), learning.Input{Content: content, Category: category})
		if err != nil {
			t.Fatal(err)
		}
		return got.Results[0].ID
	}
	a, b := learn("Handlers return errors and do not log them", "Conventions"), learn("Tests need a running database", "Testing")
	got, err := f.Graduate(t.Context(), l, Graduation{IDs: []string{a, b}})
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	one, two := f.get(got[0].Fact.ID), f.get(got[1].Fact.ID)
	if one.Level != 0 || one.Domain != "" || one.Parent != a || one.Content != "Handlers return errors and do not log them" || two.Level != 1 || two.Domain != "testing" {
		t.Errorf("%+v\n%+v", one, two)
	}
	i, err := l.Get(t.Context(), a)
	if err != nil || !slices.Equal(i.AppliedTo, []string{one.ID}) || i.Status != "active" || Graduates(i) {
		t.Errorf("the learning: %+v, %v", i, err)
	}
	again, err := f.Graduate(t.Context(), l, Graduation{IDs: []string{a}})
	if err != nil || again[0].Fact.Action != Duplicate || len(f.files()) != 2 {
		t.Errorf("again: %+v, %v", again, err)
	}
	level := 2
	c := learn("The parser is in internal/parse", "Architecture")
	got, err = f.Graduate(t.Context(), l, Graduation{IDs: []string{c}, Level: &level, Domain: "core", Module: "internal/parse"})
	if err != nil || f.get(got[0].Fact.ID).Level != 2 || f.get(got[0].Fact.ID).Domain != "core" || f.get(got[0].Fact.ID).Module != "internal/parse" {
		t.Errorf("%+v, %v", got, err)
	}
	d := learn("Port 80 is taken", "")
	if _, err := l.Review(t.Context(), learning.Action{Action: "outdate", IDs: []string{d}}); err != nil {
		t.Fatal(err)
	}
	idea, err := l.Add(t.Context(), learning.Input{Color: "green", Content: "Build it"})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{d, idea.ID} {
		if _, err := f.Graduate(t.Context(), l, Graduation{IDs: []string{id}}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := f.Graduate(t.Context(), l, Graduation{}); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
}
