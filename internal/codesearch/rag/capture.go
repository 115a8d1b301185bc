package rag

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"

	"sdd/internal/fault"
	"sdd/internal/pattern"
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

// sent returns the first line that is no message of MCP, the output's start and the HTTP status; nothing for an error of MCP.
func (h *responseCapture) sent() (noise, start string, status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := string(h.text)
	if json.Valid(h.text) { // over HTTP an answer may have many lines
		text = strings.ReplaceAll(text, "\n", " ")
	}
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if l = strings.TrimSpace(strings.TrimPrefix(l, "data:")); l == "" || eventField().MatchString(l) {
			continue
		}
		var m struct {
			Version string `json:"jsonrpc"`
			Error   *struct {
				Message *string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal([]byte(l), &m); !json.Valid([]byte(l)) || m.Version == "" {
			return l, text, h.status
		}
		if m.Error != nil && m.Error.Message != nil {
			return "", "", 0
		}
	}
	return "", text, h.status
}

var eventField = pattern.Late(`^(?:event|id|retry)?:`) // of a stream of events

// notMCP returns a fault that quotes the output of a server that does not speak MCP; nil for other output. err is the library's error.
func (c *Client) notMCP(err error) error {
	noise, start, status := c.flow.sent()
	hint := "it must write nothing but MCP to its standard output: start it by hand to see what it says, or correct search_strategy.rag.server"
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		hint = "it wants to know who asks: let the client that may ask it do so, and hand in its results as snippets"
	case c.process == nil:
		hint = hintURL
	}
	what := "sent what is not MCP: " + quote(cmp.Or(noise, start), maxShown)
	silent := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, transport.ErrTransportClosed)
	switch {
	case status >= 400:
		if what = fmt.Sprintf("answers with status %d", status); noise != "" {
			what += ": " + quote(noise, maxShown)
		}
	case noise == "" && (silent || start == "" && status == 0) || len(start) == maxCaptured:
		return nil
	case noise == "" && start == "":
		what = "sent nothing where an answer should be"
	}
	f := fault.New(fault.Unavailable, "%s %s", c.title, what).With(hint)
	if status >= 400 {
		f.Cause = Status(status)
	}
	return f
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

// body returns the reader of a response, and keeps the start of a body whose type MCP does not have, which the library skips.
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
