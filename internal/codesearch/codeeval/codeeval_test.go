package codeeval

import (
	"testing"

	"sdd/internal/longtest"
)

func TestQuestions(t *testing.T) {
	all, err := questions()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, q := range all {
		count[q.repo]++
	}
	if len(all) < 30 || len(count) < 3 {
		t.Errorf("%d questions: %v", len(all), count)
	}
}

// TestBars holds code search to what it is worth: go test -v ./internal/codesearch/codeeval prints the figures.
func TestBars(t *testing.T) {
	longtest.Only(t)
	r, err := Measure(t.Context(), ".", false)
	if err != nil {
		t.Skip(err)
	}
	for name, p := range map[string]Part{"tuned": r.Tuned, "held": r.Held} {
		t.Logf("%s: %d questions, file recall %.2f, MRR %.2f, range found %.2f in %.0f tokens, %.2f in %.0f; naively %.2f in %.0f",
			name, p.Questions, p.Recall, p.MRR, p.Found, p.Tokens, p.WideFound, p.WideTokens, p.NaiveFound, p.NaiveTokens)
		if p.Recall < 0.72 || p.MRR < 0.60 || p.WideFound < p.NaiveFound || p.WideTokens > p.NaiveTokens/10 {
			t.Errorf("%s misses a bar", name)
		}
	}
	for _, q := range r.Wrong {
		t.Log("not found: " + q)
	}
}
