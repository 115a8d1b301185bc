package transport

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
)

// stateless serves a request of 2026-07-28, which has no session. It ends with its exchange.
func (x *exchange) stateless(m *mount, msg *message) {
	e := checkModern(x.r.Header, msg)
	if e == nil {
		e = m.srv.checkParams(x.r.Header, msg)
	}
	if e != nil {
		x.refuse(http.StatusBadRequest, msg.id, e)
		return
	}
	if msg.id == nil || msg.method == "" {
		x.begin(http.StatusAccepted, "")
		return
	}
	c := x.h.connect(m, "")
	if c == nil {
		x.busy(errShutdown.Error())
		return
	}
	defer x.h.close(c)
	x.modern = true
	if msg.method == string(mcp.MethodSubscriptionsListen) {
		c.pump(x.r.Context(), x, func() {})
	}
	x.serve(c, msg)
}

// checkModern compares the header of a request with its message.
func checkModern(head http.Header, m *message) *Error {
	version, stated := head.Get(mcp.HeaderProtocolVersion), m.meta().Version
	mismatch := func(format string, args ...any) *Error { return Errorf(mcp.HEADER_MISMATCH, format, args...) }
	for _, name := range []string{mcp.HeaderProtocolVersion, mcp.HeaderMethod, mcp.HeaderName} {
		if len(head.Values(name)) > 1 {
			return mismatch("header mismatch: %s stands more than once", name)
		}
	}
	switch {
	case head.Get(mcp.HeaderLastEventID) != "":
		return mismatch("header mismatch: streams are not resumed: send the request again without %s", mcp.HeaderLastEventID)
	case version == "":
		return mismatch("header mismatch: %s is required", mcp.HeaderProtocolVersion)
	case m.id == nil || m.method == "": // clients send no such headers for notifications
		if !mcp.IsValidProtocolVersion(version) {
			return unsupported(version)
		}
		return nil
	case stated == "":
		return Errorf(mcp.INVALID_PARAMS, "invalid params: _meta lacks %s", mcp.MetaKeyProtocolVersion)
	case stated != version:
		return mismatch("header mismatch: %s is not the %s of the message", mcp.HeaderProtocolVersion, mcp.MetaKeyProtocolVersion)
	case !mcp.IsValidProtocolVersion(version):
		return unsupported(version)
	}
	name := map[string]json.RawMessage{}
	for _, key := range []string{"name", "uri"} {
		if v, ok := m.params[key]; ok {
			name[key] = v
		}
	}
	raw, err := Encode(name)
	if err == nil {
		err = mcp.ValidateStandardHeaders(head.Get, version, mcp.MCPMethod(m.method), raw)
	}
	if err != nil {
		return mismatch("%v", err)
	}
	return nil
}

// checkParams compares the header with those arguments of a tool call that the tool's schema requires there too (x-mcp-header).
func (s *Server) checkParams(head http.Header, m *message) *Error {
	var name string
	if m.method != string(mcp.MethodToolsCall) || json.Unmarshal(m.params["name"], &name) != nil {
		return nil
	}
	t := s.MCP.GetTool(name)
	if t == nil || !bytes.Contains(t.Tool.RawInputSchema, []byte(`"x-mcp-header"`)) {
		return nil
	}
	raw, err := Encode(map[string]json.RawMessage{"arguments": m.params["arguments"]})
	if err == nil {
		err = mcp.ValidateParamHeadersLookup(func(name string) (string, bool) { return head.Get(name), len(head.Values(name)) > 0 }, &t.Tool, raw)
	}
	if err != nil {
		return Errorf(mcp.HEADER_MISMATCH, "%v", err)
	}
	return nil
}

func unsupported(version string) *Error {
	detail := mcp.UnsupportedProtocolVersionError{Version: fault.Cut(version, 64), Supported: mcp.ValidProtocolVersions}.JSONRPCError().Error
	return &Error{detail.Code, fault.Cut(detail.Message, maxErrorText), detail.Data}
}

// statusOf is the HTTP status that 2026-07-28 requires for an error.
func statusOf(code int) int {
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION,
		mcp.INVALID_REQUEST, mcp.INVALID_PARAMS, mcp.PARSE_ERROR:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
