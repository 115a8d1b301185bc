// Package tools has the tools sdd_*, the resources sdd://* and the prompts that `sdd mcp` offers for one store. Each tool has its
// own file, which decodes the arguments, calls one use of the store, and shortens an answer that is too long.
package tools

import (
	"context"
	"sync"

	"sdd/internal/app"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
)

// Options are the choices of the user who starts the server.
type Options struct {
	ReadOnly bool // tools change no records
	AllowNet bool // sdd_docs may request pages of any public host
	Hub      bool // search and context ask the hub of config.yaml
}

// core is the state that tools, resources and prompts share.
type core struct {
	*app.App
	Options
	views func() // starts to update the views after changes of files
}

// Of returns the catalog of one store; the views follow the files until ctx ends. Without a store callers must not call its
// functions.
func Of(ctx context.Context, w *app.App, o Options) catalog.Catalog {
	c := core{App: w, Options: o}
	var once sync.Once
	c.views = func() { once.Do(func() { w.Learnings.Keep(ctx) }) }
	return catalog.Catalog{
		Name:  "sdd",
		Title: "sdd: what this project has found out",
		Description: "Explorations, learnings, facts and decisions kept as Markdown in git: " +
			"save, find and read what people and agents found out about a project.",
		Tools: []catalog.Tool{
			c.contextTool(), c.exploreTool(), c.searchTool(), c.getTool(), c.learnTool(),
			c.factTool(), c.decideTool(), c.reviewTool(), c.codeTool(), c.docsTool(),
		},
		Resources: []catalog.Resource{c.overview(), c.learnings(), c.status()},
		Templates: []catalog.Template{
			c.files(record.Exploration, catalog.Template{
				URI: exploreURI, Name: "exploration", Title: "Exploration", Description: "The Markdown file of one exploration",
			}),
			c.sections(),
			c.projectOverviews(),
			c.files(record.Idea, catalog.Template{
				URI: ideaURI, Name: "idea", Title: "Idea", Description: "The Markdown file of one idea or learning",
			}),
			c.files(record.Fact, catalog.Template{
				URI: factURI, Name: "fact", Title: "Fact", Description: "The Markdown file of one fact",
			}),
			c.files(record.Decision, catalog.Template{
				URI: decisionURI, Name: "decision", Title: "Decision", Description: "The Markdown file of one decision, with its causes",
			}),
		},
		Prompts: c.prompts(),
		Watch:   c.watch,
	}
}
