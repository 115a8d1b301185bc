package mcpserver

import (
	"context"

	"sdd/internal/lookup"
	schemas "sdd/schema"
)

func (c core) searchTool() Tool {
	return Tool{
		Name:        "sdd_search",
		Aliases:     []string{"mem_search"},
		Title:       "Search records",
		Description: "Find what this project has found out, in any language; without a query the newest. Returns ids for sdd_get.",
		Toolset:     "explore",
		ReadOnly:    true,
		Idempotent:  true,
		Input:       schemas.Input("sdd_search"),
		Output:      schemas.Listed("sdd_search"),
		Call: Handler(func(ctx context.Context, _ *Call, q lookup.Query) (Result, error) {
			f, err := c.Search(ctx, q)
			if err != nil {
				return Result{}, err
			}
			return Result{Structured: f, Text: f.Text()}, nil
		}),
	}
}
