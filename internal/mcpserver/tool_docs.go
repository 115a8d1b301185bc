package mcpserver

import (
	"context"

	"sdd/internal/docs"
	schemas "sdd/schema"
)

func (c core) docsTool() Tool {
	kept := docs.New(docs.Settings{Cache: docs.CacheDir()}) // what was parsed stays for the next call
	return Tool{
		Name:        "sdd_docs",
		Aliases:     []string{"explore"},
		Title:       "Look up documentation",
		Description: "Look up objects in installed documentation (Sphinx, MkDocs, pydoctor, rustdoc, Go): signature and text, as data.",
		Toolset:     "docs",
		ReadOnly:    true,
		Idempotent:  true,
		OpenWorld:   true,
		Input:       schemas.Input("sdd_docs"),
		Output:      schemas.Listed("sdd_docs"),
		Call: Handler(func(ctx context.Context, _ *Call, in docs.Ask) (Result, error) {
			cfg, err := c.Store.Config()
			if err != nil {
				return Result{}, err
			}
			s, err := docs.SettingsOf(cfg, c.Store.Dir())
			if err != nil {
				return Result{}, err
			}
			s.AnyHost = c.net
			r, err := kept.With(s).Explore(ctx, in.Source, in.Query, in.Options)
			if err != nil {
				return Result{}, err
			}
			return Result{Structured: &r, Text: r.Text()}, nil
		}),
	}
}
