package workspace

import (
	"context"

	"sdd/internal/briefing"
	"sdd/internal/fact/extract"
	"sdd/internal/inbox"
	"sdd/internal/record"
)

// extract finds candidates in changes, for the inbox.
func (w *Workspace) extract(ctx context.Context, r inbox.Range) ([]inbox.Candidate, error) {
	what := r.To
	switch {
	case r.Staged:
		what = extract.Staged
	case r.Worktree:
		what = extract.WorkTree
	case r.From != "":
		what = r.From + ".." + r.To
	}
	found, err := extract.From(ctx, r.Repo, what, extract.Options{})
	if err != nil {
		return nil, err
	}
	var list []inbox.Candidate
	for _, c := range found.Candidates {
		k := inbox.Candidate{
			Kind: c.Kind, Content: c.Content, Confidence: c.Confidence, Level: c.Level, Domain: c.Domain, Module: c.Module, Signal: c.Signal,
			Reasons: c.Reasons, Alternatives: c.Alternatives, Consequences: c.Consequences, Constraints: c.Constraints, Assumptions: c.Assumptions,
		}
		for _, e := range c.Evidence {
			k.Evidence = append(k.Evidence, inbox.Evidence(e))
		}
		list = append(list, k)
	}
	return list, nil
}

// commits tells the briefing what was found in commits.
type commits struct{ *inbox.Inbox }

func (c commits) Waiting(ctx context.Context) ([]briefing.Waiting, error) {
	approved, err := c.Approved(ctx)
	if err != nil {
		return nil, err
	}
	queued, err := c.Queued(ctx)
	if err != nil {
		return nil, err
	}
	var list []briefing.Waiting
	for _, k := range append(approved, queued...) {
		if k.Status == inbox.Queued && k.Confidence < inbox.Sure {
			continue // nobody has vouched for it
		}
		list = append(list, briefing.Waiting{
			ID: k.ID, Content: k.Content, Decision: k.Kind == string(record.Decision), Level: k.Level, Domain: k.Domain, Commit: k.Commit,
		})
	}
	return list, nil
}

func (c commits) TakeIn(ctx context.Context, tool, session string) error {
	by := inbox.By{Tool: tool, Session: session}
	if err := c.Follow(ctx); err != nil { // what no hook told of
		return err
	}
	_, err := c.Extract(ctx, "", inbox.Range{}, by)
	return err
}

func (c commits) Pending(ctx context.Context) (int, error) {
	_, _, n, err := c.List(ctx, inbox.Filter{Status: inbox.Pending, Limit: 1})
	return n, err
}
