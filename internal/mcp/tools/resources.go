package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
	"sdd/internal/mcp/transport"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

func addressOf(kind record.Kind, id string) string {
	if kind == record.Idea || kind == record.Fact {
		id = string(kind) + "/" + id
	}
	return "sdd://" + id
}

// nameIn returns the variable of the addresses of a kind, and its value for a record.
func nameIn(kind record.Kind, e index.Entry) (variable, value string) {
	if kind == record.Idea || kind == record.Fact {
		return "id", e.ID
	}
	return "slug", slugOf(e)
}

// find reads the record of a kind with that name in its address. Personal records have no address.
func (c core) find(ctx context.Context, kind record.Kind, name string) (index.Entry, store.File, error) {
	ref := index.Ref{ID: name, Kind: kind}
	if variable, _ := nameIn(kind, index.Entry{}); variable == "slug" {
		ref.ID = string(kind) + "/" + name
	}
	return lookup.Read(ctx, c.Store, c.Index, func() (index.Entry, error) {
		for _, e := range c.Index.Lookup(ref) {
			if _, value := nameIn(kind, e); value == name && e.Scope != record.Personal {
				return e, nil
			}
		}
		return index.Entry{}, fault.New(fault.NotFound, "no %s has the name %q", kind, name).
			With("sdd_search with type=" + string(kind) + " lists what there is")
	})
}

// files is the template of the records of a kind. A slug of another project ends in @ and that project's name.
func (c core) files(kind record.Kind, title, description string) catalog.Template {
	variable, _ := nameIn(kind, index.Entry{})
	t := catalog.Template{URI: fmt.Sprintf("sdd://%s/{%s}", kind, variable), Name: strings.ToLower(title), Title: title,
		Description: description, MIMEType: markdownType}
	t.Read = func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
		e, f, err := c.find(ctx, kind, vars[variable])
		fault.Check(err)
		out := catalog.Contents{Text: validText(f.Bytes)}
		if kind == record.Exploration {
			out.Outline = func(whole string) string {
				return outline(record.Parse(e.Path, f.Bytes, record.Defaults{Project: c.Store.Project()}), slugOf(e), whole)
			}
		}
		return out, nil
	}
	t.List = func(ctx context.Context) (out []catalog.Entry, err error) {
		for _, e := range c.addressed(ctx, kind) {
			if e.Status == "deleted" || kind == record.Fact && record.Gone(e.Status) {
				continue
			}
			_, value := nameIn(kind, e)
			out = append(out, catalog.Entry{Name: e.ID, Title: e.Title, Vars: map[string]string{variable: value}, Size: e.Size})
		}
		return out, nil
	}
	return t
}

const markdownType = "text/markdown"

