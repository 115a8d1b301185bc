package learning

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// TestEveryEdge tries each action from each status.
func TestEveryEdge(t *testing.T) {
	reach := map[string][]string{active: nil, outdated: {"outdate"}, archived: {"archive"}, deleted: {"delete"}}
	want := map[string]map[string]string{
		"validate":  {active: active, outdated: active},
		"outdate":   {active: outdated},
		"archive":   {active: archived, outdated: archived},
		"resurrect": {archived: active},
		"delete":    {active: deleted, outdated: deleted, archived: deleted, deleted: deleted},
		"restore":   {deleted: archived},
		"edit":      {active: active, outdated: outdated, archived: archived},
		"promote":   {active: active, outdated: outdated, archived: archived},
		"apply":     {active: active, outdated: outdated, archived: archived},
	}
	f := newFixture(t)
	n := 0
	for from, way := range reach {
		for action, to := range want {
			n++
			y := f.learn(Input{Content: fmt.Sprintf("Number %d is so", n)})
			for _, a := range way {
				f.act(a, y.ID)
			}
			before := f.read(y.File)
			_, err := f.Review(t.Context(), Action{Action: action, IDs: []string{y.ID}, Content: fmt.Sprintf("Edited %d", n), Target: "GATE-9"})
			got := f.get(y.ID)
			if slices.Contains(Moves(from), action) != (to[from] != "" && !(action == "delete" && from == deleted)) {
				t.Errorf("Moves(%s) = %v", from, Moves(from))
			}
			if to[from] != "" {
				if err != nil || got.Status != to[from] || got.ID != y.ID {
					t.Errorf("%s from %s: %+v, %v", action, from, got, err)
				}
				if found := record.Validate(got.path, []byte(f.read(y.File)), record.Defaults{}); len(found) > 0 {
					t.Errorf("%s from %s: %v", action, from, found)
				}
				continue
			}
			if !fault.Is(err, fault.Invalid) || f.read(y.File) != before {
				t.Errorf("%s from %s: %v", action, from, err)
				continue
			}
			for _, m := range Moves(from) {
				if !strings.Contains(fault.Of(err).Hint, m) {
					t.Errorf("%s from %s: the hint does not name %s: %s", action, from, m, fault.Of(err).Hint)
				}
			}
			if action == "resurrect" && !strings.Contains(err.Error(), "can only resurrect archived") {
				t.Errorf("resurrect from %s: %v", from, err)
			}
		}
	}
}

