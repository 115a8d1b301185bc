package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// errUnanswered means that the client did not answer a request of the server.
var errUnanswered = errors.New("the client gave no answer")

// ask sends a request of the server to the client, up to 2025-11-25, and returns the client's result. The error is errUnanswered
// when the client answers with an error or its input ends, else the cause of ctx. The request takes the same way as the answer to
// p.
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

// answerTime is the time a user has to answer a question. Clients abandon a call after a minute, and its unsaved work
// would be lost.
const answerTime = 45 * time.Second

// RequestElicitation asks the client's user, up to 2025-11-25. It treats an error of the client, the end of its input and a
// timeout as a dismissed question.
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
