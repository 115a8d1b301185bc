package mcpserver

import (
	"context"

	"sdd/internal/lookup"
	schemas "sdd/schema"
)

func (c core) getTool() Tool {
	return Tool{
		Name:        "sdd_get",
		Title:       "Read a record",
		Description: "Read one record, whole or some sections. Its etags are what if_match takes.",
		Toolset:     "explore",
		ReadOnly:    true,
		Idempotent:  true,
		Input:       schemas.Input("sdd_get"),
		Output:      schemas.Listed("sdd_get"),
		Call: Handler(func(ctx context.Context, call *Call, a lookup.Ask) (Result, error) {
			r, err := c.Get(ctx, a)
			if err != nil {
				r, err = c.whichRecord(ctx, call, a, err)
			}
			if err != nil {
				return Result{}, err
			}
			return Result{Structured: r, Text: r.Text()}, nil
		}),
	}
}
