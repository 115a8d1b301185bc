package tools

import (
	"context"

	"sdd/internal/learning"
	"sdd/internal/mcp/catalog"
)

func (c core) learnTool() catalog.Tool {
	return catalog.Tool{
		Name:        "sdd_learn",
		Title:       "Keep a learning",
		Description: "Keep what you found out while working: a convention, a quirk, a fix.",
		Toolset:     "learn",
		Writes:      true,
		Idempotent:  true,
		Call: catalog.TextHandler(func(ctx context.Context, call *catalog.Call, in learning.Input) (learning.Learned, error) {
			in.Tool = call.By()
			out, err := c.Learnings.Learn(ctx, in)
			if err != nil {
				return out, err
			}
			c.views()
			return learned(out), nil
		}),
	}
}
