package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// dispatch answers the request m for sess. It never panics and always has an answer.
func (s *Server) dispatch(ctx context.Context, sess *session, m *message) (r reply) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Printf("%s failed: %v\n%s", cut(m.method, 64), p, stack())
			r = failed(mcp.INTERNAL_ERROR, "internal error")
		}
	}()
	if m.method == string(mcp.MethodToolsCall) {
		sess.args = m.take("arguments")
	}
	raw, err := m.canonical()
	if err != nil {
		return failed(mcp.INVALID_REQUEST, "invalid request")
	}
	answer := s.mcp.HandleMessage(s.mcp.WithContext(ctx, sess), raw)
	if e := sess.failure(); e != nil {
		return reply{err: e}
	}
	switch a := answer.(type) {
	case mcp.JSONRPCResponse:
		return reply{result: s.form(a.Result)}
	case mcp.JSONRPCError:
		e := &rpcError{a.Error.Code, cut(a.Error.Message, maxErrorText), a.Error.Data}
		switch {
		case a.Error.Message == fmt.Sprintf("Method %s not found", m.method):
			e.Message = fmt.Sprintf("method not found: %q", cut(m.method, 64))
		case e.Code == mcp.INTERNAL_ERROR:
			// Faults have been explained already; this is a defect, and its text is not the client's.
			s.log.Printf("%s: %s", m.method, a.Error.Message)
			e.Message, e.Data = "internal error", nil
		}
		return reply{err: e}
	}
	s.log.Printf("%s: the dispatcher did not answer", m.method)
	return failed(mcp.INTERNAL_ERROR, "internal error")
}

// form returns those results that mcp-go encodes through maps in a form of our own: keys in
// an order that reads well, no HTML escapes, and tools/list the same bytes every time.
func (s *Server) form(result any) any {
	switch r := result.(type) {
	case mcp.ListToolsResult:
		if s.tools.listing == nil { // a fixture
			return r
		}
		return struct {
			mcp.PaginatedResult
			Tools []json.RawMessage `json:"tools"`
		}{r.PaginatedResult, append([]json.RawMessage{}, s.tools.listing()...)}
	case *mcp.CallToolResult:
		return struct {
			mcp.Result
			Content           []mcp.Content   `json:"content,omitempty"`
			StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
			IsError           bool            `json:"isError,omitempty"`
			mcp.MultiRoundTripResult
		}{r.Result, r.Content, r.RawStructuredContent, r.IsError, r.MultiRoundTripResult}
	}
	return result
}
