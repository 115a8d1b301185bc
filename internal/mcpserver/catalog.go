package mcpserver

import (
	"context"
	"io"
	"sync"

	"sdd/internal/codesearch"
	"sdd/internal/inbox"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/store"
)

// core is what tools, resources and prompts work on.
type core struct {
	st      *store.Store
	ix      *index.Index
	learned *learning.Learnings
	inbox   *inbox.Inbox
	code    *codesearch.Searcher
	views   func() // makes the views follow the files from now on
}

// newCore returns the core for one store; the views follow the files until ctx ends.
func newCore(ctx context.Context, st *store.Store, ix *index.Index) core {
	c := core{st: st, ix: ix, learned: learning.New(st, ix), inbox: inbox.New(st, ix, inbox.Options{}), code: codesearch.New(st.Dir(), codesearch.Options{Config: st.Config})}
	var once sync.Once
	c.views = func() { once.Do(func() { c.learned.Keep(ctx) }) }
	return c
}

// catalog returns everything that is offered for one store.
func (c core) catalog() Catalog {
	return Catalog{
		Name:         "sdd",
		Title:        "sdd: what this project has found out",
		Description:  "Explorations and learnings kept as Markdown in git: save, find and read what people and agents found out about a project.",
		Instructions: instructions,
		Tools:        []Tool{c.exploreTool(), c.searchTool(), c.getTool(), c.learnTool(), c.reviewTool(), c.codeTool(), c.docsTool()},
		Resources:    []Resource{c.overview(), c.learnings(), c.status()},
		Templates:    []Template{c.explorations(), c.ideas()},
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
	defer c.learned.Close()
	defer c.inbox.Close()
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
