package tools

import (
	"context"

	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
)

func (c core) getTool() catalog.Tool {
	return catalog.Tool{
		Name:        "sdd_get",
		Title:       "Read a record",
		Description: "Read one record, whole or some sections. Its etags are what if_match takes.",
		Toolset:     "explore",
		ReadOnly:    true,
		Idempotent:  true,
		Call: catalog.TextHandler(func(ctx context.Context, call *catalog.Call, a lookup.Ask) (lookup.Record, error) {
			r, err := c.Get(ctx, a)
			if err != nil {
				return c.whichRecord(ctx, call, a, err)
			}
			return r, nil
		}),
	}
}
