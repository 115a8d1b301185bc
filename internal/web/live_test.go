package web

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
)

// served is a running server and a client that was let in.
type served struct {
	*Server
	*shelf
	client *http.Client
	base   string
	stop   context.CancelFunc
	ended  chan error
}

func serve(t *testing.T) *served {
	t.Helper()
	s := newShelf(t)
	srv, err := Listen(s.App, DefaultAddr, "test")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &served{srv, s, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, "", stop, make(chan error, 1)}
	r.base, _, _ = strings.Cut(srv.Address(), "/?")
	go func() { r.ended <- srv.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-r.ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		r.ended <- nil
	})
	return r
}

func (s *served) open(target string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", s.base+target, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.AddCookie(&s.Server.guard.cookie)
	w, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { w.Body.Close() })
	return w
}

// stream returns the data of the events of a stream.
func (s *served) stream(since string) func() (string, bool) {
	w := s.open("/live?since=" + since)
	if w.StatusCode != 200 || w.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("status %d, %s", w.StatusCode, w.Header.Get("Content-Type"))
	}
	lines := bufio.NewScanner(w.Body)
	return func() (string, bool) {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data, true
			}
		}
		return "", false
	}
}

func TestServe(t *testing.T) {
	s := serve(t)
	r, err := s.client.Get(s.Address())
	if err != nil || r.StatusCode != 303 {
		t.Fatal(err, r)
	}
	r.Body.Close()
	s.body(s.open("/"), "/", 200)
	if r, err = s.client.Get(s.OneUseAddress()); err != nil || r.StatusCode != 303 {
		t.Fatal(err, r)
	}
	r.Body.Close()
}

// TestLive hears of a file that an editor writes, from the stamp of a page on.
func TestLive(t *testing.T) {
	s := serve(t)
	page := s.body(s.open("/explorations"), "/explorations", 200)
	_, rest, _ := strings.Cut(page, `data-stamp="`)
	stamp, _, _ := strings.Cut(rest, `"`)
	next := s.stream(stamp)
	s.write("explore/new.md", "## Goals\n\n- new\n")
	now, ok := next()
	if !ok || now == stamp {
		t.Fatalf("told %q after %q", now, stamp)
	}
	if page = s.body(s.open("/explorations"), "/explorations", 200); !strings.Contains(page, "/explore/new") {
		t.Error("told before the page could know it")
	}
	// A page that is older than the stream is told at once, as is one of another run.
	for _, old := range []string{stamp, "", "other-7"} {
		if got, ok := s.stream(old)(); !ok || got == old {
			t.Errorf("since %q: %q", old, got)
		}
	}
	// The end of the server is the end of its streams.
	last := s.stream(now)
	s.stop()
	for ok = true; ok; {
		_, ok = last()
	}
}

func TestStreamsAreCounted(t *testing.T) {
	l := newLive()
	status := func() int {
		w := httptest.NewRecorder() // cannot stream
		l.stream(w, httptest.NewRequest("GET", "/live", nil))
		return w.Code
	}
	for range maxStreams {
		l.streams <- struct{}{}
	}
	if got := status(); got != 503 {
		t.Errorf("one too many: %d", got)
	}
	<-l.streams
	for range 2 { // its place is free again
		if got := status(); got != 501 || !l.seen() {
			t.Errorf("the last place: %d", got)
		}
	}
}

func TestOnlyThisMachine(t *testing.T) {
	s := newShelf(t)
	for _, bad := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.168.1.1:0", "example.com:0", "127.0.0.1", "", "8080", "[::ffff:8.8.8.8]:0", "localhost.evil.example:0"} {
		if srv, err := Listen(s.App, bad, "test"); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", bad, err)
			if err == nil {
				srv.Close()
			}
		}
	}
	for _, good := range []string{"127.0.0.1:0", "localhost:0", "127.0.0.2:0"} {
		srv, err := Listen(s.App, good, "test")
		if err != nil {
			t.Errorf("%q: %v", good, err)
			continue
		}
		if !slices.Contains(srv.guard.hosts, srv.listener.Addr().String()) {
			t.Errorf("%q: does not answer to its own name", good)
		}
		srv.Close()
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if _, err := Listen(s.App, taken.Addr().String(), "test"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a port that is taken: %v", err)
	}
}

// TestOwnPort: a store has the same port at every start, and another one while that is in use.
func TestOwnPort(t *testing.T) {
	s := newShelf(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var first, second string
	once := func(into *string, then func() error) func(address, _ string) error {
		return func(address, _ string) error {
			*into, _, _ = strings.Cut(strings.TrimPrefix(address, "http://"), "/")
			return then()
		}
	}
	ended := errors.New("ended")
	err := Run(ctx, s.App, "", "test", once(&first, func() error {
		if err := Run(ctx, s.App, "", "test", once(&second, func() error { return ended })); !errors.Is(err, ended) {
			return err
		}
		return ended
	}))
	if !errors.Is(err, ended) || second == first || second == ownAddr(s.Store.Dir()) {
		t.Errorf("%v: %q and %q", err, first, second)
	}
}
