package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/learning"
	schemas "sdd/schema"
)

func (c core) reviewTool() Tool {
	return Tool{
		Name:        "sdd_review",
		Title:       "Review records",
		Description: "List learnings, facts or candidates, and move them through their life.",
		Toolset:     "review",
		Writes:      true,
		Input:       schemas.Input("sdd_review"),
		Output:      schemas.Listed("sdd_review"),
		Call: Handler(func(ctx context.Context, call *Call, in ReviewArgs) (Result, error) {
			if in.Action == "events" {
				return c.listEvents(ctx, in)
			}
			in.Tool, in.MaxTokens = call.Client.tool("sdd_review"), maxTokens
			if in.Action == "approve" && len(in.IDs) == 0 {
				ids, chosen, err := c.whichCandidates(ctx, call)
				switch {
				case err != nil:
					return Result{}, err
				case chosen && len(ids) == 0:
					return Result{Structured: Reviewed{Items: []ReviewedItem{}, Events: []learning.Event{}}, Text: "nothing was approved\n"}, nil
				}
				in.IDs = ids
			}
			out, text, err := Review(ctx, Reviewers(c.App), in)
			if err != nil {
				if len(out.Items) > 0 {
					f := *fault.Of(err)
					f.Hint = strings.TrimSpace(fmt.Sprintf("%d of %d ids are done already. %s", len(out.Items), len(in.IDs), f.Hint))
					return Result{}, &f
				}
				return Result{}, err
			}
			if in.Action != "list" {
				c.views()
				out, text = out.moves(text)
			}
			return Result{Structured: out, Text: text}, nil
		}),
	}
}

func (c core) listEvents(ctx context.Context, in ReviewArgs) (Result, error) {
	if in.Limit == 0 {
		in.Limit = pageDefault
	}
	events, next, err := c.Learnings.Events(ctx, in.Cursor, in.Limit)
	if err != nil {
		return Result{}, err
	}
	if events == nil {
		events = []learning.Event{}
	}
	page, text := happened(events, next)
	return Result{Structured: page, Text: text}, nil
}
