package mcpserver

import (
	"context"

	"sdd/internal/explore"
	schemas "sdd/schema"
)

func (c core) exploreTool() Tool {
	return Tool{
		Name:        "sdd_explore",
		Title:       "Save an exploration",
		Description: "Save what a talk found out before work starts. The same title merges: given sections replace, others stay.",
		Toolset:     "explore",
		Writes:      true,
		Idempotent:  false,
		Input:       schemas.Input("sdd_explore"),
		Output:      schemas.Listed("sdd_explore"),
		Call: Handler(func(ctx context.Context, call *Call, in explore.Input) (Result, error) {
			in.Tool = call.Client.tool("sdd_explore")
			in, err := c.whichExploration(ctx, call, in)
			if err != nil {
				return Result{}, err
			}
			r, err := explore.Save(ctx, c.Store, c.Index, in)
			if err != nil {
				return Result{}, err
			}
			r = r.Within(maxTokens)
			return Result{Structured: r, Text: r.Text()}, nil
		}),
	}
}

// tool names the client's program with the tool, for the journal.
func (c Client) tool(name string) string {
	if c.Name == "" {
		return name
	}
	return name + " (" + c.Name + ")"
}
