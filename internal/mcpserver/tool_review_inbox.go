package mcpserver

import (
	"context"
	"fmt"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/inbox"
	"sdd/internal/learning"
	"sdd/internal/record"
)

// candidateItem is what an item of sdd_review says of a candidate beside what it says of all records.
type candidateItem struct {
	Of         string           `json:"of,omitempty"` // the kind that it becomes
	Confidence float64          `json:"confidence,omitempty"`
	Evidence   []inbox.Evidence `json:"evidence,omitempty"`
}

// candidateKind is the kind by which a list asks for candidates of every kind.
const candidateKind = "candidate"

// reviewCandidates does what sdd_review is asked for when that is about candidates; mine is false when it is not.
func (c core) reviewCandidates(ctx context.Context, call *Call, in reviewArgs) (res Result, mine bool, err error) {
	by := inbox.By{Tool: call.Client.tool("sdd_review")}
	switch {
	case in.Action == "list":
		f := inbox.Filter{Status: in.Status, Limit: in.Limit, Cursor: in.Cursor}
		if in.Kind != candidateKind {
			if f.Kind = in.Kind; !waitsAs(in.Kind, in.Status) {
				return Result{}, false, nil
			}
		}
		res, err := c.listCandidates(ctx, f)
		return res, true, err
	case in.Action == "apply" && len(in.IDs) == 0 && in.Target == "":
		out, err := c.inbox.Apply(ctx, by)
		if err != nil {
			return Result{}, true, err
		}
		done := reviewed{Items: []reviewedItem{}, Events: []learning.Event{}}
		for _, list := range [][]inbox.Candidate{out.Approved, out.Candidates} {
			for _, k := range list {
				done.Items = append(done.Items, itemOf(k))
			}
		}
		return Result{Structured: done, Text: out.Text()}, true, nil
	}
	if mine, err := c.inbox.Takes(ctx, in.Action, in.IDs); !mine || err != nil {
		return Result{}, mine, err
	}
	moved, err := c.inbox.Review(ctx, inbox.Action{Action: in.Action, IDs: in.IDs, Content: in.Content, Reason: in.Reason, By: by})
	if err != nil {
		if len(moved) > 0 {
			f := *fault.Of(err)
			f.Hint = fmt.Sprintf("%d of %d ids are done already. %s", len(moved), len(in.IDs), f.Hint)
			err = &f
		}
		return Result{}, true, err
	}
	done := reviewed{Items: []reviewedItem{}, Events: []learning.Event{}}
	for _, m := range moved {
		done.Items = append(done.Items, reviewedItem{Moved: learning.Moved(m)})
	}
	return Result{Structured: done, Text: inbox.MovedText(moved)}, true, nil
}

// waitsAs reports whether records of a kind never have a status that candidates for them have.
func waitsAs(kind, status string) bool {
	k := record.Kind(kind)
	return (k == record.Fact || k == record.Decision) && !slices.Contains(record.StatusesOf(k, ""), status) &&
		(status == inbox.Queued || slices.Contains(record.StatusesOf(record.Candidate, ""), status))
}

func (c core) listCandidates(ctx context.Context, f inbox.Filter) (Result, error) {
	list, next, total, err := c.inbox.List(ctx, f)
	if err != nil {
		return Result{}, err
	}
	out := reviewed{Items: []reviewedItem{}, Events: []learning.Event{}, NextCursor: next}
	for _, k := range list {
		out.Items = append(out.Items, itemOf(k))
	}
	text := fmt.Sprintf("%d found, %d shown\n%s", total, len(list), inbox.Text(list))
	if next != "" {
		text += "next page: cursor " + next + "\n"
	}
	return Result{Structured: out, Text: text}, nil
}

func itemOf(k inbox.Candidate) reviewedItem {
	return reviewedItem{
		Moved:         learning.Moved{ID: k.ID, Kind: candidateKind, From: k.Status, To: k.Status, File: k.File, Etag: k.Etag},
		Content:       k.Content,
		candidateItem: candidateItem{Of: k.Kind, Confidence: k.Confidence, Evidence: k.Evidence},
	}
}
