package tools

import (
	"context"

	"sdd/internal/answer"
	"sdd/internal/mcp/catalog"
)

func (c core) contextTool() catalog.Tool {
	return catalog.Tool{
		Name:    "sdd_context",
		Aliases: []string{"rlm_enterprise_context"},
		Title:   "Get the project's context",
		Description: "What this project knows about a question: overview, facts, decisions with reasons, learnings. " +
			"Call it at the start of each answer.",
		Toolset:    "context",
		Idempotent: true,
		Call: catalog.Handler(func(ctx context.Context, call *catalog.Call, q answer.Query) (catalog.Result, error) {
			q.Tool, q.Session, q.ReadOnly = call.By(), call.Client.Session, c.ReadOnly
			q.AsOne = call.Alias != "" // callers of the alias read the text in the structured content
			out, err := c.brief(ctx, q)
			if err != nil {
				return catalog.Result{}, err
			}
			if q.AsOne {
				return catalog.Result{Structured: answer.Whole{Context: out.Context, Result: out}, Text: out.Context}, nil
			}
			return catalog.Result{Structured: out, Text: out.Context}, nil
		}),
	}
}

func (c core) brief(ctx context.Context, q answer.Query) (answer.Result, error) {
	if c.Hub {
		out, _, err := c.HubBrief(ctx, q)
		return out, err
	}
	return c.BriefWith(ctx, q)
}
