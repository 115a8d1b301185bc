package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/memory"
)

type Server struct {
	site     *site
	guard    *guard
	listener net.Listener
}

// DefaultAddr lets the system choose the port.
const DefaultAddr = "127.0.0.1:0"

// Listen opens the port; Serve serves on it. addr is a loopback address with a port, 0 for any. The fault is Invalid for any
// other address, Unavailable when the port is in use. version is the program's, from setup.VersionText.
func Listen(w *app.App, addr, version string) (*Server, error) {
	if err := loopback(addr); err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Arg: "addr", Message: "cannot listen on " + addr + ": " + err.Error(),
			Hint: "end what uses the port, or give " + DefaultAddr + " for a free one", Cause: err}
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() { // localhost may be any address
		_ = ln.Close()
		return nil, notLoopback(addr)
	}
	s := newSite(w, version)
	return &Server{s, newGuard(ln.Addr().String(), s.routes()), ln}, nil
}

func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fault.New(fault.Invalid, "addr %q is no address with a port", addr).For("addr").With("give one like " + DefaultAddr)
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback() || ip.Zone() != "") {
		return notLoopback(addr)
	}
	return nil
}

func notLoopback(addr string) error {
	return fault.New(fault.Invalid, "addr %q can be reached by other machines", addr).For("addr").
		With("allowed: 127.0.0.1, [::1] and localhost with a port; ssh -L brings the page to another machine")
}

// Address is the page's address, with the token that admits a browser.
func (s *Server) Address() string { return s.address(s.guard.token) }

// OneUseAddress is Address with a token for a single use: other users of the machine can see the command lines of programs.
func (s *Server) OneUseAddress() string { return s.address(s.guard.oneUse()) }

func (s *Server) address(token string) string {
	return "http://" + s.listener.Addr().String() + "/?" + tokenName + "=" + token
}

func (s *Server) Serve(ctx context.Context) error {
	requests, end := context.WithCancel(context.Background())
	defer end()
	s.site.Follow(requests, s.site.live.seen, s.site.live.tell)
	defer memory.Rest(func() int { return int(s.site.working.Load()) })()
	srv := &http.Server{
		Handler:           s.guard,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second, // streams set their own timeout
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(io.Discard, "", 0),
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-ctx.Done()
		s.site.live.end()
		patience, stop := context.WithTimeout(context.Background(), 3*time.Second)
		defer stop()
		if srv.Shutdown(patience) != nil {
			end()
			_ = srv.Close()
		}
	}()
	err := srv.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) {
		<-done
		return nil
	}
	return err
}

// ownAddr is the address of the store in a folder: the same at every start, so that bookmarks keep working.
func ownAddr(dir string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(dir))
	return fmt.Sprintf("127.0.0.1:%d", 20000+h.Sum32()%10000) // below the ports that systems hand out
}

// Run shows the store of w until ctx ends: without an addr on the store's own port if that is free, else on any.
func Run(ctx context.Context, w *app.App, addr, version string, ready func(address, once string) error) error {
	own := addr == ""
	if own {
		addr = ownAddr(w.Store.Dir())
	}
	s, err := Listen(w, addr, version)
	if own && fault.Is(err, fault.Unavailable) {
		s, err = Listen(w, DefaultAddr, version)
	}
	if err != nil {
		return err
	}
	if err := ready(s.Address(), s.OneUseAddress()); err != nil {
		s.Close()
		return err
	}
	return s.Serve(ctx)
}

func (s *Server) Close() { _ = s.listener.Close() }

const (
	maxStreams = 64
	heartbeat  = 20 * time.Second
)

// live notifies open pages of changes. A stream that starts with an older stamp gets an event at once, so that no change is missed.
type live struct {
	run     string        // of this server, so that the stamps of servers differ
	streams chan struct{} // has an element for each open stream
	over    context.Context
	end     context.CancelFunc // ends all streams

	mu      sync.Mutex
	count   int           // changes so far
	changed chan struct{} // closed by the next change
}

func newLive() *live {
	l := &live{run: rand.Text()[:6], streams: make(chan struct{}, maxStreams), changed: make(chan struct{})}
	l.over, l.end = context.WithCancel(context.Background())
	return l
}

func (l *live) seen() bool { return len(l.streams) > 0 }

func (l *live) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	close(l.changed)
	l.changed = make(chan struct{})
}

// state returns the stamp and what closes when it changes.
func (l *live) state() (string, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%s-%d", l.run, l.count), l.changed
}

