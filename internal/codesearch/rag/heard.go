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
// library fail with the words of its decoder, which help nobody, or wait. So the beginning of what was sent in a call
// is kept, and when the call fails it is told what the server sent instead of an answer.

// heard is the beginning of what a server sent since it was emptied.
type heard struct {
	mu     sync.Mutex
	text   []byte
	status int // of the last answer over HTTP, 0 before
}

const hintURL = "search_strategy.rag.server.url must be its address for MCP, which often ends with /mcp: see what answers there"

const (
	maxHeard = 64 << 10 // bytes: the lists of tools of most servers in whole
	maxShown = 80       // characters of it in a message
)

func (h *heard) empty() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text, h.status = h.text[:0], 0
}

func (h *heard) add(p []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), maxHeard-len(h.text))]...)
}

func (h *heard) answered(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}

// sent is what is made of it.
type sent struct {
	start     string // the beginning of all of it
	noise     string // the first line that is no message of MCP
	brokenOff bool   // the last line is a message without its end
	told      bool   // there is an error in the form that MCP has for it
	status    int    // over HTTP, 0 before there is an answer
}

func (h *heard) sent() sent {
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
		s.brokenOff = !valid && !whole && strings.HasPrefix(l, "{") && len(h.text) < maxHeard
		if m.Error != nil && m.Error.Message != nil {
			s.told = true
		}
		if s.noise == "" && (!valid || m.Version == "") {
			s.noise = l
		}
	}
	return s
}

// instead returns what a server sent instead of an answer, as a fault; nil when it sent nothing of the kind. err is what
// the library makes of it.
func (c *Client) instead(err error) error {
	got := c.flow.sent()
	late, ended := errors.Is(err, context.DeadlineExceeded), errors.Is(err, transport.ErrTransportClosed)
	hint := "it must write nothing but MCP to its standard output: start it by hand to see what it says, or correct search_strategy.rag.server"
	switch {
	case got.status == http.StatusUnauthorized || got.status == http.StatusForbidden:
		hint = "it wants to know who asks: let the client that may ask it do so, and hand in its results as snippets"
	case c.process == nil:
		hint = hintURL
	}
	say := func(format string, args ...any) error {
		return fault.New(fault.Unavailable, format, args...).With(hint)
	}
	shown := quote(got.noise, maxShown)
	switch {
	case got.told && got.noise == "" || len(got.start) == maxHeard:
		return nil
	case got.status >= 400 && got.noise != "":
		return say("%s answers with status %d: %s", c.title, got.status, shown)
	case got.status >= 400:
		return say("%s answers with status %d", c.title, got.status)
	case got.brokenOff && !late:
		return say("%s broke off in the middle of an answer: %s", c.title, shown)
	case got.noise != "" && late:
		return say("%s gave no answer in time and sent what is not MCP: %s", c.title, shown)
	case got.noise != "":
		return say("%s sent what is not MCP: %s", c.title, shown)
	case late || ended || got.start == "" && got.status == 0:
		return nil
	case got.start == "":
		return say("%s sent nothing where an answer should be", c.title)
	}
	return say("%s sent an answer that MCP does not know: %s", c.title, quote(got.start, maxShown))
}

// titleOf says which server is meant, without what may be secret in its address or arguments.
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

// body is what is read of an answer. It keeps the beginning of a body in which no answer of MCP can be: the library does not read it.
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
