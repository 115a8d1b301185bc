// Package catalog makes an MCP server of a [Catalog]: it registers tools, resources and prompts with mcp-go, checks arguments and
// options, keeps answers within their size, and puts failures into words.
package catalog

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
)

// Options are what the person who starts the server chooses.
type Options struct {
	Version  string
	Toolsets []string  // see [Catalog]; none means the default
	ReadOnly bool      // tools that write are not listed and answer an error
	Log      io.Writer // where defects are reported, never the protocol's output; nil discards
}

// Catalog is everything a server offers.
type Catalog struct {
	Name, Title, Description, WebsiteURL string

	// Instructions reach the agent before its first turn; 1,500 characters at most.
	Instructions string

	Tools []Tool
	// Compat are tools that other servers have and this one has in another shape. They can always be
	// called, and are listed with the toolset "compat".
	Compat []Tool
	// Schemas, if set, returns Input and Output of a tool when they are first needed.
	Schemas func(tool string) (input, output json.RawMessage)
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
	Watch func(ctx context.Context, h *transport.Hub) error
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

// service is a Catalog as it is served.
type service struct {
	*transport.Server
	tools     *toolbox
	resources []Resource
	templates []*template
	prompts   map[string]*Prompt
	notices   func(ctx context.Context, c Client) []string
}

// New returns a server for c. It fails with a fault for options that do not fit, and for a
// catalog that contradicts itself. It reads no files and compiles no schema: that waits for
// the first call.
func New(c Catalog, o Options) (*transport.Server, error) {
	if n := utf8.RuneCountInString(c.Instructions); n > maxInstructions {
		return nil, fault.New(fault.Internal, "the instructions have %d characters, at most %d are allowed", n, maxInstructions)
	}
	out := o.Log
	if out == nil {
		out = io.Discard
	}
	tools, err := newToolbox(c, o)
	if err != nil {
		return nil, err
	}
	s := &service{Server: &transport.Server{Log: log.New(out, "sdd: ", 0), Left: c.Left}, tools: tools, notices: c.Notices}
	if s.Left == nil {
		s.Left = func(string) {}
	}
	s.Tools = tools.listing
	s.Hub = transport.NewHub(s.known, s.canonical, c.Watch, s.Log)
	s.MCP = server.NewMCPServer(c.Name, o.Version,
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
	return s.Server, nil
}

// hooks returns our changes to mcp-go's dispatcher: what a client sees of lists, and the errors that
// it gets.
func (s *service) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddBeforeCallTool(s.rename)
	h.AddAfterListTools(func(ctx context.Context, _ any, req *mcp.ListToolsRequest, _ *mcp.ListToolsResult) {
		onePage(ctx, req.Params.Cursor)
	})
	h.AddBeforeReadResource(s.canonicalize)
	h.AddAfterListResources(s.listResources)
	h.AddAfterListResourceTemplates(func(
		ctx context.Context, _ any, req *mcp.ListResourceTemplatesRequest, _ *mcp.ListResourceTemplatesResult,
	) {
		onePage(ctx, req.Params.Cursor)
	})
	h.AddAfterListPrompts(func(ctx context.Context, _ any, req *mcp.ListPromptsRequest, _ *mcp.ListPromptsResult) {
		onePage(ctx, req.Params.Cursor)
	})
	h.AddBeforeSubscriptionsListen(transport.KeepFilter)
	h.AddOnError(Explain(s.tools.names, s.promptNames))
	return h
}

// caught is deferred by what calls functions of the catalog. It logs a panic and makes instead the error.
func (s *service) caught(what string, err *error, instead error) {
	if r := recover(); r != nil {
		s.Log.Printf("%s failed: %v\n%s", what, r, transport.Stack())
		*err = instead
	}
}

// onePage refuses a cursor where none was given out.
func onePage(ctx context.Context, cursor mcp.Cursor) {
	if cursor != "" {
		transport.SessionOf(ctx).Fail(transport.Errorf(mcp.INVALID_PARAMS, "unknown cursor: this list has one page"))
	}
}

// client returns who sent the request that ctx belongs to.
func client(ctx context.Context) Client {
	sess := transport.SessionOf(ctx)
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
