package tools

import (
	"context"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
)

// projectOverviews are the newest records of one project: a store may hold those of several.
func (c core) projectOverviews() catalog.Template {
	return catalog.Template{
		URI: overviewURI + "/{project}", Name: "project-overview", Title: "Overview of a project",
		Description: "The newest records of one of the projects in this store", MIMEType: "text/markdown",
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			known, err := c.projects(ctx, "", nil)
			if err != nil {
				return catalog.Contents{}, err
			}
			if !slices.ContainsFunc(known, func(p string) bool { return record.SameProject(p, vars["project"]) }) {
				return catalog.Contents{}, fault.New(fault.NotFound, "there is no project %q", vars["project"]).With("completion of {project} names those there are")
			}
			f, err := c.Search(ctx, lookup.Query{Project: vars["project"], Limit: 50, MaxTokens: catalog.MaxTokens})
			if err != nil {
				return catalog.Contents{}, err
			}
			return catalog.Contents{Text: f.Text()}, nil
		},
		Complete: map[string]catalog.Completer{"project": c.projects},
	}
}

// projects completes the projects that have records here, the store's own first.
func (c core) projects(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
	if err := c.Index.Refresh(ctx); err != nil {
		return nil, err
	}
	var names []string
	for _, e := range c.Index.Entries() {
		if e.Project != "" {
			names = append(names, e.Project)
		}
	}
	slices.Sort(names)
	return append([]string{c.Store.Project()}, slices.Compact(names)...), nil
}
