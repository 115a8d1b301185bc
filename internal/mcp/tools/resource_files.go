package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
	"sdd/internal/store"
)

const (
	exploreURI  = "sdd://explore/"
	decisionURI = "sdd://decision/"
	ideaURI     = "sdd://idea/"
	factURI     = "sdd://fact/"
)

// explorations are the explorations of the project, each the bytes of its file. A slug of another
// project ends in @ and that project's name.
func (c core) explorations() catalog.Template {
	return catalog.Template{
		URI: exploreURI + "{slug}", Name: "exploration", Title: "Exploration",
		Description: "The Markdown file of one exploration", MIMEType: markdownType,
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			e, f, err := c.exploration(ctx, vars["slug"])
			if err != nil {
				return catalog.Contents{}, err
			}
			outline := func(whole string) string {
				return outline(record.Parse(e.Path, f.Bytes, record.Defaults{Project: c.Store.Project()}), slugOf(e), whole)
			}
			return catalog.Contents{Text: validText(f.Bytes), Outline: outline}, nil
		},
		List: func(ctx context.Context) ([]catalog.Entry, error) { return c.listed(ctx, record.Exploration) },
	}
}

// exploration reads the exploration with that slug. Personal ones have no address.
func (c core) exploration(ctx context.Context, slug string) (index.Entry, store.File, error) {
	return lookup.Read(ctx, c.Store, c.Index, func() (index.Entry, error) {
		for _, e := range c.Index.Lookup(index.Ref{ID: "explore/" + slug, Kind: record.Exploration, Scope: record.Project}) {
			if slugOf(e) == slug {
				return e, nil
			}
		}
		return index.Entry{}, fault.New(fault.NotFound, "there is no exploration %q", slug).With("sdd_search lists what there is")
	})
}

// decisions are the decisions of the project, each the bytes of its file.
func (c core) decisions() catalog.Template {
	return catalog.Template{
		URI: decisionURI + "{slug}", Name: "decision", Title: "Decision",
		Description: "The Markdown file of one decision, with its causes", MIMEType: markdownType,
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			all, err := c.addressed(ctx, record.Decision)
			if err != nil {
				return catalog.Contents{}, err
			}
			for _, e := range all {
				if slugOf(e) == vars["slug"] {
					return c.file(e.Path)
				}
			}
			return catalog.Contents{}, fault.New(fault.NotFound, "there is no decision %q", vars["slug"]).
				With("sdd_search with type=decision lists what there is")
		},
		List: func(ctx context.Context) ([]catalog.Entry, error) { return c.listed(ctx, record.Decision) },
	}
}

// ideas are the ideas of every colour that are not deleted, each the bytes of its file.
func (c core) ideas() catalog.Template {
	return catalog.Template{
		URI: ideaURI + "{id}", Name: "idea", Title: "Idea",
		Description: "The Markdown file of one idea or learning", MIMEType: markdownType,
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			i, err := c.Learnings.Get(ctx, vars["id"])
			if err != nil {
				return catalog.Contents{}, err
			}
			return c.file(i.File)
		},
		List: func(ctx context.Context) (out []catalog.Entry, err error) {
			for cursor := ""; ; {
				page, next, _, err := c.Learnings.List(ctx, learning.Filter{Limit: 500, Cursor: cursor})
				if err != nil {
					return nil, err
				}
				for _, i := range page {
					out = append(out, catalog.Entry{Name: i.ID, Title: i.Title, Vars: map[string]string{"id": i.ID}, Size: int64(len(i.Content))})
				}
				if cursor = next; next == "" {
					return out, nil
				}
			}
		},
	}
}

// factFiles are the active and stale facts, each the bytes of its file. Personal ones have no
// address.
func (c core) factFiles() catalog.Template {
	return catalog.Template{
		URI: factURI + "{id}", Name: "fact", Title: "Fact",
		Description: "The Markdown file of one fact", MIMEType: markdownType,
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			one, err := c.Facts.Get(ctx, vars["id"])
			if err != nil {
				return catalog.Contents{}, err
			}
			return c.file(one.File)
		},
		List: func(ctx context.Context) (out []catalog.Entry, err error) {
			all, err := c.Facts.All(ctx)
			byFile := func(a, b fact.Fact) int { return cmp.Compare(a.File, b.File) }
			for _, one := range slices.SortedFunc(slices.Values(all), byFile) {
				if one.Live() && one.Scope != record.Personal && one.File != "" {
					title, _, _ := strings.Cut(one.Content, "\n")
					out = append(out, catalog.Entry{Name: one.ID, Title: title, Vars: map[string]string{"id": one.ID}, Size: int64(len(one.Content))})
				}
			}
			return out, err
		},
	}
}

const markdownType = "text/markdown"

// file returns a file of the store, by its path in the project or below .sdd.
func (c core) file(path string) (catalog.Contents, error) {
	f, err := c.Store.Read(strings.TrimPrefix(path, store.Folder+"/"))
	return catalog.Contents{Text: validText(f.Bytes)}, err
}

func validText(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// addressed returns the records of a kind that have an address, from the index.
func (c core) addressed(ctx context.Context, kind record.Kind) ([]index.Entry, error) {
	if err := c.Index.Refresh(ctx); err != nil {
		return nil, err
	}
	personal := func(e index.Entry) bool { return e.Scope == record.Personal }
	return slices.DeleteFunc(c.Index.Entries(kind), personal), nil
}

// listed returns the records of a kind as resources.
func (c core) listed(ctx context.Context, kind record.Kind) (out []catalog.Entry, err error) {
	all, err := c.addressed(ctx, kind)
	for _, e := range all {
		out = append(out, catalog.Entry{Name: e.ID, Title: e.Title, Vars: map[string]string{"slug": slugOf(e)}, Size: e.Size})
	}
	return out, err
}

// slugOf returns the last part of a record's id.
func slugOf(e index.Entry) string {
	_, slug, _ := strings.Cut(e.ID, "/")
	return slug
}
