// Package mcpserver offers the program to agents over the Model Context Protocol.
//
// It has three parts. The offers: each tool, resource and prompt has a file of its own, and catalog.go puts them into a
// [Catalog]. The server (server.go, tool.go, resource.go, prompt.go) registers a Catalog with mcp-go's MCPServer, which knows
// the five revisions of the protocol and dispatches requests. The transports (stdio.go, http.go and what they use) carry
// messages. They are our own: those of mcp-go 1.2.1 let results overtake progress or lose it, drop accepted requests at end of
// input, and keep messages of any length; http.go lists the defects.
//
// The dispatcher has no place for the error that a handler meant and for the notifications that a client asked for. Its
// hooks put them into the request's session, see [session], where the transport finds them.
package mcpserver

import (
	"context"
	"io"
	"log"
	"sync"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
)

// Options are what the person who starts the server chooses.
type Options struct {
	Version  string
	Toolsets []string  // see [Catalog]; none means the default
	ReadOnly bool      // tools that write are not listed and answer an error
	AllowNet bool      // sdd_docs may ask any public host
	Log      io.Writer // where defects are reported, never the protocol's output; nil discards

	OnLearning func() error // see learning.Hooked; nil runs no hook
}

// Catalog is everything a server offers.
type Catalog struct {
	Name, Title, Description, WebsiteURL string

	// Instructions reach the agent before its first turn; 1,500 characters at most.
	Instructions string

	Tools []Tool
	// Compat, if set, returns tools that other servers have and this one has in another shape. They can always be
	// called, and are listed with the toolset "compat". It is called once, when one of them is needed.
	Compat func() []Tool
	// DefaultToolsets are those of the toolset "default"; nil means all.
	DefaultToolsets []string

	Resources []Resource
	Templates []Template
	Prompts   []Prompt

	// Notices, if set, returns after every tool call lines that the client should see
	// besides the result. Each becomes a text block of its own.
	Notices func(ctx context.Context, c Client) []string

	// Left, if set, is called for every client session that has ended.
	Left func(session string)

	// Watch, if set, is called when the first client subscribes. It returns once every later
	// change will be reported to the hub, and goes on reporting until ctx ends, which is
	// when the last subscription has gone. It is not called while an earlier Watch goes on.
	Watch func(ctx context.Context, h *Hub) error
}

// Client is who sent a request.
type Client struct {
	// Session identifies the connection; it is "" where the transport has no sessions.
	Session string
	// Name and Version are those that the client gave; both may be "".
	Name, Version string
	// Protocol is the revision in use, "" before the client named one.
	Protocol string
}

const (
	maxInstructions = 1500    // characters
	listTTL         = 300_000 // milliseconds a client may keep what only a restart changes
)

// Server answers the requests of any number of clients.
type Server struct {
	mcp   *server.MCPServer
	hub   *Hub
	log   *log.Logger
	tools *toolbox

	unlisted sync.Once // adding the tools of other servers to mcp

	resources []Resource
	templates []*template
	prompts   map[string]*Prompt
	notices   func(ctx context.Context, c Client) []string
	left      func(session string)
}

// New returns a server for c. It fails with a fault for options that do not fit, and for a
// catalog that contradicts itself. It reads no files and compiles no schema: that waits for
// the first call.
func New(c Catalog, o Options) (*Server, error) {
	if n := utf8.RuneCountInString(c.Instructions); n > maxInstructions {
		return nil, fault.New(fault.Internal, "the instructions have %d characters, at most %d are allowed", n, maxInstructions)
	}
	out := o.Log
	if out == nil {
		out = io.Discard
	}
	s := &Server{
		log:     log.New(out, "sdd: ", 0),
		notices: c.Notices,
		left:    c.Left,
	}
	if s.left == nil {
		s.left = func(string) {}
	}
	s.hub = newHub(s, c.Watch)
	var err error
	if s.tools, err = newToolbox(c, o); err != nil {
		return nil, err
	}
	s.mcp = server.NewMCPServer(c.Name, o.Version,
		server.WithTitle(c.Title),
		server.WithDescription(c.Description),
		server.WithWebsiteURL(c.WebsiteURL),
		server.WithInstructions(c.Instructions),
		server.WithToolCapabilities(false),
		server.WithPromptCapabilities(false),
		server.WithResourceCapabilities(true, true),
		server.WithCompletions(),
		server.WithLogging(),
		server.WithPromptCompletionProvider(promptCompleter{s}),
		server.WithResourceCompletionProvider(resourceCompleter{s}),
		server.WithCacheHints(listTTL, mcp.CacheScopePrivate),
		server.WithMethodCacheHints(mcp.MethodResourcesList, 0, mcp.CacheScopePrivate),
		server.WithMethodCacheHints(mcp.MethodResourcesRead, 0, mcp.CacheScopePrivate),
		server.WithHooks(s.hooks()),
	)
	s.addTools()
	if err := s.addResources(c); err != nil {
		return nil, err
	}
	if err := s.addPrompts(c); err != nil {
		return nil, err
	}
	return s, nil
}

// Hub returns where changes of resources are reported.
func (s *Server) Hub() *Hub { return s.hub }

// Check compiles what is otherwise compiled on first use. It is for tests: an error means that
// the catalog is wrong.
func (s *Server) Check() error { return s.tools.check() }

// hooks returns our changes to mcp-go's dispatcher: what a client sees of lists, and the errors that
// it gets.
func (s *Server) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddBeforeCallTool(s.rename)
	h.AddAfterListTools(func(ctx context.Context, _ any, req *mcp.ListToolsRequest, _ *mcp.ListToolsResult) {
		onePage(ctx, req.Params.Cursor)
	})
	h.AddBeforeReadResource(s.canonicalize)
	h.AddAfterListResources(s.listResources)
	h.AddAfterListResourceTemplates(func(ctx context.Context, _ any, req *mcp.ListResourceTemplatesRequest, _ *mcp.ListResourceTemplatesResult) {
		onePage(ctx, req.Params.Cursor)
	})
	h.AddAfterListPrompts(func(ctx context.Context, _ any, req *mcp.ListPromptsRequest, _ *mcp.ListPromptsResult) {
		onePage(ctx, req.Params.Cursor)
	})
	h.AddBeforeSubscriptionsListen(keepFilter)
	h.AddOnError(s.explain)
	return h
}

// client returns who sent the request that ctx belongs to.
func client(ctx context.Context) Client {
	sess := sessionOf(ctx)
	c := Client{Session: sess.SessionID(), Protocol: server.RequestProtocolVersion(ctx)}
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientInfo != nil {
			c.Name, c.Version = info.ClientInfo.Name, info.ClientInfo.Version
		}
		return c
	}
	info := sess.GetClientInfo()
	c.Name, c.Version = info.Name, info.Version
	return c
}
