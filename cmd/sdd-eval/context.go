package main

import (
	"context"
	"slices"

	"sdd/internal/answer/contexteval"
)

// Labels and verdicts of a record that answers a question, and of a question about nothing known.
const (
	within   = "within 2,000 tokens"
	beyond   = "not within 2,000 tokens"
	unknown  = "told as not known"
	answered = "answered"
)

// measureContext counts questions as cases, and records that answer them in the share. The held part is that of the
// tuned projects and the whole project that nobody looked at.
func measureContext(ctx context.Context, _ string, parts []string) ([]row, error) {
	reports, err := contexteval.Measure(ctx, 0)
	if err != nil {
		return nil, err
	}
	r := reports[0]
	found, known := newOutcome(parts), newOutcome(parts)
	count := func(part string, p contexteval.Part) {
		if !slices.Contains(parts, part) {
			return
		}
		add := func(o *outcome, want, got string, n int) {
			for range n {
				o.matrix[part].add(want, got)
			}
		}
		found.cases += p.Questions
		add(found, within, within, p.Within2000)
		add(found, within, beyond, p.Relevant-p.Within2000)
		known.cases += p.Unknown
		add(known, unknown, unknown, p.Silent+p.Near)
		add(known, unknown, answered, p.Unknown-p.Silent-p.Near)
	}
	count(tuned, r.Tuned)
	count(heldOut, r.Held)
	count(heldOut, r.Aside)
	if slices.Contains(parts, tuned) {
		for _, w := range r.Wrong {
			found.wrong = append(found.wrong, wrong{ID: w, Want: within, Got: beyond})
		}
	}
	return []row{
		found.row("context, relevant", 80, func(m matrix) ratio { return m.recall(within) }),
		known.row("context, nothing known", 70, func(m matrix) ratio { return m.recall(unknown) }),
	}, nil
}
