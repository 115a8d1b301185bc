package tools

import (
	"context"

	"sdd/internal/fact"
	"sdd/internal/mcp/catalog"
)

func (c core) factTool() catalog.Tool {
	return catalog.Tool{
		Name:        "sdd_fact",
		Title:       "Keep a fact",
		Description: "Keep what holds. Same text: same fact.",
		Toolset:     "context",
		Writes:      true,
		Idempotent:  true,
		Call: catalog.TextHandler(func(ctx context.Context, call *catalog.Call, in fact.Input) (fact.Stored, error) {
			in.Tool = call.By()
			return c.Facts.Add(ctx, in)
		}),
	}
}
