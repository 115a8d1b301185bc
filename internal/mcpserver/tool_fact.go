package mcpserver

import (
	"context"

	"sdd/internal/fact"
	schemas "sdd/schema"
)

func (c core) factTool() Tool {
	return Tool{
		Name:        "sdd_fact",
		Title:       "Keep a fact",
		Description: "Keep what holds for a project, domain, module or code. The same text is the same fact.",
		Toolset:     "context",
		Writes:      true,
		Idempotent:  true,
		Input:       schemas.Input("sdd_fact"),
		Output:      schemas.Listed("sdd_fact"),
		Call: Handler(func(ctx context.Context, call *Call, in fact.Input) (Result, error) {
			in.Tool = call.Client.tool("sdd_fact")
			out, err := c.Facts.Add(ctx, in)
			if err != nil {
				return Result{}, err
			}
			return Result{Structured: out, Text: out.Text()}, nil
		}),
	}
}
