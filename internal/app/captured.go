package app

import (
	"cmp"
	"context"

	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/record"
)

// approved records approved decisions: one that is recorded already gets what is new.
type approved struct{ decisions *decision.Decisions }

// Keep records the decision of a candidate.
func (a approved) Keep(ctx context.Context, c candidate.Candidate, by candidate.By) (candidate.Kept, error) {
	before, _ := a.decisions.Get(ctx, c.ID)
	done, err := a.decisions.Record(ctx, decision.Input{
		Decision: cmp.Or(c.Title, c.Content), Reasons: c.Reasons, Alternatives: c.Alternatives,
		Consequences: c.Consequences, Constraints: c.Constraints, Assumptions: c.Assumptions,
		Source: c.Source, Tool: by.Tool, Session: by.Session,
	})
	if err != nil || len(done.Results) == 0 {
		return candidate.Kept{}, err
	}
	r := done.Results[0]
	kept := candidate.Kept{ID: r.ID, Action: r.Action, File: r.File, Etag: r.Etag}
	if r.ID == before.ID && r.Etag == before.Etag {
		kept.Action = candidate.Duplicate
	}
	return kept, nil
}

// captured puts unsure decisions from prose into the inbox.
type captured struct{ inbox *candidate.Inbox }

func (c captured) Put(ctx context.Context, found []decision.Candidate) ([]decision.Placed, error) {
	var list []candidate.Candidate
	var by candidate.By
	for _, d := range found {
		by = candidate.By{Tool: d.Tool, Session: d.Session}
		list = append(list, candidate.Candidate{
			Kind: string(record.Decision), Content: d.Decision, Confidence: d.Confidence, Source: d.Source, Signal: d.Rule,
			Reasons: d.Reasons, Alternatives: d.Alternatives, Consequences: d.Consequences, Constraints: d.Constraints, Assumptions: d.Assumptions,
			Evidence: []candidate.Evidence{{Text: d.Sentence}},
		})
	}
	stored, err := c.inbox.Put(ctx, list, by)
	if err != nil {
		return nil, err
	}
	var placed []decision.Placed
	for _, s := range stored {
		placed = append(placed, decision.Placed{ID: s.ID, File: s.File})
	}
	return placed, nil
}
