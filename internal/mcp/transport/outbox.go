package transport

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// outbox queues the messages for one client, in order. One goroutine writes them; put never waits
// for it. So a notification that is put before a result arrives before it. In mcp-go different
// goroutines write results and notifications, and results overtake progress.
type outbox struct {
	failed chan struct{} // closed when a write to the client has failed

	mu      sync.Mutex
	queue   []frame
	waiting map[item]bool // items with a key in queue
	bytes   int
	closed  bool
	dead    bool
	change  chan struct{} // closed and replaced whenever a field above changes
}

// item identifies a message: owner is its request or subscription. The queue contains a key of an
// owner once.
type item struct {
	owner any
	key   string
}

// frame is a message in an outbox.
type frame struct {
	line []byte
	item item
	sent func() // runs after the write, or when the outbox drops the message; may be nil
	last bool   // it closes the outbox
	code int    // the code of an error, 0 for another message
}

func (f frame) done() {
	if f.sent != nil {
		f.sent()
	}
}

const (
	maxWrite   = 64 << 10 // bytes of one write
	maxWaiting = 1 << 20  // above these bytes progress waits for the client to read
)

func newOutbox() *outbox {
	return &outbox{failed: make(chan struct{}), waiting: map[item]bool{}, change: make(chan struct{})}
}

// put queues line.
func (o *outbox) put(line []byte, it item) { o.post(frame{line: line, item: it}) }

func (o *outbox) post(l frame) {
	o.mu.Lock()
	refused := o.closed || o.dead || l.item.key != "" && o.waiting[l.item]
	if !refused {
		if l.item.key != "" {
			o.waiting[l.item] = true
		}
		o.queue = append(o.queue, l)
		o.closed = l.last
		o.bytes += len(l.line)
		o.changed()
	}
	o.mu.Unlock()
	if refused {
		l.done()
	}
}

// changed wakes the goroutines that wait. The caller holds mu.
func (o *outbox) changed() {
	close(o.change)
	o.change = make(chan struct{})
}

// drop removes the messages of owner from the queue.
func (o *outbox) drop(owner any) {
	o.mu.Lock()
	kept, dropped := o.queue[:0], []frame(nil)
	for _, l := range o.queue {
		if l.item.owner == owner {
			dropped = append(dropped, l)
			delete(o.waiting, l.item)
			o.bytes -= len(l.line)
			continue
		}
		kept = append(kept, l)
	}
	clear(o.queue[len(kept):])
	o.queue = kept
	if len(dropped) > 0 {
		o.changed()
	}
	o.mu.Unlock()
	for _, l := range dropped {
		l.done()
	}
}

// waitForRoom waits until the client has read most of the queue, or ctx ends.
func (o *outbox) waitForRoom(ctx context.Context) {
	for {
		o.mu.Lock()
		free, change := o.bytes < maxWaiting || o.closed || o.dead, o.change
		o.mu.Unlock()
		if free {
			return
		}
		select {
		case <-change:
		case <-ctx.Done():
			return
		}
	}
}

// close makes run end once it has written everything.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		o.changed()
	}
}

// run writes the queue to w, until close or an error of w.
func (o *outbox) run(w io.Writer) {
	var buf bytes.Buffer
	for {
		frames, ok := o.take(context.Background())
		if !ok {
			return
		}
		for i := 0; i < len(frames); {
			buf.Reset()
			first := i
			for i < len(frames) && (buf.Len() == 0 || buf.Len()+len(frames[i].line) < maxWrite) {
				buf.Write(frames[i].line)
				buf.WriteByte('\n')
				i++
			}
			_, err := w.Write(buf.Bytes())
			for _, l := range frames[first:i] {
				l.done()
			}
			if err != nil {
				o.fail(frames[i:])
				return
			}
			if buf.Cap() > 4*maxWrite {
				buf = bytes.Buffer{}
			}
		}
	}
}

// take waits for messages. It returns false at the end, and when ctx ends.
func (o *outbox) take(ctx context.Context) ([]frame, bool) {
	for {
		o.mu.Lock()
		frames, change, closed := o.queue, o.change, o.closed
		o.queue, o.bytes = nil, 0
		clear(o.waiting)
		if len(frames) > 0 {
			o.changed()
		}
		o.mu.Unlock()
		if len(frames) > 0 {
			return frames, true
		}
		if closed {
			return nil, false
		}
		select {
		case <-change:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// fail ends the outbox when the client is gone.
func (o *outbox) fail(rest []frame) {
	o.mu.Lock()
	o.dead = true
	rest = append(rest, o.queue...)
	o.queue, o.bytes = nil, 0
	o.changed()
	o.mu.Unlock()
	for _, l := range rest {
		l.done()
	}
	close(o.failed)
}
