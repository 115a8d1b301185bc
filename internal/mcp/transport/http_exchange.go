package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
)

const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
)

// exchange is one HTTP request and its answer.
type exchange struct {
	h       *HTTP
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController

	// For the log.
	path   string
	method string
	status int
	sent   int
}

// begin sends the header of the answer.
func (x *exchange) begin(status int, kind string) {
	x.status = status
	if kind != "" {
		x.w.Header().Set("Content-Type", kind)
	}
	x.w.WriteHeader(status)
}

// write sends a part of the answer. It fails for a client that does not read it in time.
func (x *exchange) write(b []byte) error {
	x.h.held.Add(int64(len(b)))
	defer x.h.held.Add(-int64(len(b)))
	_ = x.control.SetWriteDeadline(time.Now().Add(x.h.Limits.Write))
	n, err := x.w.Write(b)
	x.sent += n
	return err
}

// writeJSON sends a complete answer.
func (x *exchange) writeJSON(status int, line []byte) {
	x.w.Header().Set("Content-Length", strconv.Itoa(len(line)))
	x.begin(status, typeJSON)
	if x.write(line) == nil {
		_ = x.control.Flush() // the function may run on; the client need not wait
	}
}

// refuse sends an error for a request that the server does not serve.
func (x *exchange) refuse(status int, id json.RawMessage, e *Error) {
	x.writeJSON(status, reply{err: e}.bytes(id))
}

// deny refuses a request that violates the rules of the transport.
func (x *exchange) deny(status int, format string, args ...any) {
	x.refuse(status, nil, Errorf(mcp.INVALID_REQUEST, format, args...))
}

func (x *exchange) notAllowed(allowed string) {
	x.w.Header().Set("Allow", allowed)
	x.deny(http.StatusMethodNotAllowed, "invalid request: the methods here are %s", allowed)
}

// busy asks a client to try again later.
func (x *exchange) busy(why string) {
	x.w.Header().Set("Retry-After", "1")
	x.refuse(http.StatusServiceUnavailable, nil, Errorf(mcp.INTERNAL_ERROR, "%s", why))
}

// post serves a message of the client.
func (x *exchange) post(m *mount) {
	if !x.accepts(typeJSON) || !x.accepts(typeEvents) {
		x.deny(http.StatusNotAcceptable, "invalid request: Accept must list %s and %s", typeJSON, typeEvents)
		return
	}
	kind, _, _ := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if kind != typeJSON || x.r.Header.Get("Content-Encoding") != "" {
		x.deny(http.StatusUnsupportedMediaType, "invalid request: the body must be %s, not encoded", typeJSON)
		return
	}
	text, release := x.body()
	defer release()
	if text == nil {
		return
	}
	msg, err := parseMessage(text)
	var bad *invalid
	if errors.As(err, &bad) {
		x.refuse(http.StatusBadRequest, bad.id, bad.err)
		return
	}
	version := x.r.Header.Get(mcp.HeaderProtocolVersion)
	if err == nil {
		x.method = msg.method
		if msg.modern() || mcp.IsModernProtocol(version) {
			x.stateless(m, msg)
			return
		}
	}
	switch {
	case version != "" && (!mcp.IsValidProtocolVersion(version) || mcp.IsModernProtocol(version)):
		x.refuse(http.StatusBadRequest, nil, unsupported(version))
	case err == nil && msg.method == string(mcp.MethodInitialize) && msg.id != nil:
		x.initialize(m, msg)
	default:
		g, leave := x.session(m)
		if g == nil {
			return
		}
		defer leave()
		out, due := newOutbox(), false
		if err != nil {
			due = g.conn.batch(text, out)
		} else {
			due = msg.method != "" && msg.id != nil
			g.conn.message(msg, nil, out)
		}
		if !due {
			x.begin(http.StatusAccepted, "")
			return
		}
		release()
		x.answer(out, false)
	}
}

