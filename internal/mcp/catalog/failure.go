package catalog

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
)

// Explain is mcp-go's hook for failed requests. It replaces mcp-go's error where that error is wrong or unhelpful. For an unknown
// name it suggests a similar one from the lists that tools and prompts return.
func Explain(tools, prompts func() []string) server.OnErrorHookFunc {
	return func(ctx context.Context, _ any, method mcp.MCPMethod, message any, err error) {
		if e := translate(ctx, method, message, err, tools, prompts); e != nil {
			transport.SessionOf(ctx).Fail(e)
		}
	}
}

// translate returns the error to send for err, nil to keep mcp-go's own error.
func translate(ctx context.Context, method mcp.MCPMethod, message any, err error, tools, prompts func() []string) *transport.Error {
	var unparsable *server.UnparsableMessageError
	var cursor base64.CorruptInputError
	switch {
	case errors.As(err, &unparsable):
		return transport.Errorf(mcp.INVALID_PARAMS, "invalid params of %s: %s", method, transport.Mismatch(err))
	case errors.As(err, &cursor):
		return transport.Errorf(mcp.INVALID_PARAMS, "unknown cursor: give nextCursor of the page before, or none for the first page")
	case errors.Is(err, server.ErrToolNotFound):
		name := message.(*mcp.CallToolRequest).Params.Name
		return transport.Errorf(mcp.INVALID_PARAMS, "there is no tool %q%s", fault.Cut(name, 64), fault.DidYouMean(name, tools()))
	case errors.Is(err, server.ErrPromptNotFound):
		name := message.(*mcp.GetPromptRequest).Params.Name
		return transport.Errorf(mcp.INVALID_PARAMS, "there is no prompt %q%s", fault.Cut(name, 64), fault.DidYouMean(name, prompts()))
	case errors.Is(err, server.ErrResourceNotFound):
		uri := originalURI(message.(*mcp.ReadResourceRequest))
		if uri == "" {
			return transport.Errorf(mcp.INVALID_PARAMS, "uri is required")
		}
		return notFound(ctx, uri, "")
	case strings.Contains(err.Error(), "reference type"):
		return transport.Errorf(mcp.INVALID_PARAMS, "invalid params of %s: %s", method, transport.Mismatch(err))
	}
	return faultError(ctx, message, err)
}

// faultError returns the error to send when the handling of message failed with err: the text of a
// fault, nil for any other error.
func faultError(ctx context.Context, message any, err error) *transport.Error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	text := fault.FailureOf(f)
	switch f.Code {
	case fault.NotFound:
		switch m := message.(type) {
		case *mcp.ReadResourceRequest:
			return notFound(ctx, originalURI(m), text.Hint)
		case *mcp.SubscribeRequest:
			return notFound(ctx, m.Params.URI, text.Hint)
		}
		return transport.Errorf(mcp.INVALID_PARAMS, "%s", text.Line())
	case fault.Invalid, fault.Ambiguous, fault.Outside:
		return transport.Errorf(mcp.INVALID_PARAMS, "%s", text.Line())
	}
	return transport.Errorf(mcp.INTERNAL_ERROR, "%s", text.Line())
}

// notFound is the error for a missing resource. The protocol changed its code in 2026-07-28.
func notFound(ctx context.Context, uri, hint string) *transport.Error {
	code := mcp.RESOURCE_NOT_FOUND
	if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
		code = mcp.INVALID_PARAMS
	}
	if hint != "" {
		hint = "; " + hint
	}
	return transport.Errorf(code, "there is no resource %q%s", fault.Cut(uri, 200), hint).About(uri)
}
