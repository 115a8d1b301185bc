package tools

import (
	"context"
	"fmt"
	"strings"

	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

const sectionURI = exploreURI + "{slug}/{section}"

// sections are the sections of explorations, for clients that read a part of a long one.
func (c core) sections() catalog.Template {
	return catalog.Template{
		URI: sectionURI, Name: "exploration-section", Title: "Section of an exploration",
		Description: "The Markdown of one section, by its heading", MIMEType: markdownType,
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			r, err := c.explorationRecord(ctx, vars["slug"])
			if err != nil {
				return catalog.Contents{}, err
			}
			found, err := lookup.Sections(r, []string{vars["section"]})
			if err != nil {
				return catalog.Contents{}, err
			}
			var texts []string
			for _, s := range found {
				texts = append(texts, s.Text)
			}
			return catalog.Contents{Text: validText([]byte(strings.Join(texts, "\n\n")))}, nil
		},
		Complete: map[string]catalog.Completer{
			"slug": func(ctx context.Context, _ string, _ map[string]string) (slugs []string, err error) {
				all, err := c.addressed(ctx, record.Exploration)
				for _, e := range all {
					slugs = append(slugs, slugOf(e))
				}
				return slugs, err
			},
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
					return nil, nil // a missing exploration has no sections
				}
				for _, s := range r.Sections {
					names = append(names, s.Name)
				}
				return names, nil
			},
		},
	}
}

// outline lists the sections of an exploration that is too long for an answer, each with its size and address.
func outline(r record.Record, slug, whole string) string {
	pattern, err := catalog.ParsePattern(sectionURI)
	if err != nil {
		panic(err) // the pattern is a constant, and tests parse it
	}
	size, names := map[string]int{}, []string(nil)
	for _, s := range r.Sections {
		key := strings.ToLower(s.Name)
		if _, twice := size[key]; !twice {
			names = append(names, s.Name)
		}
		size[key] += len(s.Text)
	}
	text := fmt.Sprintf("%s is too long for one answer. The whole file, in parts: %s\n\n", record.Brief(r.Title), whole)
	for n, name := range names {
		line := fmt.Sprintf("- %s: %d bytes", record.Brief(name), size[strings.ToLower(name)])
		uri := pattern.Expand(map[string]string{"slug": slug, "section": name})
		if vars, ok := pattern.Match(uri); ok && vars["section"] == name {
			line += ", " + uri
		}
		if !tokens.Within(text+line, catalog.PartTokens) {
			return text + fmt.Sprintf("- and %d more, in the whole file\n", len(names)-n)
		}
		text += line + "\n"
	}
	return text
}

// explorationRecord returns the exploration with that slug, parsed from its file.
func (c core) explorationRecord(ctx context.Context, slug string) (record.Record, error) {
	e, f, err := c.find(ctx, record.Exploration, slug)
	if err != nil {
		return record.Record{}, err
	}
	return record.Parse(e.Path, f.Bytes, record.Defaults{Project: c.Store.Project()}), nil
}
