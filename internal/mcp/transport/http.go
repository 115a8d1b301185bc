package transport

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/net/netutil"

	"sdd/internal/fault"
	"sdd/internal/memory"
	"sdd/internal/setup"
)

// The streamable HTTP transport, for revisions 2024-11-05 to 2026-07-28 on one path, on the same [conn] as stdio. The one of mcp-go 1.2.1
// cannot replace it:
//
//   - progress: its channel of 100 drops the excess, loses the last one (upstream pull request 969) and is shared by calls of a session;
//   - errors: a transport cannot replace the error of a failed request, so our messages and data.uri would be lost;
//   - subscriptions: its sessions do not store them;
//   - cancellation: it answers a cancelled call, and ends the calls of a 2025-11-25 client that loses its connection;
//   - limits: it has none for a body, for sessions and for the time to read and write, and sends no keep-alive during a long call.
//
// http.CrossOriginProtection lets GET and OPTIONS of other sites pass and refuses localhost for 127.0.0.1; our guard does neither.
//
// Up to 2025-11-25 an initialize makes a session, a connection that many requests share; since 2026-07-28 every request is its own
// connection. The messages of a request go into its answer, before its result; others go out on the session's GET stream. Streams have no
// ids: a client repeats the request. All lasting state is in files, so several servers can share one address.

// Limits bound the resources that clients can use.
type Limits struct {
	Connections int           // open ones; further ones wait
	Sessions    int           // of a store; a new one replaces the one that was idle for the longest
	Idle        time.Duration // a session ends after this idle time
	Held        int64         // bytes of messages and answers in memory; above them the server postpones requests
	Header      time.Duration // to receive the header of a request
	Body        time.Duration // to receive its body
	Write       time.Duration // for a client to read one part of an answer
	Plain       time.Duration // an answer that takes longer becomes a stream, which keeps the client waiting
	Beat        time.Duration // between keep-alives on a stream
}

var standardLimits = Limits{
	Connections: 512, Sessions: 128, Idle: 30 * time.Minute, Held: 64 << 20,
	Header: 5 * time.Second, Body: 30 * time.Second, Write: 30 * time.Second, Plain: 5 * time.Second, Beat: 15 * time.Second,
}

const maxHeader = 32 << 10 // bytes

// HTTPOptions are the choices of the user who starts an HTTP server.
type HTTPOptions struct {
	Addr  string   // host and port; port 0 means any free one, no host means loopback
	Token string   // every request must send it; "" requires none, which only loopback allows
	Hosts []string // further names of the server in requests, besides its addresses
}

// HTTP serves the clients of one or more stores on one port.
type HTTP struct {
	listener net.Listener
	guard    guard
	mounts   map[string]*mount // by path
	Limits   Limits            // read-only after Serve has begun
	slots    chan struct{}     // one for each running request
	held     atomic.Int64
	requests *log.Logger

	mu      sync.Mutex // guards the fields below and those of the mounts and sessions
	open    map[*conn]bool
	closing bool
}

// mount is one store and its sessions by id. An id works like a password: no log contains it.
type mount struct {
	srv      *Server
	sessions map[string]*session
}

// ListenHTTP opens the port for servers by path. It writes a line for each request to out.
func ListenHTTP(servers map[string]*Server, o HTTPOptions, out io.Writer) (*HTTP, error) {
	addr, err := setup.HTTPAddr(o.Addr)
	if err != nil {
		return nil, err
	}
	network := "tcp"
	if ip, err := netip.ParseAddrPort(addr); err == nil && ip.Addr().Is4() {
		network = "tcp4" // 0.0.0.0 is every IPv4 address, and Addresses returns it unchanged
	}
	ln, err := net.Listen(network, addr)
	if err != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Arg: "http", Message: "cannot listen on " + addr + ": " + err.Error(),
			Hint: "end what uses the port, or give port 0 for a free one", Cause: err}
	}
	g, err := newGuard(ln.Addr(), o)
	if err != nil {
		_ = ln.Close()
		return nil, err
	}
	h := &HTTP{
		listener: ln, guard: g, mounts: map[string]*mount{}, Limits: standardLimits,
		slots: make(chan struct{}, maxRunning), requests: log.New(cmp.Or(out, io.Discard), "", 0), open: map[*conn]bool{},
	}
	for path, srv := range servers {
		h.mounts[path] = &mount{srv, map[string]*session{}}
	}
	return h, nil
}

func (h *HTTP) Addresses() []string {
	var urls []string
	for _, path := range h.paths() {
		urls = append(urls, "http://"+h.listener.Addr().String()+path)
	}
	return urls
}

func (h *HTTP) Close() { _ = h.listener.Close() }

