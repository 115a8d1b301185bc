package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// batchVersion is the one revision that has batches.
const batchVersion = mcp.ProtocolVersion20250326

// batch gathers the answers to the requests of one batch, which go out as one array.
type batch struct {
	out  *outbox
	last bool // nothing comes after it

	mu      sync.Mutex
	left    int // answers that are to come
	answers [][]byte
}

// batch acts on a text that holds an array. It reports whether anything will be said.
func (c *conn) batch(text []byte, out *outbox) bool {
	if v := c.client().version; v != batchVersion {
		c.reject(failed(mcp.INVALID_REQUEST, "invalid request: batches are part of protocol version %s only; send one message by itself", batchVersion), nil, out)
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
	b := &batch{out: out, last: out != c.out}
	var messages []*message
	var wrong []*invalid
	for _, raw := range all {
		m, err := parseMessage(raw)
		var bad *invalid
		switch {
		case errors.As(err, &bad):
			wrong = append(wrong, bad)
			b.left++
		case err != nil:
			wrong = append(wrong, &invalid{err: rpcErrorf(mcp.INVALID_REQUEST, "invalid request: a batch holds messages, not arrays")})
			b.left++
		default:
			messages = append(messages, m)
			if m.method != "" && m.id != nil {
				b.left++
			}
		}
	}
	due := b.left > 0
	for _, w := range wrong {
		b.add(reply{err: w.err}.bytes(w.id))
	}
	for _, m := range messages {
		c.message(m, b, out)
	}
	return due
}

// add takes an answer; the last one sends them all.
func (b *batch) add(answer []byte) { b.count(answer) }

// skip counts a request that is not answered.
func (b *batch) skip() { b.count(nil) }

func (b *batch) count(answer []byte) {
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
