package eval

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// agent is a client of a server, over any transport.
type agent interface {
	name() string
	tool(name string, args map[string]any) (answer, error)
	close() error
}

type stdioAgent struct {
	*server
	called string
}

func (a *stdioAgent) name() string { return a.called }

// httpAgent is what both forms of HTTP share.
type httpAgent struct {
	called string
	url    string
	client *http.Client
	id     atomic.Int64
}

func newHTTPAgent(name, url string) httpAgent {
	return httpAgent{called: name, url: url, client: &http.Client{Transport: &http.Transport{}}}
}

func (a *httpAgent) name() string { return a.called }

// post sends a message and returns the result of the answer to it, which may come as JSON or as events.
func (a *httpAgent) post(ctx context.Context, header map[string]string, method string, params map[string]any, notification bool) (json.RawMessage, http.Header, error) {
	message := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	id := a.id.Add(1)
	if !notification {
		message["id"] = id
	}
	body, err := json.Marshal(message)
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range header {
		r.Header.Set(k, v)
	}
	got, err := a.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer got.Body.Close()
	if notification {
		if got.StatusCode != http.StatusAccepted {
			return nil, nil, fmt.Errorf("%s: status %s", method, got.Status)
		}
		return nil, got.Header, nil
	}
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return nil, nil, err
	}
	lines := []string{string(text)}
	if strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream") {
		lines = lines[:0]
		for line := range strings.Lines(string(text)) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				lines = append(lines, data)
			}
		}
	}
	for _, line := range lines {
		var m struct {
			ID     int64
			Result json.RawMessage
			Error  *struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			return nil, nil, fmt.Errorf("%s: status %s: %w in %.200q", method, got.Status, err, line)
		}
		switch {
		case m.ID != id && m.Error == nil: // a notification
		case m.Error != nil:
			return nil, nil, fmt.Errorf("%s: status %s: %s (%d)", method, got.Status, m.Error.Message, m.Error.Code)
		default:
			return m.Result, got.Header, nil
		}
	}
	return nil, nil, fmt.Errorf("%s: status %s without an answer", method, got.Status)
}

// sessionAgent speaks 2025-11-25: it has a session and listens on its stream.
type sessionAgent struct {
	httpAgent
	header map[string]string
	told   atomic.Int64 // messages on the stream
}

func newSessionAgent(url string) (*sessionAgent, error) {
	const version = "2025-11-25"
	a := &sessionAgent{httpAgent: newHTTPAgent("HTTP session", url)}
	_, header, err := a.post(context.Background(), nil, "initialize", map[string]any{
		"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "soak", "version": "1"},
	}, false)
	if err != nil {
		return nil, err
	}
	a.header = map[string]string{"Mcp-Session-Id": header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": version}
	if _, _, err := a.post(context.Background(), a.header, "notifications/initialized", map[string]any{}, true); err != nil {
		return nil, err
	}
	_, _, err = a.post(context.Background(), a.header, "resources/subscribe", map[string]any{"uri": "sdd://overview"}, false)
	return a, err
}

func (a *sessionAgent) tool(name string, args map[string]any) (out answer, err error) {
	result, _, err := a.post(context.Background(), a.header, "tools/call", map[string]any{"name": name, "arguments": args}, false)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(result, &out)
}

// listen reads the session's stream.
func (a *sessionAgent) listen(ctx context.Context, f *faults) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url, nil)
	if err != nil {
		f.add(a.called, err)
		return
	}
	r.Header.Set("Accept", "text/event-stream")
	for k, v := range a.header {
		r.Header.Set(k, v)
	}
	got, err := a.client.Do(r)
	if err != nil {
		f.add(a.called, err)
		return
	}
	defer got.Body.Close()
	for lines := bufio.NewScanner(got.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data: ") {
			a.told.Add(1)
		}
	}
	if ctx.Err() == nil {
		f.add(a.called, fmt.Errorf("the stream of the session ended (%s)", got.Status))
	}
}

func (a *sessionAgent) close() error {
	r, err := http.NewRequest(http.MethodDelete, a.url, nil)
	if err != nil {
		return err
	}
	for k, v := range a.header {
		r.Header.Set(k, v)
	}
	got, err := a.client.Do(r)
	if err != nil {
		return err
	}
	return got.Body.Close()
}

// modernAgent speaks 2026-07-28: each request stands for itself.
type modernAgent struct{ httpAgent }

func newModernAgent(url string) *modernAgent {
	return &modernAgent{newHTTPAgent("HTTP without session", url)}
}

func (a *modernAgent) tool(name string, args map[string]any) (out answer, err error) {
	const version = "2026-07-28"
	result, _, err := a.post(context.Background(),
		map[string]string{"Mcp-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": name}, "tools/call",
		map[string]any{"name": name, "arguments": args, "_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    version,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "soak", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}}, false)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(result, &out)
}

func (a *modernAgent) close() error { a.client.CloseIdleConnections(); return nil }

// browser has pages open: it listens to the stream of changes and loads pages.
type browser struct {
	base    string
	client  *http.Client
	cookies []*http.Cookie
	changes atomic.Int64
}

// newBrowser follows the address that was printed.
func newBrowser(address string) (*browser, error) {
	base, _, _ := strings.Cut(address, "/?")
	p := &browser{base: base, client: &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	got, err := p.client.Get(address)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	p.cookies = got.Cookies()
	if len(p.cookies) == 0 {
		return nil, fmt.Errorf("the page lets nobody in: %s", got.Status)
	}
	return p, nil
}

func (p *browser) get(ctx context.Context, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+path, nil)
	if err != nil {
		return nil, err
	}
	for _, c := range p.cookies {
		r.AddCookie(c)
	}
	return p.client.Do(r)
}

// load returns the text of a page.
func (p *browser) load(path string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	got, err := p.get(ctx, path)
	if err != nil {
		return "", err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err == nil && got.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.2000s", path, got.Status, plain(string(text)))
	}
	return string(text), err
}

// visit loads the pages that somebody looks at.
func (p *browser) visit(r record) error {
	for _, path := range []string{"/", "/learnings", "/explorations", "/explore/" + r.slug()} {
		if _, err := p.load(path); err != nil {
			return err
		}
	}
	return nil
}

// listen reads the stream of changes.
func (p *browser) listen(ctx context.Context, f *faults) {
	for ctx.Err() == nil {
		got, err := p.get(ctx, "/live")
		if err == nil {
			for lines := bufio.NewScanner(got.Body); lines.Scan(); {
				if strings.HasPrefix(lines.Text(), "event: change") {
					p.changes.Add(1)
				}
			}
			got.Body.Close()
			err = fmt.Errorf("the stream of changes ended (%s)", got.Status)
		}
		if ctx.Err() == nil {
			f.add("page", err)
			pause(ctx, 2*time.Second)
		}
	}
}

var element = regexp.MustCompile(`<[^>]*>|\s+`)

// plain is what a page says, without its structure.
func plain(page string) string {
	_, body, _ := strings.Cut(page, "<main")
	return element.ReplaceAllString(body, " ")
}
