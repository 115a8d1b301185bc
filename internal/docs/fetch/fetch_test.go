package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sdd/internal/docs/cache"
)

// world is a small web: names with their addresses, all served by one server.
type world struct {
	*httptest.Server
	mu    sync.Mutex
	names map[string][]string // the addresses that a name has, one look-up after another; the last one stays
	dials atomic.Int64
}

func newWorld(t *testing.T, h http.HandlerFunc) (*world, *Client) {
	t.Helper()
	w := &world{Server: httptest.NewServer(h), names: map[string][]string{}}
	t.Cleanup(w.Close)
	c := &Client{Cache: cache.Folder{Path: filepath.Join(t.TempDir(), "cache"), Most: 1 << 20}, Dial: w.dial}
	t.Cleanup(func() { c.http.CloseIdleConnections() })
	return w, c
}

func (w *world) dial(ctx context.Context, network, address string, check func(netip.Addr) error) (net.Conn, error) {
	w.dials.Add(1)
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		w.mu.Lock()
		list := w.names[host]
		if len(list) > 1 {
			w.names[host] = list[1:]
		}
		w.mu.Unlock()
		if len(list) == 0 {
			a = netip.MustParseAddr("93.184.216.34")
		} else {
			a = netip.MustParseAddr(list[0])
		}
	}
	if err := check(a); err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", w.Listener.Addr().String())
}

func request(t *testing.T, address string) Request {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return Request{URL: u, Limit: 1 << 20, Types: []string{"text/html", "text/plain"}, Host: func(string) bool { return true }}
}

func squeezed(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

func TestReach(t *testing.T) {
	for want, list := range map[reach]string{
		public: "93.184.216.34 1.1.1.1 2606:4700::1111 ::ffff:8.8.8.8 2002:0808:0808::1 64:ff9b::808:808 100.63.255.255 100.128.0.0 172.32.0.1",
		private: "127.0.0.1 127.8.9.10 ::1 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd12::1 100.64.0.1 100.127.255.255 ::ffff:127.0.0.1 ::ffff:10.1.1.1" +
			" 2002:7f00:1::1 2002:0a00:1::1 64:ff9b::7f00:1 64:ff9b::a00:1",
		never: "169.254.169.254 169.254.0.1 fe80::1 fe80::1%eth0 ff02::1 224.0.0.1 239.1.1.1 0.0.0.0 :: 0.1.2.3 255.255.255.255 240.0.0.1 100.100.100.200 fd00:ec2::254" +
			" 192.0.0.192 192.0.2.1 198.18.0.1 2001:db8::1 2001::1 fec0::1 ::ffff:169.254.169.254 2002:a9fe:a9fe::1 64:ff9b::a9fe:a9fe ::127.0.0.1 4000::1 64:ff9b:1::1 ::ffff:0:0",
	} {
		for s := range strings.FieldsSeq(list) {
			if got := reachOf(netip.MustParseAddr(s)); got != want {
				t.Errorf("%s: %d, want %d", s, got, want)
			}
		}
	}
	if reachOf(netip.Addr{}) != never {
		t.Error("no address is reached")
	}
}

// TestOwnDialer connects with the real dialer to this machine: nothing arrives.
func TestOwnDialer(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer s.Close()
	port := s.Listener.Addr().(*net.TCPAddr).Port
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "2130706433", "0x7f.1", "127.1"} {
		c := &Client{}
		_, err := c.Get(context.Background(), request(t, fmt.Sprintf("http://%s:%d/", host, port)))
		if !errors.Is(err, ErrBlocked) && !errors.Is(err, ErrFailed) { // a name that does not resolve is no harm
			t.Errorf("%s: %v", host, err)
		}
		if host == "127.0.0.1" && !errors.Is(err, ErrBlocked) {
			t.Errorf("%s is not blocked: %v", host, err)
		}
	}
	if asked.Load() != 0 {
		t.Errorf("%d requests arrived", asked.Load())
	}
	c := &Client{}
	q := request(t, s.URL)
	q.Private = func(h string) bool { return h == fmt.Sprintf("127.0.0.1:%d", port) }
	if _, err := c.Get(context.Background(), q); err != nil || asked.Load() != 1 {
		t.Errorf("a private address that is allowed: %v", err)
	}
	c.http.CloseIdleConnections()
}

