package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Session is one request as a client session of mcp-go: since 2026-07-28 the declarations of one request must not affect the next.
type Session struct {
	conn    *conn
	request *pending
	modern  bool

	Args     json.RawMessage // of tools/call, as sent
	Alias    string          // the alias in a call, "" for the tool's name
	progress progress

	mu     sync.Mutex
	filter *mcp.SubscriptionFilter // of subscriptions/listen
	err    *Error                  // the error that replaces the dispatcher's answer
}

var (
	_ server.ClientSession                       = (*Session)(nil)
	_ server.SessionWithClientInfo               = (*Session)(nil)
	_ server.SessionWithProtocolVersion          = (*Session)(nil)
	_ server.SessionWithResourceSubscriptionsErr = (*Session)(nil)
	_ server.SessionWithElicitation              = (*Session)(nil)
	_ server.SessionWithLogging                  = (*Session)(nil)
)

// SessionOf returns the session of the request that ctx belongs to, or an empty one without a connection.
func SessionOf(ctx context.Context) *Session {
	if s, ok := server.ClientSessionFromContext(ctx).(*Session); ok {
		return s
	}
	return &Session{conn: &conn{}}
}

// Fail makes e the answer. Of several calls the first one counts.
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

// NotificationChannel has room for an acknowledgement that nothing reads: the connection sends its own, see KeepFilter.
func (s *Session) NotificationChannel() chan<- mcp.JSONRPCNotification {
	return make(chan mcp.JSONRPCNotification, 1)
}

func (s *Session) GetClientInfo() mcp.Implementation { return s.conn.client().info }

func (s *Session) GetClientCapabilities() mcp.ClientCapabilities { return s.conn.client().caps }

func (s *Session) ProtocolVersion() string { return s.conn.client().version }

func (s *Session) SetClientInfo(info mcp.Implementation) { s.keep(func(p *peer) { p.info = info }) }

func (s *Session) SetClientCapabilities(caps mcp.ClientCapabilities) {
	s.keep(func(p *peer) { p.caps = caps })
}

// SetProtocolVersion stores the version. The dispatcher calls it after initialize.
func (s *Session) SetProtocolVersion(version string) { s.keep(func(p *peer) { p.version = version }) }

// keep changes the client's data for later requests. A modern request does not affect later ones.
func (s *Session) keep(change func(p *peer)) {
	if s.modern {
		return
	}
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	change(&s.conn.peer)
}

// SubscribeToResourceErr serves resources/subscribe, which 2026-07-28 removed.
func (s *Session) SubscribeToResourceErr(uri string) error {
	return s.conn.srv.Hub.subscribe(s.request.ctx, s.conn.legacy, uri, s.conn.lenient)
}

func (s *Session) UnsubscribeFromResource(uri string) { s.conn.srv.Hub.unsubscribe(s.conn.legacy, uri) }

// mcp-go's interface requires these methods; the dispatcher calls SubscribeToResourceErr instead.

func (s *Session) SubscribeToResource(uri string)         { _ = s.SubscribeToResourceErr(uri) }
func (s *Session) SubscribedResources() []string          { return nil }
func (s *Session) IsSubscribedToResource(uri string) bool { return false }

// ListedResources subscribes the client to changes of the list that it has read, see Hub.listed.
func (s *Session) ListedResources() {
	if !s.modern {
		s.conn.srv.Hub.listed(s.conn.legacy)
	}
}

// Lenient reports whether the completion of an unknown reference is empty instead of an error.
func (s *Session) Lenient() bool { return s.conn.lenient }

// SetLogLevel serves logging/setLevel, which 2026-07-28 removed.
func (s *Session) SetLogLevel(level mcp.LoggingLevel) { s.keep(func(p *peer) { p.level = level }) }

// GetLogLevel returns the minimum level that the client set by logging/setLevel, "" if it set none.
func (s *Session) GetLogLevel() mcp.LoggingLevel { return s.conn.client().level }

// LogMessage sends the client a log message, if the client wants messages of that level.
func (s *Session) LogMessage(ctx context.Context, level mcp.LoggingLevel, text string) {
	least := s.GetLogLevel()
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		least = info.LogLevel
	}
	if least == "" || !level.ShouldSendTo(least) {
		return
	}
	s.conn.notify(s.request, string(mcp.MethodNotificationMessage),
		mcp.LoggingMessageNotificationParams{Level: level, Logger: "sdd", Data: text})
}

// progress is the last progress of a request that the client received.
type progress struct {
	token json.RawMessage // nil if the client did not ask for progress

	mu    sync.Mutex
	ended bool
	last  float64
	at    time.Time // of the last progress, zero before the first
}

// Progress sends the client the progress of its request, if it asked for that. It drops a value that is not greater than the last.
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
	s.conn.notify(s.request, string(mcp.MethodNotificationProgress), params)
	p.last, p.at = done, time.Now()
}

// end returns the time of the last progress; later progress is dropped.
func (p *progress) end() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	return p.at
}

var errUnanswered = errors.New("the client gave no answer")

// ask sends a request to the client, up to 2025-11-25, on the way of the answer to p. The error is errUnanswered without an answer.
func (c *conn) ask(ctx context.Context, p *pending, method mcp.MCPMethod, params any) (json.RawMessage, error) {
	answer := make(chan *message, 1)
	c.mu.Lock()
	if c.closing {
		c.mu.Unlock()
		return nil, errUnanswered
	}
	c.asked++
	id := fmt.Sprintf("ask-%d", c.asked)
	c.questions[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.questions, id)
	}()
	p.out.write(must(envelope{ID: must(Encode(id)), Method: string(method), Params: params}.encode()))
	select {
	case m := <-answer:
		if m == nil || m.result == nil {
			return nil, errUnanswered
		}
		return m.result, nil
	case <-ctx.Done():
		p.out.write(notification(string(mcp.MethodNotificationCancelled), map[string]any{"requestId": id}))
		return nil, context.Cause(ctx)
	}
}

// answerTime is the time a user has to answer: clients abandon a call after a minute.
const answerTime = 45 * time.Second

// RequestElicitation asks the client's user, up to 2025-11-25. An error of the client or a timeout is a dismissed question.
func (s *Session) RequestElicitation(ctx context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	patience, stop := context.WithTimeoutCause(ctx, answerTime, errUnanswered)
	defer stop()
	raw, err := s.conn.ask(patience, s.request, mcp.MethodElicitationCreate, req.Params)
	var res mcp.ElicitationResult
	switch {
	case err != nil && !errors.Is(err, errUnanswered):
		return nil, err
	case err != nil || json.Unmarshal(raw, &res) != nil:
		return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionCancel}}, nil
	}
	return &res, nil
}

// response takes the answer to a request of the server. It ignores an answer that no call waits for.
func (c *conn) response(m *message) {
	var id string
	if json.Unmarshal(m.id, &id) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer := c.questions[id]; answer != nil {
		answer <- m
		delete(c.questions, id)
	}
}
