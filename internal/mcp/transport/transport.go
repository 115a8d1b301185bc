// Package transport carries the messages of the Model Context Protocol between clients and an mcp-go server: over standard input
// and output, and over streamable HTTP.
//
// mcp-go knows the five revisions of the protocol and dispatches requests. Its transports lose messages and have no limits:
// stdio.go and http.go list the defects of version 1.2.1 that each transport here avoids. The dispatcher also has no place for a
// handler's own error and for the filter of a subscription: its hooks put them into the request's [Session].
package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"runtime/debug"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
)

type Server struct {
	MCP  *server.MCPServer // its hooks include [KeepFilter]
	Hub  *Hub
	Log  *log.Logger
	Left func(session string) // runs for every client session that has ended
	// Tools returns the tools of tools/list as JSON, always the same bytes; nil means in mcp-go's encoding.
	Tools func() []json.RawMessage
}

// dispatch answers the request m for sess. It recovers panics and always returns an answer.
func (s *Server) dispatch(ctx context.Context, sess *Session, m *message) (r reply) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Printf("%s failed: %v\n%s", fault.Cut(m.method, 64), p, Stack())
			r = failed(mcp.INTERNAL_ERROR, "internal error")
		}
	}()
	if m.method == string(mcp.MethodToolsCall) {
		sess.Args = m.params["arguments"]
		delete(m.params, "arguments")
	}
	raw, err := m.canonical()
	if err != nil {
		return failed(mcp.INVALID_REQUEST, "invalid request")
	}
	answer := s.MCP.HandleMessage(s.MCP.WithContext(ctx, sess), raw)
	if e := sess.failure(); e != nil {
		return reply{err: e}
	}
	switch a := answer.(type) {
	case mcp.JSONRPCResponse:
		return reply{result: s.form(a.Result)}
	case mcp.JSONRPCError:
		e := &Error{a.Error.Code, fault.Cut(a.Error.Message, maxErrorText), a.Error.Data}
		switch {
		case a.Error.Message == fmt.Sprintf("Method %s not found", m.method):
			e.Message = fmt.Sprintf("method not found: %q", fault.Cut(m.method, 64))
		case e.Code == mcp.INTERNAL_ERROR:
			// The error hook has explained faults already: this is a defect, whose text the client must not see.
			s.Log.Printf("%s: %s", m.method, a.Error.Message)
			e.Message, e.Data = "internal error", nil
		}
		return reply{err: e}
	}
	s.Log.Printf("%s: the dispatcher did not answer", m.method)
	return failed(mcp.INTERNAL_ERROR, "internal error")
}

// form re-encodes what mcp-go encodes through maps: keys in a readable order, no HTML escapes, tools/list always the same bytes.
func (s *Server) form(result any) any {
	switch r := result.(type) {
	case mcp.ListToolsResult:
		if s.Tools == nil {
			return r
		}
		return struct {
			mcp.PaginatedResult
			Tools []json.RawMessage `json:"tools"`
		}{r.PaginatedResult, append([]json.RawMessage{}, s.Tools()...)}
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

type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// maxErrorText limits every error message, in characters: no message repeats long input in full.
const maxErrorText = 512

// Errorf returns an error with a formatted message, cut to 512 characters.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fault.Cut(fmt.Sprintf(format, args...), maxErrorText)}
}

func (e *Error) About(uri string) *Error {
	e.Data = map[string]string{"uri": fault.Cut(uri, maxErrorText)}
	return e
}

// Stack is the trace of a panic without its first line, which tests and users would take for a crash.
func Stack() string {
	_, rest, _ := strings.Cut(string(debug.Stack()), "\n")
	return strings.TrimSpace(rest)
}
