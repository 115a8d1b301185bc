package tools

import (
	"context"

	"sdd/internal/decision"
	"sdd/internal/mcp/catalog"
)

func (c core) decideTool() catalog.Tool {
	return catalog.Tool{
		Name:        "sdd_decide",
		Title:       "Record a decision",
		Description: "Keep what was decided, and why.",
		Toolset:     "decide",
		Writes:      true,
		Idempotent:  true,
		Call: catalog.TextHandler(func(ctx context.Context, call *catalog.Call, in decision.Input) (decision.Recorded, error) {
			in.Tool = call.By()
			out, err := c.Decisions.Record(ctx, in)
			return recorded(out), err
		}),
	}
}