// Serve serves until ctx ends, and returns within two seconds, most of them for the accepted requests.
func (h *HTTP) Serve(ctx context.Context) error {
	defer memory.Rest(h.unanswered)()
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: h.Limits.Header,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-ctx.Done()
		h.shutdown(srv)
	}()
	err := srv.Serve(netutil.LimitListener(h.listener, h.Limits.Connections))
	if errors.Is(err, http.ErrServerClosed) {
		<-ended
		return nil
	}
	return fault.New(fault.Unavailable, "the port was lost: %v", err)
}

// shutdown answers the running requests and closes the port.
func (h *HTTP) shutdown(srv *http.Server) {
	var drained sync.WaitGroup
	h.mu.Lock()
	h.closing = true
	for c := range h.open {
		drained.Go(func() { c.drain(drainTime, nil) })
	}
	h.mu.Unlock()
	patience, stop := context.WithTimeout(context.Background(), drainTime+graceTime+flushTime)
	defer stop()
	if srv.Shutdown(patience) != nil { // streams without a reader, idle connections
		_ = srv.Close()
	}
	drained.Wait()
}

// connect returns a connection that shutdown drains, nil after shutdown has begun.
func (h *HTTP) connect(m *mount, id string) *conn {
	c := m.srv.newConn(id, h.slots)
	c.lenient = true
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return nil
	}
	h.open[c] = true
	return c
}

func (h *HTTP) close(c *conn) {
	c.drain(0, nil)
	c.srv.Left(c.id)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, c)
}

// unanswered counts the requests without an answer, except open streams.
func (h *HTTP) unanswered() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for c := range h.open {
		n += c.unanswered()
	}
	return n
}

func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	memory.Busy()
	x := &exchange{h: h, w: w, r: r, control: http.NewResponseController(w), done: make(chan struct{})}
	defer x.log(time.Now())
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	if no := h.guard.check(r); no != nil {
		if no.status == http.StatusUnauthorized {
			head.Set("WWW-Authenticate", no.challenge)
		}
		x.deny(no.status, "%s", no.why)
		return
	}
	m := h.mounts[strings.TrimSuffix(r.URL.Path, "/")]
	if m == nil {
		x.deny(http.StatusNotFound, "there is no MCP endpoint at this path; there is: %s", strings.Join(h.paths(), ", "))
		return
	}
	x.path = strings.TrimSuffix(r.URL.Path, "/")
	switch method := r.Method; {
	case method == http.MethodPost:
		x.post(m)
	case method != http.MethodGet && method != http.MethodDelete:
		x.notAllowed("GET, POST, DELETE")
	case mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)):
		x.notAllowed("POST")
	case method == http.MethodGet:
		x.openStream(m)
	default:
		x.endSession(m)
	}
}

func (h *HTTP) paths() []string { return slices.Sorted(maps.Keys(h.mounts)) }

type session struct {
	conn   *conn
	busy   int       // running exchanges
	seen   time.Time // when the last exchange began or ended
	idle   *time.Timer
	stream context.CancelFunc // ends its GET stream
}

// addSession gives c an id. At the limit it ends the session that was idle for the longest; if none is idle, id is "".
func (h *HTTP) addSession(m *mount, c *conn) (id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(m.sessions) >= h.Limits.Sessions {
		var oldest string
		for id, s := range m.sessions {
			if s.busy == 0 && (oldest == "" || s.seen.Before(m.sessions[oldest].seen)) {
				oldest = id
			}
		}
		if oldest == "" {
			return ""
		}
		go h.close(m.sessions[oldest].conn)
		delete(m.sessions, oldest)
	}
	id = rand.Text()
	m.sessions[id] = &session{conn: c, seen: time.Now(), idle: time.AfterFunc(h.Limits.Idle, func() { h.endSession(m, id, true) })}
	return id
}

// enter returns the session with that id, nil if none has it. The session is in use until the caller calls leave.
func (h *HTTP) enter(m *mount, id string) (s *session, leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s = m.sessions[id]; s == nil {
		return nil, nil
	}
	s.busy++
	s.seen = time.Now()
	return s, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		s.busy--
		s.seen = time.Now()
		s.idle.Reset(h.Limits.Idle)
	}
}

// endSession ends the session with that id; if onlyIdle is true, only when it is not in use.
func (h *HTTP) endSession(m *mount, id string, onlyIdle bool) {
	h.mu.Lock()
	s := m.sessions[id]
	if s == nil || onlyIdle && s.busy > 0 {
		h.mu.Unlock()
		return
	}
	delete(m.sessions, id)
	s.idle.Stop()
	h.mu.Unlock()
	h.close(s.conn)
}

// replaceStream ends the session's earlier stream: a client that opens another one has lost it.
func (h *HTTP) replaceStream(s *session, end context.CancelFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.stream != nil {
		s.stream()
	}
	s.stream = end
}
