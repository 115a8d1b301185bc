package app

import (
	"context"
	"slices"

	"sdd/internal/anchor"
	"sdd/internal/answer"
	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/decision/capture"
	"sdd/internal/fact/extract"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/tier"
)

// keepDecision records an approved decision. An existing one gets the new causes.
func (w *App) keepDecision(ctx context.Context, c candidate.Candidate, by candidate.By) (candidate.Kept, error) {
	before, _ := w.Decisions.Get(ctx, c.ID)
	done, err := w.Decisions.Record(ctx, decision.Input{
		Decision: c.Decided(), Causes: c.Causes, Source: c.Source, CodeRef: c.CodeRef, Tool: by.Tool, Session: by.Session,
		Day: c.Day(), Evidence: c.EvidenceText(),
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

// extract finds candidates in changes, for the inbox.
func (w *App) extract(ctx context.Context, r candidate.Range) ([]candidate.Candidate, error) {
	var found []extract.Candidate
	var err error
	switch {
	case r.Staged, r.Worktree:
		found, err = extract.Uncommitted(ctx, r.Repo, r.Staged)
	case r.All:
		found, err = extract.From(ctx, r.Repo, r.Read, r.To)
	case r.From != "":
		found, err = extract.From(ctx, r.Repo, nil, r.From+".."+r.To)
	default:
		found, err = extract.From(ctx, r.Repo, nil, r.To+"^!")
	}
	if err != nil {
		return nil, err
	}
	head, err := w.Tree.At(ctx, "HEAD") // nil without a commit
	if err == nil {
		defer head.Close()
	}
	var list []candidate.Candidate
	for _, c := range found {
		k := candidate.Candidate{
			Kind: c.Kind, Content: c.Content, Confidence: c.Confidence, Domain: c.Domain, Signal: c.Signal, Key: c.Key,
			Date: c.Date, Causes: record.Causes{Reasons: c.Reasons, Alternatives: c.Alternatives},
		}
		if c.Domain != "" && c.Kind == extract.Fact {
			k.Level = 1
		}
		if c.CodeRef != "" {
			k.CodeRef, k.Pins = declared(head, c.CodeRef)
		}
		for _, e := range c.Evidence {
			k.Evidence = append(k.Evidence, candidate.Evidence(e))
		}
		list = append(list, k)
	}
	return list, nil
}

// declared returns a line of the checked-out commit as a place with its fingerprint: the symbol that it declares, else the line.
func declared(head *anchor.Tree, line string) (anchor.Places, []string) {
	r, err := anchor.ParseRef(line)
	if err != nil || head == nil {
		return anchor.Places{line}, nil
	}
	if f, err := head.File(r.Path); err == nil {
		if s, ok := f.At(r.First); ok && s.First == r.First && len(f.Find(s.Name)) == 1 {
			r = anchor.Ref{Path: r.Path, Symbol: s.Name}
		}
	}
	entry, r, err := head.Pin(r)
	if err != nil {
		return anchor.Places{r.String()}, nil
	}
	return anchor.Places{r.String()}, []string{entry}
}

// commits supplies the briefing with candidates from commits.
type commits struct {
	*candidate.Inbox
	tree *tier.Tree
}

func (c commits) Waiting(ctx context.Context) (list []answer.Waiting, err error) {
	defer fault.Caught(&err)
	approved, queued := fault.Must(c.Approved(ctx)), fault.Must(c.Queued(ctx))
	for _, k := range append(approved, queued...) {
		if k.Status == candidate.Queued && k.Confidence < candidate.Sure || k.Kind == string(candidate.Tidy) {
			continue // it needs an approval, or it makes no record
		}
		list = append(list, answer.Waiting{
			ID: k.ID, Content: k.Content, Decision: k.Kind == string(record.Decision), Domain: k.Domain, Commit: k.Commit,
		})
	}
	var found []string // commits of the queue; a file of the inbox can claim any, and has the tier of a candidate
	for _, k := range queued {
		if k.Commit != "" {
			found = append(found, k.Commit)
		}
	}
	unmerged := c.tree.Unmerged(ctx, found)
	for n := range list {
		switch w := &list[n]; {
		case unmerged == nil || !slices.ContainsFunc(queued, func(k candidate.Candidate) bool { return k.ID == w.ID && k.Commit != "" }):
		case unmerged[w.Commit]:
			w.Tier = tier.Branch
		default:
			w.Tier = tier.Main
		}
	}
	return list, nil
}

func (c commits) TakeIn(ctx context.Context) error { return c.Follow(ctx) }

func (c commits) Pending(ctx context.Context) (int, error) {
	_, _, n, err := c.List(ctx, candidate.Filter{Status: candidate.Pending, Limit: 1})
	return n, err
}
