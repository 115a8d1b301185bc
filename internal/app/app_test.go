package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/answer"
	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/decision/capture"
	_ "sdd/internal/longtest" // files are in memory where there is room
	"sdd/internal/record"
)

// TestCapturedDecision follows an unsure decision from the text to the requested record.
func TestCapturedDecision(t *testing.T) {
	w := open(t, nil)
	ctx := t.Context()
	placed, err := w.captured(ctx, []capture.Decision{{
		Decision: "Use Postgres for the order store", Sentence: "We could settle on Postgres, as it has JSON columns.", Confidence: 0.6, Rule: "test",
		Causes: record.Causes{
			Reasons: []string{"it has JSON columns"}, Alternatives: []string{"SQLite"}, Consequences: []string{"one more server"}, Constraints: []string{"one team"},
		},
	}}, decision.Input{Source: "talk"})
	if err != nil || len(placed) != 1 || !strings.HasPrefix(placed[0].File, ".sdd/inbox/") {
		t.Fatalf("%+v, %v", placed, err)
	}
	if all, err := w.Decisions.All(ctx); err != nil || len(all) != 0 {
		t.Errorf("before approval there are %d decisions, %v", len(all), err)
	}
	if r, err := w.Answers.Brief(ctx, answer.Query{Query: "why Postgres?", Mode: answer.Route}); err != nil || strings.Contains(r.Context, "JSON columns") ||
		!slices.ContainsFunc(r.Suggestions, func(s string) bool { return strings.HasPrefix(s, "1 candidate waits for approval") }) {
		t.Errorf("%v, %q\n%s", err, r.Suggestions, r.Context)
	}
	if _, err := w.Inbox.Review(ctx, candidate.Action{Action: "approve", IDs: []string{placed[0].ID}}); err != nil {
		t.Fatal(err)
	}
	d, err := w.Decisions.Get(ctx, placed[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if d.Title != "Use Postgres for the order store" || d.Effective() != "accepted" || !slices.Equal(d.Because, []string{"it has JSON columns"}) ||
		!slices.Contains(d.Alternatives, "SQLite") || !slices.Equal(d.Consequences, []string{"one more server"}) || !slices.Equal(d.Constraints, []string{"one team"}) {
		t.Errorf("%+v", d)
	}
	if r, err := w.Answers.Brief(ctx, answer.Query{Query: "why Postgres?", Mode: answer.Route}); err != nil || !strings.Contains(r.Context, "because: it has JSON columns") || !r.CausalChainsIncluded {
		t.Errorf("%v\n%s", err, r.Context)
	}
}

// TestCommitsCount: the findings of a commit are in the next answer, marked, and become a record on request.
func TestCommitsCount(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	write("package main\n")
	w := reopen(t, dir)
	ctx := t.Context()
	if _, err := w.Store.Ensure(); err != nil {
		t.Fatal(err)
	}
	git("add", "-A")
	git("commit", "-qm", "begin")
	git("checkout", "-qb", "fork")
	if err := w.Inbox.Follow(ctx); err != nil {
		t.Fatal(err)
	}
	write("package main\n\nvar redis = flag.String(\"redis\", \"\", \"Where the sessions are kept\")\n")
	git("commit", "-qam", "Keep sessions elsewhere")
	if err := w.Inbox.Follow(ctx); err != nil {
		t.Fatal(err)
	}
	r, err := w.Answers.Brief(ctx, answer.Query{Query: "redis", Mode: answer.Route})
	if err != nil || !strings.Contains(r.Context, "not written yet] ") || !strings.Contains(r.Context, "`--redis`") || r.Receipt.Dirty != 0 {
		t.Fatalf("%v, %+v\n%s", err, r.Receipt, r.Context)
	}
	if !strings.Contains(r.Context, "] [only committed] [commit ") {
		t.Errorf("a commit of a branch:\n%s", r.Context)
	}
	git("branch", "-f", "main")
	if r, err = w.Answers.Brief(ctx, answer.Query{Query: "redis", Mode: answer.Route}); err != nil || strings.Contains(r.Context, "committed]") || !strings.Contains(r.Context, "`--redis`") {
		t.Errorf("a merged commit: %v\n%s", err, r.Context)
	}
	if r, err = w.Answers.Brief(ctx, answer.Query{Query: "redis", Mode: answer.Extract}); err != nil || !strings.Contains(r.Context, "not written yet] ") || r.Receipt.Dirty != 0 { // asking writes nothing
		t.Errorf("%v, %+v\n%s", err, r.Receipt, r.Context)
	}
	if _, err := w.Inbox.Extract(ctx, "", candidate.Range{}, candidate.By{Tool: "test"}); err != nil {
		t.Fatal(err)
	}
	if facts, err := w.Facts.All(ctx); err != nil || len(facts) != 1 || facts[0].State != "active" || facts[0].Parent != "commit:option:redis" {
		t.Errorf("%+v, %v", facts, err)
	}
	// The answer leaves out facts that the tree no longer has.
	write("package main\n")
	git("commit", "-qam", "Keep sessions here")
	if facts, err := w.Facts.All(ctx); err != nil || len(facts) != 1 || facts[0].Live() || facts[0].Why != "the code does not have it any more" {
		t.Errorf("%+v, %v", facts, err)
	}
}
