package tools

import (
	"context"

	"sdd/internal/docs"
	"sdd/internal/mcp/catalog"
)

func (c core) docsTool() catalog.Tool {
	kept := docs.New(docs.Settings{Cache: docs.CacheDir()}) // keeps parsed pages for later calls
	return catalog.Tool{
		Name:        "sdd_docs",
		Aliases:     []string{"explore"},
		Title:       "Look up documentation",
		Description: "Look up objects in documentation (Sphinx, MkDocs, pydoctor, rustdoc, Go): signature and text.",
		Toolset:     "docs",
		ReadOnly:    true,
		Idempotent:  true,
		OpenWorld:   true,
		Call: catalog.TextHandler(func(ctx context.Context, _ *catalog.Call, in docs.Ask) (*docs.Result, error) {
			cfg, err := c.Store.Config()
			if err != nil {
				return nil, err
			}
			s, err := docs.SettingsOf(cfg, c.Store.Dir())
			if err != nil {
				return nil, err
			}
			s.AnyHost = c.AllowNet
			r, err := kept.With(s).Explore(ctx, in.Source, in.Query, in.Options)
			return &r, err
		}),
	}
}
