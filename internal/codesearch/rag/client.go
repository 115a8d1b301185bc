package rag

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/allow"
	"sdd/internal/fault"
)

const (
	maxAnswer = 8 << 20 // bytes that a server may send for one call
	maxPages  = 20      // of its list of tools
)

// Client is an open connection. Its calls may run at the same time.
type Client struct {
	title   string // of the server, in messages
	mcp     *client.Client
	process *process // nil over HTTP
	flow    *flow
	info    mcp.InitializeResult

	once  sync.Once
	tools []Tool
	err   error
}

// Connect starts or calls the server, which works in root. Close ends a started process together with what it started.
func Connect(ctx context.Context, s Server, root string) (*Client, error) {
	c := &Client{title: titleOf(s), flow: &flow{}}
	var t transport.Interface
	switch {
	case s.Command != "":
		p, err := startProcess(s, root)
		if err != nil {
			return nil, err
		}
		c.process = p
		pipes := transport.NewIO(c.flow.reader(p.out), p.in, io.NopCloser(strings.NewReader("")))
		transport.WithCommandLogger(silent)(pipes)
		t = pipes
	case s.URL != "":
		h, err := transport.NewStreamableHTTP(s.URL, transport.WithHTTPBasicClient(c.flow.http(c.title)), transport.WithHTTPLogger(silent),
			transport.WithHTTPHeaders(s.Header))
		if err != nil {
			return nil, unreachable("the address cannot be used", err)
		}
		t = h
	default:
		return nil, fault.New(fault.Invalid, "the server has no command and no url").For("search_strategy.rag.server").
			With("give a command or a url")
	}
	// The newest protocol begins with a question that older servers leave without an answer; all know this one.
	c.mcp = client.NewClient(t, client.WithProtocolVersion(mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	err := c.during(ctx, func(ctx context.Context) error {
		if err := c.mcp.Start(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		info, err := c.mcp.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
			ProtocolVersion: mcp.LATEST_LEGACY_PROTOCOL_VERSION, ClientInfo: mcp.Implementation{Name: "sdd", Version: "1"},
		}})
		if err == nil {
			c.info = *info
		}
		return err
	})
	if err != nil {
		c.Abort()
		return nil, c.failed(ctx, "the server does not answer", err)
	}
	return c, nil
}

var silent = slog.New(slog.DiscardHandler)

func (c *Client) failed(ctx context.Context, doing string, err error) error {
	if f := (*fault.Error)(nil); ctx.Err() != nil && !errors.As(err, &f) {
		return ctx.Err()
	}
	return unreachable(doing, err)
}

// during runs f until it ends or ctx does: a server that reads nothing can hold f in a write, which closing frees.
func (c *Client) during(ctx context.Context, f func(context.Context) error) error {
	c.flow.left.Store(maxAnswer)
	c.flow.empty()
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	select {
	case err := <-done:
		if c.flow.left.Load() < 0 {
			return fault.New(fault.Unavailable, "the server sent more than %d bytes for one call", maxAnswer).
				With("ask it for less, or use another")
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		if f := (*fault.Error)(nil); errors.As(err, &f) {
			return err
		}
		if f := c.notMCP(err); f != nil {
			return f
		}
		if errors.Is(err, transport.ErrTransportClosed) || errors.Is(err, syscall.EPIPE) {
			return fault.New(fault.Unavailable, "the server ended before it answered").
				With("start the server by hand to see what is wrong")
		}
		return err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			if f := c.notMCP(ctx.Err()); f != nil {
				return f
			}
		}
		return ctx.Err()
	}
}

// Info returns the server's name and version, and the version of the protocol.
func (c *Client) Info() (name, version, protocol string) {
	return c.info.ServerInfo.Name, c.info.ServerInfo.Version, c.info.ProtocolVersion
}

// Close ends the connection, and the process of the server if it was started here.
func (c *Client) Close() { c.end(grace) }

// Abort is Close for a server that failed: it gets no time.
func (c *Client) Abort() { c.end(0) }

func (c *Client) end(grace time.Duration) {
	if c.process == nil {
		if c.mcp != nil {
			go c.mcp.Close() // it waits for the server
		}
		return
	}
	c.process.stop(grace)
	_ = c.mcp.Close()
}

