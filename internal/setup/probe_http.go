package setup

import (
	"bufio"
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
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// remote is a server with an address.
type remote struct {
	url    string
	header map[string]string
}

// loopback reports whether nothing leaves this machine on the way to the address.
func (r remote) loopback() bool {
	u, err := url.Parse(r.url)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.Unmap().IsLoopback()
}

// errRefused is a server's answer that is not MCP.
type errRefused struct {
	status int
	text   string
}

func (e errRefused) Error() string {
	text := fmt.Sprintf("it answers %d %s: %s", e.status, http.StatusText(e.status), e.text)
	return strings.TrimSuffix(text, ": ")
}

// httpLine calls a server over streamable HTTP, one request at a time.
type httpLine struct {
	ctx      context.Context
	to       remote
	client   *http.Client
	session  string
	protocol string
}

// probeHTTP calls a server as a client does. It follows no redirect: the headers are for that address only.
func probeHTTP(ctx context.Context, to remote) (probed, error) {
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	start := time.Now()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	l := &httpLine{ctx: ctx, to: to, client: &http.Client{Transport: transport, CheckRedirect: noRedirect}}
	p, err := converse(l)
	p.Time = time.Since(start)
	if l.session != "" {
		if r, err := l.post(http.MethodDelete, nil); err == nil { // so that the server need not keep it
			r.Body.Close()
		}
	}
	return p, err
}

func (l *httpLine) post(method string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(l.ctx, method, l.to.url, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address cannot be read")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if l.session != "" {
		req.Header.Set("Mcp-Session-Id", l.session)
	}
	if l.protocol != "" {
		req.Header.Set("Mcp-Protocol-Version", l.protocol)
	}
	for name, value := range l.to.header {
		req.Header.Set(name, value)
	}
	r, err := l.client.Do(req)
	switch opErr := (*net.OpError)(nil); {
	case err == nil:
		return r, nil
	case errors.Is(l.ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("it does not answer within %d seconds", probePatience/time.Second)
	case errors.As(err, &opErr) && opErr.Op == "dial":
		return nil, errors.New("nothing answers at that address")
	}
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return nil, fmt.Errorf("it cannot be asked: %s", cutText(err.Error()))
}

func (l *httpLine) speaks(version string) { l.protocol = version }

func (l *httpLine) tell(method string) error {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method})
	if err != nil {
		return err
	}
	r, err := l.post(http.MethodPost, data)
	if err == nil {
		r.Body.Close()
	}
	return err
}

func (l *httpLine) call(id int, method string, params map[string]any, result any) error {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return err
	}
	r, err := l.post(http.MethodPost, data)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	body := io.LimitReader(r.Body, maxAnswer)
	if r.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(body, 4*maxComplaint))
		return errRefused{r.StatusCode, refusalText(text)}
	}
	if l.session == "" {
		l.session = r.Header.Get("Mcp-Session-Id")
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		message, err := io.ReadAll(body)
		if err != nil {
			return fmt.Errorf("its answer to %s breaks off", method)
		}
		_, err = answer(message, "", id, method, result)
		return err
	case "text/event-stream":
		return streamed(bufio.NewReaderSize(body, 1<<16), id, method, result)
	}
	return fmt.Errorf("it answers %s with something else than MCP: %s", method, cutText(kind))
}

// streamed reads events until the answer.
func streamed(in *bufio.Reader, id int, method string, result any) error {
	for {
		line, err := answerLine(in)
		if err != nil {
			return fmt.Errorf("it does not answer %s", method)
		}
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok || len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if done, err := answer(data, "", id, method, result); done || err != nil {
			return err
		}
	}
}

// refusalText is the message of a refusal, which servers write as JSON or as plain text.
func refusalText(body []byte) string {
	var outer struct {
		Message string
		Error   json.RawMessage
	}
	if json.Unmarshal(body, &outer) == nil {
		var inner struct{ Message string }
		_ = json.Unmarshal(outer.Error, &inner) // "" when it is something else
		return cutText(cmp.Or(inner.Message, outer.Message))
	}
	if text := strings.TrimSpace(string(body)); !strings.HasPrefix(text, "<") { // a page has no message
		return cutText(text)
	}
	return ""
}
