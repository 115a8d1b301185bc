package mcpserver

import (
	"context"
	"io"
	"sync"

	"sdd/internal/index"
	"sdd/internal/store"
)

// core is what tools, resources and prompts work on.
type core struct {
	st *store.Store
	ix *index.Index
}

// newCatalog returns everything that is offered for one store.
func newCatalog(st *store.Store, ix *index.Index) Catalog {
	c := core{st, ix}
	return Catalog{
		Name:         "sdd",
		Title:        "sdd: what this project has found out",
		Description:  "Explorations kept as Markdown in git: save, find and read what people and agents found out about a project.",
		Instructions: instructions,
		Tools:        []Tool{c.exploreTool(), c.searchTool(), c.getTool()},
		Resources:    []Resource{c.overview(), c.status()},
		Templates:    []Template{c.explorations()},
		Notices:      c.notices(),
		Watch:        c.watch,
	}
}

// ServeStdio answers one client over a pair of streams until the input ends or ctx does.
func ServeStdio(ctx context.Context, st *store.Store, ix *index.Index, o Options, in io.Reader, out, log io.Writer) error {
	o.Log = log
	s, err := New(newCatalog(st, ix), o)
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
