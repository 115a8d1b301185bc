package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
)

const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
)

// exchange is one HTTP request and its answer: one JSON object, or a stream of events.
type exchange struct {
	h       *HTTP
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	held    int64 // bytes of the body
	modern  bool  // of 2026-07-28 or later

	mu        sync.Mutex
	streaming bool
	over      bool
	done      chan struct{} // closed when over is true

	// For the log.
	path   string
	method string
	status int
	sent   int
}

func (x *exchange) begin(status int, kind string) {
	x.status = status
	if kind != "" {
		x.w.Header().Set("Content-Type", kind)
	}
	x.w.WriteHeader(status)
}

// put sends a part of the answer. It fails for a client that does not read it in time.
func (x *exchange) put(b []byte) error {
	x.h.held.Add(int64(len(b)))
	defer x.h.held.Add(-int64(len(b)))
	_ = x.control.SetWriteDeadline(time.Now().Add(x.h.Limits.Write))
	n, err := x.w.Write(b)
	x.sent += n
	if err == nil {
		err = x.control.Flush()
	}
	return err
}

func (x *exchange) writeJSON(status int, line []byte) {
	x.w.Header().Set("Content-Length", strconv.Itoa(len(line)))
	x.begin(status, typeJSON)
	_ = x.put(line)
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

func (x *exchange) busy(why string) {
	x.w.Header().Set("Retry-After", "1")
	x.refuse(http.StatusServiceUnavailable, nil, Errorf(mcp.INTERNAL_ERROR, "%s", why))
}

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
	defer func() { x.h.held.Add(-x.held) }()
	text, ok := x.body()
	if !ok {
		return
	}
	msg, bad := parseMessage(text)
	if bad != nil {
		x.refuse(http.StatusBadRequest, msg.id, bad)
		return
	}
	x.method = msg.method
	version := x.r.Header.Get(mcp.HeaderProtocolVersion)
	switch {
	case msg.modern() || mcp.IsModernProtocol(version):
		x.stateless(m, msg)
	case version != "" && !mcp.IsValidProtocolVersion(version):
		x.refuse(http.StatusBadRequest, nil, unsupported(version))
	case msg.method == string(mcp.MethodInitialize) && msg.id != nil:
		x.initialize(m, msg)
	default:
		if s, leave := x.session(m); s != nil {
			defer leave()
			x.serve(s.conn, msg)
		}
	}
}

// serve lets c process a message, and sends its answer.
func (x *exchange) serve(c *conn, msg *message) {
	work := c.message(msg, x)
	if work == nil && (msg.id == nil || msg.method == "") {
		x.begin(http.StatusAccepted, "")
		return
	}
	if work != nil {
		go work()
	}
	x.wait(x.h.Limits.Plain)
}

// accepts reports whether the client accepts answers of that type; without an Accept header it accepts all.
func (x *exchange) accepts(kind string) bool {
	given := strings.ToLower(strings.Join(x.r.Header.Values("Accept"), ","))
	family, _, _ := strings.Cut(kind, "/")
	return given == "" || strings.Contains(given, kind) || strings.Contains(given, family+"/*") || strings.Contains(given, "*/*")
}

var errBusy = errors.New("too much is being sent at once, try again")

// body returns the client's message, or false after it has refused the request. Its bytes count as held memory.
func (x *exchange) body() (_ []byte, ok bool) {
	if x.r.ContentLength > maxMessage {
		x.tooLarge()
		return nil, false
	}
	_ = x.control.SetReadDeadline(time.Now().Add(x.h.Limits.Body))
	var text bytes.Buffer
	_, err := text.ReadFrom(countedReader{http.MaxBytesReader(x.w, x.r.Body, maxMessage), x})
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		x.tooLarge()
	case errors.Is(err, errBusy):
		x.busy(err.Error())
	case err != nil:
		x.w.Header().Set("Connection", "close")
		x.refuse(http.StatusBadRequest, nil, Errorf(mcp.PARSE_ERROR, "parse error: the body ended too soon"))
	default:
		_ = x.control.SetReadDeadline(time.Time{})
		return text.Bytes(), true
	}
	return nil, false
}

func (x *exchange) tooLarge() {
	x.w.Header().Set("Connection", "close")
	x.deny(http.StatusRequestEntityTooLarge, "invalid request: a message has at most %d bytes", maxMessage)
}

// countedReader counts the bytes of a body, and fails when the server holds too many.
type countedReader struct {
	io.Reader
	x *exchange
}

func (c countedReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.x.held += int64(n)
	if c.x.h.held.Add(int64(n)) > c.x.h.Limits.Held {
		return n, errBusy
	}
	return n, err
}

// session returns the session of the request. Without one it refuses the request and returns nil.
func (x *exchange) session(m *mount) (*session, func()) {
	id := x.r.Header.Get(mcp.HeaderSessionID)
	if id == "" {
		x.deny(http.StatusBadRequest, "invalid request: %s is missing; send initialize first, or protocol version %s, which has no sessions",
			mcp.HeaderSessionID, mcp.ProtocolVersion20260728)
		return nil, nil
	}
	s, leave := x.h.enter(m, id)
	if s == nil {
		x.deny(http.StatusNotFound, "the session has ended; send initialize again, without %s", mcp.HeaderSessionID)
	}
	return s, leave
}

