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
//   - end of input cancels the requests that it has accepted; here drain answers them;
//   - it keeps a message of any length; here lineReader bounds it;
//   - it runs five requests at once and stops reading at 100; here up to maxRunning run, and a slow one delays no other;
//   - it may answer a later request before initialize; here request answers initialize before the next line is read;
//   - it answers cancelled requests and stray responses; here neither gets an answer.

// How much one client may ask at once, and how long its last requests may take.
const (
	maxRunning  = 256                   // requests that run at the same time
	maxAccepted = 2048                  // requests that are read and not answered; then reading waits
	maxHeld     = 32 << 20              // bytes of requests that are read and not answered; then reading waits
	minHeld     = maxHeld / maxAccepted // bytes that the smallest request counts for, so that maxHeld bounds their number too
	maxBatch    = 1000                  // messages in a batch
	maxStreams  = 256                   // subscriptions/listen that are open

	drainTime = 1500 * time.Millisecond // for what runs when input ends
	graceTime = 150 * time.Millisecond  // for what runs to notice that it was ended
	flushTime = 150 * time.Millisecond  // for the client to read the last answers

	// progressGap is left between the last progress of a request and its result: the TypeScript
	// SDKs drop progress that they read together with the result.
	progressGap = 5 * time.Millisecond
)

var (
	errCancelled = errors.New("the client cancelled the request")
	errShutdown  = errors.New("the server is shutting down")
)

var connections atomic.Int64

// Stdio serves the one client that writes to in and reads from out, a message a line. It returns
// when in ends, ctx ends or out cannot be written to, and then within two seconds: what was
// accepted is answered if it can be done in most of that time. An error means that in could
// not be read; that the client has gone is none.
//
// Nothing but protocol reaches out. When out is the process's standard output, whatever
// else is printed there while Stdio runs goes to standard error.
//
// A read of in that is under way when Stdio returns ends when in does.
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
	held   *semaphore.Weighted // bytes of requests that are read and not answered
	taking context.Context     // ends when no more requests are taken
	stop   context.CancelFunc  // ends taking
	slots  chan struct{}       // one for each request that runs; connections may share them
	legacy *subscription       // by resources/subscribe

	// lenient takes subscriptions to resources that are not there yet, and completes what is not there with nothing. The
	// conformance suite, which checks only HTTP, wants both; over stdio the client gets an error instead.
	lenient bool

	mu        sync.Mutex
	ordered   chan struct{} // closed when the last request whose order matters is done
	peer      peer
	open      map[string]*pending // requests that are not answered, by key
	busy      int                 // goroutines that will answer
	closing   bool
	idle      chan struct{} // closed when closing and not busy
	questions map[string]chan *message
	asked     int
}

// peer is what a client of the older kind declared once for all its requests.
type peer struct {
	version string // "" before initialize
	info    mcp.Implementation
	caps    mcp.ClientCapabilities
	level   mcp.LoggingLevel // of logging/setLevel, "" before it
}

// newConn returns a connection whose requests take turns at slots. id identifies the client; it is "" for
// one that is known for a single request.
func (s *Server) newConn(ctx context.Context, id string, slots chan struct{}) *conn {
	c := &conn{
		srv: s, id: id,
		out: newOutbox(), held: semaphore.NewWeighted(maxHeld),
		slots: slots, ordered: make(chan struct{}),
		open: map[string]*pending{}, idle: make(chan struct{}), questions: map[string]chan *message{},
	}
	// What runs is ended by drain, not by ctx.
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

// unanswered counts the requests that are not answered, open streams aside.
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

// read acts on every line of in until its end.
func (c *conn) read(in io.Reader) error {
	defer memory.Rest(c.unanswered)()
	ended := make(chan error, 1)
	go c.readOn(newLineReader(in), ended)
	return <-ended
}

// readOn acts on every line until the end of input, which it reports to ended. When nothing more has come yet, the goroutine that
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

// line acts on a line, but for the work of the request in it, which it returns.
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
			return nil // the client went away in the middle of a message
		}
		c.reject(reply{err: bad.err}, bad.id, c.out)
	}
	return nil
}

// reject answers what is no request. It waits for a client that does not read.
func (c *conn) reject(r reply, id json.RawMessage, out *outbox) {
	out.waitForRoom(c.ctx)
	out.post(c.answer(r, id, out, nil))
}

// message acts on one message, which is part of b if b is not nil. What is said to it goes to out.
func (c *conn) message(m *message, b *batch, out *outbox) {
	if work := c.begin(m, b, out); work != nil {
		go work()
	}
}

// begin is message, but for the work of a request, which it returns.
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

// drain ends the connection: it waits for what runs, then ends it, and answers what is still open.
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
		close(ask) // input has ended: no answer will come
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
