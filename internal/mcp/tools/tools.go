// Package tools has the tools sdd_*, the resources sdd://* and the prompts of `sdd mcp` for one store.
package tools

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"sdd/internal/answer"
	"sdd/internal/app"
	"sdd/internal/codesearch"
	"sdd/internal/decision"
	"sdd/internal/docs"
	"sdd/internal/explore"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/lookup"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
)

// Options are the choices of the user who starts the server.
type Options struct {
	ReadOnly bool // tools change no records
	AllowNet bool // sdd_docs may request pages of any public host
	Hub      bool // search and context ask the hub of config.yaml
}

// core is the state that tools, resources and prompts share.
type core struct {
	*app.App
	Options
	views func() // starts to update the views after changes of files
}

// Of returns the catalog of one store; the views follow the files until ctx ends. Without a store callers must not call its
// functions.
func Of(ctx context.Context, w *app.App, o Options) catalog.Catalog {
	c := core{App: w, Options: o}
	var once sync.Once
	c.views = func() { once.Do(func() { w.Learnings.Keep(ctx) }) }
	return catalog.Catalog{
		Name:  "sdd",
		Title: "sdd: what this project has found out",
		Description: "Explorations, learnings, facts and decisions kept as Markdown in git: " +
			"save, find and read what people and agents found out about a project.",
		Tools:     c.tools(),
		Resources: c.resources(),
		Templates: []catalog.Template{
			c.files(record.Exploration, "Exploration", "The Markdown file of one exploration"),
			c.sections(),
			c.projectOverviews(),
			c.files(record.Idea, "Idea", "The Markdown file of one idea or learning"),
			c.files(record.Fact, "Fact", "The Markdown file of one fact"),
			c.files(record.Decision, "Decision", "The Markdown file of one decision, with its causes"),
		},
		Prompts: c.prompts(),
		Watch:   c.watch,
	}
}

func (c core) tools() []catalog.Tool {
	return []catalog.Tool{
		{
			Name: "sdd_context", Aliases: []string{"rlm_enterprise_context"}, Title: "Get the project's context", Toolset: "context",
			Description: "What this project knows about a question: overview, facts, decisions with reasons, learnings. " +
				"Call it at the start of each answer.",
			Idempotent: true, Call: catalog.Handler(c.context),
		},
		{
			Name: "sdd_explore", Title: "Save an exploration", Toolset: "explore", Writes: true,
			Description: "Save what a talk found out before work starts. The same title merges: given sections replace, others stay.",
			Call:        catalog.TextHandler(c.explore),
		},
		{
			Name: "sdd_search", Aliases: []string{"mem_search"}, Title: "Search records", Toolset: "explore", ReadOnly: true, Idempotent: true,
			Description: "Find what this project knows, in any language; without a query the newest. Ids are for sdd_get.",
			Call:        catalog.TextHandler(c.search),
		},
		{
			Name: "sdd_get", Title: "Read a record", Toolset: "explore", ReadOnly: true, Idempotent: true,
			Description: "Read a record or some sections. Its etags are for if_match.", Call: catalog.TextHandler(c.get),
		},
		{
			Name: "sdd_learn", Title: "Keep a learning", Toolset: "learn", Writes: true, Idempotent: true,
			Description: "Keep what you found out while working: a convention, a quirk, a fix.",
			Call: catalog.TextHandler(func(ctx context.Context, call *catalog.Call, in learning.Input) (learning.Learned, error) {
				in.Tool = call.By()
				out := fault.Must(c.Learnings.Learn(ctx, in))
				c.views()
				return learned(out), nil
			}),
		},
		{
			Name: "sdd_fact", Title: "Keep a fact", Toolset: "context", Writes: true, Idempotent: true,
			Description: "Keep what holds. Same text: same fact.",
			Call: catalog.TextHandler(func(ctx context.Context, call *catalog.Call, in fact.Input) (fact.Stored, error) {
				in.Tool = call.By()
				return c.Facts.Add(ctx, in)
			}),
		},
		{
			Name: "sdd_decide", Title: "Record a decision", Toolset: "decide", Writes: true, Idempotent: true,
			Description: "Keep what was decided, and why.",
			Call: catalog.TextHandler(func(ctx context.Context, call *catalog.Call, in decision.Input) (decision.Recorded, error) {
				in.Tool = call.By()
				out, err := c.Decisions.Record(ctx, in)
				return recorded(out), err
			}),
		},
		{
			Name: "sdd_review", Title: "Review records", Toolset: "review", Writes: true,
			Description: "List learnings, facts or candidates, and move them through their life.", Call: catalog.TextHandler(c.review),
		},
		{
			Name: "sdd_code", Title: "Search code", Toolset: "code", ReadOnly: true, Idempotent: true, OpenWorld: true,
			Description: "Find the lines of code that answer a question, before opening files.",
			Call: catalog.TextHandler(func(ctx context.Context, _ *catalog.Call, q codesearch.Query) (codesearch.Result, error) {
				return c.Code.Search(ctx, q)
			}),
		},
		{
			Name: "sdd_docs", Aliases: []string{"explore"}, Title: "Look up documentation", Toolset: "docs",
			Description: "Look up objects in documentation (Sphinx, MkDocs, pydoctor, rustdoc, Go): signature and text.",
			ReadOnly:    true, Idempotent: true, OpenWorld: true, Call: catalog.TextHandler(c.docs()),
		},
	}
}

