package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// elicit asks the client's user in a request of our own. Whatever is no answer of the user, an
// error of the client or the end of its input, counts as dismissed. The question goes where the
// answer to p will go.
func (c *conn) elicit(ctx context.Context, p *pending, params mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	answer := make(chan *message, 1)
	c.mu.Lock()
	if c.closing {
		c.mu.Unlock()
		return dismissed(), nil
	}
	c.asked++
	id := fmt.Sprintf("ask-%d", c.asked)
	c.asks[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asks, id)
	}()
	p.out.put(must(encode(struct {
		JSONRPC string                `json:"jsonrpc"`
		ID      string                `json:"id"`
		Method  string                `json:"method"`
		Params  mcp.ElicitationParams `json:"params"`
	}{mcp.JSONRPC_VERSION, id, string(mcp.MethodElicitationCreate), params})), item{})
	select {
	case m := <-answer:
		var res mcp.ElicitationResult
		if m == nil || m.result == nil || json.Unmarshal(m.result, &res) != nil {
			return dismissed(), nil
		}
		return &res, nil
	case <-ctx.Done():
		p.out.put(notification(string(mcp.MethodNotificationCancelled), map[string]any{"requestId": id}), item{})
		return nil, context.Cause(ctx)
	}
}

func dismissed() *mcp.ElicitationResult {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionCancel}}
}

// response takes the answer to a request of ours. One that nobody waits for is ignored.
func (c *conn) response(m *message) {
	var id string
	if json.Unmarshal(m.id, &id) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer := c.asks[id]; answer != nil {
		answer <- m
		delete(c.asks, id)
	}
}
