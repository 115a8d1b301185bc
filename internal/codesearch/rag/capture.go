package rag

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"

	"sdd/internal/fault"
)

// A server that does not speak MCP (a web page at the address, a program that prints its log, half an answer) makes the
// library wait, or fail with an error of its decoder. So the client keeps the beginning of the bytes of each call, and the
// error of a failed call quotes them.

// responseCapture is the beginning of a server's output since empty was called.
type responseCapture struct {
	mu     sync.Mutex
	text   []byte
	status int // of the last answer over HTTP, 0 before
}

const hintURL = "search_strategy.rag.server.url must be its address for MCP, which often ends with /mcp: see what answers there"

const (
	maxCaptured = 64 << 10 // bytes: the lists of tools of most servers in whole
	maxShown    = 80       // characters of it in a message
)

func (h *responseCapture) empty() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text, h.status = h.text[:0], 0
}

func (h *responseCapture) add(p []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), maxCaptured-len(h.text))]...)
}

func (h *responseCapture) answered(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}

// sent is a server's output, as far as it can be read.
type sent struct {
	start     string // the beginning of all of it
	noise     string // the first line that is no message of MCP
	brokenOff bool   // the last line is a message without its end
	hasError  bool   // there is an error in the form of MCP
	status    int    // over HTTP, 0 before there is an answer
}

func (h *responseCapture) sent() sent {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := string(h.text)
	s := sent{start: text, status: h.status}
	if json.Valid(h.text) { // over HTTP an answer may have many lines
		text = strings.ReplaceAll(text, "\n", " ")
	}
	for l := range strings.Lines(text) {
		whole := strings.HasSuffix(l, "\n")
		l = strings.TrimSpace(l)
		for _, field := range []string{"event:", "id:", "retry:", ":"} { // of a stream of events
			if strings.HasPrefix(l, field) {
				l = ""
			}
		}
		l = strings.TrimSpace(strings.TrimPrefix(l, "data:"))
		if l == "" {
			continue
		}
		var m struct {
			Version string `json:"jsonrpc"`
			Error   *struct {
				Message *string `json:"message"`
			} `json:"error"`
		}
		valid := json.Valid([]byte(l))
		_ = json.Unmarshal([]byte(l), &m) // as far as it has that form
		s.brokenOff = !valid && !whole && strings.HasPrefix(l, "{") && len(h.text) < maxCaptured
		if m.Error != nil && m.Error.Message != nil {
			s.hasError = true
		}
		if s.noise == "" && (!valid || m.Version == "") {
			s.noise = l
		}
	}
	return s
}

// notMCP returns a fault that quotes the output of a server that does not speak MCP; nil for other output. err is the
// library's error.
func (c *Client) notMCP(err error) error {
	got := c.flow.sent()
	late, ended := errors.Is(err, context.DeadlineExceeded), errors.Is(err, transport.ErrTransportClosed)
	hint := "it must write nothing but MCP to its standard output: start it by hand to see what it says, or correct search_strategy.rag.server"
	switch {
	case got.status == http.StatusUnauthorized || got.status == http.StatusForbidden:
		hint = "it wants to know who asks: let the client that may ask it do so, and hand in its results as snippets"
	case c.process == nil:
		hint = hintURL
	}
	unavailable := func(format string, args ...any) error {
		f := fault.New(fault.Unavailable, format, args...).With(hint)
		if got.status >= 400 {
			f.Cause = Status(got.status)
		}
		return f
	}
	shown := quote(got.noise, maxShown)
	switch {
	case got.hasError && got.noise == "" || len(got.start) == maxCaptured:
		return nil
	case got.status >= 400 && got.noise != "":
		return unavailable("%s answers with status %d: %s", c.title, got.status, shown)
	case got.status >= 400:
		return unavailable("%s answers with status %d", c.title, got.status)
	case got.brokenOff && !late:
		return unavailable("%s broke off in the middle of an answer: %s", c.title, shown)
	case got.noise != "" && late:
		return unavailable("%s gave no answer in time and sent what is not MCP: %s", c.title, shown)
	case got.noise != "":
		return unavailable("%s sent what is not MCP: %s", c.title, shown)
	case late || ended || got.start == "" && got.status == 0:
		return nil
	case got.start == "":
		return unavailable("%s sent nothing where an answer should be", c.title)
	}
	return unavailable("%s sent an answer that MCP does not know: %s", c.title, quote(got.start, maxShown))
}

// Status is the cause of a fault: a server's answer over HTTP that refuses the call.
type Status int

func (s Status) Error() string { return http.StatusText(int(s)) }

// titleOf names a server, without the parts of its address or arguments that may be secret.
func titleOf(s Server) string {
	name := s.Name
	switch {
	case name != "":
	case s.Command != "":
		name = filepath.Base(s.Command)
		for _, a := range s.Args {
			if !strings.HasPrefix(a, "-") && !strings.Contains(a, "=") {
				name += " " + filepath.Base(a)
				break
			}
		}
	default:
		if u, err := url.Parse(s.URL); err == nil {
			name = u.Host + u.Path
		}
	}
	return "the server " + quote(name, maxShown)
}

// body returns the reader of a response. The library does not read a body whose type MCP does not have, so body reads and
// keeps its beginning.
func (f *flow) body(res *http.Response) io.Reader {
	kind := res.Header.Get("Content-Type")
	if strings.HasPrefix(kind, "application/json") || strings.HasPrefix(kind, "text/event-stream") || res.StatusCode == http.StatusAccepted {
		return f.reader(res.Body)
	}
	start, err := io.ReadAll(io.LimitReader(res.Body, 4*maxShown))
	f.add(start)
	if err != nil {
		return bytes.NewReader(start)
	}
	return io.MultiReader(bytes.NewReader(start), f.reader(res.Body))
}
