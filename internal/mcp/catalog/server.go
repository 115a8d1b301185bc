// Package catalog makes an MCP server of a [Catalog]: it registers tools, resources and prompts, checks arguments and explains errors.
package catalog

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
)

// Options are the choices of the user who starts the server.
type Options struct {
	Version  string
	Toolsets []string  // see [Catalog]; empty means the default
	ReadOnly bool      // tools/list has no writing tools, and a call of one returns an error
	Log      io.Writer // for defects, never the protocol's output; nil discards them
}

// Catalog is everything a server offers.
type Catalog struct {
	Name, Title, Description, WebsiteURL string

	Instructions string // for the agent before its first turn; 1,500 characters at most

	Tools           []Tool
	Compat          []Tool   // of other servers: clients can always call them; tools/list has them only with the toolset "compat"
	DefaultToolsets []string // the groups of the toolset "default"; nil means all
	// Schemas, if set, returns Input and Output of a tool at their first use.
	Schemas func(tool string) (input, output json.RawMessage)

	Resources []Resource
	Templates []Template
	Prompts   []Prompt

	Notices func(ctx context.Context, c Client) []string // if set, text blocks to send after a tool call
	Left    func(session string)                         // if set, runs when a client session has ended

	// Watch is called at the first subscription. It returns once it reports every later change to the hub, until ctx ends.
	Watch func(ctx context.Context, h *transport.Hub) error
}

// Client is the sender of a request.
type Client struct {
	Session       string // identifies the connection; "" for a transport without sessions
	Name, Version string // the client's own; both may be ""
	Protocol      string // the revision in use, "" before the client has named one
}

const (
	maxInstructions = 1500    // characters
	listTTL         = 300_000 // milliseconds a client may keep what only a restart changes
)

// service is a Catalog with the state of its server.
type service struct {
	*transport.Server
	tools     *toolbox
	resources []Resource
	templates []*template
	prompts   map[string]*Prompt
	notices   func(ctx context.Context, c Client) []string
}

// New returns a server for c. It returns a fault for invalid options and for a catalog that
// contradicts itself. It reads no files and compiles no schemas; the first call does.
func New(c Catalog, o Options) (_ *transport.Server, err error) {
	defer fault.Caught(&err)
	if n := utf8.RuneCountInString(c.Instructions); n > maxInstructions {
		return nil, fault.New(fault.Internal, "the instructions have %d characters, at most %d are allowed", n, maxInstructions)
	}
	tools := fault.Must(newToolbox(c, o))
	logger := log.New(cmp.Or(o.Log, io.Discard), "sdd: ", 0)
	s := &service{Server: &transport.Server{Log: logger, Left: c.Left}, tools: tools, notices: c.Notices}
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
		server.WithPromptCompletionProvider(s),
		server.WithResourceCompletionProvider(s),
		server.WithCacheHints(listTTL, mcp.CacheScopePrivate),
		server.WithMethodCacheHints(mcp.MethodResourcesList, 0, mcp.CacheScopePrivate),
		server.WithMethodCacheHints(mcp.MethodResourcesRead, 0, mcp.CacheScopePrivate),
		server.WithHooks(s.hooks()),
	)
	s.addTools()
	fault.Check(s.addResources(c))
	fault.Check(s.addPrompts(c))
	return s.Server, nil
}

// hooks returns our changes to mcp-go's dispatcher: to the lists and errors that a client receives.
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

// caught is the deferred function of a caller of the catalog's functions: it logs a panic and sets err to instead.
func (s *service) caught(what string, err *error, instead error) {
	if r := recover(); r != nil {
		s.Log.Printf("%s failed: %v\n%s", what, r, transport.Stack())
		*err = instead
	}
}

// ended returns the results of f, which may end by fault.Check.
func ended[T any](f func() (T, error)) (v T, err error) {
	defer fault.Caught(&err)
	return f()
}

