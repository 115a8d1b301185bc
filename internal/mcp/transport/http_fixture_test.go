package transport_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	. "sdd/internal/mcp/catalog"
	. "sdd/internal/mcp/transport"
	"sdd/internal/setup"
)

const testToken = "correct-horse-battery-staple"

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// httpServer is a server on a port of its own.
type httpServer struct {
	*HTTP
	t    testing.TB
	url  string
	stop context.CancelFunc
	done chan error
	log  chan string // a line for each request that is done
}

type lineChan chan string

func (c lineChan) Write(b []byte) (int, error) {
	c <- string(b)
	return len(b), nil
}

// serveHTTP starts a server, which ends with the test. adjust changes its limits.
func serveHTTP(t testing.TB, servers map[string]*Server, o HTTPOptions, adjust func(*Limits)) *httpServer {
	t.Helper()
	log := make(lineChan, 1<<16)
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	h, err := ListenHTTP(servers, o, log)
	if err != nil {
		t.Fatal(err)
	}
	if adjust != nil {
		adjust(&h.Limits)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &httpServer{HTTP: h, t: t, url: h.Addresses()[0], stop: stop, done: make(chan error, 1), log: log}
	go func() { s.done <- h.Serve(ctx) }()
	t.Cleanup(func() { _ = s.end() })
	return s
}

// shelfHTTP serves a shelf at /mcp.
func shelfHTTP(t testing.TB, s *shelf, adjust func(*Limits)) *httpServer {
	t.Helper()
	return serveHTTP(t, map[string]*Server{setup.HTTPPath: s.server(t, Options{})}, HTTPOptions{}, adjust)
}

// end stops the server and returns what Serve did. It may be called again.
func (s *httpServer) end() error {
	s.stop()
	err := <-s.done
	s.done <- err
	return err
}

// heard is an answer.
type heard struct {
	status int
	header http.Header
	body   string
}

// messages returns the JSON-RPC messages of an answer in either form.
func (h heard) messages(t testing.TB) (all []said) {
	t.Helper()
	if strings.HasPrefix(h.header.Get("Content-Type"), TypeJSON) {
		return []said{hear(t, h.body)}
	}
	for line := range strings.Lines(h.body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			all = append(all, hear(t, data))
		}
	}
	return all
}

// open sends a request and returns the answer while it comes in.
func (s *httpServer) open(ctx context.Context, method, body string, header map[string]string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]string{"Accept": TypeJSON + ", " + TypeEvents, "Content-Type": TypeJSON}
	maps.Copy(all, header)
	for k, v := range all {
		switch {
		case k == "Host":
			r.Host = v
		case v != "":
			r.Header.Set(k, v)
		}
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil { // it may be asked beside the test
		s.t.Error(err)
		return &http.Response{Body: http.NoBody, Header: http.Header{}}
	}
	s.t.Cleanup(func() { a.Body.Close() })
	return a
}

func (s *httpServer) send(method, body string, header map[string]string) heard {
	s.t.Helper()
	a := s.open(s.t.Context(), method, body, header)
	text, err := io.ReadAll(a.Body)
	if err != nil {
		s.t.Errorf("%v after %q", err, text)
	}
	return heard{a.StatusCode, a.Header, string(text)}
}

// hello makes a session of that revision and returns the header that names it.
func (s *httpServer) hello(version string) map[string]string {
	s.t.Helper()
	a := s.send("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`, version), nil)
	id := a.header.Get("Mcp-Session-Id")
	if a.status != http.StatusOK || id == "" {
		s.t.Fatalf("%+v", a)
	}
	return map[string]string{"Mcp-Session-Id": id, "Mcp-Protocol-Version": version}
}

// modern is the header of a request of 2026-07-28.
func modern(method, name string) map[string]string {
	return map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name}
}

func modernCall(id, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{%s,"name":%q,"arguments":%s}}`, id, modernMeta, tool, args)
}

// event returns the next message of a stream.
func event(t testing.TB, r *bufio.Reader) said {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended: %v", err)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return hear(t, data)
		}
	}
}

// until waits for a state that comes by itself.
func until(t testing.TB, what string, there func() bool) {
	t.Helper()
	t.Log("until", what)
	for !there() {
		time.Sleep(time.Millisecond)
	}
}
