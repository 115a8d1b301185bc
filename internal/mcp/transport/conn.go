package transport

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
)

// Limits for the requests of one client, and for the time of its last ones.
const (
	maxRunning = 256 // running requests
	maxStreams = 256 // open subscriptions/listen

	drainTime = 1500 * time.Millisecond // for running requests after the end of input
	graceTime = 150 * time.Millisecond  // for cancelled requests to end
	flushTime = 150 * time.Millisecond  // for the client to read the last answers

	// progressGap is the pause between progress and a result: the TypeScript SDKs drop progress that they read with the result.
	progressGap = 5 * time.Millisecond
)

var (
	errCancelled = errors.New("the client cancelled the request")
	errShutdown  = errors.New("the server is shutting down")
)

var connections atomic.Int64

// sink takes the messages for a client in order. Its methods wait for a slow client, so that a notification precedes the answer.
type sink interface {
	write(line []byte)            // sends a message that is no answer
	answer(line []byte, code int) // sends the answer to a request; code is that of its error, or 0
	skip()                        // instead of answer: the request has none
}

// conn is the connection to one client: over standard input and output, one session over HTTP, or one HTTP request without a session.
type conn struct {
	srv    *Server
	id     string // of the client; "" for a connection of a single request
	ctx    context.Context
	end    context.CancelCauseFunc
	slots  chan struct{} // one for each running request; connections may share them
	feed   *feed
	legacy *subscription // by resources/subscribe

	// lenient accepts subscriptions to missing resources and completions of unknown references, as the conformance suite requires of HTTP.
	lenient bool

	running sync.WaitGroup // requests that will send an answer
	pumps   sync.WaitGroup

	mu        sync.Mutex
	peer      peer
	open      map[string]*pending // requests without an answer, by key
	closing   bool
	questions map[string]chan *message
	asked     int
	streams   int
}

// peer contains the declarations that a client before 2026-07-28 makes once for all its requests.
type peer struct {
	version string // "" before initialize
	info    mcp.Implementation
	caps    mcp.ClientCapabilities
	level   mcp.LoggingLevel // of logging/setLevel, "" before it
}

// pending is a request without an answer so far.
type pending struct {
	key    string
	id     json.RawMessage
	ctx    context.Context
	cancel context.CancelCauseFunc
	out    sink // of its answer and the messages that belong to it

	sub    *subscription // of a subscriptions/listen that goes on
	end    reply         // what ends it
	number int           // orders the streams of a connection by age
}

// newConn returns a connection whose requests share slots.
func (s *Server) newConn(id string, slots chan struct{}) *conn {
	c := &conn{srv: s, id: id, slots: slots, feed: &feed{waiting: map[noteKey]bool{}, wake: make(chan struct{}, 1)},
		open: map[string]*pending{}, questions: map[string]chan *message{}}
	c.ctx, c.end = context.WithCancelCause(context.Background()) // drain ends it
	c.legacy = newSubscription(c.feed, nil)
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
	return len(c.open) - len(c.listening())
}

// listening returns the open streams, the oldest first. The caller holds mu.
func (c *conn) listening() (streams []*pending) {
	for _, p := range c.open {
		if p.sub != nil {
			streams = append(streams, p)
		}
	}
	slices.SortFunc(streams, func(a, b *pending) int { return a.number - b.number })
	return streams
}

// pump starts to send the connection's notifications to out, until ctx or the connection ends. Then it calls ended.
func (c *conn) pump(ctx context.Context, out sink, ended func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		ended()
		return
	}
	c.pumps.Go(func() {
		defer ended()
		c.feed.pump(ctx, out)
	})
}

// message processes one message, whose answer goes to out. For a request it returns the work, which may run beside later messages.
func (c *conn) message(m *message, out sink) (work func()) {
	switch {
	case m.method == "":
		c.response(m)
	case m.id != nil:
		return c.request(m, out)
	case m.method == string(mcp.MethodNotificationCancelled):
		c.cancelled(m)
	}
	return nil
}

func (c *conn) request(m *message, out sink) (work func()) {
	p := &pending{key: m.key, id: m.id, out: out}
	p.ctx, p.cancel = context.WithCancelCause(c.ctx)
	c.mu.Lock()
	_, twice := c.open[m.key]
	closing := c.closing
	if !twice && !closing {
		c.open[m.key] = p
		c.running.Add(1)
	}
	c.mu.Unlock()
	switch {
	case closing:
		p.cancel(errShutdown)
		out.skip()
		return nil
	case twice:
		p.cancel(errShutdown)
		failed(mcp.INVALID_REQUEST, "invalid request: the id %s is in use by a request that is not answered",
			fault.Cut(string(m.id), 64)).send(m.id, out)
		return nil
	}
	return func() {
		defer c.running.Done()
		c.run(p, m)
	}
}

