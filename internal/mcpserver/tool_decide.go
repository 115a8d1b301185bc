package mcpserver

import (
	"context"

	"sdd/internal/decision"
	schemas "sdd/schema"
)

func (c core) decideTool() Tool {
	return Tool{
		Name:        "sdd_decide",
		Title:       "Record a decision",
		Description: "Keep what was decided, and why.",
		Toolset:     "decide",
		Writes:      true,
		Idempotent:  true,
		Input:       schemas.Input("sdd_decide"),
		Output:      schemas.Listed("sdd_decide"),
		Call: Handler(func(ctx context.Context, call *Call, in decision.Input) (Result, error) {
			in.Tool = call.Client.tool("sdd_decide")
			out, err := c.Decisions.Record(ctx, in)
			if err != nil {
				return Result{}, err
			}
			out = recorded(out)
			return Result{Structured: out, Text: out.Text()}, nil
		}),
	}
}
