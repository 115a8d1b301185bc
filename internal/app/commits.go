package app

import (
	"context"

	"sdd/internal/answer"
	"sdd/internal/candidate"
	"sdd/internal/fact/extract"
	"sdd/internal/record"
)

// extract finds candidates in changes, for the inbox.
func (w *App) extract(ctx context.Context, r candidate.Range) ([]candidate.Candidate, error) {
	var found extract.Result
	var err error
	switch {
	case r.Staged, r.Worktree:
		found, err = extract.Uncommitted(ctx, r.Repo, r.Staged)
	case r.All:
		found, err = extract.From(ctx, r.Repo, extract.Options{Read: r.Read}, r.To)
	case r.From != "":
		found, err = extract.From(ctx, r.Repo, extract.Options{}, r.From+".."+r.To)
	default:
		found, err = extract.From(ctx, r.Repo, extract.Options{}, r.To+"^!")
	}
	if err != nil {
		return nil, err
	}
	var list []candidate.Candidate
	for _, c := range found.Candidates {
		k := candidate.Candidate{
			Kind: c.Kind, Content: c.Content, Confidence: c.Confidence, Domain: c.Domain, Signal: c.Signal, Key: c.Key, CodeRef: c.CodeRef,
			Date: c.Date, Causes: record.Causes{Reasons: c.Reasons, Alternatives: c.Alternatives},
		}
		if c.Domain != "" && c.Kind == extract.Fact {
			k.Level = 1
		}
		for _, e := range c.Evidence {
			k.Evidence = append(k.Evidence, candidate.Evidence(e))
		}
		list = append(list, k)
	}
	return list, nil
}

// commits supplies the briefing with candidates from commits.
type commits struct{ *candidate.Inbox }

func (c commits) Waiting(ctx context.Context) ([]answer.Waiting, error) {
	approved, err := c.Approved(ctx)
	if err != nil {
		return nil, err
	}
	queued, err := c.Queued(ctx)
	if err != nil {
		return nil, err
	}
	var list []answer.Waiting
	for _, k := range append(approved, queued...) {
		if k.Status == candidate.Queued && k.Confidence < candidate.Sure {
			continue // it needs an approval
		}
		list = append(list, answer.Waiting{
			ID: k.ID, Content: k.Content, Decision: k.Kind == string(record.Decision), Level: k.Level, Domain: k.Domain, Commit: k.Commit,
		})
	}
	return list, nil
}

func (c commits) TakeIn(ctx context.Context) error {
	return c.Follow(ctx)
}

func (c commits) Pending(ctx context.Context) (int, error) {
	_, _, n, err := c.List(ctx, candidate.Filter{Status: candidate.Pending, Limit: 1})
	return n, err
}
