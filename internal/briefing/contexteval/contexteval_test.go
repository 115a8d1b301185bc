package contexteval

import (
	"fmt"
	"os"
	"testing"

	"sdd/internal/index"
)

func TestTry(t *testing.T) {
	for _, c := range []struct {
		name    string
		without index.Feature
	}{
		{"bm25", index.Feedback | index.Spelling | index.Synonyms | index.Structure},
		{"+structure", index.Feedback | index.Spelling | index.Synonyms},
		{"all", 0},
		{"-feedback", index.Feedback},
		{"-spelling", index.Spelling},
		{"-synonyms", index.Synonyms},
		{"-structure", index.Structure},
	} {
		if os.Getenv("QUICK") != "" && c.name != os.Getenv("QUICK") {
			continue
		}
		r, err := Measure(t.Context(), c.without)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []struct {
			n string
			Part
		}{{"tuned", r.Tuned}, {"held", r.Held}, {"aside", r.Aside}} {
			pc := func(n int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(p.Relevant)) }
			fmt.Printf("%-12s %-6s q=%d rel=%d  1000:%s 2000:%s 3000:%s  mixed 2000:%s 3000:%s  mrr %.3f mixed %.3f  silent %d+%d/%d mute %d\n", c.name, p.n, p.Questions, p.Relevant, pc(p.Within1000), pc(p.Within2000), pc(p.Within3000), pc(p.Mixed2000), pc(p.Mixed3000), p.MRR, p.MixedMRR, p.Silent, p.Near, p.Unknown, p.Mute)
		}
		if c.without == 0 && os.Getenv("WRONG") != "" {
			for _, w := range r.Wrong {
				fmt.Println("   ", w)
			}
			for l, p := range r.ByLang {
				fmt.Printf("  %s %d/%d mixed2000 %d  mute %d silent %d/%d\n", l, p.Within2000, p.Relevant, p.Mixed2000, p.Mute, p.Silent, p.Unknown)
			}
		}
	}
}
