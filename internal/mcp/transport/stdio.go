package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/sync/semaphore"

	"sdd/internal/fault"
	"sdd/internal/memory"
)

// The stdio transport. The one of mcp-go 1.2.1 cannot replace it:
//
//   - results overtake progress, because different goroutines write them; here one outbox keeps the order;
//   - end of input cancels the accepted requests; here drain answers them;
//   - it keeps a message of any length; here lineReader limits it;
//   - it runs five requests at once and stops reading at 100; here up to maxRunning run, and a slow one delays no other;
//   - it may answer a later request before initialize; here request answers initialize before the next line is read;
//   - it answers cancelled requests and unexpected responses; here neither gets an answer.

// Limits for the requests of one client, and for the time of its last ones.
const (
	maxRunning  = 256                   // running requests
	maxAccepted = 2048                  // accepted requests without an answer; above them reading waits
	maxHeld     = 32 << 20              // bytes of accepted requests without an answer; above them reading waits
	minHeld     = maxHeld / maxAccepted // bytes that the smallest request counts as, so that maxHeld limits their number too
	maxBatch    = 1000                  // messages in a batch
	maxStreams  = 256                   // open subscriptions/listen

	drainTime = 1500 * time.Millisecond // for running requests after the end of input
	graceTime = 150 * time.Millisecond  // for cancelled requests to end
	flushTime = 150 * time.Millisecond  // for the client to read the last answers

	// progressGap is the pause between the last progress of a request and its result: the TypeScript
	// SDKs drop progress that they read together with the result.
	progressGap = 5 * time.Millisecond
)

var (
	errCancelled = errors.New("the client cancelled the request")
	errShutdown  = errors.New("the server is shutting down")
)

var connections atomic.Int64

// Stdio serves the one client that writes to in and reads from out, one message per line. It
// returns within two seconds after in ends, ctx ends or a write to out fails, and answers the
// accepted requests that finish in most of that time. An error means that a read of in failed; a
// client that goes away is no error.
//
// Only protocol messages reach out. When out is the process's standard output, all other output to
// it goes to standard error while Stdio runs.
//
// A running read of in may outlast Stdio until in ends.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	if out == io.Writer(os.Stdout) {
		own, restore := guardStdout()
		defer restore()
		out = own
	}
	c := s.newConn(ctx, fmt.Sprintf("stdio-%d", connections.Add(1)), make(chan struct{}, maxRunning))
	defer c.end(errShutdown)
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.out.run(out)
	}()
	read := make(chan error, 1)
	go func() { read <- c.read(in) }()

	var err error
	patience := drainTime
	select {
	case err = <-read:
	case <-ctx.Done():
	case <-c.out.failed:
		patience = 0
	}
	c.drain(patience)
	select {
	case <-written:
	case <-time.After(flushTime):
	}
	return err
}

// conn is the connection to one client.
type conn struct {
	srv    *Server
	id     string
	ctx    context.Context
	end    context.CancelCauseFunc
	out    *outbox
	held   *semaphore.Weighted // bytes of accepted requests without an answer
	taking context.Context     // ends when the connection accepts no more requests
	stop   context.CancelFunc  // ends taking
	slots  chan struct{}       // one for each running request; connections may share them
	legacy *subscription       // by resources/subscribe

	// lenient accepts subscriptions to missing resources, and returns an empty completion for unknown references. The
	// conformance suite, which checks only HTTP, requires both; over stdio the client gets an error instead.
	lenient bool

	mu        sync.Mutex
	ordered   chan struct{} // closed after the last request whose order matters
	peer      peer
	open      map[string]*pending // requests without an answer, by key
	busy      int                 // goroutines that will send an answer
	closing   bool
	idle      chan struct{} // closed when closing is true and busy is 0
	questions map[string]chan *message
	asked     int
}

// peer contains the declarations that a client before 2026-07-28 makes once for all its requests.
type peer struct {
	version string // "" before initialize
	info    mcp.Implementation
	caps    mcp.ClientCapabilities
	level   mcp.LoggingLevel // of logging/setLevel, "" before it
}

// newConn returns a connection whose requests share slots. id identifies the client; it is "" for a
// connection of a single request.
func (s *Server) newConn(ctx context.Context, id string, slots chan struct{}) *conn {
	c := &conn{
		srv: s, id: id,
		out: newOutbox(), held: semaphore.NewWeighted(maxHeld),
		slots: slots, ordered: make(chan struct{}),
		open: map[string]*pending{}, idle: make(chan struct{}), questions: map[string]chan *message{},
	}
	// drain ends the running requests, so the end of ctx must not.
	c.ctx, c.end = context.WithCancelCause(context.WithoutCancel(ctx))
	c.taking, c.stop = context.WithCancel(c.ctx)
	c.legacy = newSubscription(c.out, nil)
	close(c.ordered)
	return c
}

