package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
)

// Failure is the structured content of a tool call that failed, and what `--json` prints for
// the same failure.
type Failure struct {
	Status  string     `json:"status"` // always "error"
	Code    fault.Code `json:"code"`
	Message string     `json:"message"` // what is wrong, with the argument, file or line
	Hint    string     `json:"hint"`    // what to do next, "" when there is nothing
}

// FailureOf returns what a caller learns about err. Only faults are passed on in full: of any
// other error neither text nor path leaves the program.
func FailureOf(err error) Failure {
	var f *fault.Error
	switch {
	case errors.As(err, &f) && f.Code != fault.Internal:
		msg := f.Error()
		if f.Arg != "" && !strings.Contains(msg, f.Arg) {
			msg = f.Arg + ": " + msg
		}
		return Failure{"error", f.Code, msg, f.Hint}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Failure{"error", fault.Unavailable, "the call was ended before it was done", "call again"}
	}
	return Failure{"error", fault.Internal, "the server failed on this call",
		"call again; if it fails again, its standard error says more"}
}

// text is the failure for readers of text blocks.
func (f Failure) text() string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + "\n" + f.Hint
}

// rpcError is a JSON-RPC error as it is sent.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// maxErrorText bounds every error message: none echoes what was sent at length.
const maxErrorText = 512

func rpcErrorf(code int, format string, args ...any) *rpcError {
	return &rpcError{Code: code, Message: cut(fmt.Sprintf(format, args...), maxErrorText)}
}

// cut returns s with at most n characters, the last one an ellipsis when something is missing.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	for i := range s {
		if n--; n == 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// explain is mcp-go's hook for failed requests. It sets the error to answer with, where mcp-go's own is not right.
func (s *Server) explain(ctx context.Context, _ any, method mcp.MCPMethod, message any, err error) {
	if e := s.translate(ctx, method, message, err); e != nil {
		sessionOf(ctx).fail(e)
	}
}

// translate returns the error to send for err, nil where mcp-go's own is right.
func (s *Server) translate(ctx context.Context, method mcp.MCPMethod, message any, err error) *rpcError {
	var unparsable *server.UnparsableMessageError
	var cursor base64.CorruptInputError
	switch {
	case errors.As(err, &unparsable):
		return rpcErrorf(mcp.INVALID_PARAMS, "invalid params of %s: %s", method, mismatch(err))
	case errors.As(err, &cursor):
		return rpcErrorf(mcp.INVALID_PARAMS, "unknown cursor: give nextCursor of the page before, or none for the first page")
	case errors.Is(err, server.ErrToolNotFound):
		name := message.(*mcp.CallToolRequest).Params.Name
		return rpcErrorf(mcp.INVALID_PARAMS, "there is no tool %q%s", cut(name, 64), didYouMean(name, s.tools.names()))
	case errors.Is(err, server.ErrPromptNotFound):
		name := message.(*mcp.GetPromptRequest).Params.Name
		return rpcErrorf(mcp.INVALID_PARAMS, "there is no prompt %q%s", cut(name, 64), didYouMean(name, s.promptNames()))
	case errors.Is(err, server.ErrResourceNotFound):
		uri := originalURI(message.(*mcp.ReadResourceRequest))
		if uri == "" {
			return rpcErrorf(mcp.INVALID_PARAMS, "uri is required")
		}
		return notFound(ctx, uri, "")
	case strings.Contains(err.Error(), "reference type"):
		return rpcErrorf(mcp.INVALID_PARAMS, "invalid params of %s: %s", method, mismatch(err))
	}
	return s.faultError(ctx, message, err)
}

// faultError returns the error to send when serving message failed with err: faults speak for
// themselves. It is nil for any other error.
func (s *Server) faultError(ctx context.Context, message any, err error) *rpcError {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	text := FailureOf(f)
	switch f.Code {
	case fault.NotFound:
		switch m := message.(type) {
		case *mcp.ReadResourceRequest:
			return notFound(ctx, originalURI(m), text.Hint)
		case *mcp.SubscribeRequest:
			return notFound(ctx, m.Params.URI, text.Hint)
		}
		return rpcErrorf(mcp.INVALID_PARAMS, "%s", oneLine(text))
	case fault.Invalid, fault.Ambiguous, fault.Outside:
		return rpcErrorf(mcp.INVALID_PARAMS, "%s", oneLine(text))
	}
	return rpcErrorf(mcp.INTERNAL_ERROR, "%s", oneLine(text))
}

func oneLine(f Failure) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(f.text(), "\n", "; ")), " ")
}

// notFound is the answer for a resource that is not there: its code changed with 2026-07-28.
func notFound(ctx context.Context, uri, hint string) *rpcError {
	code := mcp.RESOURCE_NOT_FOUND
	if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
		code = mcp.INVALID_PARAMS
	}
	if hint != "" {
		hint = "; " + hint
	}
	e := rpcErrorf(code, "there is no resource %q%s", cut(uri, 200), hint)
	e.Data = map[string]string{"uri": cut(uri, maxErrorText)}
	return e
}

// mismatch returns in plain words why params could not be decoded.
func mismatch(err error) string {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		field := wrong.Field
		if i := strings.LastIndex(field, "params."); i >= 0 {
			field = field[i+len("params."):]
		}
		if field == "" {
			field = "params"
		}
		want, known := map[reflect.Kind]string{
			reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "an array",
			reflect.Map: "an object", reflect.Struct: "an object",
		}[wrong.Type.Kind()]
		if !known {
			want = "a number"
		}
		got, _, _ := strings.Cut(wrong.Value, " ")
		if field == "arguments" && want == "a string" {
			return fmt.Sprintf("every argument must be a string, none a %s", got)
		}
		return fmt.Sprintf("%s must be %s, not %s", field, want, withArticle(got))
	case strings.Contains(err.Error(), "reference type"):
		return `ref.type must be "ref/prompt" or "ref/resource"`
	}
	return "they are not of the shape that the method takes"
}

// withArticle names a JSON type as encoding/json calls it.
func withArticle(kind string) string {
	switch kind {
	case "array", "object":
		return "an " + kind
	case "bool":
		return "true or false"
	case "null":
		return "null"
	}
	return "a " + kind
}
