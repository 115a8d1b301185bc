package tools

import (
	"context"
	"strings"

	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
)

func (c core) searchTool() catalog.Tool {
	return catalog.Tool{
		Name:        "sdd_search",
		Aliases:     []string{"mem_search"},
		Title:       "Search records",
		Description: "Find what this project knows, in any language; without a query the newest. Ids are for sdd_get.",
		Toolset:     "explore",
		ReadOnly:    true,
		Idempotent:  true,
		Call: catalog.TextHandler(func(ctx context.Context, _ *catalog.Call, q lookup.Query) (lookup.Found, error) {
			if c.Hub && strings.TrimSpace(q.Query) != "" {
				found, _, err := c.HubSearch(ctx, q)
				return found, err
			}
			return c.SearchWith(ctx, q)
		}),
	}
}
