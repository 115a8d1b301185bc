package tools

import (
	"context"

	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
)

func (c core) searchTool() catalog.Tool {
	return catalog.Tool{
		Name:        "sdd_search",
		Aliases:     []string{"mem_search"},
		Title:       "Search records",
		Description: "Find what this project has found out, in any language; without a query the newest. Returns ids for sdd_get.",
		Toolset:     "explore",
		ReadOnly:    true,
		Idempotent:  true,
		Call: catalog.TextHandler(func(ctx context.Context, _ *catalog.Call, q lookup.Query) (lookup.Found, error) {
			return c.Search(ctx, q)
		}),
	}
}
