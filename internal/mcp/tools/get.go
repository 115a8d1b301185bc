package tools

import (
	"context"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
)

func (c core) getTool() catalog.Tool {
	return catalog.Tool{
		Name:        "sdd_get",
		Title:       "Read a record",
		Description: "Read a record or some sections. Its etags are for if_match.",
		Toolset:     "explore",
		ReadOnly:    true,
		Idempotent:  true,
		Call: catalog.TextHandler(func(ctx context.Context, call *catalog.Call, a lookup.Ask) (lookup.Record, error) {
			w, err := c.With(ctx, a.With)
			if err != nil {
				return lookup.Record{}, err
			}
			r, err := w.Get(ctx, a)
			if fault.Is(err, fault.NotFound) {
				if _, failed := c.InPrivate(ctx, func(far *app.App) error { r, err = far.Get(ctx, a); return err }); failed == nil {
					return r, nil
				}
			}
			if c.Hub && fault.Is(err, fault.NotFound) {
				if far, missed, failed := c.HubGet(ctx, a); missed == nil && failed == nil {
					return far, nil
				}
			}
			if err != nil {
				return core{App: w}.whichRecord(ctx, call, a, err)
			}
			return r, nil
		}),
	}
}