func validText(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

func (c core) addressed(ctx context.Context, kind record.Kind) []index.Entry {
	fault.Check(c.Index.Refresh(ctx))
	return slices.DeleteFunc(c.Index.Entries(kind), func(e index.Entry) bool { return e.Scope == record.Personal })
}

// slugOf returns the last part of a record's id.
func slugOf(e index.Entry) string {
	_, slug, _ := strings.Cut(e.ID, "/")
	return slug
}

const sectionURI = "sdd://explore/{slug}/{section}"

// sections are the sections of explorations, for clients that read a part of a long one.
func (c core) sections() catalog.Template {
	return catalog.Template{
		URI: sectionURI, Name: "exploration-section", Title: "Section of an exploration",
		Description: "The Markdown of one section, by its heading", MIMEType: markdownType,
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			r := fault.Must(c.explorationRecord(ctx, vars["slug"]))
			var texts []string
			for _, s := range fault.Must(lookup.Sections(r, []string{vars["section"]})) {
				texts = append(texts, s.Text)
			}
			return catalog.Contents{Text: validText([]byte(strings.Join(texts, "\n\n")))}, nil
		},
		Complete: map[string]catalog.Completer{
			"slug": func(ctx context.Context, _ string, _ map[string]string) (slugs []string, err error) {
				for _, e := range c.addressed(ctx, record.Exploration) {
					slugs = append(slugs, slugOf(e))
				}
				return slugs, nil
			},
			"section": func(ctx context.Context, _ string, given map[string]string) (names []string, _ error) {
				if given["slug"] == "" {
					for _, s := range record.Sections(record.Exploration) {
						names = append(names, s.Name)
					}
					return names, nil
				}
				r, _ := c.explorationRecord(ctx, given["slug"]) // a missing exploration has no sections
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

func (c core) explorationRecord(ctx context.Context, slug string) (record.Record, error) {
	e, f, err := c.find(ctx, record.Exploration, slug)
	if err != nil {
		return record.Record{}, err
	}
	return record.Parse(e.Path, f.Bytes, record.Defaults{Project: c.Store.Project()}), nil
}

const (
	overviewURI  = "sdd://overview"
	learningsURI = "sdd://learnings"
	statusURI    = "sdd://status"
)

func (c core) resources() []catalog.Resource {
	return []catalog.Resource{
		{
			URI: overviewURI, Name: "overview", Title: "Overview", Description: "The newest records of this project", MIMEType: markdownType,
			Read: func(ctx context.Context) (catalog.Contents, error) { return c.newest(ctx, "") },
		},
		{
			URI: learningsURI, Name: "learnings", Title: "Project learnings", Description: "The global learnings by category",
			MIMEType: markdownType, Read: func(ctx context.Context) (catalog.Contents, error) {
				page, err := c.Learnings.View(ctx, "learnings.md")
				return catalog.Contents{Text: string(page)}, err
			},
		},
		{
			URI: statusURI, Name: "status", Title: "Status", Description: "What the store holds, and what is wrong with it",
			MIMEType: "application/json", Read: func(ctx context.Context) (catalog.Contents, error) {
				data, err := json.Marshal(fault.Must(c.Status(ctx)))
				return catalog.Contents{Text: string(data)}, err
			},
		},
	}
}

// newest lists the newest records, "" for those of all projects.
func (c core) newest(ctx context.Context, project string) (catalog.Contents, error) {
	f, err := c.Search(ctx, lookup.Query{Project: project, Limit: 50, MaxTokens: catalog.MaxTokens})
	return catalog.Contents{Text: f.Text()}, err
}

// projectOverviews are the newest records of one project: a store may contain several projects.
func (c core) projectOverviews() catalog.Template {
	return catalog.Template{
		URI: overviewURI + "/{project}", Name: "project-overview", Title: "Overview of a project",
		Description: "The newest records of one of the projects in this store", MIMEType: markdownType,
		Read: func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
			if !slices.ContainsFunc(fault.Must(c.projects(ctx, "", nil)), func(p string) bool { return record.SameProject(p, vars["project"]) }) {
				return catalog.Contents{}, fault.New(fault.NotFound, "there is no project %q", vars["project"]).
					With("completion of {project} names those there are")
			}
			return c.newest(ctx, vars["project"])
		},
		Complete: map[string]catalog.Completer{"project": c.projects},
	}
}

// projects completes the projects with records in this store, the store's own first.
func (c core) projects(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
	fault.Check(c.Index.Refresh(ctx))
	var names []string
	for _, e := range c.Index.Entries() {
		if e.Project != "" {
			names = append(names, e.Project)
		}
	}
	slices.Sort(names)
	return append([]string{c.Store.Project()}, slices.Compact(names)...), nil
}

// watch reports changes of the index to h, whoever made them.
func (c core) watch(ctx context.Context, h *transport.Hub) error {
	if err := c.Index.Refresh(ctx); err != nil {
		return err
	}
	cancel := c.Index.Subscribe(func(changes []index.Change) {
		list := false
		for _, ch := range changes {
			h.Updated(addressOf(ch.Kind, ch.ID))
			switch ch.Kind {
			case record.Exploration:
				h.UpdatedBelow(addressOf(ch.Kind, ch.ID))
			case record.Idea:
				h.Updated(learningsURI)
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
		h.Updated(addressOf(record.Idea, e.Idea))
		h.Updated(learningsURI)
	})
	if err := c.Learnings.Notice(ctx); err != nil {
		return err
	}
	// A commit marks learnings and yields facts without changing any file of the store.
	c.Store.WatchHead(ctx, func() {
		if c.Inbox.Follow(ctx) != nil || c.Learnings.Notice(ctx) != nil {
			return // the next call fails for the same reason
		}
		h.Updated(overviewURI)
		h.Updated(statusURI)
	})
	context.AfterFunc(ctx, cancel)
	context.AfterFunc(ctx, cancelEvents)
	return nil
}
