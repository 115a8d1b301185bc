package tools

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
)

const (
	decisionURI    = "sdd://decision/"
	decisionPrefix = "decision/"
)

// decisions are the decisions of the project, each the bytes of its file.
func (c core) decisions() catalog.Template {
	return catalog.Template{
		URI: decisionURI + "{slug}", Name: "decision", Title: "Decision",
		Description: "The Markdown file of one decision, with its causes", MIMEType: "text/markdown",
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			all, err := c.decisionEntries(ctx)
			if err != nil {
				return catalog.Contents{}, err
			}
			for _, e := range all {
				if e.ID == decisionPrefix+vars["slug"] {
					f, err := c.Store.Read(e.Path)
					if err != nil {
						return catalog.Contents{}, err
					}
					return catalog.Contents{Text: strings.ToValidUTF8(string(f.Bytes), "\uFFFD")}, nil
				}
			}
			return catalog.Contents{}, fault.New(fault.NotFound, "there is no decision %q", vars["slug"]).With("sdd_search with type=decision lists what there is")
		},
		List: func(ctx context.Context, after string, limit int) ([]catalog.Entry, error) {
			all, err := c.decisionEntries(ctx)
			if err != nil {
				return nil, err
			}
			var out []catalog.Entry
			for _, e := range all {
				if e.ID > after {
					out = append(out, catalog.Entry{Name: e.ID, Title: e.Title, Vars: map[string]string{"slug": strings.TrimPrefix(e.ID, decisionPrefix)}, Size: e.Size})
				}
			}
			return out[:min(limit, len(out))], nil
		},
		Complete: map[string]catalog.Completer{"slug": func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
			all, err := c.decisionEntries(ctx)
			var out []string
			for _, e := range all {
				out = append(out, strings.TrimPrefix(e.ID, decisionPrefix))
			}
			return out, err
		}},
	}
}

// decisionEntries returns the decisions that have an address, by id, one for each.
func (c core) decisionEntries(ctx context.Context) ([]index.Entry, error) {
	if err := c.Index.Refresh(ctx); err != nil {
		return nil, err
	}
	var out []index.Entry
	for _, e := range c.Index.Entries() {
		if e.Kind == record.Decision && e.Scope != record.Personal {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b index.Entry) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(out, func(a, b index.Entry) bool { return a.ID == b.ID }), nil
}
