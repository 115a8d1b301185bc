package transport

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// No tool of the product asks the client for a completion of its model or for its folders; only the fixture does.

var (
	_ server.SessionWithSampling = (*Session)(nil)
	_ server.SessionWithRoots    = (*Session)(nil)
)

// RequestSampling asks the client's model, up to 2025-11-25.
func (s *Session) RequestSampling(ctx context.Context, req mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	answer, err := s.answerTo(ctx, mcp.MethodSamplingCreateMessage, req.CreateMessageParams)
	return answer.Sampling, err
}

// ListRoots asks the client for its folders, up to 2025-11-25.
func (s *Session) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	answer, err := s.answerTo(ctx, mcp.MethodListRoots, nil)
	return answer.Roots, err
}

// answerTo asks and reads the answer as the method has it.
func (s *Session) answerTo(ctx context.Context, method mcp.MCPMethod, params any) (answer mcp.InputResponse, err error) {
	raw, err := s.conn.ask(ctx, s.request, method, params)
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err == nil {
		err = answer.DecodeFor(method)
	}
	return answer, err
}
