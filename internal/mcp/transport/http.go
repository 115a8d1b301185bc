package transport

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"sdd/internal/fault"
	"sdd/internal/memory"
	"sdd/internal/setup"
)

// The streamable HTTP transport, for revisions 2024-11-05 to 2026-07-28 on one path, on the same [conn] and [outbox] as stdio.
//
// The one of mcp-go 1.2.1 cannot replace it:
//
//   - progress: a call's notifications pass a channel of 100 that drops what does not fit, and the last one is lost when the
//     result overtakes it (upstream pull request 969); calls of one session share the channel, so that one call's progress can
//     leave on another call's answer;
//   - errors: a transport cannot replace the error of a failed request, so our words and data.uri would be lost;
//   - subscriptions: its sessions do not store them;
//   - cancellation: it answers a cancelled call, and ends the calls of a 2025-11-25 client that loses its connection;
//   - batches: it does not read them, and 2025-03-26 demands them;
//   - limits: it has none for a body, for sessions and for the time to read and write, and sends no sign of life on a long call.
//
// http.CrossOriginProtection lets GET and OPTIONS of other sites pass and refuses localhost for 127.0.0.1; the guard does neither.
//
// Up to 2025-11-25 an initialize makes a session, which is a connection that many requests share; since 2026-07-28 every
// request is a connection of its own. What belongs to a request goes into the outbox of its answer, in order and before
// its result; what belongs to a session goes out on its GET stream. An answer is one JSON object, or a stream
// of events if something comes before it or it takes long. Streams have no ids: a client does not resume one, it asks again.
// Nothing is kept but the files, so that several servers over clones of a repository may stand behind one address.

// Limits bound what clients may cost.
type Limits struct {
	Connections int           // that are open; others wait
	Sessions    int           // of a store; the one that was idle for the longest makes place
	Idle        time.Duration // after which a session ends
	Held        int64         // bytes of messages and answers in memory, from which on requests are put off
	Header      time.Duration // to send the header of a request
	Body        time.Duration // to send its body
	Write       time.Duration // for a client to take in one part of an answer
	Plain       time.Duration // after which an answer becomes a stream, so that the client hears something
	Beat        time.Duration // between signs of life on a stream
}

var standardLimits = Limits{
	Connections: 512, Sessions: 128, Idle: 30 * time.Minute, Held: 64 << 20,
	Header: 5 * time.Second, Body: 30 * time.Second, Write: 30 * time.Second, Plain: 5 * time.Second, Beat: 15 * time.Second,
}

const maxHeader = 32 << 10 // bytes

// HTTPOptions are what the person who starts an HTTP server chooses.
type HTTPOptions struct {
	Addr  string   // host and port, port 0 for any; without a host it is loopback
	Token string   // that every request must bear; "" asks for none, which is allowed on loopback only
	Hosts []string // names by which requests may call the server, besides its addresses
}

// HTTP serves the clients of one or more stores on one port.
type HTTP struct {
	listener net.Listener
	guard    guard
	mounts   map[string]*mount // by path
	Limits   Limits            // may be changed before Serve
	slots    chan struct{}     // one for each request that runs
	held     atomic.Int64
	requests *log.Logger

	mu      sync.Mutex
	open    map[*conn]bool // that are to be drained
	closing bool
	drained sync.WaitGroup
}

// mount is one store and who uses it.
type mount struct {
	srv      *Server
	sessions *sessions
}

// ListenHTTP takes the port for servers by path. log gets a line for each request.
func ListenHTTP(servers map[string]*Server, o HTTPOptions, out io.Writer) (*HTTP, error) {
	addr, err := setup.HTTPAddr(o.Addr)
	if err != nil {
		return nil, err
	}
	network := "tcp"
	if ip, err := netip.ParseAddrPort(addr); err == nil && ip.Addr().Is4() {
		network = "tcp4" // 0.0.0.0 is every address of IPv4, and is reported as it was given
	}
	ln, err := net.Listen(network, addr)
	if err != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Arg: "http", Message: "cannot listen on " + addr + ": " + err.Error(),
			Hint: "end what uses the port, or give port 0 for a free one", Cause: err}
	}
	if out == nil {
		out = io.Discard
	}
	g, err := newGuard(ln.Addr(), o)
	if err != nil {
		_ = ln.Close()
		return nil, err
	}
	h := &HTTP{
		listener: ln, guard: g, mounts: map[string]*mount{}, Limits: standardLimits,
		slots: make(chan struct{}, maxRunning), requests: log.New(out, "", 0), open: map[*conn]bool{},
	}
	for path, srv := range servers {
		h.mounts[path] = &mount{srv, newSessions()}
	}
	return h, nil
}

func isLoopback(a net.Addr) bool {
	ip, err := netip.ParseAddrPort(a.String())
	return err == nil && ip.Addr().Unmap().IsLoopback()
}

// Addresses returns the URL of each store, sorted.
func (h *HTTP) Addresses() []string {
	var urls []string
	for path := range h.mounts {
		urls = append(urls, "http://"+h.listener.Addr().String()+path)
	}
	slices.Sort(urls)
	return urls
}

// Close lets go of the port of a server that was never started.
func (h *HTTP) Close() { _ = h.listener.Close() }

// Serve answers until ctx ends, and then returns within two seconds: what was accepted is answered if it can be done in most
// of that time.
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
		h.expire(ctx)
		h.shutdown(srv)
	}()
	err := srv.Serve(netutil.LimitListener(h.listener, h.Limits.Connections))
	if errors.Is(err, http.ErrServerClosed) {
		<-ended
		return nil
	}
	return fault.New(fault.Unavailable, "the port was lost: %v", err)
}

// expire ends idle sessions, until ctx ends.
func (h *HTTP) expire(ctx context.Context) {
	look := time.NewTicker(max(h.Limits.Idle/16, time.Second))
	defer look.Stop()
	for {
		select {
		case <-look.C:
			for _, m := range h.mounts {
				for _, c := range m.sessions.expired(time.Now().Add(-h.Limits.Idle)) {
					h.close(c)
				}
			}
		case <-ctx.Done():
			return
		}
	}
}

// shutdown answers what runs and closes the port.
func (h *HTTP) shutdown(srv *http.Server) {
	h.mu.Lock()
	h.closing = true
	for c := range h.open {
		h.drained.Go(func() { c.drain(drainTime) })
	}
	h.mu.Unlock()
	patience, stop := context.WithTimeout(context.Background(), drainTime+graceTime+flushTime)
	defer stop()
	if srv.Shutdown(patience) != nil { // streams that no client reads, idle connections
		_ = srv.Close()
	}
	h.drained.Wait()
}

// track notes a connection that is to be drained at the end. It returns false when that has come.
func (h *HTTP) track(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closing {
		h.open[c] = true
	}
	return !h.closing
}

// close ends a connection and what runs for it.
func (h *HTTP) close(c *conn) {
	c.drain(0)
	c.srv.Left(c.id)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, c)
}

// unanswered counts the requests that are not answered, open streams aside.
func (h *HTTP) unanswered() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for c := range h.open {
		n += c.unanswered()
	}
	return n
}

// ServeHTTP answers one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	memory.Busy()
	x := &exchange{h: h, w: w, r: r, control: http.NewResponseController(w)}
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
	switch r.Method {
	case http.MethodPost:
		x.post(m)
	case http.MethodGet:
		x.openStream(m)
	case http.MethodDelete:
		x.endSession(m)
	default:
		x.notAllowed("GET, POST, DELETE")
	}
}

func (h *HTTP) paths() (paths []string) {
	for path := range h.mounts {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}