func TestWhatActionsWrite(t *testing.T) {
	f := newFixture(t)
	y := f.learn(Input{Content: "Totals are gross"})
	at := func() string { return record.Stamp(f.now.add(0)) }
	do := func(a Action) Idea {
		t.Helper()
		a.IDs = []string{y.ID}
		if _, err := f.Review(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		return f.get(y.ID)
	}
	if i := do(Action{Action: "outdate", Reason: "they are net now"}); i.OutdatedReason != "they are net now" || i.Validated {
		t.Errorf("outdate: %+v", i)
	}
	if i := do(Action{Action: "validate"}); !i.Validated || i.ValidatedAt == "" || i.ValidatedAt > at() || i.OutdatedReason != "" {
		t.Errorf("validate: %+v", i)
	}
	if i := do(Action{Action: "archive"}); i.ArchivedAt == "" || i.ArchivedReason != "review" {
		t.Errorf("archive: %+v", i)
	}
	if i := do(Action{Action: "resurrect", By: "mia"}); i.ResurrectedAt == "" || i.ResurrectedBy != "mia" {
		t.Errorf("resurrect: %+v", i)
	}
	do(Action{Action: "apply", Target: "GATE-8"})
	if i := do(Action{Action: "apply", Target: "GATE-9"}); !slices.Equal(i.AppliedTo, []string{"GATE-8", "GATE-9"}) {
		t.Errorf("apply: %v", i.AppliedTo)
	}
	before := f.read(y.File)
	if i := do(Action{Action: "apply", Target: "GATE-8"}); len(i.AppliedTo) != 2 || f.read(y.File) != before {
		t.Errorf("applied twice: %v", i.AppliedTo)
	}
	for name, a := range map[string]Action{"action": {Action: "bless"}, "ids": {Action: "validate"}, "target": {Action: "apply", IDs: []string{y.ID}}, "content": {Action: "edit", IDs: []string{y.ID}}} {
		if _, err := f.Review(t.Context(), a); !fault.Is(err, fault.Invalid) || fault.Of(err).Arg != name {
			t.Errorf("%+v: %v", a, err)
		}
	}
	r, err := f.Review(t.Context(), Action{Action: "validate", IDs: []string{y.ID, "idea-000000000000", y.ID}})
	if !fault.Is(err, fault.NotFound) || len(r.Items) != 1 {
		t.Errorf("a missing one among several: %+v, %v", r, err)
	}
}

// TestParentDone sets parents to done under each policy.
func TestParentDone(t *testing.T) {
	for _, c := range []struct {
		policy string
		idea   bool
		stays  string // the first letters of those that stay active
	}{{"all", true, ""}, {"all", false, ""}, {"local", true, "gv"}, {"none", false, "glvh"}} {
		f := newFixture(t)
		f.write(".sdd/config.yaml", "learning: {on_parent_done: "+c.policy+"}\n")
		parent := "GATE-7"
		if c.idea {
			got, err := f.Add(t.Context(), Input{Color: "green", Content: "Build the gate", Status: active})
			if err != nil {
				t.Fatal(err)
			}
			parent = got.ID
		}
		ids := map[string]string{}
		for name, in := range map[string]Input{
			"g": {Content: "g is so", Scope: "global", Impact: "low"}, "l": {Content: "l is so", Impact: "low"},
			"v": {Content: "v is so", Scope: "global", Impact: "low"}, "h": {Content: "h is so", Impact: "high"},
			"o": {Content: "o is so", Impact: "low"},
		} {
			in.Parent = parent
			ids[name] = f.learn(in).ID
		}
		f.act("validate", ids["v"])
		f.act("outdate", ids["o"])
		r := f.act("done", parent)
		var graduates []string
		for _, g := range r.Graduates {
			graduates = append(graduates, g.Content[:1])
		}
		slices.Sort(graduates)
		if got := strings.Join(graduates, ""); got != "ghv" {
			t.Errorf("%+v: graduates %s", c, got)
		}
		for name, id := range ids {
			i, want := f.get(id), archived
			if strings.Contains(c.stays, name) {
				want = active
			}
			if name == "o" {
				want = outdated
			}
			if i.Status != want || i.Effective() != want {
				t.Errorf("%+v: %s is %s, %+v", c, name, i.Status, i.Verdict)
			}
			if want == archived && i.ArchivedReason != parentDone {
				t.Errorf("%+v: %+v", c, i)
			}
		}
		// What is learned or resurrected afterwards stays.
		late := f.learn(Input{Content: "Something late", Parent: parent})
		if i := f.get(late.ID); i.Effective() != active {
			t.Errorf("%+v: learned afterwards: %+v", c, i.Verdict)
		}
		if c.policy == "all" {
			f.act("resurrect", ids["l"])
			if i := f.get(ids["l"]); i.Effective() != active {
				t.Errorf("%+v: resurrected: %+v", c, i.Verdict)
			}
		}
	}
	f := newFixture(t)
	y := f.learn(Input{Content: "x"})
	for _, id := range []string{y.ID, "idea-000000000000"} {
		if _, err := f.Review(t.Context(), Action{Action: done, IDs: []string{id}}); err == nil {
			t.Errorf("%s can be done", id)
		}
	}
	if r, err := f.Review(t.Context(), Action{Action: done, IDs: []string{"TAUGHT-0"}}); err != nil || len(r.Items) != 1 || r.Items[0].File != "" || r.Items[0].From != r.Items[0].To {
		t.Errorf("outside work that taught nothing: %+v, %v", r, err)
	}
}

// TestParentDoneByHand edits the parent's file.
func TestParentDoneByHand(t *testing.T) {
	f := newFixture(t)
	p, err := f.Add(t.Context(), Input{Color: "blue", Content: "Build the gate", Status: active})
	if err != nil {
		t.Fatal(err)
	}
	f.write(p.File, strings.Replace(f.read(p.File), "created:", "aliases:\n  - idea-020\ncreated:", 1))
	y := f.learn(Input{Content: "The gate is slow", Parent: "idea-020", Scope: "global"})
	f.write(p.File, strings.Replace(f.read(p.File), "status: active", "status: done", 1))
	before := f.read(y.File)
	i := f.get(y.ID)
	if i.Status != active || i.Effective() != archived || i.Verdict.Reason != parentDone || i.Verdict.By != p.ID {
		t.Errorf("%+v", i)
	}
	if in, err := f.Inject(t.Context(), "", "", 0); err != nil || len(in.Included) > 0 {
		t.Errorf("injected: %+v, %v", in, err)
	}
	f.learn(Input{Content: "Something else"})
	if f.read(y.File) != before {
		t.Error("a hand edit of the parent made a tool write to its learning")
	}
	if all, err := f.Check(t.Context(), true); err != nil || len(all) != 1 || all[0].Status != archived || all[0].Verdict == nil {
		t.Errorf("check: %+v, %v", all, err)
	}
	if i := f.get(y.ID); i.Status != archived || i.ArchivedReason != parentDone {
		t.Errorf("%+v", i)
	}
	if all, err := f.Check(t.Context(), false); err != nil || len(all) != 0 {
		t.Errorf("check again: %+v, %v", all, err)
	}
	f.act("resurrect", y.ID)
	if i := f.get(y.ID); i.Effective() != active {
		t.Errorf("resurrected: %+v", i)
	}
}

// TestCheckContradictions finds a contradiction between the learnings of two merged branches.
func TestCheckContradictions(t *testing.T) {
	f := newFixture(t)
	f.write(".sdd/ideas/a.md", "---\nid: idea-00000000000a\ncolor: yellow\nstatus: active\nscope: global\ncreated: 2026-11-01\n---\nUse moment for dates\n")
	f.write(".sdd/ideas/b.md", "---\nid: idea-00000000000b\ncolor: yellow\nstatus: active\nscope: global\ncreated: 2026-11-02\n---\nDo not use moment for dates\n")
	all, err := f.Check(t.Context(), true)
	if err != nil || len(all) != 1 || all[0].ID != "idea-00000000000a" || all[0].Verdict.By != "idea-00000000000b" || all[0].Verdict.Evidence == nil {
		t.Fatalf("%+v, %v", all, err)
	}
	if i := f.get("idea-00000000000a"); i.Status != active || i.SupersededBy != "" {
		t.Errorf("%+v", i)
	}
	f.act("validate", "idea-00000000000a")
	if all, err := f.Check(t.Context(), false); err != nil || len(all) != 0 {
		t.Errorf("after a validation: %+v, %v", all, err)
	}
}
