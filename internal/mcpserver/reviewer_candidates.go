package mcpserver

import (
	"context"
	"fmt"
	"slices"

	"sdd/internal/candidate"
	"sdd/internal/learning"
	"sdd/internal/record"
)

// candidateKind is the kind by which a list asks for candidates of every kind.
const candidateKind = "candidate"

// waits reports whether a list by that kind and status is one of candidates: no record of the kind ever has the status.
func waits(kind, status string) bool {
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
func candidateReviewer(i *candidate.Inbox) Reviewer {
	by := func(a ReviewArgs) candidate.By { return candidate.By{Tool: a.Tool} }
	told := func(list []candidate.Moved, err error) (Reviewed, string, error) {
		var out Reviewed
		for _, m := range list {
			out.Items = append(out.Items, moved(m.ID, m.Kind, m.From, m.To, m.File, m.Etag))
		}
		text := candidate.MovedText(list)
		if len(list) == 0 {
			text = "nothing to do\n"
		}
		return out, text, err
	}
	return Reviewer{
		Kind: candidateKind, Actions: candidate.Actions,
		Owns: func(ctx context.Context, action, id string) (bool, error) { return i.Takes(ctx, action, []string{id}) },
		Act: func(ctx context.Context, a ReviewArgs) (Reviewed, string, error) {
			return told(i.Review(ctx, candidate.Action{Action: a.Action, IDs: a.IDs, Content: a.Content, Reason: a.Reason, IfMatch: a.IfMatch, By: by(a)}))
		},
		// What people approved in the files is written by apply without ids; approve may mean all that wait.
		Whole: func(ctx context.Context, a ReviewArgs) (Reviewed, string, bool, error) {
			switch {
			case a.Action == "apply" && a.Target == "":
				done, err := i.Apply(ctx, by(a))
				var out Reviewed
				for _, list := range [][]candidate.Candidate{done.Approved, done.Candidates} {
					for n := range list {
						out.Items = append(out.Items, candidateItem(&list[n]))
					}
				}
				return out, done.Text(), true, err
			case a.Action == "approve" && a.All:
				out, text, err := told(i.ApproveAll(ctx, a.Least, by(a)))
				return out, text, true, err
			}
			return Reviewed{}, "", false, nil
		},
		List: func(ctx context.Context, a ReviewArgs) (Reviewed, string, error) {
			list, next, total, err := i.List(ctx, candidate.Filter{
				Kind: a.Of, Status: a.Status, Domain: a.Domain, MinConfidence: a.Least, Limit: a.Limit, Cursor: a.Cursor,
			})
			out := Reviewed{Items: []ReviewedItem{}, Events: []learning.Event{}, NextCursor: next}
			for n := range list {
				out.Items = append(out.Items, candidateItem(&list[n]))
			}
			text := fmt.Sprintf("%d found, %d shown\n%s", total, len(list), candidate.Text(list))
			if next != "" {
				text += "next page: cursor " + next + "\n"
			}
			return out, text, err
		},
	}
}

func candidateItem(c *candidate.Candidate) ReviewedItem {
	item := moved(c.ID, candidateKind, c.Status, c.Status, c.File, c.Etag)
	item.Content, item.Of, item.Confidence, item.Evidence = c.Content, c.Kind, c.Confidence, c.Evidence
	return item
}
