package mcpserver

import (
	"context"

	"sdd/internal/answer"
	schemas "sdd/schema"
)

func (c core) contextTool() Tool {
	return Tool{
		Name:        "sdd_context",
		Aliases:     []string{"rlm_enterprise_context"},
		Title:       "Get the project's context",
		Description: "What this project knows about a question: overview, facts, decisions with reasons, learnings. Call it at the start of each answer.",
		Toolset:     "context",
		Idempotent:  true,
		Input:       schemas.Input("sdd_context"),
		Output:      schemas.Listed("sdd_context"),
		Call: Handler(func(ctx context.Context, call *Call, q answer.Query) (Result, error) {
			q.Tool, q.Session, q.ReadOnly = call.Client.tool("sdd_context"), call.Client.Session, c.readOnly
			q.AsOne = call.Alias != "" // those who know the alias look for the text in the structured content
			out, err := c.Answers.Brief(ctx, q)
			if err != nil {
				return Result{}, err
			}
			if q.AsOne {
				return Result{Structured: answer.Whole{Context: out.Context, Result: out}, Text: out.Context}, nil
			}
			return Result{Structured: out, Text: out.Context}, nil
		}),
	}
}
