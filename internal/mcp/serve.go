// Package mcp serves stores to agents: tools and memorybridge are offered, catalog makes an MCP server of them, transport carries messages.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"sdd/internal/app"
	"sdd/internal/index"
	"sdd/internal/mcp/catalog"
	"sdd/internal/mcp/memorybridge"
	"sdd/internal/mcp/tools"
	"sdd/internal/mcp/transport"
	"sdd/internal/setup"
	"sdd/internal/store"
	"sdd/schema"
)

// Offers returns the catalog for its descriptions: callers must not call its functions.
func Offers() catalog.Catalog { return offers(context.Background(), nil, app.AgentOptions{}) }

// Tools returns the tools in the order of tools/list, without those of other servers.
func Tools() []app.ToolInfo {
	var out []app.ToolInfo
	for _, t := range Offers().Tools {
		out = append(out, app.ToolInfo{
			Name: t.Name, Title: t.Title, Description: t.Description, Toolset: t.Toolset, Aliases: t.Aliases, Writes: t.Writes,
		})
	}
	return out
}

func offers(ctx context.Context, w *app.App, o app.AgentOptions) catalog.Catalog {
	c := tools.Of(ctx, w, tools.Options{ReadOnly: o.ReadOnly, AllowNet: o.AllowNet, Hub: o.Hub})
	c.Instructions = instructions
	c.Schemas = func(tool string) (input, output json.RawMessage) { return schema.Input(tool), schema.Listed(tool) }
	c.Compat = memorybridge.Tools(w, o.ReadOnly)
	return c
}

// open returns a server for one store, which works until ctx ends or the caller calls close.
func open(ctx context.Context, m app.Mount, o app.AgentOptions, log io.Writer) (s *transport.Server, close func(), err error) {
	ctx, stop := context.WithCancel(ctx)
	w := app.New(m.Store, m.Index, app.Options{})
	w.FetchWith(m.Fetch)
	if o.Addr != "" { // over HTTP
		w.ForOthers()
	}
	close = func() {
		w.Close()
		stop()
	}
	c, seen := offers(ctx, w, o), &digests{store: m.Store, index: m.Index, seen: map[string]store.Cursor{}}
	c.Notices, c.Left = seen.notices, seen.left
	if s, err = catalog.New(c, catalog.Options{Version: o.Version, Toolsets: o.Toolsets, ReadOnly: o.ReadOnly, Log: log}); err != nil {
		close()
		return nil, nil, err
	}
	return s, close, nil
}

// ServeStdio serves one client over a pair of streams until the input or ctx ends.
func ServeStdio(ctx context.Context, m app.Mount, o app.AgentOptions, in io.Reader, out, log io.Writer) error {
	s, close, err := open(ctx, m, o, log)
	if err != nil {
		return err
	}
	defer close()
	return s.Stdio(ctx, in, out)
}

// ServeHTTP serves the clients of the stores over HTTP until ctx ends. It calls ready with their URLs once the port is open.
func ServeHTTP(ctx context.Context, mounts []app.Mount, o app.AgentOptions, log io.Writer, ready func(urls []string) error) error {
	servers := map[string]*transport.Server{}
	for _, m := range mounts {
		path := setup.HTTPPath
		if m.Name != "" {
			path += "/" + m.Name
		}
		s, close, err := open(ctx, m, o, log)
		if err != nil {
			return err
		}
		defer close()
		servers[path] = s
	}
	srv, err := transport.ListenHTTP(servers, transport.HTTPOptions{Addr: o.Addr, Token: o.Token, Hosts: o.Hosts}, log)
	if err != nil {
		return err
	}
	if err := ready(srv.Addresses()); err != nil {
		srv.Close()
		return err
	}
	return srv.Serve(ctx)
}

// maxTold is the number of changes that the digest names; it counts the others.
const maxTold = 5

// digests remember which changes each client has received.
type digests struct {
	store *store.Store
	index *index.Index

	mu   sync.Mutex
	seen map[string]store.Cursor // by session
}

// notices returns a line about changes by others since the client's last call, without a session about lost ones only.
func (d *digests) notices(ctx context.Context, who catalog.Client) (lines []string) {
	ignored := d.store.NewlyIgnored(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	news, now := d.store.Notices(d.seen[who.Session], who.Session)
	if who.Session != "" {
		d.seen[who.Session] = now
	}
	if line := digest(d.renamed(news)); line != "" {
		lines = append(lines, line)
	}
	if ignored != nil {
		lines = append(lines, ignored.Text()+". "+ignored.Fix())
	}
	return lines
}

func (d *digests) left(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.seen, session)
}

// renamed finds the files that removed records have now, and drops what a rename alone explains.
func (d *digests) renamed(news []store.Notice) (out []store.Notice) {
	now, back := map[string]string{}, map[string]bool{}
	for _, n := range news {
		if n.Kind != store.NoteRemoved || n.Record == "" {
			continue
		}
		for _, e := range d.index.Lookup(index.Ref{ID: n.Record}) {
			if e.ID == n.Record && (now[n.Record] == "" || e.Path == n.Path) {
				now[n.Record] = e.Path
			}
		}
		back[n.Record] = back[n.Record] || now[n.Record] == n.Path
	}
	for _, n := range news {
		switch to := now[n.Record]; {
		case n.Kind == store.NoteRemoved && back[n.Record],
			n.Kind == store.NoteEdited && (!d.index.Taken(n.Path) || to == n.Path && !back[n.Record]):
			continue
		case n.Kind == store.NoteRemoved:
			n.To = to
		}
		out = append(out, n)
	}
	return out
}

// digest returns a line about the changes, "" for none. It always names lost ones, first.
func digest(news []store.Notice) string {
	var parts []string
	named, more := map[string]bool{}, 0
	for _, pending := range []bool{true, false} {
		for _, n := range news {
			switch {
			case n.Pending() != pending || !pending && named[n.Path]:
			case pending || len(parts) < maxTold:
				parts = append(parts, n.Text())
			default:
				more++
			}
			named[n.Path] = named[n.Path] || n.Pending() == pending
		}
	}
	if len(parts) == 0 {
		return ""
	}
	line := "Changed since your last call: " + strings.Join(parts, "; ")
	if more > 0 {
		line += fmt.Sprintf("; and %d more", more)
	}
	return line
}
