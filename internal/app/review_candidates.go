package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sdd/internal/candidate"
	"sdd/internal/record"
)

// candidateKind is the kind of a list of all candidates.
const candidateKind = "candidate"

// listsCandidates reports whether a list by that kind and status is one of candidates: no record of the kind ever has the status.
func listsCandidates(kind, status string) bool {
	ofCandidates := status == candidate.Queued || slices.Contains(record.StatusesOf(record.Candidate, ""), status)
	switch k := record.Kind(kind); k {
	case "":
		return ofCandidates && !slices.Contains(record.StatusesOf(record.Idea, record.Learning), status)
	case record.Fact, record.Decision:
		return ofCandidates && !slices.Contains(record.StatusesOf(k, ""), status)
	}
	return false
}

// candidateReviewer approves and rejects candidates.
func (w *App) candidateReviewer() reviewer {
	by := func(a ReviewArgs) candidate.By { return candidate.By{Tool: a.Tool} }
	moves := func(list []candidate.Moved, err error) (Reviewed, error) {
		return Reviewed{Items: movedItems(list), text: cmp.Or(candidate.MovedText(list), "nothing to do\n")}, err
	}
	return reviewer{
		kind: candidateKind, actions: candidate.Actions,
		owns: func(ctx context.Context, action, id string) (bool, error) {
			return w.Inbox.Takes(ctx, action, []string{id})
		},
		act: func(ctx context.Context, a ReviewArgs) (Reviewed, error) {
			return moves(w.Inbox.Review(ctx, a.step()))
		},
		// apply has no ids: it writes the candidates that people approved in the files. approve without ids
		// may mean all pending ones.
		whole: func(ctx context.Context, a ReviewArgs) (Reviewed, bool, error) {
			switch {
			case a.Action == "apply" && a.Target == "":
				done, err := w.Inbox.Apply(ctx, by(a))
				return Reviewed{Items: slices.Concat(candidateItems(done.Approved), candidateItems(done.Candidates)), text: done.Text()}, true, err
			case a.Action == "approve" && a.All:
				out, err := moves(w.Inbox.ApproveAll(ctx, a.Least, by(a)))
				return out, true, err
			}
			return Reviewed{}, false, nil
		},
		list: func(ctx context.Context, a ReviewArgs) (Reviewed, error) {
			list, next, total, err := w.Inbox.List(ctx, candidate.Filter{
				Kind: a.Of, Status: a.Status, Domain: a.Domain, MinConfidence: a.Least, Limit: a.Limit, Cursor: a.Cursor,
			})
			text := fmt.Sprintf("%d found, %d shown\n%s", total, len(list), candidate.Text(list))
			if next != "" {
				text += "next page: cursor " + next + "\n"
			}
			return NewReviewed(candidateItems(list), nil, next, text), err
		},
	}
}

func candidateItems(list []candidate.Candidate) (items []ReviewedItem) {
	for _, c := range list {
		items = append(items, ReviewedItem{
			ID: c.ID, Kind: candidateKind, From: c.Status, To: c.Status, File: c.File, Etag: c.Etag,
			Content: c.Content, Of: c.Kind, Confidence: c.Confidence, Evidence: c.Evidence,
		})
	}
	return items
}
