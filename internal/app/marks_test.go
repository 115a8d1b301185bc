package app

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sdd/internal/answer"
	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/tier"
	"sdd/internal/tokens"
)

// drifted returns a store with n facts about one function each: those of even numbers changed in the last commit.
func drifted(t *testing.T, n int) *App {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		write(fmt.Sprintf("f%d.go", i), fmt.Sprintf("package p\n\nfunc F%d() int {\n\treturn %d\n}\n", i, i))
		write(fmt.Sprintf(".sdd/facts/fact-%012d-x.md", i),
			fmt.Sprintf("---\nid: fact-%012d\nlevel: 0\nstatus: active\ncode_ref: f%d.go#F%d\ncreated: 2026-01-01T00:00:00Z\n---\n\nThe signature number %d is %q.\n", i, i, i, i, "x"))
	}
	git("init", "-q")
	w := reopen(t, dir)
	w.Tree.Patience = time.Minute
	for i := range n {
		if _, err := w.Affirm(t.Context(), fmt.Sprintf("fact-%012d", i), false, "test"); err != nil {
			t.Fatal(err)
		}
	}
	git("add", "-A")
	git("commit", "-qm", "Begin")
	for i := 0; i < n; i += 2 {
		write(fmt.Sprintf("f%d.go", i), fmt.Sprintf("package p\n\nfunc F%d() int {\n\treturn -%d\n}\n", i, i+1))
	}
	git("add", "-A")
	git("commit", "-qm", "Count\tdown <swarm>")
	return w
}

func TestMarks(t *testing.T) {
	w := drifted(t, 2)
	found, err := w.Search(t.Context(), lookup.Query{Query: "signature"})
	if err != nil || len(found.Results) != 2 {
		t.Fatalf("%v, %+v", err, found)
	}
	commit, _ := exec.Command("git", "-C", w.Store.Dir(), "rev-parse", "--short=7", "HEAD").Output()
	want := fmt.Sprintf("f0.go#F0 drifted since %s: Count down &lt;swarm>", strings.TrimSpace(string(commit)))
	if a, b := found.Results[0], found.Results[1]; a.Code != "" || b.Code != want || a.Score != b.Score || a.ID != "fact-000000000001" {
		t.Errorf("the fresh fact of two equals must come first, the other with %q:\n%+v\n%+v", want, a, b)
	}
	r, err := w.Answers.Brief(t.Context(), answer.Query{Query: "signature", Mode: answer.Route})
	if line := "- [fact-000000000000] [" + want + "] The signature"; err != nil || !strings.Contains(r.Context, line) || r.Marks["fact-000000000000"] != want {
		t.Errorf("%v, want %q in\n%s\n%v", err, line, r.Context, r.Marks)
	}
	if strings.Count(r.Context, "[f1.go") != 0 || len(r.Marks) != 1 {
		t.Errorf("the fresh fact is marked:\n%s\n%v", r.Context, r.Marks)
	}
	again, err := w.Answers.Brief(t.Context(), answer.Query{Query: "signature", Mode: answer.Route})
	if err != nil || again.Context != r.Context {
		t.Errorf("%v: the second answer differs:\n%s", err, again.Context)
	}
	got, err := w.Get(t.Context(), lookup.Ask{ID: "fact-000000000000"})
	if err != nil || len(got.Anchors) != 1 || got.Anchors[0].State != "drifted" || got.Anchors[0].Since.Author != "a" || !strings.Contains(got.Text(), "\ncode: "+want+"\n") {
		t.Errorf("%v, %+v\n%s", err, got, got.Text())
	}
}

