package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// batchVersion is the only revision with batches.
const batchVersion = mcp.ProtocolVersion20250326

// batch collects the answers to the requests of one batch, which it sends as one array.
type batch struct {
	out  *outbox
	last bool // the array has no further messages

	mu      sync.Mutex
	left    int // messages without add or skip so far
	answers [][]byte
}

// batch processes a text that is an array. It reports whether any message in it gets an answer.
func (c *conn) batch(text []byte, out *outbox) (answered bool) {
	if v := c.client().version; v != batchVersion {
		c.reject(failed(mcp.INVALID_REQUEST, "invalid request: batches are part of protocol version %s only; send one message by itself",
			batchVersion), nil, out)
		return true
	}
	var all []json.RawMessage
	elements(bytes.TrimSpace(bytes.TrimPrefix(text, utf8BOM)), func(one json.RawMessage) bool { // parseMessage has checked it
		all = append(all, one)
		return len(all) <= maxBatch
	})
	if len(all) == 0 || len(all) > maxBatch {
		c.reject(failed(mcp.INVALID_REQUEST, "invalid request: a batch has 1 to %d messages", maxBatch), nil, out)
		return true
	}
	b := &batch{out: out, last: out != c.out, left: len(all)}
	for _, raw := range all {
		m, err := parseMessage(raw)
		var bad *invalid
		switch {
		case errors.As(err, &bad):
			answered = true
			b.add(reply{err: bad.err}.bytes(bad.id))
		case err != nil:
			answered = true
			b.add(failed(mcp.INVALID_REQUEST, "invalid request: a batch holds messages, not arrays").bytes(nil))
		case m.method != "" && m.id != nil:
			answered = true
			c.message(m, b, out)
		default:
			c.message(m, nil, out)
			b.skip()
		}
	}
	return answered
}

// skip counts a message without an answer.
func (b *batch) skip() { b.add(nil) }

// add counts a message and keeps its answer, nil for none. After the last message it sends all answers.
func (b *batch) add(answer []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if answer != nil {
		b.answers = append(b.answers, answer)
	}
	switch b.left--; {
	case b.left > 0:
	case len(b.answers) > 0:
		b.out.post(frame{line: append(append([]byte("["), bytes.Join(b.answers, []byte(","))...), ']'), last: b.last})
	case b.last:
		b.out.close()
	}
}
