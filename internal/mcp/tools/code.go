package tools

import (
	"context"

	"sdd/internal/codesearch"
	"sdd/internal/mcp/catalog"
)

func (c core) codeTool() catalog.Tool {
	return catalog.Tool{
		Name:        "sdd_code",
		Title:       "Search code",
		Description: "Find the lines of code that answer a question, before opening files.",
		Toolset:     "code",
		ReadOnly:    true,
		Idempotent:  true,
		OpenWorld:   true,
		Call: catalog.TextHandler(func(ctx context.Context, _ *catalog.Call, q codesearch.Query) (codesearch.Result, error) {
			return c.Code.Search(ctx, q)
		}),
	}
}
