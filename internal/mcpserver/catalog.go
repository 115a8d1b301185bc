package mcpserver

import (
	"context"
	"io"
	"sync"

	"sdd/internal/app"
	"sdd/internal/index"
	"sdd/internal/store"
)

// core is what tools, resources and prompts work on.
type core struct {
	*app.App
	net      bool   // any public host may be asked for documentation
	readOnly bool   // of the server
	views    func() // makes the views follow the files from now on
}

// newCore returns the core for one store; the views follow the files until ctx ends.
func newCore(ctx context.Context, st *store.Store, ix *index.Index) core {
	c := core{App: app.New(st, ix, app.Options{})}
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
		Templates:    []Template{c.explorations(), c.sections(), c.projectOverviews(), c.ideas(), c.factFiles(), c.decisions()},
		Prompts:      c.prompts(),
		Watch:        c.watch,
	}
}

// Offers returns the catalog of a store for those who describe it: its functions must not be called.
func Offers() Catalog { return core{}.catalog() }

// open returns a server for one store, which works until ctx ends and close is called.
func open(ctx context.Context, st *store.Store, ix *index.Index, o Options) (s *Server, close func(), err error) {
	ctx, stop := context.WithCancel(ctx)
	c := newCore(ctx, st, ix)
	c.readOnly, c.net = o.ReadOnly, o.AllowNet
	c.Learnings.Hooked(o.OnLearning)
	close = func() {
		c.App.Close()
		stop()
	}
	offer, told := c.catalog(), newDigests(st)
	offer.Notices, offer.Left = told.notices, told.left
	if s, err = New(offer, o); err != nil {
		close()
		return nil, nil, err
	}
	return s, close, nil
}

// ServeStdio answers one client over a pair of streams until the input ends or ctx does.
func ServeStdio(ctx context.Context, st *store.Store, ix *index.Index, o Options, in io.Reader, out, log io.Writer) error {
	o.Log = log
	s, close, err := open(ctx, st, ix, o)
	if err != nil {
		return err
	}
	defer close()
	return s.Stdio(ctx, in, out)
}

// Mount is a store that an HTTP server offers.
type Mount struct {
	Name       string // the last part of its path; "" stands for a server with this store only
	Store      *store.Store
	Index      *index.Index
	OnLearning func() error // in place of that of [Options]
}

// ServeHTTP answers the clients of the stores over HTTP until ctx ends. ready is called with their URLs when the port is
// there. log gets a line for each request.
func ServeHTTP(ctx context.Context, mounts []Mount, o Options, h HTTPOptions, log io.Writer, ready func(urls []string) error) error {
	o.Log = log
	servers := map[string]*Server{}
	for _, m := range mounts {
		path := HTTPPath
		if m.Name != "" {
			path += "/" + m.Name
		}
		o.OnLearning = m.OnLearning
		s, close, err := open(ctx, m.Store, m.Index, o)
		if err != nil {
			return err
		}
		defer close()
		servers[path] = s
	}
	return offer(ctx, servers, h, log, ready)
}

// offer answers for servers by their paths until ctx ends. ready is called with the URLs when the port is there.
func offer(ctx context.Context, servers map[string]*Server, h HTTPOptions, log io.Writer, ready func(urls []string) error) error {
	srv, err := listenHTTP(servers, h, log)
	if err != nil {
		return err
	}
	if err := ready(srv.Addresses()); err != nil {
		srv.Close()
		return err
	}
	return srv.Serve(ctx)
}