func (c core) context(ctx context.Context, call *catalog.Call, q answer.Query) (catalog.Result, error) {
	q.Session, q.ReadOnly = call.Client.Session, c.ReadOnly
	q.AsOne = call.Alias != "" // callers of the alias read the text in the structured content
	out, _, err := c.BriefFrom(ctx, c.Hub, q)
	if q.AsOne {
		return catalog.Result{Structured: answer.Whole{Context: out.Context, Result: out}, Text: out.Context}, err
	}
	return catalog.Result{Structured: out, Text: out.Context}, err
}

func (c core) explore(ctx context.Context, call *catalog.Call, in explore.Input) (explore.Result, error) {
	in.Tool = call.By()
	r, err := c.Explore(ctx, c.whichExploration(ctx, call, in))
	return r.Within(catalog.MaxTokens), err
}

func (c core) search(ctx context.Context, _ *catalog.Call, q lookup.Query) (lookup.Found, error) {
	found, _, err := c.SearchFrom(ctx, c.Hub && strings.TrimSpace(q.Query) != "", q)
	return found, err
}

// get reads a record of this store, else of the private one, else of the hub.
func (c core) get(ctx context.Context, _ *catalog.Call, a lookup.Ask) (lookup.Record, error) {
	w := fault.Must(c.With(ctx, a.With))
	r, err := w.Get(ctx, a)
	if fault.Is(err, fault.NotFound) {
		if _, failed := c.InPrivate(ctx, func(far *app.App) error { r, err = far.Get(ctx, a); return err }); failed == nil {
			return r, nil
		}
	}
	if c.Hub && fault.Is(err, fault.NotFound) {
		if far, missed, failed := c.HubGet(ctx, a); missed == nil && failed == nil {
			return far, nil
		}
	}
	return r, err
}

func (c core) review(ctx context.Context, call *catalog.Call, in app.ReviewArgs) (app.Reviewed, error) {
	if in.Action == "events" {
		if in.Limit == 0 {
			in.Limit = app.ReviewPage
		}
		events, next, err := c.Learnings.Events(ctx, in.Cursor, in.Limit, in.IDs...)
		return happened(events, next), err
	}
	in.Tool, in.MaxTokens, in.More = call.By(), catalog.MaxTokens, []string{"events"}
	if in.Action == "approve" && len(in.IDs) == 0 {
		ids, chosen := c.whichCandidates(ctx, call)
		if chosen && len(ids) == 0 {
			return app.NewReviewed(nil, nil, "", "nothing was approved\n"), nil
		}
		in.IDs = ids
	}
	out, err := c.Review(ctx, in)
	switch {
	case err != nil && len(out.Items) > 0:
		f := *fault.Of(err)
		f.Hint = strings.TrimSpace(fmt.Sprintf("%d of %d ids are done already; %s", len(out.Items), len(in.IDs), f.Hint))
		return out, &f
	case err != nil || in.Action == "list":
		return out, err
	}
	c.views()
	return moves(out), nil
}

// docs returns the function of a tool that keeps parsed pages for later calls.
func (c core) docs() func(context.Context, *catalog.Call, docs.Ask) (*docs.Result, error) {
	kept := docs.New(docs.Settings{Cache: docs.CacheDir()})
	return func(ctx context.Context, _ *catalog.Call, in docs.Ask) (*docs.Result, error) {
		s := fault.Must(docs.SettingsOf(fault.Must(c.Store.Config()), c.Store.Dir()))
		s.AnyHost = c.AllowNet
		r, err := kept.With(s).Explore(ctx, in.Source, in.Query, in.Options)
		return &r, err
	}
}
