// Package tools is what `sdd mcp` offers for one store: the tools sdd_*, the resources sdd://* and the prompts. Each has a file of its
// own, which parses, calls one use of the store, and shortens the answer where it is too long.
package tools

import (
	"context"
	"sync"

	"sdd/internal/app"
	"sdd/internal/mcp/catalog"
)

// Options are what the person who starts the server chooses.
type Options struct {
	ReadOnly bool // tools change nothing
	AllowNet bool // sdd_docs may ask any public host
}

// core is what tools, resources and prompts work on.
type core struct {
	*app.App
	Options
	views func() // makes the views follow the files from now on
}

// Of returns what is offered for one store; the views follow the files until ctx ends. Without a store its functions must not be called.
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
		Templates: []catalog.Template{c.explorations(), c.sections(), c.projectOverviews(), c.ideas(), c.factFiles(), c.decisions()},
		Prompts:   c.prompts(),
		Watch:     c.watch,
	}
}