// accepts reports whether the client accepts answers of that type. Without an Accept header it accepts
// all.
func (x *exchange) accepts(kind string) bool {
	given := x.r.Header.Values("Accept")
	if len(given) == 0 {
		return true
	}
	family, _, _ := strings.Cut(kind, "/")
	for part := range strings.SplitSeq(strings.Join(given, ","), ",") {
		name, params, err := mime.ParseMediaType(part)
		if err == nil && (name == kind || name == family+"/*" || name == "*/*") {
			if q, err := strconv.ParseFloat(params["q"], 64); err != nil || q > 0 {
				return true
			}
		}
	}
	return false
}

// body returns the client's message, or nil after it has refused the request. The message counts as held memory
// until the caller calls release, which it may repeat.
func (x *exchange) body() (text []byte, release func()) {
	var held int64
	release = func() {
		x.h.held.Add(-held)
		held = 0
	}
	tooLarge := func() ([]byte, func()) {
		x.w.Header().Set("Connection", "close")
		x.deny(http.StatusRequestEntityTooLarge, "invalid request: a message has at most %d bytes", maxMessage)
		return nil, release
	}
	if x.r.ContentLength > maxMessage {
		return tooLarge()
	}
	_ = x.control.SetReadDeadline(time.Now().Add(x.h.Limits.Body))
	body := http.MaxBytesReader(x.w, x.r.Body, maxMessage)
	size, most := 4<<10, maxMessage+1
	if n := int(x.r.ContentLength); n >= 0 {
		size, most = min(n+1, 64<<10), n+1 // the size in the header is only the client's claim
	}
	for buf := make([]byte, 0, size); ; {
		if held != int64(cap(buf)) {
			x.h.held.Add(int64(cap(buf)) - held)
			held = int64(cap(buf))
			if x.h.held.Load() > x.h.Limits.Held {
				x.busy("too much is being sent at once, try again")
				return nil, release
			}
		}
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		var tooLong *http.MaxBytesError
		switch {
		case errors.As(err, &tooLong):
			return tooLarge()
		case errors.Is(err, io.EOF):
			_ = x.control.SetReadDeadline(time.Time{})
			return buf, release
		case err != nil:
			x.w.Header().Set("Connection", "close")
			x.refuse(http.StatusBadRequest, nil, Errorf(mcp.PARSE_ERROR, "parse error: the body ended too soon"))
			return nil, release
		case len(buf) == cap(buf):
			buf = roomFor(buf, 1, most)
		}
	}
}

// session returns the session of the request. Without one it refuses the request and returns nil.
func (x *exchange) session(m *mount) (*httpSession, func()) {
	id := x.r.Header.Get(mcp.HeaderSessionID)
	if id == "" {
		x.deny(http.StatusBadRequest, "invalid request: %s is missing; send initialize first, or protocol version %s, which has no sessions",
			mcp.HeaderSessionID, mcp.ProtocolVersion20260728)
		return nil, nil
	}
	g, leave := m.sessions.enter(id)
	if g == nil {
		x.deny(http.StatusNotFound, "the session has ended; send initialize again, without %s", mcp.HeaderSessionID)
	}
	return g, leave
}