// onePage refuses a cursor: the list has one page, so the server sent none.
func onePage(ctx context.Context, cursor mcp.Cursor) {
	if cursor != "" {
		transport.SessionOf(ctx).Fail(transport.Errorf(mcp.INVALID_PARAMS, "unknown cursor: this list has one page"))
	}
}

// client returns the sender of the request that ctx belongs to.
func client(ctx context.Context) Client {
	sess := transport.SessionOf(ctx)
	program := sess.GetClientInfo()
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		program = mcp.Implementation{}
		if info.ClientInfo != nil {
			program = *info.ClientInfo
		}
	}
	return Client{sess.SessionID(), program.Name, program.Version, server.RequestProtocolVersion(ctx)}
}

// Explain is mcp-go's hook for failed requests. It replaces an error that is wrong or unhelpful, and suggests similar names.
func Explain(tools, prompts func() []string) server.OnErrorHookFunc {
	return func(ctx context.Context, _ any, method mcp.MCPMethod, message any, err error) {
		if e := translate(ctx, method, message, err, tools, prompts); e != nil {
			transport.SessionOf(ctx).Fail(e)
		}
	}
}

// translate returns the error to send for err, nil to keep mcp-go's own error.
func translate(ctx context.Context, method mcp.MCPMethod, message any, err error, tools, prompts func() []string) *transport.Error {
	var unparsable *server.UnparsableMessageError
	var cursor base64.CorruptInputError
	switch {
	case errors.As(err, &unparsable):
		return transport.Errorf(mcp.INVALID_PARAMS, "invalid params of %s: %s", method, transport.Mismatch(err))
	case errors.As(err, &cursor):
		return transport.Errorf(mcp.INVALID_PARAMS, "unknown cursor: give nextCursor of the page before, or none for the first page")
	case errors.Is(err, server.ErrToolNotFound):
		name := message.(*mcp.CallToolRequest).Params.Name
		return transport.Errorf(mcp.INVALID_PARAMS, "there is no tool %q%s", fault.Cut(name, 64), fault.DidYouMean(name, tools()))
	case errors.Is(err, server.ErrPromptNotFound):
		name := message.(*mcp.GetPromptRequest).Params.Name
		return transport.Errorf(mcp.INVALID_PARAMS, "there is no prompt %q%s", fault.Cut(name, 64), fault.DidYouMean(name, prompts()))
	case errors.Is(err, server.ErrResourceNotFound):
		uri := originalURI(message.(*mcp.ReadResourceRequest))
		if uri == "" {
			return transport.Errorf(mcp.INVALID_PARAMS, "uri is required")
		}
		return notFound(ctx, uri, "")
	case strings.Contains(err.Error(), "reference type"):
		return transport.Errorf(mcp.INVALID_PARAMS, "invalid params of %s: %s", method, transport.Mismatch(err))
	}
	return faultError(ctx, message, err)
}

// faultError returns the error to send for a fault, nil for any other error.
func faultError(ctx context.Context, message any, err error) *transport.Error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	text := fault.FailureOf(f)
	switch f.Code {
	case fault.NotFound:
		switch m := message.(type) {
		case *mcp.ReadResourceRequest:
			return notFound(ctx, originalURI(m), text.Hint)
		case *mcp.SubscribeRequest:
			return notFound(ctx, m.Params.URI, text.Hint)
		}
		return transport.Errorf(mcp.INVALID_PARAMS, "%s", text.Line())
	case fault.Invalid, fault.Ambiguous, fault.Outside:
		return transport.Errorf(mcp.INVALID_PARAMS, "%s", text.Line())
	}
	return transport.Errorf(mcp.INTERNAL_ERROR, "%s", text.Line())
}

// notFound is the error for a missing resource. The protocol changed its code in 2026-07-28.
func notFound(ctx context.Context, uri, hint string) *transport.Error {
	code := mcp.RESOURCE_NOT_FOUND
	if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
		code = mcp.INVALID_PARAMS
	}
	if hint != "" {
		hint = "; " + hint
	}
	return transport.Errorf(code, "there is no resource %q%s", fault.Cut(uri, 200), hint).About(uri)
}
