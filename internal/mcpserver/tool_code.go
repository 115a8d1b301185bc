package mcpserver

import (
	"context"

	"sdd/internal/codesearch"
	schemas "sdd/schema"
)

func (c core) codeTool() Tool {
	return Tool{
		Name:        "sdd_code",
		Title:       "Search code",
		Description: "Find the code that answers a question and get just those lines, before opening files.",
		Toolset:     "code",
		ReadOnly:    true,
		Idempotent:  true,
		OpenWorld:   true,
		Input:       schemas.Input("sdd_code"),
		Output:      schemas.Listed("sdd_code"),
		Call: Handler(func(ctx context.Context, _ *Call, q codesearch.Query) (Result, error) {
			r, err := c.Code.Search(ctx, q)
			if err != nil {
				return Result{}, err
			}
			return Result{Structured: r, Text: r.Text()}, nil
		}),
	}
}
