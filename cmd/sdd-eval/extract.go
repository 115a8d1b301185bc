package main

import (
	"context"
	"path/filepath"
	"slices"

	"sdd/internal/fact/extract/extracteval"
)

// Labels and verdicts of what a commit changes: a reader would keep it or not, it is told or not.
const (
	keep   = "keep"
	leave  = "leave"
	told   = "told"
	silent = "silent"
)

// measureExtraction counts commits as cases. In the shares are what is told of them, and what is to be kept of them.
func measureExtraction(_ context.Context, top string, parts []string) ([]row, error) {
	r, err := extracteval.Evaluate(filepath.Join(top, "internal/fact/extract/extracteval/testdata"))
	if err != nil {
		return nil, err
	}
	of := map[string]extracteval.Part{tuned: r.Tuned, heldOut: r.Held}
	figure := func(name string, must int, share func(p extracteval.Part) ratio) row {
		out := row{Figure: name, Must: must, Reached: true, Matrix: map[string]matrix{}}
		for _, part := range parts {
			p := of[part]
			v := share(p)
			out.Cases += p.Commits
			out.Matrix[part] = matrix{keep: {told: p.Found, silent: p.Wanted - p.Found}, leave: {told: p.Told - p.Useful}}
			out.Reached = out.Reached && v.reaches(must)
			if part == tuned {
				out.Tuned = &v
			} else {
				out.Held = &v
			}
		}
		return out
	}
	rows := []row{
		figure("facts from commits, useful", extracteval.MustUseful, func(p extracteval.Part) ratio { return share(p.Useful, p.Told) }),
		figure("facts from commits, told", extracteval.MustRecall, func(p extracteval.Part) ratio { return share(p.Found, p.Wanted) }),
	}
	if slices.Contains(parts, tuned) {
		for _, w := range r.Wrong {
			rows[0].Wrong = append(rows[0].Wrong, wrong{ID: w.Commit, Want: w.Want, Got: w.Got, Rule: w.Signal})
		}
	}
	return rows, nil
}
