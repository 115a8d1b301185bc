package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
	"sdd/internal/mcp/transport"
	"sdd/internal/record"
)

const (
	exploreURI  = "sdd://explore/"
	overviewURI = "sdd://overview"
	statusURI   = "sdd://status"
)

// explorations are the explorations of the project, each the bytes of its file. A slug of
// another project is followed by @ and that project.
func (c core) explorations() catalog.Template {
	return catalog.Template{
		URI: exploreURI + "{slug}", Name: "exploration", Title: "Exploration",
		Description: "The Markdown file of one exploration", MIMEType: "text/markdown",
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			e, f, err := lookup.Read(ctx, c.Store, c.Index, func() (index.Entry, error) { return c.exploration(vars["slug"]) })
			if err != nil {
				return catalog.Contents{}, err
			}
			outline := func(whole string) string {
				return outline(record.Parse(e.Path, f.Bytes, record.Defaults{Project: c.Store.Project()}), slugOf(e), whole)
			}
			return catalog.Contents{Text: strings.ToValidUTF8(string(f.Bytes), "\uFFFD"), Outline: outline}, nil
		},
		List: func(ctx context.Context, after string, limit int) ([]catalog.Entry, error) {
			if err := c.Index.Refresh(ctx); err != nil {
				return nil, err
			}
			var out []catalog.Entry
			for _, e := range c.slugs() {
				if e.ID > after {
					out = append(out, catalog.Entry{Name: e.ID, Title: e.Title, Vars: map[string]string{"slug": slugOf(e)}, Size: e.Size})
				}
			}
			slices.SortFunc(out, func(a, b catalog.Entry) int { return strings.Compare(a.Name, b.Name) })
			return out[:min(limit, len(out))], nil
		},
		Complete: map[string]catalog.Completer{"slug": c.completeSlug},
	}
}

func (c core) completeSlug(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
	if err := c.Index.Refresh(ctx); err != nil {
		return nil, err
	}
	var out []string
	for _, e := range c.slugs() {
		out = append(out, slugOf(e))
	}
	return out, nil
}

// exploration returns the entry with that slug; a personal one has no address.
func (c core) exploration(slug string) (index.Entry, error) {
	for _, e := range c.Index.Lookup(index.Ref{ID: "explore/" + slug, Kind: record.Exploration, Scope: record.Project}) {
		if slugOf(e) == slug {
			return e, nil
		}
	}
	return index.Entry{}, fault.New(fault.NotFound, "there is no exploration %q", slug).With("sdd_search lists what there is")
}

// slugs returns the explorations that have an address, one for each.
func (c core) slugs() []index.Entry {
	var out []index.Entry
	seen := map[string]bool{}
	for _, e := range c.Index.Entries() {
		if e.Kind == record.Exploration && e.Scope != record.Personal && !seen[e.ID] {
			seen[e.ID] = true
			out = append(out, e)
		}
	}
	return out
}

func slugOf(e index.Entry) string { return strings.TrimPrefix(e.ID, "explore/") }

// overview is the newest records, as a search without a query lists them.
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

// status is the answer of sdd status.
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

// watch reports to h what changes in the index, by this process, by others and by hand.
func (c core) watch(ctx context.Context, h *transport.Hub) error {
	if err := c.Index.Refresh(ctx); err != nil {
		return err
	}
	cancel := c.Index.Subscribe(func(changes []index.Change) {
		list := false
		for _, ch := range changes {
			if slug, ok := strings.CutPrefix(ch.ID, "explore/"); ok {
				h.Updated(exploreURI + slug)
				h.UpdatedBelow(exploreURI + slug)
			}
			if slug, ok := strings.CutPrefix(ch.ID, "decision/"); ok {
				h.Updated(decisionURI + slug)
			}
			if ch.Kind == record.Idea {
				h.Updated(ideaURI + ch.ID)
				h.Updated(learningsURI)
			}
			if ch.Kind == record.Fact {
				h.Updated(factURI + ch.ID)
			}
			list = list || ch.What != index.Changed
		}
		h.Updated(overviewURI)
		h.UpdatedBelow(overviewURI)
		h.Updated(statusURI)
		if list {
			h.ListChanged()
		}
	})
	// Commits that touch learnings change no record.
	cancelEvents := c.Learnings.Subscribe(func(e learning.Event) {
		h.Updated(ideaURI + e.Idea)
		h.Updated(learningsURI)
	})
	if err := c.Learnings.Notice(ctx); err != nil {
		return err
	}
	// A commit marks learnings and yields facts without changing any file of the store.
	c.Store.WatchHead(ctx, func() {
		if c.Inbox.Follow(ctx) != nil || c.Learnings.Notice(ctx) != nil {
			return // the next call tells what is wrong
		}
		h.Updated(overviewURI)
		h.Updated(statusURI)
	})
	context.AfterFunc(ctx, func() {
		cancel()
		cancelEvents()
	})
	return nil
}
