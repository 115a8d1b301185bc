package candidate

import (
	"strings"
	"testing"
)

// TestReportText: what is known already is a number, and no list is longer than a screen.
func TestReportText(t *testing.T) {
	var r Report
	for range 30 {
		r.Candidates = append(r.Candidates, Candidate{ID: "fact-1", Content: "new"})
		r.Skipped = append(r.Skipped, Candidate{ID: "fact-2", Content: "old", Reason: isThere})
	}
	r.Skipped = append(r.Skipped, Candidate{ID: "fact-3", Content: "no", Reason: "it was rejected"})
	r.Approved = []Candidate{{ID: "fact-4", Content: "sure", Status: Approved, File: ".sdd/facts/fact-4-sure.md"}}
	text := r.Text()
	for _, want := range []string{"30 known already\n", "30 to be reviewed\n", "and 10 more: --json lists all\n", "1 skipped\n", "it was rejected",
		"1 approved\n```markdown source=\".sdd\"\n", "```markdown source=\".sdd/inbox\"\n- [fact-1]"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "old") || strings.Count(text, "new") != mostShown {
		t.Error(text)
	}
}

func TestDay(t *testing.T) {
	for created, want := range map[string]string{"2026-01-02": "2026-01-02", "2026-01-02T03:04:05Z": "2026-01-02", "2026-01-02 03:04": "2026-01-02",
		"2026-01-02Tuesday": "", "": ""} {
		if got := (Candidate{Created: created}).Day(); got != want {
			t.Errorf("%q: %q, want %q", created, got, want)
		}
	}
}
