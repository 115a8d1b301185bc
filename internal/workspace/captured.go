package workspace

import (
	"context"

	"sdd/internal/decision"
	"sdd/internal/inbox"
	"sdd/internal/record"
)

// captured keeps decisions that were found in prose and nobody is sure of.
type captured struct{ inbox *inbox.Inbox }

func (c captured) Put(ctx context.Context, found []decision.Candidate) ([]decision.Placed, error) {
	var list []inbox.Candidate
	var by inbox.By
	for _, d := range found {
		by = inbox.By{Tool: d.Tool, Session: d.Session}
		list = append(list, inbox.Candidate{
			Kind: string(record.Decision), Content: d.Decision, Confidence: d.Confidence, Source: d.Source, Signal: d.Rule,
			Reasons: d.Reasons, Alternatives: d.Alternatives, Consequences: d.Consequences, Constraints: d.Constraints, Assumptions: d.Assumptions,
			Evidence: []inbox.Evidence{{Text: d.Sentence}},
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
