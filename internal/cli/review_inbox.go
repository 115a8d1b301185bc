package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/inbox"
	"sdd/internal/learning"
)

// candidateReview is what sdd review does with candidates.
type candidateReview struct {
	filter inbox.Filter
	all    bool
	least  float64
}

// candidatePage is a page of candidates as JSON.
type candidatePage struct {
	Candidates []inbox.Candidate `json:"candidates"`
	Total      int               `json:"total"`
	NextCursor string            `json:"next_cursor"`
}

func (o *candidateReview) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.filter.Kind, "kind", "", "with list: fact, decision or idea")
	f.StringVar(&o.filter.Status, "status", "", "with list: pending, approved, rejected, queued or any (default: all but rejected)")
	f.StringVar(&o.filter.Domain, "domain", "", "with list: of that domain")
	f.IntVar(&o.filter.Limit, "limit", 0, "with list: candidates a page, 1 to 500 (default 50)")
	f.StringVar(&o.filter.Cursor, "cursor", "", "with list: next_cursor of the page before")
	f.BoolVar(&o.all, "all", false, "with approve: all that are pending, from --min-confidence on")
	f.Float64Var(&o.least, "min-confidence", 0, "with list and approve --all: 0 to 1")
}

// reviewInbox does an action to candidates; mine is false when it is not about them.
func (a *app) reviewInbox(ctx context.Context, o candidateReview, act learning.Action) (mine bool, err error) {
	i, err := a.candidates()
	if err != nil {
		return true, err
	}
	by := inbox.By{Tool: "sdd review"}
	switch act.Action {
	case "list":
		if len(act.IDs) > 0 {
			return true, usage("list takes no ids: sdd show prints one record")
		}
		o.filter.MinConfidence = o.least
		return true, a.listInbox(ctx, i, o.filter)
	case "apply":
		if len(act.IDs) > 0 || act.Target != "" {
			return false, nil // a learning that was used
		}
		out, err := i.Apply(ctx, by)
		if err != nil {
			return true, err
		}
		return true, a.print(out, out.Text)
	case "approve":
		if o.all {
			if len(act.IDs) > 0 {
				return true, usage("approve takes ids or --all, not both")
			}
			moved, err := i.ApproveAll(ctx, o.least, by)
			return true, a.printMoved(moved, err)
		}
	}
	if mine, err := i.Takes(ctx, act.Action, act.IDs); !mine || err != nil {
		return mine, err
	}
	moved, err := i.Review(ctx, inbox.Action{Action: act.Action, IDs: act.IDs, Content: act.Content, Reason: act.Reason, IfMatch: act.IfMatch, By: by})
	return true, a.printMoved(moved, err)
}

// printMoved prints what was done, also where a later id failed.
func (a *app) printMoved(moved []inbox.Moved, err error) error {
	if err != nil && (a.json || len(moved) == 0) {
		return err
	}
	text := func() string {
		if len(moved) == 0 {
			return "nothing to do\n"
		}
		return inbox.MovedText(moved)
	}
	if e := a.print(map[string][]inbox.Moved{"items": moved}, text); e != nil {
		return e
	}
	return err
}

func (a *app) listInbox(ctx context.Context, i *inbox.Inbox, f inbox.Filter) error {
	list, next, total, err := i.List(ctx, f)
	if err != nil {
		return err
	}
	return a.print(candidatePage{list, total, next}, func() string {
		var b strings.Builder
		fmt.Fprintf(&b, "%d found, %d shown\n%s", total, len(list), inbox.Text(list))
		if next != "" {
			b.WriteString("next page: --cursor " + next + "\n")
		}
		return b.String()
	})
}

// reviewActions are those of every kind of record.
func reviewActions() []string {
	all := []string{"list"}
	for _, list := range [][]string{inbox.Actions, learning.Actions} {
		for _, action := range list {
			if !slices.Contains(all, action) {
				all = append(all, action)
			}
		}
	}
	return all
}
