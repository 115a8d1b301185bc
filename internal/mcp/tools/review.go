package tools

import (
	"context"
	"fmt"
	"strings"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/mcp/catalog"
)

func (c core) reviewTool() catalog.Tool {
	return catalog.Tool{
		Name:        "sdd_review",
		Title:       "Review records",
		Description: "List learnings, facts or candidates, and move them through their life.",
		Toolset:     "review",
		Writes:      true,
		Call: catalog.TextHandler(func(ctx context.Context, call *catalog.Call, in app.ReviewArgs) (app.Reviewed, error) {
			if in.Action == "events" {
				return c.listEvents(ctx, in)
			}
			in.Tool, in.MaxTokens = call.By(), catalog.MaxTokens
			if in.Action == "approve" && len(in.IDs) == 0 {
				ids, chosen, err := c.whichCandidates(ctx, call)
				if err != nil || chosen && len(ids) == 0 {
					return app.NewReviewed(nil, nil, "", "nothing was approved\n"), err
				}
				in.IDs = ids
			}
			out, err := c.Review(ctx, in)
			switch {
			case err != nil && len(out.Items) > 0:
				f := *fault.Of(err)
				f.Hint = strings.TrimSpace(fmt.Sprintf("%d of %d ids are done already. %s", len(out.Items), len(in.IDs), f.Hint))
				return out, &f
			case err != nil || in.Action == "list":
				return out, err
			}
			c.views()
			return moves(out), nil
		}),
	}
}

func (c core) listEvents(ctx context.Context, in app.ReviewArgs) (app.Reviewed, error) {
	if in.Limit == 0 {
		in.Limit = app.ReviewPage
	}
	events, next, err := c.Learnings.Events(ctx, in.Cursor, in.Limit)
	return happened(events, next), err
}
