package tools

import (
	"context"

	"sdd/internal/explore"
	"sdd/internal/mcp/catalog"
)

func (c core) exploreTool() catalog.Tool {
	return catalog.Tool{
		Name:        "sdd_explore",
		Title:       "Save an exploration",
		Description: "Save what a talk found out before work starts. The same title merges: given sections replace, others stay.",
		Toolset:     "explore",
		Writes:      true,
		Idempotent:  false,
		Call: catalog.TextHandler(func(ctx context.Context, call *catalog.Call, in explore.Input) (explore.Result, error) {
			in.Tool = call.By()
			in, err := c.whichExploration(ctx, call, in)
			if err != nil {
				return explore.Result{}, err
			}
			r, err := c.Explore(ctx, in)
			return r.Within(catalog.MaxTokens), err
		}),
	}
}
