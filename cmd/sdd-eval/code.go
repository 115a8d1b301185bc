package main

import (
	"context"
	"math"
	"slices"

	"sdd/internal/codesearch/codeeval"
)

// measureCode asks labelled questions about libraries that this module depends on. The naive way is to grep every word and
// to read the ten files with the most of them.
func measureCode(ctx context.Context, top string, parts []string) ([]row, error) {
	report, err := codeeval.Measure(ctx, top, !slices.Contains(parts, tuned))
	if err != nil {
		return nil, err
	}
	of := map[string]codeeval.Part{tuned: report.Tuned, heldOut: report.Held}
	count := func(mean float64, p codeeval.Part) int { return int(math.Round(mean * float64(p.Questions))) }
	line := func(figure string, must int, value func(codeeval.Part) ratio) row {
		r := row{Figure: "code search, " + figure, Must: must, Reached: true}
		for _, part := range parts {
			v := value(of[part])
			r.Cases += of[part].Questions
			if part == tuned {
				r.Tuned = &v
			} else {
				r.Held = &v
			}
			r.Reached = r.Reached && v.reaches(must)
		}
		return r
	}
	rows := []row{
		line("file among the first 10", 72, func(p codeeval.Part) ratio { return share(count(p.Recall, p), p.Questions) }),
		line("rank of the file (MRR)", 60, func(p codeeval.Part) ratio { return mean(p.MRR, p.Questions) }),
		line("lines within 3,000 tokens", 70, func(p codeeval.Part) ratio { return share(count(p.Found, p), p.Questions) }),
		line("lines within 10,000, of the naive way's", 100, func(p codeeval.Part) ratio { return share(count(p.WideFound, p), count(p.NaiveFound, p)) }),
		line("tokens saved against it", 90, func(p codeeval.Part) ratio { return mean(1-p.WideTokens/p.NaiveTokens, p.Questions) }),
	}
	for _, q := range report.Wrong {
		rows[3].Wrong = append(rows[3].Wrong, wrong{ID: q, Want: "found", Got: "not found"})
	}
	return rows, nil
}
