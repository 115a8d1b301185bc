package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/fact"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
	"sdd/internal/store"
)

const factURI = "sdd://fact/"

// factFiles are the facts, each the bytes of its file. Personal ones have no address.
func (c core) factFiles() catalog.Template {
	return catalog.Template{
		URI: factURI + "{id}", Name: "fact", Title: "Fact",
		Description: "The Markdown file of one fact", MIMEType: "text/markdown",
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			one, err := c.Facts.Get(ctx, vars["id"])
			if err != nil {
				return catalog.Contents{}, err
			}
			f, err := c.Store.Read(strings.TrimPrefix(one.File, store.Folder+"/"))
			if err != nil {
				return catalog.Contents{}, err
			}
			return catalog.Contents{Text: strings.ToValidUTF8(string(f.Bytes), "\uFFFD")}, nil
		},
		List: func(ctx context.Context, after string, limit int) ([]catalog.Entry, error) {
			all, err := c.addressed(ctx)
			if err != nil {
				return nil, err
			}
			var out []catalog.Entry
			for _, one := range all {
				if one.ID > after {
					title, _, _ := strings.Cut(one.Content, "\n")
					out = append(out, catalog.Entry{Name: one.ID, Title: title, Vars: map[string]string{"id": one.ID}, Size: int64(len(one.Content))})
				}
			}
			return out[:min(limit, len(out))], nil
		},
		Complete: map[string]catalog.Completer{"id": func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
			all, err := c.addressed(ctx)
			var out []string
			for _, one := range all {
				out = append(out, one.ID)
			}
			return out, err
		}},
	}
}

// addressed returns the facts of the project that count, by id.
func (c core) addressed(ctx context.Context) ([]fact.Fact, error) {
	all, err := c.Facts.All(ctx)
	all = slices.DeleteFunc(slices.Clone(all), func(f fact.Fact) bool { return !f.Live() || f.Scope == record.Personal || f.File == "" })
	slices.SortFunc(all, func(a, b fact.Fact) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.File, b.File)) })
	return slices.CompactFunc(all, func(a, b fact.Fact) bool { return a.ID == b.ID }), err
}
