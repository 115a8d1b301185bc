package transport_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	. "sdd/internal/mcp/catalog"
	. "sdd/internal/mcp/transport"
)

// TestHTTPCrossSite sends what a page of another site can make a browser send.
func TestHTTPCrossSite(t *testing.T) {
	notes := newShelf()
	s := shelfHTTP(t, notes, nil)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note_put","arguments":{"name":"a","text":"evil"}}}`
	for _, one := range []struct {
		method string
		header map[string]string
		want   int
	}{
		{"POST", map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		{"POST", map[string]string{"Origin": "null"}, http.StatusForbidden},
		{"POST", map[string]string{"Content-Type": "text/plain"}, http.StatusUnsupportedMediaType}, // which a form sends without asking first
		{"POST", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, http.StatusUnsupportedMediaType},
		{"POST", map[string]string{"Content-Type": "multipart/form-data; boundary=x"}, http.StatusUnsupportedMediaType},
		{"OPTIONS", map[string]string{"Origin": "https://evil.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}, http.StatusForbidden},
		{"OPTIONS", map[string]string{"Access-Control-Request-Method": "POST"}, http.StatusMethodNotAllowed},
		{"GET", map[string]string{"Origin": "https://evil.example", "Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13", "Sec-Websocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}, http.StatusForbidden},
		{"GET", map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13", "Sec-Websocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}, http.StatusBadRequest},
	} {
		got := s.send(one.method, call, one.header)
		if got.status != one.want {
			t.Errorf("%s %v: %d %s", one.method, one.header, got.status, got.body)
		}
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s %v: another site is let in by %s", one.method, one.header, name)
			}
		}
	}
	if text, err := notes.read("a"); err != nil || text != "text of a\n" {
		t.Errorf("another site has changed a note: %q, %v", text, err)
	}
}

func TestHTTPOptions(t *testing.T) {
	for _, one := range []struct {
		o    HTTPOptions
		want string
	}{
		{HTTPOptions{Addr: "0.0.0.0:0"}, "no token"},
		{HTTPOptions{Addr: "[::]:0"}, "no token"},
		{HTTPOptions{Addr: "localhost"}, "no address with a port"},
		{HTTPOptions{Addr: "127.0.0.1:http"}, "no address with a port"},
		{HTTPOptions{Addr: "127.0.0.1:"}, "no address with a port"},
		{HTTPOptions{Addr: "192.0.2.1:0", Token: testToken}, "cannot listen"},
		{HTTPOptions{Addr: ":0", Token: "short"}, "16 characters"},
		{HTTPOptions{Addr: ":0", Token: "correct horse battery"}, "visible ASCII"},
		{HTTPOptions{Addr: ":0", Hosts: []string{"https://a.example"}}, "no host name"},
		{HTTPOptions{Addr: ":0", Hosts: []string{"a.example/x"}}, "no host name"},
		{HTTPOptions{Addr: ":0", Hosts: []string{""}}, "no host name"},
	} {
		h, err := ListenHTTP(nil, one.o, nil)
		if err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%+v: %v", one.o, err)
		}
		if err == nil {
			h.Close()
		}
	}
	for _, addr := range []string{"0", ":0", "127.0.0.1:0", "localhost:0"} {
		h, err := ListenHTTP(nil, HTTPOptions{Addr: addr}, nil)
		if err != nil || !strings.HasPrefix(h.Addr(), "127.0.0.1:") && !strings.HasPrefix(h.Addr(), "[::1]:") {
			t.Errorf("%s: %v", addr, err)
			continue
		}
		h.Close()
	}
	every, err := ListenHTTP(map[string]*Server{"/mcp": nil}, HTTPOptions{Addr: "0.0.0.0:0", Token: testToken}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if at := every.Addresses()[0]; !strings.HasPrefix(at, "http://0.0.0.0:") {
		t.Errorf("0.0.0.0 is reported as %s", at)
	}
	every.Close()
	h, err := ListenHTTP(nil, HTTPOptions{Addr: "0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if _, err := ListenHTTP(nil, HTTPOptions{Addr: h.Addr()}, nil); err == nil {
		t.Error("the port was taken twice")
	}
}

// What is no request of the protocol is refused for what is wrong with it, and the server goes on.
func TestHTTPRefuses(t *testing.T) {
	a, b := newShelf(), newShelf()
	h := serveHTTP(t, map[string]*Server{"/mcp/a": a.server(t, Options{}), "/mcp/b": b.server(t, Options{})}, HTTPOptions{}, nil)
	sess := h.hello("2025-11-25")
	with := func(more ...string) map[string]string {
		all := map[string]string{"Mcp-Session-Id": sess["Mcp-Session-Id"], "Mcp-Protocol-Version": "2025-11-25"}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, one := range map[string]struct {
		method, body string
		header       map[string]string
		want         int
	}{
		"good":                          {"POST", ping, with(), 200},
		"any type accepted":             {"POST", ping, with("Accept", "*/*"), 200},
		"weights":                       {"POST", ping, with("Accept", "application/*;q=0.5, text/*"), 200},
		"accepts no stream":             {"POST", ping, with("Accept", "application/json"), 406},
		"accepts HTML":                  {"POST", ping, with("Accept", "text/html"), 406},
		"a browser":                     {"GET", "", with("Accept", "text/html"), 406},
		"a form":                        {"POST", ping, with("Content-Type", "text/plain"), 415},
		"compressed":                    {"POST", ping, with("Content-Encoding", "gzip"), 415},
		"charset":                       {"POST", ping, with("Content-Type", "application/json; charset=utf-8"), 200},
		"no session":                    {"POST", ping, with("Mcp-Session-Id", ""), 400},
		"made-up session":               {"POST", ping, with("Mcp-Session-Id", strings.Repeat("A", 26)), 404},
		"half a session":                {"POST", ping, with("Mcp-Session-Id", sess["Mcp-Session-Id"][:13]), 404},
		"made-up stream":                {"GET", "", with("Mcp-Session-Id", "x"), 404},
		"ends another's":                {"DELETE", "", with("Mcp-Session-Id", "x"), 404},
		"no JSON":                       {"POST", `{"jsonrpc"`, with(), 400},
		"empty":                         {"POST", ``, with(), 400},
		"no message":                    {"POST", `7`, with(), 400},
		"no method":                     {"POST", `{"jsonrpc":"2.0","id":1}`, with(), 400},
		"another verb":                  {"PUT", ping, with(), 405},
		"preflight":                     {"OPTIONS", "", with("Origin", "http://"+strings.TrimPrefix(strings.TrimSuffix(h.url, "/mcp/a"), "http://")), 405},
		"another site":                  {"POST", ping, with("Origin", "https://evil.example"), 403},
		"another name":                  {"POST", ping, with("Host", "evil.example"), 403},
		"resumed, which is not offered": {"POST", ping, with("Last-Event-ID", "1"), 200},
	} {
		got := h.send(one.method, one.body, one.header)
		if got.status != one.want {
			t.Errorf("%s: %d, want %d: %s", name, got.status, one.want, got.body)
		}
		if got.status >= 400 && got.messages(t)[0].Error == nil {
			t.Errorf("%s: not an error: %s", name, got.body)
		}
		if got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: other sites may read this", name)
		}
	}
	// A session is of one store, and ends for good.
	own := h.url
	h.url = strings.TrimSuffix(own, "a") + "b"
	if got := h.send("POST", ping, sess); got.status != 404 {
		t.Errorf("the session of another store: %+v", got)
	}
	h.url = strings.TrimSuffix(own, "/a")
	if got := h.send("POST", ping, sess); got.status != 404 || !strings.Contains(got.body, "/mcp/a, /mcp/b") {
		t.Errorf("no store: %+v", got)
	}
	h.url = own
	if got := h.send("DELETE", "", sess); got.status != 204 {
		t.Errorf("%+v", got)
	}
	if got := h.send("POST", ping, sess); got.status != 404 {
		t.Errorf("a session that has ended: %+v", got)
	}
}

// One id belongs to one request at a time; it may be used again after its answer.
func TestHTTPReplay(t *testing.T) {
	s := newShelf()
	s.started = make(chan string, 2)
	h := shelfHTTP(t, s, nil)
	sess := h.hello("2025-11-25")
	done := make(chan heard)
	go func() { done <- h.send("POST", call("1", "wait", `{"ms":600000}`), sess) }()
	<-s.started
	if m := h.send("POST", call("1", "wait", `{"ms":0}`), sess).messages(t)[0]; m.Error == nil || !strings.Contains(m.Error.Message, "in use") {
		t.Errorf("%+v", m)
	}
	// Another session does not see it, nor can it cancel it.
	other := h.hello("2025-11-25")
	h.send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, other)
	if m := h.send("POST", call("1", "wait", `{"ms":0}`), other).messages(t)[0]; m.Error != nil {
		t.Errorf("%+v", m)
	}
	h.send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, sess)
	if a := <-done; len(a.messages(t)) != 0 {
		t.Errorf("%+v", a)
	}
	<-s.started
	if m := h.send("POST", call("1", "wait", `{"ms":0}`), sess).messages(t)[0]; m.Error != nil {
		t.Errorf("%+v", m)
	}
}

// dial opens a connection on which anything can be said.
func (s *httpServer) dial() (net.Conn, *bufio.Reader) {
	s.t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c, bufio.NewReader(c)
}

const rawHead = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n"

// A client that does not come to an end is not waited for.
func TestHTTPSlowClients(t *testing.T) {
	t.Parallel()
	h := shelfHTTP(t, newShelf(), func(l *Limits) { l.Header, l.Body = 50*time.Millisecond, 50*time.Millisecond })
	for name, start := range map[string]string{
		"nothing":         "",
		"half a header":   rawHead[:20],
		"half a body":     rawHead + "Content-Length: 100\r\n\r\n{",
		"no body":         rawHead + "Content-Length: 100\r\n\r\n",
		"an endless body": rawHead + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
	} {
		c, r := h.dial()
		if _, err := io.WriteString(c, start); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(r); err != nil || strings.Contains(string(rest), " 200 ") {
			t.Errorf("%s: %v, %q", name, err, rest)
		}
	}
	if n := h.Held(); n != 0 {
		t.Errorf("%d bytes are held", n)
	}
}

func TestHTTPTooMuch(t *testing.T) {
	t.Parallel()
	h := shelfHTTP(t, newShelf(), nil)
	// In the header.
	c, r := h.dial()
	go io.WriteString(c, rawHead+"X: "+strings.Repeat("x", 1<<20)+"\r\n\r\n")
	if line, err := r.ReadString('\n'); err == nil && !strings.Contains(line, " 431 ") {
		t.Errorf("%q", line)
	}
	// With a Content-Length and without.
	for _, head := range []string{fmt.Sprintf("Content-Length: %d\r\n\r\n", MaxMessage+1), "Transfer-Encoding: chunked\r\n\r\n"} {
		c, r := h.dial()
		go func() {
			io.WriteString(c, rawHead+head)
			for chunk := fmt.Sprintf("%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20)); ; {
				if _, err := io.WriteString(c, chunk); err != nil {
					return
				}
			}
		}()
		if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, " 413 ") {
			t.Errorf("%q, %v", line, err)
		}
	}
	// The largest that is taken.
	sess := h.hello("2025-11-25")
	text := strings.Repeat("x", MaxMessage-len(call("1", "note_put", `{"name":"big","text":""}`)))
	body := call("1", "note_put", `{"name":"big","text":"`+text+`"}`)
	if a := h.send("POST", body, sess); len(body) != MaxMessage || a.status != 200 {
		t.Errorf("%d bytes: %d", len(body), a.status)
	}
	if a := h.send("POST", body+" ", sess); a.status != 413 {
		t.Errorf("a byte more: %d", a.status)
	}
	until(t, "nothing is held", func() bool { return h.Held() == 0 })
}

