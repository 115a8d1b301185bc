package mcpserver

import (
	"context"
	"strings"

	"sdd/internal/lookup"
	"sdd/internal/record"
)

// sections are the parts of explorations: what a client reads when the whole is long.
func (c core) sections() Template {
	return Template{
		URI: exploreURI + "{slug}/{section}", Name: "exploration-section", Title: "Section of an exploration",
		Description: "The Markdown of one section, by its heading", MIMEType: "text/markdown",
		Read: func(ctx context.Context, vars map[string]string) (Contents, error) {
			r, err := c.explorationRecord(ctx, vars["slug"])
			if err != nil {
				return Contents{}, err
			}
			found, err := lookup.Sections(r, []string{vars["section"]})
			if err != nil {
				return Contents{}, err
			}
			var texts []string
			for _, s := range found {
				texts = append(texts, s.Text)
			}
			return Contents{Text: strings.ToValidUTF8(strings.Join(texts, "\n\n"), "\uFFFD")}, nil
		},
		Complete: map[string]Completer{
			"slug": c.completeSlug,
			"section": func(ctx context.Context, _ string, given map[string]string) ([]string, error) {
				var names []string
				if given["slug"] == "" {
					for _, s := range record.Sections(record.Exploration) {
						names = append(names, s.Name)
					}
					return names, nil
				}
				r, err := c.explorationRecord(ctx, given["slug"])
				if err != nil {
					return nil, nil // of an exploration that is not there nothing is offered
				}
				for _, s := range r.Sections {
					names = append(names, s.Name)
				}
				return names, nil
			},
		},
	}
}

// explorationRecord returns the exploration with that slug as its file reads.
func (c core) explorationRecord(ctx context.Context, slug string) (record.Record, error) {
	if err := c.Index.Refresh(ctx); err != nil {
		return record.Record{}, err
	}
	e, err := c.exploration(slug)
	if err != nil {
		return record.Record{}, err
	}
	f, err := c.Store.Read(e.Path)
	if err != nil {
		return record.Record{}, err
	}
	return record.Parse(e.Path, f.Bytes, record.Defaults{Project: c.Store.Project()}), nil
}