func (c *conn) client() peer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer
}

// unanswered counts the requests without an answer, except open streams.
func (c *conn) unanswered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, p := range c.open {
		if p.sub == nil {
			n++
		}
	}
	return n
}

// read processes every line of in until its end.
func (c *conn) read(in io.Reader) error {
	defer memory.Rest(c.unanswered)()
	ended := make(chan error, 1)
	go c.readOn(newLineReader(in), ended)
	return <-ended
}

// readOn processes every line until the end of input, and sends the cause to ended. When the buffer is empty, the goroutine that
// has read a request answers it and another one reads on: waking a thread takes longer than most answers.
func (c *conn) readOn(lines *lineReader, ended chan<- error) {
	for {
		l, err := lines.next()
		memory.Busy()
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
				err = nil
			} else {
				err = fault.New(fault.Unavailable, "standard input cannot be read: %v", err)
			}
			ended <- err
			return
		}
		if l.tooLong {
			c.reject(failed(mcp.INVALID_REQUEST, "invalid request: a message has at most %d bytes", maxMessage), l.id, c.out)
			continue
		}
		work := c.line(l)
		switch {
		case work == nil:
		case lines.waiting():
			go work()
		default:
			go c.readOn(lines, ended)
			work()
			return
		}
	}
}

// line processes a line and returns the work of its request, which the caller must run.
func (c *conn) line(l line) (work func()) {
	if len(bytes.TrimSpace(l.text)) == 0 {
		return nil
	}
	m, err := parseMessage(l.text)
	var bad *invalid
	switch {
	case err == nil:
		return c.begin(m, nil, c.out)
	case errors.Is(err, errBatch):
		c.batch(l.text, c.out)
	case errors.As(err, &bad):
		if l.cut && bad.err.Code == mcp.PARSE_ERROR {
			return nil // the input ended in the middle of a message
		}
		c.reject(reply{err: bad.err}, bad.id, c.out)
	}
	return nil
}

// reject answers an invalid message. It waits for a client that does not read.
func (c *conn) reject(r reply, id json.RawMessage, out *outbox) {
	out.waitForRoom(c.ctx)
	out.post(c.answer(r, id, out, nil))
}

// message processes one message, which is part of b if b is not nil. Its answer goes to out.
func (c *conn) message(m *message, b *batch, out *outbox) {
	if work := c.begin(m, b, out); work != nil {
		go work()
	}
}

// begin processes one message like message, but returns the work of a request for the caller to
// run.
func (c *conn) begin(m *message, b *batch, out *outbox) (work func()) {
	switch {
	case m.method == "":
		c.response(m)
	case m.id == nil:
		if m.method == string(mcp.MethodNotificationCancelled) {
			c.cancelled(m)
		}
	default:
		return c.request(m, b, out)
	}
	return nil
}

// drain ends the connection: it waits for the running requests, then cancels them, and answers
// those still open.
func (c *conn) drain(patience time.Duration) {
	c.mu.Lock()
	c.closing = true
	c.closeIdle()
	var listening []*pending
	for key, p := range c.open {
		if p.sub != nil {
			listening = append(listening, p)
			delete(c.open, key)
		}
	}
	for id, ask := range c.questions {
		close(ask) // input has ended: the client cannot answer
		delete(c.questions, id)
	}
	c.mu.Unlock()
	c.stop()
	slices.SortFunc(listening, func(a, b *pending) int { return cmp.Compare(a.sub.number, b.sub.number) })
	for _, p := range listening {
		c.srv.Hub.close(p.sub)
		p.cancel(errShutdown)
		c.send(p, p.end)
	}
	wait := func(d time.Duration) {
		select {
		case <-c.idle:
		case <-c.out.failed:
		case <-time.After(d):
		}
	}
	wait(patience)
	c.end(errShutdown)
	wait(graceTime)
	c.mu.Lock()
	left := c.open
	c.open = map[string]*pending{}
	c.mu.Unlock()
	for _, p := range left {
		c.send(p, failed(mcp.INTERNAL_ERROR, "%v", errShutdown))
	}
	c.srv.Hub.close(c.legacy)
	c.out.close()
}
