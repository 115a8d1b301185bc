package tools

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index"
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

// files completes the template of the records of a kind, each the bytes of its file. A slug of another project ends in @ and that
// project's name.
func (c core) files(kind record.Kind, t catalog.Template) catalog.Template {
	variable, _ := nameIn(kind, index.Entry{})
	t.URI, t.MIMEType = t.URI+"{"+variable+"}", markdownType
	t.Read = func(ctx context.Context, vars map[string]string) (catalog.Contents, error) {
		e, f, err := c.find(ctx, kind, vars[variable])
		if err != nil {
			return catalog.Contents{}, err
		}
		out := catalog.Contents{Text: validText(f.Bytes)}
		if kind == record.Exploration {
			out.Outline = func(whole string) string {
				return outline(record.Parse(e.Path, f.Bytes, record.Defaults{Project: c.Store.Project()}), slugOf(e), whole)
			}
		}
		return out, nil
	}
	t.List = func(ctx context.Context) (out []catalog.Entry, err error) {
		all, err := c.addressed(ctx, kind)
		for _, e := range all {
			if e.Status == "deleted" || kind == record.Fact && record.Gone(e.Status) {
				continue
			}
			_, value := nameIn(kind, e)
			out = append(out, catalog.Entry{Name: e.ID, Title: e.Title, Vars: map[string]string{variable: value}, Size: e.Size})
		}
		return out, err
	}
	return t
}

const markdownType = "text/markdown"

func validText(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// addressed returns the records of a kind that have an address, from the index.
func (c core) addressed(ctx context.Context, kind record.Kind) ([]index.Entry, error) {
	if err := c.Index.Refresh(ctx); err != nil {
		return nil, err
	}
	personal := func(e index.Entry) bool { return e.Scope == record.Personal }
	return slices.DeleteFunc(c.Index.Entries(kind), personal), nil
}

// slugOf returns the last part of a record's id.
func slugOf(e index.Entry) string {
	_, slug, _ := strings.Cut(e.ID, "/")
	return slug
}
