package contexteval

import (
	"testing"

	"sdd/internal/longtest"
)

// TestAnswers holds whole answers with the default budget to telling four of five relevant records, also on what is held aside, and every
// answer to its budget.
func TestAnswers(t *testing.T) {
	longtest.Only(t)
	for _, budget := range []int{1000, 2000, 3000} {
		got, err := MeasureAnswers(t.Context(), budget)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []struct {
			name string
			Told
		}{{"tuned", got.Tuned}, {"held", got.Held}, {"aside", got.Aside}} {
			t.Logf("%5d %-5s told %.1f %% of %d records, %.1f %% of %d facts; %d tokens; %d of %d unknown", budget, p.name,
				100*float64(p.Told.Told)/float64(p.Relevant), p.Relevant, 100*float64(p.FactsTold)/float64(p.Facts), p.Facts, p.Tokens, p.Plain, p.Unknown)
		}
		if got.Over > 0 {
			t.Errorf("%d of the texts are over %d tokens", got.Over, budget)
		}
		if budget == 3000 {
			for name, p := range map[string]Told{"tuned": got.Tuned, "held": got.Held, "aside": got.Aside} {
				if 100*p.Told < 80*p.Relevant {
					t.Errorf("%s: %d of %d records are told", name, p.Told, p.Relevant)
				}
			}
			for _, m := range got.Missing {
				t.Log(m)
			}
		}
	}
}
