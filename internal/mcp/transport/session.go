package transport

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Session is one request of a connection as mcp-go's dispatcher sees it: a client
// session that also carries, from hook to loop, what the dispatcher has no place for. It is
// made for each request, because since 2026-07-28 what a request
// declares must not reach the next one.
type Session struct {
	conn    *conn
	ctx     context.Context
	request *pending
	modern  bool

	Args     json.RawMessage // of tools/call, as they came
	Alias    string          // by which the tool was called
	progress progress

	mu     sync.Mutex
	filter *mcp.SubscriptionFilter // of subscriptions/listen
	err    *Error                  // what to answer instead of the dispatcher's answer
	unread chan mcp.JSONRPCNotification
}

var (
	_ server.ClientSession                       = (*Session)(nil)
	_ server.SessionWithClientInfo               = (*Session)(nil)
	_ server.SessionWithProtocolVersion          = (*Session)(nil)
	_ server.SessionWithResourceSubscriptionsErr = (*Session)(nil)
	_ server.SessionWithElicitation              = (*Session)(nil)
	_ server.SessionWithLogging                  = (*Session)(nil)
)

// SessionOf returns the session of the request that ctx belongs to. Without a connection it is an empty one.
func SessionOf(ctx context.Context) *Session {
	if s, ok := server.ClientSessionFromContext(ctx).(*Session); ok {
		return s
	}
	return &Session{conn: &conn{}}
}

// Fail makes e the answer; the first one counts.
func (s *Session) Fail(e *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = e
	}
}

func (s *Session) failure() *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *Session) SessionID() string { return s.conn.id }
func (s *Session) Initialize()       {}
func (s *Session) Initialized() bool { return true }

// NotificationChannel has room for the acknowledgement that the dispatcher itself sends on
// subscriptions/listen. It is not read: the connection sends its own, see KeepFilter.
func (s *Session) NotificationChannel() chan<- mcp.JSONRPCNotification {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unread == nil {
		s.unread = make(chan mcp.JSONRPCNotification, 1)
	}
	return s.unread
}

func (s *Session) GetClientInfo() mcp.Implementation { return s.conn.client().info }

func (s *Session) GetClientCapabilities() mcp.ClientCapabilities { return s.conn.client().caps }

func (s *Session) ProtocolVersion() string { return s.conn.client().version }

func (s *Session) SetClientInfo(info mcp.Implementation) {
	s.keep(func(p *peer) { p.info = info })
}

func (s *Session) SetClientCapabilities(caps mcp.ClientCapabilities) {
	s.keep(func(p *peer) { p.caps = caps })
}

// SetProtocolVersion is called by the dispatcher when initialize has been agreed on.
func (s *Session) SetProtocolVersion(version string) {
	s.keep(func(p *peer) { p.version = version })
}

// keep changes what is known of the client for later requests; a modern one leaves nothing behind.
func (s *Session) keep(change func(p *peer)) {
	if s.modern {
		return
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	change(&s.conn.peer)
}

// SubscribeToResourceErr serves resources/subscribe, which 2026-07-28 no longer has.
func (s *Session) SubscribeToResourceErr(uri string) error {
	return s.conn.srv.Hub.subscribe(s.ctx, s.conn.legacy, uri, s.conn.lenient)
}

func (s *Session) UnsubscribeFromResource(uri string) {
	s.conn.srv.Hub.unsubscribe(s.conn.legacy, uri)
}

// The dispatcher prefers SubscribeToResourceErr and never asks for the other two.

func (s *Session) SubscribeToResource(uri string)         { _ = s.SubscribeToResourceErr(uri) }
func (s *Session) SubscribedResources() []string          { return nil }
func (s *Session) IsSubscribedToResource(uri string) bool { return false }

// ListedResources subscribes the client to changes of the list that it has read. Before 2026-07-28 clients did not have to ask for that.
func (s *Session) ListedResources() {
	if !s.modern {
		s.conn.srv.Hub.listed(s.conn.legacy)
	}
}

// Lenient reports whether a completion of what is not there is empty instead of an error.
func (s *Session) Lenient() bool { return s.conn.lenient }

// SetLogLevel serves logging/setLevel, which 2026-07-28 no longer has.
func (s *Session) SetLogLevel(level mcp.LoggingLevel) {
	s.keep(func(p *peer) { p.level = level })
}

// GetLogLevel returns the least level that logging/setLevel asked for, "" if it did not.
func (s *Session) GetLogLevel() mcp.LoggingLevel { return s.conn.client().level }

// LogMessage sends the client a message of the log, if it wants one of that level.
func (s *Session) LogMessage(ctx context.Context, level mcp.LoggingLevel, text string) {
	least := s.GetLogLevel()
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		least = info.LogLevel
	}
	if least == "" || !level.ShouldSendTo(least) {
		return
	}
	s.conn.notify(
		ctx, s.request, string(mcp.MethodNotificationMessage), mcp.LoggingMessageNotificationParams{Level: level, Logger: "sdd", Data: text},
	)
}

// progress is what the client knows of how far its request is.
type progress struct {
	token json.RawMessage // nil when the client did not ask

	mu    sync.Mutex
	ended bool
	last  float64
	at    time.Time // when the last one went out, zero if none did
}

// Progress reports to the client how far the request is, if it asked for that: done of total (0 when the total is not known). What
// does not go forward is not sent. It may wait for a client that reads slowly, until ctx ends.
func (s *Session) Progress(ctx context.Context, done, total float64, message string) {
	p := &s.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.token == nil || p.ended || !p.at.IsZero() && done <= p.last {
		return
	}
	params := map[string]any{"progressToken": p.token, "progress": done}
	if total > 0 {
		params["total"] = total
	}
	if message != "" {
		params["message"] = message
	}
	s.conn.notify(ctx, s.request, string(mcp.MethodNotificationProgress), params)
	p.last, p.at = done, time.Now()
}

// end returns when the last progress went out. What a stray goroutine reports later is not sent.
func (p *progress) end() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	return p.at
}
