package transport

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// outbox queues what is to be written to one client, in order. One goroutine writes; putting
// never waits for it. So what is put before a result arrives before it; mcp-go writes results and
// notifications from different goroutines, and results overtake progress.
type outbox struct {
	failed chan struct{} // closed when the client cannot be written to any more

	mu      sync.Mutex
	queue   []frame
	waiting map[item]bool // items with a key in queue
	bytes   int
	closed  bool
	dead    bool
	change  chan struct{} // closed and replaced whenever the above changes
}

// item is what a message belongs to. A message with a key is not queued twice.
type item struct {
	owner any
	key   string
}

// frame is a message in an outbox.
type frame struct {
	line []byte
	item item
	sent func() // called when it has been written, or never will be; may be nil
	last bool   // it closes the outbox
	code int    // of an error that it answers with, 0 if it is none
}

func (f frame) done() {
	if f.sent != nil {
		f.sent()
	}
}

const (
	maxWrite   = 64 << 10 // bytes that are gathered for one write
	maxWaiting = 1 << 20  // bytes from which on progress waits for the client to read
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

// drop takes back what waits for owner.
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

// waitForRoom waits until the client has read most of what was sent, or ctx ends.
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

// close lets run end once everything is written.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		o.changed()
	}
}

// run writes to w what is put, until close or an error of w.
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

// take waits for something to write. It returns false at the end, and when ctx ends.
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

// fail ends the outbox when the client has gone.
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