// run answers a request when a slot is free. What needs little time needs no slot.
func (c *conn) run(p *pending, m *message) {
	switch mcp.MCPMethod(m.method) {
	case mcp.MethodInitialize, mcp.MethodPing, mcp.MethodServerDiscover, mcp.MethodSetLogLevel:
	default:
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-p.ctx.Done():
			c.finish(p, failed(mcp.INTERNAL_ERROR, "%v", context.Cause(p.ctx)))
			return
		}
	}
	sess := &Session{conn: c, request: p, modern: m.modern()}
	sess.progress.token = m.meta().ProgressToken
	r := c.srv.dispatch(p.ctx, sess, m)
	if sess.filter != nil && r.err == nil {
		c.listen(p, *sess.filter, r)
		return
	}
	if at := sess.progress.end(); !at.IsZero() {
		select {
		case <-time.After(time.Until(at.Add(progressGap))):
		case <-p.ctx.Done():
		}
	}
	c.finish(p, r)
}

// listen opens the stream of a subscriptions/listen; end is the answer that later ends it.
func (c *conn) listen(p *pending, filter mcp.SubscriptionFilter, end reply) {
	if res, ok := end.result.(mcp.SubscriptionsListenResult); ok {
		res.EnsureResultMeta().SetSubscriptionID(p.id) // as the client wrote it
		end.result = res
	}
	granted, uri, err := c.srv.Hub.grant(p.ctx, filter)
	acknowledged := notification(mcp.MethodNotificationSubscriptionsAcknowledged, map[string]any{
		"_meta":         map[string]any{mcp.MetaKeySubscriptionID: p.id},
		"notifications": granted,
	})
	if err == nil && granted.IsEmpty() {
		p.out.write(acknowledged)
		c.finish(p, end)
		return
	}
	sub := newSubscription(c.feed, p.id)
	full := false
	if err == nil {
		err = c.srv.Hub.listen(sub, granted, func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			if full = len(c.listening()) >= maxStreams; full || c.closing || c.open[p.key] != p {
				return false
			}
			c.streams++
			p.sub, p.end, p.number = sub, end, c.streams
			c.feed.put(note{noteKey{sub, ""}, acknowledged})
			return true
		})
	}
	switch {
	case uri != "" && fault.Is(err, fault.NotFound):
		c.finish(p, reply{err: Errorf(mcp.INVALID_PARAMS, "%s", fault.FailureOf(err).Line()).About(uri)})
	case err != nil:
		c.srv.Log.Printf("%s: %v", mcp.MethodSubscriptionsListen, err)
		c.finish(p, failed(mcp.INTERNAL_ERROR, "%s", fault.FailureOf(err).Line()))
	case full:
		c.finish(p, failed(mcp.INVALID_REQUEST, "invalid request: %d streams are open, more are not kept", maxStreams))
	case p.sub == nil:
		c.finish(p, end)
	}
}

// finish answers p, unless it was cancelled.
func (c *conn) finish(p *pending, r reply) {
	c.mu.Lock()
	wanted := c.open[p.key] == p
	if wanted {
		delete(c.open, p.key)
	}
	c.mu.Unlock()
	p.cancel(nil)
	if wanted {
		r.send(p.id, p.out)
	}
}

// cancelled serves notifications/cancelled: the request is ended, and nothing is sent for it any more.
func (c *conn) cancelled(m *message) {
	_, key, err := readID(m.params["requestId"])
	if err != nil {
		return
	}
	c.mu.Lock()
	p := c.open[key]
	delete(c.open, key)
	c.mu.Unlock()
	if p == nil {
		return
	}
	p.cancel(errCancelled)
	if p.sub != nil {
		c.srv.Hub.close(p.sub)
		c.feed.drop(p.sub)
	}
	p.out.skip()
}

// notify sends a notification that belongs to p, unless p has ended. It waits for a client that reads slowly.
func (c *conn) notify(p *pending, method string, params any) {
	c.mu.Lock()
	wanted := c.open[p.key] == p
	c.mu.Unlock()
	if wanted {
		p.out.write(notification(method, params))
	}
}

// drain ends the connection: the open streams, then the running requests after some patience, unless gone says that the client is.
func (c *conn) drain(patience time.Duration, gone <-chan struct{}) {
	c.mu.Lock()
	c.closing = true
	listening := c.listening()
	for id, ask := range c.questions {
		close(ask) // input has ended: the client cannot answer
		delete(c.questions, id)
	}
	c.mu.Unlock()
	for _, p := range listening {
		c.srv.Hub.close(p.sub)
	}
	c.srv.Hub.close(c.legacy)
	c.feed.close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.pumps.Wait()
		for _, p := range listening {
			c.finish(p, p.end)
		}
		c.running.Wait()
	}()
	wait := func(until <-chan struct{}, d time.Duration) {
		select {
		case <-until:
		case <-gone:
		case <-time.After(d):
		}
	}
	wait(ended, patience)
	c.end(errShutdown)
	wait(ended, graceTime)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		c.mu.Lock()
		left := c.open
		c.open = map[string]*pending{}
		c.mu.Unlock()
		for _, p := range left {
			failed(mcp.INTERNAL_ERROR, "%v", errShutdown).send(p.id, p.out)
		}
	}()
	wait(answered, flushTime)
}
