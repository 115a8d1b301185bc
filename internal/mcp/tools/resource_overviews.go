package tools

import (
	"context"
	"encoding/json"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
)

const (
	overviewURI  = "sdd://overview"
	learningsURI = "sdd://learnings"
	statusURI    = "sdd://status"
)

// overview is the list of the newest records, the same as a search without a query.
func (c core) overview() catalog.Resource {
	return catalog.Resource{
		URI: overviewURI, Name: "overview", Title: "Overview",
		Description: "The newest records of this project", MIMEType: "text/markdown",
		Read: func(ctx context.Context) (catalog.Contents, error) {
			f, err := c.Search(ctx, lookup.Query{Limit: 50, MaxTokens: 8000})
			if err != nil {
				return catalog.Contents{}, err
			}
			return catalog.Contents{Text: f.Text()}, nil
		},
	}
}

// status is the output of sdd status.
func (c core) status() catalog.Resource {
	return catalog.Resource{
		URI: statusURI, Name: "status", Title: "Status",
		Description: "What the store holds, and what is wrong with it", MIMEType: "application/json",
		Read: func(ctx context.Context) (catalog.Contents, error) {
			s, err := c.Status(ctx)
			if err != nil {
				return catalog.Contents{}, err
			}
			data, err := json.Marshal(s)
			return catalog.Contents{Text: string(data)}, err
		},
	}
}

// learnings is the project's view of the learnings.
func (c core) learnings() catalog.Resource {
	return catalog.Resource{
		URI: learningsURI, Name: "learnings", Title: "Project learnings",
		Description: "The global learnings by category", MIMEType: markdownType,
		Read: func(ctx context.Context) (catalog.Contents, error) {
			page, err := c.Learnings.View(ctx, "learnings.md")
			return catalog.Contents{Text: string(page)}, err
		},
	}
}

// projectOverviews are the newest records of one project: a store may contain several projects.
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
				return catalog.Contents{}, fault.New(fault.NotFound, "there is no project %q", vars["project"]).
					With("completion of {project} names those there are")
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

// projects completes the projects with records in this store, the store's own first.
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
