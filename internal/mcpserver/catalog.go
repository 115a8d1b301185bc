package mcpserver

import (
	"context"
	"io"
	"sync"

	"sdd/internal/codesearch"
	"sdd/internal/index"
	"sdd/internal/store"
	"sdd/internal/workspace"
)

// core is what tools, resources and prompts work on.
type core struct {
	*workspace.Workspace
	code     *codesearch.Searcher
	net      bool   // any public host may be asked for documentation
	readOnly bool   // of the server
	views    func() // makes the views follow the files from now on
}

// newCore returns the core for one store; the views follow the files until ctx ends.
func newCore(ctx context.Context, st *store.Store, ix *index.Index) core {
	c := core{Workspace: workspace.New(st, ix, workspace.Options{}), code: codesearch.New(st.Dir(), codesearch.Options{Config: st.Config})}
	var once sync.Once
	c.views = func() { once.Do(func() { c.Learnings.Keep(ctx) }) }
	return c
}

// catalog returns everything that is offered for one store.
func (c core) catalog() Catalog {
	return Catalog{
		Name:         "sdd",
		Title:        "sdd: what this project has found out",
		Description:  "Explorations, learnings, facts and decisions kept as Markdown in git: save, find and read what people and agents found out about a project.",
		Instructions: instructions,
		Compat:       c.compatTools,
		Tools:        []Tool{c.contextTool(), c.exploreTool(), c.searchTool(), c.getTool(), c.learnTool(), c.factTool(), c.decideTool(), c.reviewTool(), c.codeTool(), c.docsTool()},
		Resources:    []Resource{c.overview(), c.learnings(), c.status()},
		Templates:    []Template{c.explorations(), c.ideas(), c.factFiles(), c.decisions()},
		Prompts:      c.prompts(),
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
	c.readOnly, c.net = o.ReadOnly, o.AllowNet
	c.Learnings.Hooked(o.OnLearning)
	defer c.Workspace.Close()
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
		news, now := c.Store.Notices(seen[who.Session])
		seen[who.Session] = now
		if line := digest(news); line != "" {
			return []string{line}
		}
		return nil
	}
}