// Tools lists what the server offers; it is asked once.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	c.once.Do(func() {
		c.err = c.during(ctx, func(ctx context.Context) error {
			var cursor mcp.Cursor
			for range maxPages {
				req := mcp.ListToolsRequest{}
				req.Params.Cursor = cursor
				page, err := c.mcp.ListToolsByPage(ctx, req)
				if err != nil {
					return err
				}
				for _, t := range page.Tools {
					c.tools = append(c.tools, toolOf(t))
				}
				if cursor = page.NextCursor; cursor == "" {
					return nil
				}
			}
			return fault.New(fault.Unavailable, "the server's list of tools has no end").With("use another server")
		})
	})
	if c.err != nil {
		return nil, c.failed(ctx, "the server does not list its tools", c.err)
	}
	return c.tools, nil
}

func toolOf(t mcp.Tool) Tool {
	raw := []byte(t.RawInputSchema)
	if len(raw) == 0 {
		raw, _ = json.Marshal(t.InputSchema)
	}
	out := Tool{Name: t.Name, Description: t.Description}
	_ = json.Unmarshal(raw, &out.Schema) // without one nothing is known of the arguments
	return out
}

func (c *Client) call(ctx context.Context, r Request) (*mcp.CallToolResult, error) {
	tools, err := c.Tools(ctx)
	if err != nil {
		return nil, err
	}
	t, err := findTool(tools, r.Tool)
	if err != nil {
		return nil, err
	}
	args, err := arguments(t, r)
	if err != nil {
		return nil, err
	}
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = t.Name, args
	var res *mcp.CallToolResult
	err = c.during(ctx, func(ctx context.Context) error {
		got, err := c.mcp.CallTool(ctx, req)
		if err == nil {
			res = got
		}
		return err
	})
	if err != nil {
		return nil, c.failed(ctx, "the call of "+clean(t.Name, 60)+" failed", err)
	}
	if res == nil {
		return nil, fault.New(fault.Unavailable, "the call of %s had no result", t.Name).
			With("start the server by hand to see what is wrong")
	}
	return res, nil
}

// flow limits the bytes that a server sends for one call, and keeps their beginning.
type flow struct {
	left atomic.Int64
	responseCapture
}

var errFlood = errors.New("the server sends too much")

func (f *flow) reader(r io.Reader) io.Reader { return &bounded{r, f} }

type bounded struct {
	io.Reader
	*flow
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.left.Add(int64(-n)) < 0 {
		return 0, errFlood
	}
	b.add(p[:n])
	return n, err
}

// http is a client that limits bodies and follows no redirects.
func (f *flow) http(title string) *http.Client {
	return &http.Client{
		Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			res, err := http.DefaultTransport.RoundTrip(req)
			if err == nil {
				f.answered(res.StatusCode)
				res.Body = body{f.body(res), res.Body}
			}
			return res, err
		}),
		CheckRedirect: func(req *http.Request, _ []*http.Request) error {
			return fault.New(fault.Unavailable, "%s redirects to %q, which is not followed", title, clean(req.URL.Host, maxShown)).
				With(hintURL)
		},
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

type body struct {
	io.Reader
	io.Closer
}

// grace is how long a server may take to end by itself when it is no longer needed.
const grace = 300 * time.Millisecond

// process is a server that was started here.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.ReadCloser
	done chan struct{}
	once sync.Once
}

// startProcess starts the server's command in root.
func startProcess(s Server, root string) (*process, error) {
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = root, s.Stderr, time.Second
	if cmd.Env = slices.Clone(s.Environ); s.Environ == nil {
		cmd.Env = os.Environ()
	}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env[len(cmd.Env)-len(s.Env):])
	allow.Group(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, unreachable("the server cannot be started", err)
	}
	outReader, outWriter, err := os.Pipe()
	if err != nil {
		return nil, unreachable("the server cannot be started", err)
	}
	cmd.Stdout = outWriter
	err = cmd.Start()
	outWriter.Close()
	if err != nil {
		outReader.Close()
		return nil, fault.New(fault.Unavailable, "the server cannot be started: %s", shortQuote(err.Error())).
			With("install it, or correct search_strategy.rag.server.command").From(err)
	}
	p := &process{cmd: cmd, in: in, out: outReader, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		allow.KillGroup(cmd) // end the processes that it left running
		close(p.done)
	}()
	return p, nil
}

// stop closes the server's input, and after grace kills it with all processes that it started.
func (p *process) stop(grace time.Duration) {
	p.once.Do(func() {
		p.in.Close()
		select {
		case <-p.done:
		case <-time.After(grace):
			allow.KillGroup(p.cmd)
			<-p.done
		}
		p.out.Close()
	})
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Alive reports whether the connection can still be used, as far as a call is not needed to know.
func (c *Client) Alive() bool { return c.process == nil || !c.process.ended() }