// TestHostile asks servers that mean harm or are broken; each has its answer.
func TestHostile(t *testing.T) {
	stop := make(chan struct{})
	until := func(r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}
	raw := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				io.WriteString(conn, text)
				conn.Close()
			}
		}
	}
	to := func(where string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/there" {
				io.WriteString(w, "harm")
				return
			}
			http.Redirect(w, r, where, http.StatusFound)
		}
	}
	html := func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/html") }
	names := map[string][]string{
		"inside.example": {"10.0.0.7"}, "metadata.example": {"169.254.169.254"}, "six.example": {"64:ff9b::7f00:1"},
		"rebinds.example": {"93.184.216.34", "127.0.0.1"},
	}
	for _, tt := range []struct {
		name, url string
		serve     http.HandlerFunc
		want      error
	}{
		{"slow drip", "http://docs.example/", func(w http.ResponseWriter, r *http.Request) {
			html(w)
			io.WriteString(w, "<")
			http.NewResponseController(w).Flush()
			until(r)
		}, ErrFailed},
		{"no headers", "http://docs.example/", func(_ http.ResponseWriter, r *http.Request) { until(r) }, ErrFailed},
		{"endless body", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) {
			html(w)
			for block := make([]byte, 64<<10); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, ErrTooLarge},
		{"endless headers", "http://docs.example/", raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20)), ErrFailed},
		{"gzip bomb", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) {
			html(w)
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(squeezed(make([]byte, 8<<20)))
		}, ErrTooLarge},
		{"gzip that is cut", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) {
			html(w)
			w.Header().Set("Content-Encoding", "gzip")
			z := squeezed([]byte(strings.Repeat("some text ", 1000)))
			w.Write(z[:len(z)/2])
		}, ErrFailed},
		{"gzip that is none", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) {
			html(w)
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "plain")
		}, ErrFailed},
		{"another encoding", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) {
			html(w)
			w.Header().Set("Content-Encoding", "br")
			io.WriteString(w, "x")
		}, ErrFailed},
		{"too long by its own words", "http://docs.example/", raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99999999999\r\n\r\nx"), ErrTooLarge},
		{"length that is not reached", "http://docs.example/", raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nshort"), ErrFailed},
		{"length that is no number", "http://docs.example/", raw("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx"), ErrFailed},
		{"chunks that break off", "http://docs.example/", raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"), ErrFailed},
		{"no HTTP", "http://docs.example/", raw("SSH-2.0-x\r\n"), ErrFailed},
		{"nothing", "http://docs.example/", raw(""), ErrFailed},
		{"redirect loop", "http://docs.example/", to("/again"), ErrFailed},
		{"redirect inside", "http://docs.example/", to("http://10.0.0.1/there"), ErrBlocked},
		{"redirect to metadata", "http://docs.example/", to("http://169.254.169.254/there"), ErrBlocked},
		{"redirect to a name of an inside address", "http://docs.example/", to("http://inside.example/there"), ErrBlocked},
		{"redirect to a file", "http://docs.example/", to("file:///etc/passwd"), ErrOutside},
		{"redirect with a password", "http://docs.example/", to("http://a:b@other.example/there"), ErrOutside},
		{"redirect to a host that is not allowed", "http://docs.example/", to("http://forbidden.example/there"), ErrHost},
		{"name of an inside address", "http://inside.example/", to("/there"), ErrBlocked},
		{"name of the metadata service", "http://metadata.example/", to("/there"), ErrBlocked},
		{"inside address within IPv6", "http://six.example/", to("/there"), ErrBlocked},
		{"name that changes its address", "http://rebinds.example/", to("http://rebinds.example:8080/there"), ErrBlocked},
		{"password in the address", "http://a:b@docs.example/", to("/there"), ErrOutside},
		{"another scheme", "ftp://docs.example/", to("/there"), ErrOutside},
		{"no host", "http:///there", to("/there"), ErrOutside},
		{"host that is not allowed", "http://forbidden.example/there", to("/there"), ErrHost},
		{"a picture", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "image/png") }, ErrType},
		{"missing", "http://docs.example/", http.NotFound, ErrNotFound},
		{"gone", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, ErrNotFound},
		{"forbidden", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, ErrFailed},
		{"broken", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, ErrFailed},
		{"unchanged, unasked", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }, ErrFailed},
		{"come back in an hour", "http://docs.example/", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(503)
		}, ErrFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, c := newWorld(t, tt.serve)
			for n, list := range names {
				w.names[n] = list
			}
			if tt.name == "slow drip" || tt.name == "no headers" {
				c.HeaderTime, c.WholeTime = 200*time.Millisecond, 400*time.Millisecond
			}
			q := request(t, tt.url)
			q.Host = func(h string) bool { return h != "forbidden.example" }
			d, err := c.Get(context.Background(), q)
			if !errors.Is(err, tt.want) || len(d.Data) > 0 {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "a:b@") {
				t.Errorf("the password is shown: %v", err)
			}
		})
	}
	close(stop)
}

func TestRedirects(t *testing.T) {
	w, c := newWorld(t, func(w http.ResponseWriter, r *http.Request) {
		for _, h := range []string{"Cookie", "Authorization", "Referer"} {
			if r.Header.Get(h) != "" {
				t.Errorf("%s is sent", h)
			}
		}
		switch n := len(r.URL.Path); {
		case n < 6:
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			http.Redirect(w, r, r.URL.Path+"x", http.StatusMovedPermanently)
		default:
			io.WriteString(w, r.URL.Path)
		}
	})
	d, err := c.Get(context.Background(), request(t, "http://docs.example/"))
	if err != nil || string(d.Data) != "/xxxxx" || d.URL.String() != "http://docs.example/xxxxx" {
		t.Errorf("five redirects: %v %q %v", err, d.Data, d.URL)
	}
	q := request(t, "http://docs.example/x")
	q.Within = "http://elsewhere.example"
	if _, err := c.Get(context.Background(), q); !errors.Is(err, ErrOutside) {
		t.Errorf("a redirect leaves the origin: %v", err)
	}
	_ = w
}

