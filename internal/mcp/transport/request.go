package transport

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
)

// pending is a request without an answer so far.
type pending struct {
	key    string
	id     json.RawMessage
	cancel context.CancelCauseFunc
	batch  *batch
	out    *outbox // where its answer and what belongs to it go
	leave  func()  // lets others be read in its place

	sub *subscription // of a subscriptions/listen that goes on
	end reply         // what ends it
}

// request starts a request whose answer goes to out. It answers at once, or after earlier requests, where the order
// matters. Otherwise it returns the work, which the caller runs while another goroutine reads later requests.
func (c *conn) request(m *message, b *batch, out *outbox) (work func()) {
	size := min(max(int64(m.size), minHeld), maxHeld)
	if c.held.Acquire(c.taking, size) != nil {
		c.withholdAnswer(b, out)
		return nil
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	p := &pending{key: m.key, id: m.id, cancel: cancel, batch: b, out: out}
	sess := &Session{conn: c, ctx: ctx, modern: m.modern(), request: p}
	sess.progress.token = m.meta().ProgressToken
	p.leave = sync.OnceFunc(func() { c.held.Release(size) })
	c.mu.Lock()
	_, twice := c.open[m.key]
	if !twice && !c.closing {
		c.open[m.key] = p
		c.busy++
	}
	closing := c.closing
	c.mu.Unlock()
	if twice || closing {
		defer p.leave()
		cancel(errShutdown)
		if twice {
			c.send(
				p, failed(mcp.INVALID_REQUEST, "invalid request: the id %s is in use by a request that is not answered", fault.Cut(string(m.id), 64)),
			)
		} else {
			c.withholdAnswer(b, out)
		}
		return nil
	}
	switch mcp.MCPMethod(m.method) {
	case mcp.MethodInitialize, mcp.MethodPing, mcp.MethodServerDiscover, mcp.MethodSetLogLevel:
		if b != nil && m.method == string(mcp.MethodInitialize) {
			c.finish(p, failed(mcp.INVALID_REQUEST, "invalid request: initialize must not be part of a batch"))
		} else {
			c.finish(p, c.srv.dispatch(ctx, sess, m))
		}
		c.done()
	case mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe:
		c.mu.Lock()
		before, after := c.ordered, make(chan struct{})
		c.ordered = after
		c.mu.Unlock()
		go func() {
			defer c.done()
			defer close(after)
			<-before
			c.run(ctx, p, sess, m)
		}()
	default:
		return func() {
			defer c.done()
			c.run(ctx, p, sess, m)
		}
	}
	return nil
}

// withholdAnswer releases the batch or outbox that waits for an answer that the server will not
// send.
func (c *conn) withholdAnswer(b *batch, out *outbox) {
	switch {
	case b != nil:
		b.skip()
	case out != c.out:
		out.close()
	}
}

// run answers a request when a slot is free.
func (c *conn) run(ctx context.Context, p *pending, sess *Session, m *message) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		c.finish(p, failed(mcp.INTERNAL_ERROR, "%v", context.Cause(ctx)))
		return
	}
	r := c.srv.dispatch(ctx, sess, m)
	if sess.filter != nil && r.err == nil {
		c.listen(ctx, p, sess, r)
		return
	}
	if at := sess.progress.end(); !at.IsZero() {
		select {
		case <-time.After(time.Until(at.Add(progressGap))):
		case <-ctx.Done():
		}
	}
	c.finish(p, r)
}

// listen opens the stream of a subscriptions/listen; end is the answer that later ends it.
func (c *conn) listen(ctx context.Context, p *pending, sess *Session, end reply) {
	if res, ok := end.result.(mcp.SubscriptionsListenResult); ok {
		res.EnsureResultMeta().SetSubscriptionID(p.id) // as the client wrote it
		end.result = res
	}
	sub := newSubscription(p.out, p.id)
	nothing, full := false, false
	uri, err := c.srv.Hub.listen(ctx, sub, *sess.filter, func(granted mcp.SubscriptionFilter) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		streams := 0
		for _, other := range c.open {
			if other.sub != nil {
				streams++
			}
		}
		if full = streams >= maxStreams; full || c.open[p.key] != p {
			return false
		}
		p.out.put(notification(mcp.MethodNotificationSubscriptionsAcknowledged, map[string]any{
			"_meta":         map[string]any{mcp.MetaKeySubscriptionID: p.id},
			"notifications": granted,
		}), item{owner: sub})
		if nothing = granted.IsEmpty() || c.closing; !nothing {
			p.sub, p.end = sub, end
		}
		return !nothing
	})
	switch {
	case uri != "" && fault.Is(err, fault.NotFound):
		c.finish(p, reply{err: Errorf(mcp.INVALID_PARAMS, "%s", fault.FailureOf(err).Line()).About(uri)})
	case err != nil:
		c.srv.Log.Printf("%s: %v", mcp.MethodSubscriptionsListen, err)
		c.finish(p, failed(mcp.INTERNAL_ERROR, "%s", fault.FailureOf(err).Line()))
	case full:
		c.finish(p, failed(mcp.INVALID_REQUEST, "invalid request: %d streams are open, more are not kept", maxStreams))
	case nothing:
		c.finish(p, end)
	default:
		p.leave() // it may stay open for as long as the client likes
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
	if !wanted {
		p.leave()
		return
	}
	c.send(p, r)
}

// send sends the answer to p, alone or with its batch.
func (c *conn) send(p *pending, r reply) {
	if p.batch != nil {
		p.leave()
		p.batch.add(r.bytes(p.id))
		return
	}
	p.out.post(c.answer(r, p.id, p.out, p.leave))
}

// answer returns r as a frame for out. The frame ends out unless out is the connection's own.
func (c *conn) answer(r reply, id json.RawMessage, out *outbox, sent func()) frame {
	l := frame{line: r.bytes(id), sent: sent, last: out != c.out}
	if r.err != nil {
		l.code = r.err.Code
	}
	return l
}

// done counts a goroutine that has answered.
func (c *conn) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy--
	c.closeIdle()
}

// closeIdle closes idle when nothing is left to wait for. The caller holds mu.
func (c *conn) closeIdle() {
	if c.closing && c.busy == 0 {
		select {
		case <-c.idle:
		default:
			close(c.idle)
		}
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
	p.out.drop(p)
	if p.sub != nil {
		c.srv.Hub.close(p.sub)
		p.out.drop(p.sub)
	}
	c.withholdAnswer(p.batch, p.out)
}

// notify sends a notification that belongs to p. It waits for a client that reads slowly, and
// sends nothing for a request that has ended.
func (c *conn) notify(ctx context.Context, p *pending, method string, params any) {
	p.out.waitForRoom(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[p.key] == p {
		p.out.put(notification(method, params), item{owner: p})
	}
}