// TestMarksInBudget attacks law 6: the marks count.
func TestMarksInBudget(t *testing.T) {
	w := drifted(t, 30)
	rng := rand.New(rand.NewPCG(1, 2))
	within := func(what string, budget int, text string, v any) {
		t.Helper()
		if n := tokens.Count(text); n > budget {
			t.Errorf("%s: the text has %d tokens, the budget is %d", what, n, budget)
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if n := tokens.Count(string(data)); n > budget && budget >= tokens.TextOnly {
			t.Errorf("%s: the JSON has %d tokens, the budget is %d", what, n, budget)
		}
	}
	for range 40 {
		budget := 50 + rng.IntN(1<<rng.IntN(12)+1)
		found, err := w.Search(t.Context(), lookup.Query{Query: "signature", MaxTokens: budget})
		if err != nil {
			t.Fatal(err)
		}
		within("search", budget, found.Text(), found)
		one, err := w.Get(t.Context(), lookup.Ask{ID: "fact-000000000000", MaxTokens: budget})
		if err != nil {
			t.Fatal(err)
		}
		within("get", budget, one.Text(), one)
		r, err := w.Answers.Brief(t.Context(), answer.Query{Query: "signature", Mode: answer.Route, MaxTokens: budget})
		if err != nil {
			t.Fatal(err)
		}
		within("context", budget, r.Context, r)
		r, err = w.Answers.Brief(t.Context(), answer.Query{Query: "signature", Mode: answer.Route, MaxTokens: budget, AsOne: true})
		if err != nil {
			t.Fatal(err)
		}
		if budget >= 1000 {
			within("context as one", budget, r.Context, answer.Whole{Context: r.Context, Result: r})
		}
	}
}

// TestChangedCodeWaitsForReview: the overview lists the records whose code changed, and accepting one vouches for it.
func TestChangedCodeWaitsForReview(t *testing.T) {
	w := drifted(t, 4)
	ctx := t.Context()
	overview := func() (Overview, error) {
		o, err := w.Overview(ctx)
		o.Review = slices.DeleteFunc(o.Review, func(i Item) bool { return !i.changedCode() })
		return o, err
	}
	o, err := overview()
	if err != nil || len(o.Review) != 2 || o.Review[0].State != "drifted" || o.Review[0].Accept != affirm {
		t.Fatalf("%v, %+v", err, o.Review)
	}
	const line = "2 records name code that changed since: sdd anchors --drifted"
	if text := o.Text(); strings.Count(text, line) != 1 || strings.Contains(text, "drifted  ") {
		t.Errorf("%q is not the only line about it:\n%s", line, text)
	}
	s, err := w.Status(ctx)
	if err != nil || s.Changed != 2 || !strings.Contains(s.Text(), line) {
		t.Errorf("%v\n%s", err, s.Text())
	}
	old := o.Review[0]
	old.Etag = "0000000000000000"
	if _, err := w.Act(ctx, []Item{old}, old.Accept, "", By{Tool: "test"}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a record that changed since it was read: %v", err)
	}
	done, err := w.Act(ctx, []Item{o.Review[0]}, o.Review[0].Accept, "", By{Tool: "test"})
	if err != nil || done.Text != "fact-000000000000: f0.go#F0 affirmed\n" || done.Action == "" {
		t.Errorf("%v, %+v", err, done)
	}
	out, err := w.Review(ctx, ReviewArgs{Action: "affirm", IDs: []string{"fact-000000000002"}, Tool: "test"})
	if err != nil || len(out.Items) != 1 || out.Items[0].Kind != "fact" || out.Items[0].From != "drifted" || out.Items[0].To != "fresh" {
		t.Errorf("%v, %+v", err, out)
	}
	if o, err = overview(); err != nil || len(o.Review) != 0 {
		t.Errorf("%v, %+v", err, o.Review)
	}
	if _, err := w.Review(ctx, ReviewArgs{Action: "vouch", IDs: []string{"x"}}); !strings.Contains(fault.Of(err).Hint, "affirm") {
		t.Errorf("the error does not name affirm: %v, %s", err, fault.Of(err).Hint)
	}
	if _, err := w.Review(ctx, ReviewArgs{Action: "affirm"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("affirm without ids: %v", err)
	}
}

// An edit that no question has seen yet counts for the tier in the first answer.
func TestTierOfAnEdit(t *testing.T) {
	w := drifted(t, 1)
	const file = ".sdd/facts/fact-000000000000-x.md"
	path := filepath.Join(w.Store.Dir(), file)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tiers := map[string]func() tier.Tier{
		"search": func() tier.Tier {
			found, err := w.Search(t.Context(), lookup.Query{Query: "signature"})
			if err != nil || len(found.Results) != 1 {
				t.Fatal(err, found)
			}
			return found.Results[0].Tier
		},
		"get": func() tier.Tier {
			got, err := w.Get(t.Context(), lookup.Ask{ID: "fact-000000000000"})
			if err != nil {
				t.Fatal(err)
			}
			return got.Tier
		},
	}
	for name, of := range tiers {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		of()
		if got := of(); got != tier.Main {
			t.Fatalf("%s: %v before the edit", name, got)
		}
		if err := os.WriteFile(path, append(slices.Clone(text), "One line more.\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := of(); got != tier.Uncommitted {
			t.Errorf("%s: %v after the edit", name, got)
		}
	}
}
