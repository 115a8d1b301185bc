package tools

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/learning"
	"sdd/internal/mcp/catalog"
)

const (
	learningsURI = "sdd://learnings"
	ideaURI      = "sdd://idea/"
)

// learnings is the project's view of them.
func (c core) learnings() catalog.Resource {
	return catalog.Resource{
		URI: learningsURI, Name: "learnings", Title: "Project learnings",
		Description: "The global learnings by category", MIMEType: "text/markdown",
		Read: func(ctx context.Context) (catalog.Contents, error) {
			page, err := c.Learnings.View(ctx, "learnings.md")
			return catalog.Contents{Text: string(page)}, err
		},
	}
}

// ideas are the ideas of every colour, each the bytes of its file.
func (c core) ideas() catalog.Template {
	return catalog.Template{
		URI: ideaURI + "{id}", Name: "idea", Title: "Idea",
		Description: "The Markdown file of one idea or learning", MIMEType: "text/markdown",
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			i, err := c.Learnings.Get(ctx, vars["id"])
			if err != nil {
				return catalog.Contents{}, err
			}
			f, err := c.Store.Read(strings.TrimPrefix(i.File, ".sdd/"))
			if err != nil {
				return catalog.Contents{}, err
			}
			return catalog.Contents{Text: strings.ToValidUTF8(string(f.Bytes), "\uFFFD")}, nil
		},
		List: func(ctx context.Context, after string, limit int) ([]catalog.Entry, error) {
			all, err := c.allIdeas(ctx)
			if err != nil {
				return nil, err
			}
			var out []catalog.Entry
			for _, i := range all {
				if i.ID > after {
					out = append(out, catalog.Entry{Name: i.ID, Title: i.Title, Vars: map[string]string{"id": i.ID}, Size: int64(len(i.Content))})
				}
			}
			return out[:min(limit, len(out))], nil
		},
		Complete: map[string]catalog.Completer{"id": func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
			all, err := c.allIdeas(ctx)
			var out []string
			for _, i := range all {
				out = append(out, i.ID)
			}
			return out, err
		}},
	}
}

// allIdeas returns every idea that is not deleted, by id.
func (c core) allIdeas(ctx context.Context) ([]learning.Idea, error) {
	var all []learning.Idea
	for cursor := ""; ; {
		page, next, _, err := c.Learnings.List(ctx, learning.Filter{Limit: 500, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if cursor = next; next == "" {
			break
		}
	}
	slices.SortFunc(all, func(a, b learning.Idea) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}