// stream sends an event with the new stamp after every change of records.
func (l *live) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case l.streams <- struct{}{}:
		defer func() { <-l.streams }()
	default:
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	out := http.NewResponseController(w)
	if out.SetReadDeadline(time.Time{}) != nil || out.SetWriteDeadline(time.Time{}) != nil {
		http.Error(w, "this connection cannot stream", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	shown := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("since")) // the browser sends the first when it reconnects
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	text := "retry: 2000\n\n"
	for {
		stamp, changed := l.state()
		if stamp != shown {
			shown = stamp
			text += "id: " + stamp + "\nevent: change\ndata: " + stamp + "\n\n"
		}
		_ = out.SetWriteDeadline(time.Now().Add(heartbeat))
		if _, err := w.Write([]byte(text)); err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-changed:
			text = ""
		case <-beat.C:
			text = ": still here\n\n"
		case <-l.over.Done():
			return
		case <-r.Context().Done():
			return
		}
	}
}

// The page can change files, and any site in the same browser can send requests to it. So a request must name
// this server as its host (which excludes names that an attacker re-bound to this machine), a change must come
// from one of its own pages, and every page requires a cookie that only the printed address sets. Browsers send
// cookies to all ports of a host. So the cookie's name contains the port, which permits several open stores; and
// since other servers of this machine receive it too, the cookie alone permits no change.

const (
	maxBody   = 8 << 20 // bytes of a form; texts have the limits of config.yaml
	tokenName = "token"
)

// policy permits a page only its own style and script.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

type guard struct {
	token  string // in the printed address; valid as long as the server runs
	cookie http.Cookie
	hosts  []string // host and port in requests
	next   http.Handler

	mu     sync.Mutex
	ticket string // like token, but for a single use; "" for none
}

// newGuard guards the server that listens on addr, a loopback address with its port.
func newGuard(addr string, next http.Handler) *guard {
	_, port, _ := net.SplitHostPort(addr)
	return &guard{
		token:  rand.Text(),
		cookie: http.Cookie{Name: "sdd-" + port, Value: rand.Text(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode},
		hosts:  []string{addr, "localhost:" + port},
		next:   next,
	}
}

// oneUse returns a token for a single use, for a command line that other users may see.
func (g *guard) oneUse() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ticket = rand.Text()
	return g.ticket
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // with less, a form would not name its origin
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)

	switch {
	case !slices.Contains(g.hosts, r.Host):
		refuse(w, http.StatusMisdirectedRequest, "This server does not answer to the name in the address. Use the address that sdd ui printed.")
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		h.Set("Allow", "GET, HEAD, POST")
		refuse(w, http.StatusMethodNotAllowed, "This server reads pages and takes forms, nothing else.")
	case r.Method == http.MethodPost && r.Header.Get("Origin") != "http://"+r.Host:
		refuse(w, http.StatusForbidden, "A change must come from one of this server's own pages. Nothing was changed.")
	case r.URL.Path == "/" && r.Method == http.MethodGet && r.URL.Query().Has(tokenName):
		if !g.opens(r.URL.Query().Get(tokenName)) {
			refuse(w, http.StatusForbidden, "The token in the address is not the one of this run, or was used up. Use the address that sdd "+
				"ui printed last.")
			return
		}
		http.SetCookie(w, &g.cookie)
		at := &url.URL{Path: path.Clean("/" + r.URL.Query().Get("at"))} // of this server, whatever the query has
		http.Redirect(w, r, at.EscapedPath(), http.StatusSeeOther)
	case !g.admits(r) && !strings.HasPrefix(r.URL.Path, "/assets/"): // assets are the same for all
		refuse(w, http.StatusUnauthorized, "This browser has not been let in yet, or the page was opened from another one. "+
			"If you have just followed the address that sdd ui printed, open the start page; else open that address first.")
	default:
		g.next.ServeHTTP(w, r)
	}
}

// opens reports whether a token is valid, and uses up the one for a single use.
func (g *guard) opens(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if same(token, g.token) {
		return true
	}
	if g.ticket == "" || !same(token, g.ticket) {
		return false
	}
	g.ticket = ""
	return true
}

// admits reports whether the request has the cookie. Browsers may send several with one name.
func (g *guard) admits(r *http.Request) bool {
	return slices.ContainsFunc(r.CookiesNamed(g.cookie.Name), func(c *http.Cookie) bool { return same(c.Value, g.cookie.Value) })
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