// initialize serves an initialize request, which makes a session.
func (x *exchange) initialize(m *mount, msg *message) {
	c := m.srv.newConn(context.Background(), fmt.Sprintf("http-%d", connections.Add(1)), x.h.slots)
	c.lenient = true
	out := newOutbox()
	c.message(msg, nil, out) // returns after the answer
	frames, ok := out.take(x.r.Context())
	if !ok || frames[0].code != 0 {
		c.drain(0)
		if ok {
			x.writeJSON(http.StatusOK, frames[0].line)
		}
		return
	}
	if !x.h.track(c) {
		c.drain(0)
		x.busy(errShutdown.Error())
		return
	}
	id, old := m.sessions.add(c, x.h.Limits.Sessions)
	if old != nil {
		x.h.close(old)
	}
	if id == "" {
		x.h.close(c)
		x.busy("too many sessions are in use, try again later")
		return
	}
	x.w.Header().Set(mcp.HeaderSessionID, id)
	x.writeJSON(http.StatusOK, frames[0].line)
}

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
	c := m.srv.newConn(context.Background(), "", x.h.slots)
	c.lenient = true
	if !x.h.track(c) {
		c.drain(0)
		x.busy(errShutdown.Error())
		return
	}
	defer x.h.close(c)
	out := newOutbox()
	c.message(msg, nil, out)
	x.answer(out, true)
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
		if version != "" && !mcp.IsValidProtocolVersion(version) {
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

// answer sends the messages of out: one JSON object, or a stream of events if other messages precede the result or it
// takes long.
func (x *exchange) answer(out *outbox, modern bool) {
	defer out.fail(nil)
	ctx := x.r.Context()
	short, stop := context.WithTimeout(ctx, x.h.Limits.Plain)
	frames, ok := out.take(short)
	stop()
	switch {
	case ok && len(frames) == 1 && frames[0].last:
		status := http.StatusOK
		if modern {
			status = statusOf(frames[0].code)
		}
		x.writeJSON(status, frames[0].line)
		frames[0].done()
	case !ok && ctx.Err() != nil: // the client is gone
	default:
		x.writeEvents(ctx, out, frames)
	}
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

// writeEvents sends frames and all later messages of out as events, until out or ctx ends or the client is gone.
func (x *exchange) writeEvents(ctx context.Context, out *outbox, frames []frame) {
	x.w.Header().Set("X-Accel-Buffering", "no")
	x.begin(http.StatusOK, typeEvents)
	var buf bytes.Buffer
	for first := true; ; first = false {
		buf.Reset()
		for _, l := range frames {
			buf.WriteString("event: message\ndata: ")
			buf.Write(l.line)
			buf.WriteString("\n\n")
		}
		if len(frames) == 0 && !first {
			buf.WriteString(":\n\n") // a keep-alive, which also fails for a client that is gone
		}
		err := x.write(buf.Bytes())
		if err == nil {
			err = x.control.Flush()
		}
		for _, l := range frames {
			l.done()
		}
		if err != nil || len(frames) > 0 && frames[len(frames)-1].last {
			return
		}
		wait, stop := context.WithTimeout(ctx, x.h.Limits.Beat)
		var ok bool
		frames, ok = out.take(wait)
		late := wait.Err() != nil
		stop()
		if !ok && (!late || ctx.Err() != nil) {
			return
		}
	}
}

// openStream serves the GET of a session: a stream of the messages that belong to no request.
func (x *exchange) openStream(m *mount) {
	if mcp.IsModernProtocol(x.r.Header.Get(mcp.HeaderProtocolVersion)) {
		x.notAllowed("POST")
		return
	}
	if !x.accepts(typeEvents) {
		x.deny(http.StatusNotAcceptable, "invalid request: this is an MCP endpoint; Accept must list %s", typeEvents)
		return
	}
	g, leave := x.session(m)
	if g == nil {
		return
	}
	defer leave()
	ctx, end := context.WithCancel(x.r.Context())
	defer end()
	m.sessions.replaceStream(g, end)
	x.writeEvents(ctx, g.conn.out, nil)
}

// endSession serves the DELETE of a session.
func (x *exchange) endSession(m *mount) {
	if mcp.IsModernProtocol(x.r.Header.Get(mcp.HeaderProtocolVersion)) {
		x.notAllowed("POST")
		return
	}
	g, leave := x.session(m)
	if g == nil {
		return
	}
	leave()
	for _, c := range m.sessions.remove(func(id string, _ *httpSession) bool { return id == x.r.Header.Get(mcp.HeaderSessionID) }) {
		x.h.close(c)
	}
	x.begin(http.StatusNoContent, "")
}
