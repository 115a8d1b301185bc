package mcpserver

import (
	"context"
	"io"
	"sync"

	"sdd/internal/briefing"
	"sdd/internal/codesearch"
	"sdd/internal/decision"
	"sdd/internal/fact"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/store"
)

// core is what tools, resources and prompts work on.
type core struct {
	st       *store.Store
	ix       *index.Index
	learned  *learning.Learnings
	facts    *fact.Facts
	decided  *decision.Decisions
	briefing *briefing.Briefing
	code     *codesearch.Searcher
	net      bool   // any public host may be asked for documentation
	readOnly bool   // of the server
	views    func() // makes the views follow the files from now on
}

// newCore returns the core for one store; the views follow the files until ctx ends.
func newCore(ctx context.Context, st *store.Store, ix *index.Index) core {
	c := core{
		st: st, ix: ix, learned: learning.New(st, ix), facts: fact.New(st, ix), decided: decision.New(st, ix),
		code: codesearch.New(st.Dir(), codesearch.Options{Config: st.Config}),
	}
	c.briefing = briefing.New(briefing.Sources{Store: st, Index: ix, Facts: c.facts, Decisions: c.decided, Learnings: c.learned})
	var once sync.Once
	c.views = func() { once.Do(func() { c.learned.Keep(ctx) }) }
	return c
}

// catalog returns everything that is offered for one store.
func (c core) catalog() Catalog {
	return Catalog{
		Name:         "sdd",
		Title:        "sdd: what this project has found out",
		Description:  "Explorations, learnings, facts and decisions kept as Markdown in git: save, find and read what people and agents found out about a project.",
		Instructions: instructions,
		Tools:        []Tool{c.contextTool(), c.exploreTool(), c.searchTool(), c.getTool(), c.learnTool(), c.factTool(), c.decideTool(), c.reviewTool(), c.codeTool(), c.docsTool()},
		Resources:    []Resource{c.overview(), c.learnings(), c.status()},
		Templates:    []Template{c.explorations(), c.ideas(), c.factFiles(), c.decisions()},
		Notices:      c.notices(),
		Watch:        c.watch,
	}
}

// ServeStdio answers one client over a pair of streams until the input ends or ctx does.
func ServeStdio(ctx context.Context, st *store.Store, ix *index.Index, o Options, in io.Reader, out, log io.Writer) error {
	o.Log = log
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := newCore(ctx, st, ix)
	c.readOnly = o.ReadOnly
	defer c.briefing.Close()
	c.learned.Hooked(o.OnLearning)
	c.net = o.AllowNet
	defer c.learned.Close()
	defer c.facts.Close()
	defer c.decided.Close()
	defer c.code.Close()
	s, err := New(c.catalog(), o)
	if err != nil {
		return err
	}
	return s.Stdio(ctx, in, out)
}

// notices tells each client, in one line, what changed on disk since its last call.
func (c core) notices() func(context.Context, Client) []string {
	var mu sync.Mutex
	seen := map[string]store.Cursor{}
	return func(_ context.Context, who Client) []string {
		mu.Lock()
		defer mu.Unlock()
		news, now := c.st.Notices(seen[who.Session])
		seen[who.Session] = now
		if line := digest(news); line != "" {
			return []string{line}
		}
		return nil
	}
}
