package mcpserver

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is one request of a connection as mcp-go's dispatcher sees it: a client
// session that also carries, from hook to loop, what the dispatcher has no place for. It is
// made for each request, because since 2026-07-28 what a request
// declares must not reach the next one.
type session struct {
	conn    *conn
	ctx     context.Context
	request *pending
	modern  bool

	args     json.RawMessage // of tools/call, as they came
	alias    string          // by which the tool was called
	progress progress

	mu     sync.Mutex
	filter *mcp.SubscriptionFilter // of subscriptions/listen
	err    *rpcError               // what to answer instead of the dispatcher's answer
	unread chan mcp.JSONRPCNotification
}

var (
	_ server.ClientSession                       = (*session)(nil)
	_ server.SessionWithClientInfo               = (*session)(nil)
	_ server.SessionWithProtocolVersion          = (*session)(nil)
	_ server.SessionWithResourceSubscriptionsErr = (*session)(nil)
	_ server.SessionWithElicitation              = (*session)(nil)
	_ server.SessionWithLogging                  = (*session)(nil)
)

// sessionOf returns the session of the request that ctx belongs to: conn makes one for each.
func sessionOf(ctx context.Context) *session { return server.ClientSessionFromContext(ctx).(*session) }

// fail sets the answer; the first one counts.
func (s *session) fail(e *rpcError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = e
	}
}

func (s *session) failure() *rpcError {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// onePage refuses a cursor where none was given out.
func onePage(ctx context.Context, cursor mcp.Cursor) {
	if cursor != "" {
		sessionOf(ctx).fail(rpcErrorf(mcp.INVALID_PARAMS, "unknown cursor: this list has one page"))
	}
}

func (s *session) SessionID() string { return s.conn.id }
func (s *session) Initialize()       {}
func (s *session) Initialized() bool { return true }

// NotificationChannel has room for the acknowledgement that the dispatcher itself sends on
// subscriptions/listen. It is not read: the connection sends its own, see keepFilter.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unread == nil {
		s.unread = make(chan mcp.JSONRPCNotification, 1)
	}
	return s.unread
}

func (s *session) GetClientInfo() mcp.Implementation { return s.conn.client().info }

func (s *session) GetClientCapabilities() mcp.ClientCapabilities { return s.conn.client().caps }

func (s *session) ProtocolVersion() string { return s.conn.client().version }

func (s *session) SetClientInfo(info mcp.Implementation) {
	s.keep(func(p *peer) { p.info = info })
}

func (s *session) SetClientCapabilities(caps mcp.ClientCapabilities) {
	s.keep(func(p *peer) { p.caps = caps })
}

// SetProtocolVersion is called by the dispatcher when initialize has been agreed on.
func (s *session) SetProtocolVersion(version string) {
	s.keep(func(p *peer) { p.version = version })
}

// keep changes what is known of the client for later requests; a modern one leaves nothing behind.
func (s *session) keep(change func(p *peer)) {
	if s.modern {
		return
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	change(&s.conn.peer)
}

// SubscribeToResourceErr serves resources/subscribe, which 2026-07-28 no longer has.
func (s *session) SubscribeToResourceErr(uri string) error {
	return s.conn.srv.hub.subscribe(s.ctx, s.conn.legacy, uri, s.conn.lenient)
}

func (s *session) UnsubscribeFromResource(uri string) {
	s.conn.srv.hub.unsubscribe(s.conn.legacy, uri)
}

// The dispatcher prefers SubscribeToResourceErr and never asks for the other two.

func (s *session) SubscribeToResource(uri string)         { _ = s.SubscribeToResourceErr(uri) }
func (s *session) SubscribedResources() []string          { return nil }
func (s *session) IsSubscribedToResource(uri string) bool { return false }

// SetLogLevel serves logging/setLevel, which 2026-07-28 no longer has.
func (s *session) SetLogLevel(level mcp.LoggingLevel) {
	s.keep(func(p *peer) { p.level = level })
}

// GetLogLevel returns the least level that logging/setLevel asked for, "" if it did not.
func (s *session) GetLogLevel() mcp.LoggingLevel { return s.conn.client().level }

// logMessage sends the client a message of the log, if it wants one of that level.
func (s *session) logMessage(ctx context.Context, level mcp.LoggingLevel, text string) {
	least := s.GetLogLevel()
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		least = info.LogLevel
	}
	if least == "" || !level.ShouldSendTo(least) {
		return
	}
	s.conn.notify(ctx, s.request, string(mcp.MethodNotificationMessage), mcp.LoggingMessageNotificationParams{Level: level, Logger: "sdd", Data: text})
}

// progress sends the progress of one request, in order, and nothing after its end.
type progress struct {
	notify func(params map[string]any) // nil when the client did not ask
	token  any

	mu   sync.Mutex
	done bool
	any  bool
	last float64
	at   time.Time
}

// progressOf returns where the progress of a call goes. A retried call goes on in the same place.
func progressOf(ctx context.Context, req *mcp.CallToolRequest) *progress {
	sess := sessionOf(ctx)
	p := &sess.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = false
	if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return p
	}
	p.token = req.Params.Meta.ProgressToken
	p.notify = func(params map[string]any) {
		sess.conn.notify(ctx, sess.request, string(mcp.MethodNotificationProgress), params)
	}
	return p
}

func (p *progress) report(done, total float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.notify == nil || p.done || p.any && done <= p.last {
		return
	}
	params := map[string]any{"progressToken": p.token, "progress": done}
	if total > 0 {
		params["total"] = total
	}
	if message != "" {
		params["message"] = message
	}
	p.notify(params)
	p.any, p.last, p.at = true, done, time.Now()
}

// close ends the progress: what a stray goroutine reports later is not sent.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
}

// sent returns when the last progress went out, the zero time if none did.
func (p *progress) sent() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}
