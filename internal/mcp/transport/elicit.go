package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// errUnanswered is returned when the client gave no answer to a request of the server.
var errUnanswered = errors.New("the client gave no answer")

// ask sends the client a request of the server, up to 2025-11-25, and returns the result that it answers with. The error is
// errUnanswered when it answers with an error or its input ends, else why ctx ended. The request goes where the answer to p will go.
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
	p.out.put(must(envelope{ID: must(Encode(id)), Method: string(method), Params: params}.encode()), item{})
	select {
	case m := <-answer:
		if m == nil || m.result == nil || len(m.result) > maxParams {
			return nil, errUnanswered
		}
		return m.result, nil
	case <-ctx.Done():
		p.out.put(notification(string(mcp.MethodNotificationCancelled), map[string]any{"requestId": id}), item{})
		return nil, context.Cause(ctx)
	}
}

// answerTime is how long a user may think about a question. Clients give a call up after a minute, and what it was to save
// would be lost with it.
const answerTime = 45 * time.Second

// RequestElicitation asks the client's user, up to 2025-11-25. An error of the client, the end of its input, and no answer in
// time count as dismissed.
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
