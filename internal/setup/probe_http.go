package setup

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
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
	body     io.Closer // of the last response
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
	p, err := converse(l.send, "", func(version string) { l.protocol = version })
	p.Time = time.Since(start)
	if l.session != "" {
		_, _ = l.request(http.MethodDelete, nil) // so that the server need not keep it
	}
	if l.body != nil {
		l.body.Close()
	}
	return p, err
}

// request sends a message; the response's body is open until the next one.
func (l *httpLine) request(method string, body []byte) (*http.Response, error) {
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
	if l.body != nil {
		l.body.Close()
	}
	r, err := l.client.Do(req)
	var opErr *net.OpError
	var wrapped *url.Error
	switch {
	case err == nil:
		l.body = r.Body
		return r, nil
	case errors.Is(l.ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("it does not answer within %d seconds", probePatience/time.Second)
	case errors.As(err, &opErr) && opErr.Op == "dial":
		return nil, errors.New("nothing answers at that address")
	case errors.As(err, &wrapped):
		err = wrapped.Err
	}
	return nil, fmt.Errorf("it cannot be asked: %s", cutText(err.Error()))
}

// send passes on a message and returns the answers in the response.
func (l *httpLine) send(message []byte) (answers, error) {
	r, err := l.request(http.MethodPost, message)
	if err != nil {
		return nil, err
	}
	body := bufio.NewReaderSize(io.LimitReader(r.Body, maxAnswer), 1<<16)
	return func(method string) ([]byte, error) {
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if r.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(io.LimitReader(body, 4*maxComplaint))
			return nil, errRefused{r.StatusCode, cutText(string(text))}
		}
		l.session = cmp.Or(l.session, r.Header.Get("Mcp-Session-Id"))
		switch kind {
		case "application/json":
			message, err := io.ReadAll(body)
			if err != nil || len(message) == 0 {
				return nil, fmt.Errorf("its answer to %s breaks off", method)
			}
			return message, nil
		case "text/event-stream":
			line, err := answerLine(body)
			if err != nil {
				return nil, fmt.Errorf("it does not answer %s", method)
			}
			data, ok := bytes.CutPrefix(line, []byte("data:"))
			if !ok { // another field of an event
				data = nil
			}
			return data, nil
		}
		return nil, fmt.Errorf("it answers %s with something else than MCP: %s", method, cutText(kind))
	}, nil
}