// TestDowngrade redirects from https to http.
func TestDowngrade(t *testing.T) {
	c := &Client{}
	c.once.Do(c.start)
	q := request(t, "https://docs.example/")
	ctx := context.WithValue(context.Background(), requestKey{}, q)
	from, _ := http.NewRequestWithContext(ctx, "GET", "https://docs.example/", nil)
	to, _ := http.NewRequestWithContext(ctx, "GET", "http://docs.example/", nil)
	if err := c.http.CheckRedirect(to, []*http.Request{from}); !errors.Is(err, ErrOutside) {
		t.Errorf("%v", err)
	}
	if err := c.http.CheckRedirect(from, []*http.Request{to}); err != nil {
		t.Errorf("to https: %v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	var asked atomic.Int64
	_, c := newWorld(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(429)
			return
		}
		io.WriteString(w, "now")
	})
	d, err := c.Get(context.Background(), request(t, "http://docs.example/a"))
	if err != nil || string(d.Data) != "now" || asked.Load() != 2 {
		t.Errorf("%v %q after %d requests", err, d.Data, asked.Load())
	}
	always := int64(0)
	_, c = newWorld(t, func(w http.ResponseWriter, _ *http.Request) {
		always++
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(503)
	})
	if _, err := c.Get(context.Background(), request(t, "http://docs.example/a")); !errors.Is(err, ErrFailed) || always != 2 {
		t.Errorf("%v after %d requests", err, always)
	}
}

// TestCache asks again only when a copy is old, and takes what it has where nobody answers.
func TestCache(t *testing.T) {
	text, down, asked, conditional := "one", false, 0, 0
	_, c := newWorld(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if down {
			w.WriteHeader(500)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("ETag", `"`+text+`"`)
		if r.Header.Get("If-None-Match") != "" {
			conditional++
			if r.Header.Get("If-None-Match") == `"`+text+`"` {
				w.WriteHeader(304)
				return
			}
		}
		if r.URL.Path == "/secret" {
			w.Header().Set("Cache-Control", "private, no-store")
		}
		io.WriteString(w, text)
	})
	get := func(path string) Document {
		t.Helper()
		d, err := c.Get(context.Background(), request(t, "http://docs.example"+path))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	expect := func(when, want string, wantAsked, wantConditional int, stale bool) {
		t.Helper()
		if d := get("/a"); string(d.Data) != want || asked != wantAsked || conditional != wantConditional || d.Stale != stale || d.Fetched.IsZero() {
			t.Errorf("%s: %q stale %v after %d requests, %d conditional", when, d.Data, d.Stale, asked, conditional)
		}
	}
	age := func() { // makes the copy old
		k := c.load("http://docs.example/a", request(t, "http://docs.example/a"))
		if k == nil {
			t.Fatal("no copy")
		}
		k.Fetched = k.Fetched.Add(-2 * freshFor)
		c.store("http://docs.example/a", k)
	}
	expect("first", "one", 1, 0, false)
	text = "two"
	expect("fresh", "one", 1, 0, false)
	age()
	expect("old", "two", 2, 1, false)
	age()
	expect("unchanged", "two", 3, 2, false)
	expect("confirmed", "two", 3, 2, false)
	age()
	down = true
	expect("down", "two", 4, 2, true)
	down = false
	get("/secret")
	if c.load("http://docs.example/secret", request(t, "http://docs.example/secret")) != nil {
		t.Error("what must not be stored is")
	}
	// A damaged copy is none.
	kept, err := c.Cache.Open("http://docs.example/a")
	if err != nil {
		t.Fatal(err)
	}
	file := kept.Name()
	kept.Close()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{"cut": data[:len(data)-1], "changed": append(bytes.Clone(data[:len(data)-1]), 'X'), "no head": []byte("x"), "empty": {}, "another": []byte("{}\nx")} {
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if kept := c.load("http://docs.example/a", request(t, "http://docs.example/a")); kept != nil {
			t.Errorf("%s: taken", name)
		}
	}
	// A copy does not outlive the permission of its host.
	get("/a")
	q := request(t, "http://docs.example/a")
	q.Host = func(string) bool { return false }
	if _, err := c.Get(context.Background(), q); !errors.Is(err, ErrHost) {
		t.Errorf("%v", err)
	}
	// A disk that takes nothing is no failure.
	c.Cache.Path = filepath.Join(file, "below a file")
	get("/b")
}

func TestHostOf(t *testing.T) {
	for address, want := range map[string]string{
		"https://Docs.Example.org./a": "docs.example.org", "https://docs.example.org:443/": "docs.example.org", "http://docs.example.org:443/": "docs.example.org:443",
		"http://[::1]:80/": "[::1]", "http://127.0.0.1:8000/": "127.0.0.1:8000",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := HostOf(u); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
