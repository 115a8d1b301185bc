package mcpserver

import (
	"context"

	"sdd/internal/learning"
	schemas "sdd/schema"
)

func (c core) learnTool() Tool {
	return Tool{
		Name:        "sdd_learn",
		Title:       "Keep a learning",
		Description: "Keep what you found out while working: a convention, a quirk, a fix.",
		Toolset:     "learn",
		Writes:      true,
		Idempotent:  true,
		Input:       schemas.Input("sdd_learn"),
		Output:      schemas.Listed("sdd_learn"),
		Call: Handler(func(ctx context.Context, call *Call, in learning.Input) (Result, error) {
			in.Tool = call.Client.tool("sdd_learn")
			out, err := c.Learnings.Learn(ctx, in)
			if err != nil {
				return Result{}, err
			}
			c.views()
			out = learned(out)
			return Result{Structured: out, Text: out.Text()}, nil
		}),
	}
}