// Many who send at once are put off, not kept.
func TestHTTPTooMuchAtOnce(t *testing.T) {
	h := shelfHTTP(t, newShelf(), func(l *Limits) { l.Held = 1 << 20 })
	c, _ := h.dial()
	io.WriteString(c, rawHead+"Content-Length: 1000000\r\n\r\n"+strings.Repeat(" ", 900_000))
	until(t, "the first is held", func() bool { return h.Held() >= 900_000 })
	a := h.send("POST", strings.Repeat(" ", 500_000), nil)
	if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
		t.Errorf("%+v", a)
	}
	c.Close()
	until(t, "nothing is held", func() bool { return h.Held() == 0 })
	h.hello("2025-11-25")
}

// A client that does not read holds a bounded piece of its answer, and not for long.
func TestHTTPClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	h := shelfHTTP(t, newShelf(), func(l *Limits) { l.Write = 100 * time.Millisecond })
	c, _ := h.dial()
	c.(*net.TCPConn).SetReadBuffer(4096)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"to":100000},` + strings.TrimSuffix(modernMeta, "}") + `,"progressToken":"p"}}}`
	fmt.Fprintf(c, "%sMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: count\r\nContent-Length: %d\r\n\r\n%s", rawHead, len(body), body)
	line := <-h.log // the request is over, although nothing was read
	if !strings.Contains(line, "tools/call 200") {
		t.Errorf("%q", line)
	}
	until(t, "nothing is held", func() bool {
		return h.Held() == 0 && h.Connections() == 0
	})
}

// The log has the client and the outcome, and nothing of the request.
func TestHTTPLog(t *testing.T) {
	h := shelfHTTP(t, newShelf(), nil)
	sess := h.hello("2025-11-25")
	h.send("POST", call(`"secret-id"`, "note_get", `{"name":"secret-name"}`), sess)
	h.send("POST", `{"jsonrpc":"2.0","id":1,"method":"secret\nforged line"}`, sess)
	own := h.url
	h.url += "/secret-path?secret=query"
	h.send("POST", `{}`, map[string]string{"Authorization": "Bearer secret-token"})
	h.url = own
	h.send("SECRET", ``, sess)
	var all []string
	for range 5 {
		all = append(all, <-h.log)
	}
	for i, want := range []string{" 127.0.0.1 POST /mcp initialize 200 ", " POST /mcp tools/call 200 ", " POST /mcp - 200 ", " POST - - 404 ", " - /mcp - 405 "} {
		if !strings.Contains(all[i], want) || strings.Count(all[i], "\n") != 1 {
			t.Errorf("%q lacks %q", all[i], want)
		}
	}
	if text := strings.Join(all, ""); strings.Contains(text, "secret") || strings.Contains(text, sess["Mcp-Session-Id"]) {
		t.Error(text)
	}
}

// Sessions end when they are not used, and the oldest makes place; one that is used does neither.
func TestHTTPSessionsEnd(t *testing.T) {
	h := shelfHTTP(t, newShelf(), func(l *Limits) { l.Sessions = 2 })
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	one, two := h.hello("2025-11-25"), h.hello("2025-11-25")
	h.open(t.Context(), "GET", "", one) // in use
	three := h.hello("2025-11-25")
	for i, want := range []int{200, 404, 200} {
		if a := h.send("POST", ping, []map[string]string{one, two, three}[i]); a.status != want {
			t.Errorf("session %d: %d", i, a.status)
		}
	}
	h.open(t.Context(), "GET", "", three)
	a := h.send("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, nil)
	if a.status != http.StatusServiceUnavailable || a.header.Get("Mcp-Session-Id") != "" {
		t.Errorf("a third: %+v", a)
	}
}

// An idle session is ended by the clock.
func TestHTTPSessionExpires(t *testing.T) {
	t.Parallel()
	h := shelfHTTP(t, newShelf(), func(l *Limits) { l.Idle = time.Millisecond })
	h.hello("2025-11-25")
	until(t, "the session has ended", func() bool {
		return h.Connections() == 0
	})
}

// FuzzHTTP sends any body, as a request of a session, alone and without either. Every one is answered, with an answer that is
// protocol or none, and the server goes on.
func FuzzHTTP(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, call("1", "note_get", `{"name":"a"}`), call("1", "fail", `{"how":"panic"}`), `[]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":"ask-1","result":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{`, ``, "\x00", `null`,
	} {
		f.Add([]byte(s))
	}
	h := shelfHTTP(f, newShelf(), func(l *Limits) { l.Plain, l.Beat = time.Millisecond, time.Millisecond })
	sess := h.hello("2025-11-25")
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.Contains(body, []byte("wait")) || bytes.Contains(body, []byte("choose")) || bytes.Contains(body, []byte("listen")) {
			return // takes as long as it is asked to, or waits for an answer
		}
		one := *h
		one.t = t
		for _, head := range []map[string]string{sess, {mcp.HeaderProtocolVersion: mcp.ProtocolVersion20260728, mcp.HeaderMethod: "tools/list"}, {}} {
			a := one.send("POST", string(body), head)
			switch a.status {
			case http.StatusAccepted, http.StatusOK, http.StatusBadRequest, http.StatusNotFound:
			default:
				t.Fatalf("%d %s", a.status, a.body)
			}
			if a.body == "" && a.status != http.StatusAccepted {
				t.Fatalf("%d without a word", a.status)
			}
			if strings.HasPrefix(a.header.Get("Content-Type"), TypeJSON) {
				protocol(t, a.body+"\n")
			}
		}
		if a := one.send("POST", `{"jsonrpc":"2.0","id":"alive","method":"ping"}`, sess); a.status != http.StatusOK {
			t.Fatalf("it does not go on: %d %s", a.status, a.body)
		}
	})
}
