package contexteval

import "testing"

func TestAnswers(t *testing.T) {
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
		if budget == 3000 {
			for _, m := range got.Missing {
				t.Log(m)
			}
		}
	}
}