// initialize serves an initialize request, which makes a session.
func (x *exchange) initialize(m *mount, msg *message) {
	c := x.h.connect(m, fmt.Sprintf("http-%d", connections.Add(1)))
	if c == nil {
		x.busy(errShutdown.Error())
		return
	}
	r := m.srv.dispatch(x.r.Context(), &Session{conn: c}, msg)
	if r.err != nil {
		x.h.close(c)
		r.send(msg.id, x)
		return
	}
	id := x.h.addSession(m, c)
	if id == "" {
		x.h.close(c)
		x.busy("too many sessions are in use, try again later")
		return
	}
	x.w.Header().Set(mcp.HeaderSessionID, id)
	r.send(msg.id, x)
}

// wait sends keep-alives until the exchange is over or the client is gone. The first one makes the answer a stream.
func (x *exchange) wait(first time.Duration) {
	beat := time.NewTimer(first)
	defer beat.Stop()
	defer x.skip()
	for {
		select {
		case <-x.done:
			return
		case <-x.r.Context().Done():
			return
		case <-beat.C:
			x.event(":\n\n")
			beat.Reset(x.h.Limits.Beat)
		}
	}
}

// event sends a part of a stream.
func (x *exchange) event(text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	if !x.streaming {
		x.streaming = true
		x.w.Header().Set("X-Accel-Buffering", "no")
		x.begin(http.StatusOK, typeEvents)
	}
	if x.put([]byte(text)) != nil {
		x.end()
	}
}

func (x *exchange) write(line []byte) { x.event("event: message\ndata: " + string(line) + "\n\n") }

func (x *exchange) answer(line []byte, code int) {
	x.mu.Lock()
	if !x.streaming && !x.over {
		status := http.StatusOK
		if x.modern {
			status = statusOf(code)
		}
		x.writeJSON(status, line)
		x.end()
	}
	x.mu.Unlock()
	x.write(line)
	x.skip()
}

// skip ends the exchange. Without a message it is an empty stream.
func (x *exchange) skip() {
	x.event("")
	x.mu.Lock()
	defer x.mu.Unlock()
	x.end()
}

// end ends the exchange. The caller holds mu.
func (x *exchange) end() {
	if !x.over {
		x.over = true
		close(x.done)
	}
}

// openStream serves the GET of a session: a stream of the messages that belong to no request.
func (x *exchange) openStream(m *mount) {
	if !x.accepts(typeEvents) {
		x.deny(http.StatusNotAcceptable, "invalid request: this is an MCP endpoint; Accept must list %s", typeEvents)
		return
	}
	s, leave := x.session(m)
	if s == nil {
		return
	}
	defer leave()
	ctx, end := context.WithCancel(x.r.Context())
	defer end()
	x.h.replaceStream(s, end)
	x.event("") // sends the header
	s.conn.pump(ctx, x, x.skip)
	x.wait(x.h.Limits.Beat)
}

func (x *exchange) endSession(m *mount) {
	s, leave := x.session(m)
	if s == nil {
		return
	}
	leave()
	x.h.endSession(m, x.r.Header.Get(mcp.HeaderSessionID), false)
	x.begin(http.StatusNoContent, "")
}

// log writes a line about a finished request, with no content of it: only known paths and methods, no arguments and no ids.
func (x *exchange) log(start time.Time) {
	who, _, _ := net.SplitHostPort(x.r.RemoteAddr)
	verb, method := "-", "-"
	if slices.Contains([]string{"GET", "POST", "DELETE"}, x.r.Method) {
		verb = x.r.Method
	}
	if slices.Contains(loggedMethods, mcp.MCPMethod(x.method)) {
		method = x.method
	}
	x.h.requests.Printf("%s %s %s %s %s %d %dB %dms", start.UTC().Format(time.RFC3339), cmp.Or(who, "-"), verb, cmp.Or(x.path, "-"),
		method, x.status, x.sent, time.Since(start).Milliseconds())
}

var loggedMethods = []mcp.MCPMethod{
	mcp.MethodInitialize, mcp.MethodPing, mcp.MethodServerDiscover, mcp.MethodToolsList, mcp.MethodToolsCall, mcp.MethodResourcesList,
	mcp.MethodResourcesTemplatesList, mcp.MethodResourcesRead, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe,
	mcp.MethodPromptsList, mcp.MethodPromptsGet, mcp.MethodCompletionComplete, mcp.MethodSubscriptionsListen, mcp.MethodSetLogLevel,
	"notifications/initialized", "notifications/cancelled", mcp.MCPMethod(mcp.MethodNotificationProgress),
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
	raw, err := Encode(struct {
		Name json.RawMessage `json:"name,omitempty"`
		URI  json.RawMessage `json:"uri,omitempty"`
	}{m.params["name"], m.params["uri"]})
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
