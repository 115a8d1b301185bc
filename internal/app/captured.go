package app

import (
	"cmp"
	"context"

	"sdd/internal/anchor"
	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/decision/capture"
	"sdd/internal/record"
)

// approved records approved decisions. An existing one gets the new causes.
type approved struct{ decisions *decision.Decisions }

// Keep records the decision of a candidate.
func (a approved) Keep(ctx context.Context, c candidate.Candidate, by candidate.By) (candidate.Kept, error) {
	before, _ := a.decisions.Get(ctx, c.ID)
	done, err := a.decisions.Record(ctx, decision.Input{
		Decision: cmp.Or(c.Title, c.Content), Causes: c.Causes, Source: c.Source, CodeRef: c.CodeRef, Tool: by.Tool, Session: by.Session,
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

// captured adds uncertain decisions from prose to the inbox.
func (w *App) captured(ctx context.Context, found []capture.Decision, in decision.Input) ([]decision.Placed, error) {
	var list []candidate.Candidate
	for _, d := range found {
		list = append(list, candidate.Candidate{
			Kind: string(record.Decision), Content: d.Decision, Confidence: d.Confidence, Source: in.Source, Signal: d.Rule, Causes: d.Causes,
			Evidence: []candidate.Evidence{{Text: d.Sentence}}, CodeRef: anchor.Named(w.Store.Dir(), d.Sentence),
		})
	}
	stored, err := w.Inbox.Put(ctx, list, candidate.By{Tool: in.Tool, Session: in.Session})
	if err != nil {
		return nil, err
	}
	var placed []decision.Placed
	for _, s := range stored {
		placed = append(placed, decision.Placed{ID: s.ID, File: s.File})
	}
	return placed, nil
}
