package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/sync/semaphore"

	"sdd/internal/fault"
	"sdd/internal/memory"
	"sdd/internal/pattern"
)

// The stdio transport. The one of mcp-go 1.2.1 cannot replace it:
//
//   - results overtake progress, because different goroutines write them; here the goroutine of a request writes both;
//   - end of input cancels the accepted requests; here drain answers them;
//   - it keeps a message of any length; here nextLine limits it;
//   - it runs five requests at once and stops reading at 100; here up to maxRunning run, and a slow one delays no other;
//   - it may answer a later request before initialize; here take answers initialize before the next line is read;
//   - it answers cancelled requests and unexpected responses; here neither gets an answer.

// Limits for the accepted requests of a client that are not answered; above them reading waits.
const (
	maxHeld     = 32 << 20 // bytes
	maxAccepted = 2048     // requests
)

// Stdio serves the one client that writes to in and reads from out, one message per line. It returns within two seconds after in
// ends, ctx ends or a write to out fails, and answers the accepted requests that finish in most of that time. An error means that a
// read of in failed; a client that goes away is no error. A running read of in may outlast Stdio until in ends.
//
// Only protocol messages reach out: all other output to the process's standard output goes to standard error meanwhile.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	if out == io.Writer(os.Stdout) {
		own, restore := guardStdout()
		defer restore()
		out = own
	}
	p := &pipe{
		conn: s.newConn(fmt.Sprintf("stdio-%d", connections.Add(1)), make(chan struct{}, maxRunning)),
		in:   bufio.NewReaderSize(in, 64<<10), held: semaphore.NewWeighted(maxHeld), out: out,
		ended: make(chan error, 1), reading: make(chan struct{}), ordered: make(chan func(), maxAccepted),
		writing: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	defer memory.Rest(p.conn.unanswered)()
	p.conn.pump(context.Background(), p, p.skip)
	go p.read()
	go func() {
		for work := range p.ordered {
			work()
		}
	}()

	var err error
	patience := drainTime
	select {
	case err = <-p.ended:
	case <-ctx.Done():
	case <-p.gone:
		patience = 0
	}
	p.conn.drain(patience, p.gone)
	return err
}

type pipe struct {
	conn    *conn
	in      *bufio.Reader
	held    *semaphore.Weighted // bytes of accepted requests without an answer
	ordered chan func()         // the work of requests that must be answered in order
	ended   chan error          // the end of in
	reading chan struct{}       // wakes one that waits to read; closed at the end of in

	writing chan struct{} // has an element while a goroutine writes to out
	out     io.Writer
	dead    bool
	gone    chan struct{} // closed when a write to the client has failed
}

// read processes every line. With an empty buffer, the reader of a request answers it and another goroutine reads on: waking one is slow.
// One that has answered waits to read again, as the stack of a new one would have to grow first.
func (p *pipe) read() {
	for {
		l, err := nextLine(p.in)
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
				err = nil
			} else {
				err = fault.New(fault.Unavailable, "standard input cannot be read: %v", err)
			}
			close(p.ordered)
			close(p.reading)
			p.ended <- err
			return
		}
		memory.Busy()
		work := p.take(l)
		switch {
		case work == nil:
		case p.in.Buffered() > 0: // a part of the next line
			go work()
		default:
			select {
			case p.reading <- struct{}{}:
			default:
				go p.read()
			}
			work()
			if _, more := <-p.reading; !more {
				return
			}
		}
	}
}

// take processes a line. Of a request whose order does not matter it returns the work.
func (p *pipe) take(l line) (work func()) {
	if l.tooLong {
		failed(mcp.INVALID_REQUEST, "invalid request: a message has at most %d bytes", maxMessage).send(l.id, p)
		return nil
	}
	if len(bytes.TrimSpace(l.text)) == 0 {
		return nil
	}
	m, bad := parseMessage(l.text)
	if bad != nil {
		if !l.cut || bad.Code != mcp.PARSE_ERROR { // else the input ended in the middle of a message
			reply{err: bad}.send(m.id, p)
		}
		return nil
	}
	size := min(int64(len(l.text)+maxHeld/maxAccepted), maxHeld)
	if p.held.Acquire(p.conn.ctx, size) != nil {
		return nil
	}
	answer := p.conn.message(m, p)
	if answer == nil {
		p.held.Release(size)
		return nil
	}
	work = func() {
		defer p.held.Release(size)
		answer()
	}
	switch mcp.MCPMethod(m.method) {
	case mcp.MethodInitialize, mcp.MethodSetLogLevel:
		work()
		return nil
	case mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe:
		p.ordered <- work
		return nil
	}
	return work
}

func (p *pipe) write(line []byte) {
	p.writing <- struct{}{}
	defer func() { <-p.writing }()
	if p.dead {
		return
	}
	if _, err := p.out.Write(append(line, '\n')); err != nil {
		p.dead = true
		close(p.gone)
	}
}

func (p *pipe) answer(line []byte, _ int) { p.write(line) }

func (p *pipe) skip() {}

// maxMessage bounds a message of a client, in bytes.
const maxMessage = 4 << 20

type line struct {
	text    []byte          // without its end; the caller owns it
	tooLong bool            // the line was over the limit, and text is empty
	id      json.RawMessage // of the request in a line that is too long, nil if it has none
	cut     bool            // the stream ended before the line did
}

// nextLine returns the next line, and keeps at most maxMessage bytes of it. Its error is that of the stream.
func nextLine(r *bufio.Reader) (line, error) {
	var text bytes.Buffer
	var end []byte // of a line that is too long
	for {
		part, err := r.ReadSlice('\n')
		if text.Len()+len(part) <= maxMessage+len("\r\n") && end == nil {
			text.Write(part)
		} else {
			end = append(end, part...)
			end = end[max(0, len(end)-maxID):]
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil && text.Len() == 0:
			return line{}, err
		case end != nil:
			return line{tooLong: true, id: idOf(text.Bytes()[:maxID], end), cut: err != nil}, nil
		default:
			whole := bytes.TrimRight(text.Bytes(), "\r\n")
			if len(whole) > maxMessage {
				return line{tooLong: true, id: idOf(whole[:maxID], whole[len(whole)-maxID:])}, nil
			}
			return line{text: whole, cut: err != nil}, nil
		}
	}
}

// maxID bounds an id, in bytes.
const maxID = 4096

// Where clients write the id of a request: at the start of the message or its end. Neither pattern matches inside a string or object.
var (
	idFirst = pattern.Late(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d+|"[^"\\]*")\s*,`)
	idLast  = pattern.Late(`,\s*"id"\s*:\s*(-?\d+|"[^"\\]*")\s*\}\s*$`)
)

// idOf finds the id in the first and last bytes of a request, so that the server can answer it with an error.
func idOf(start, end []byte) json.RawMessage {
	for _, at := range []struct {
		pattern *regexp.Regexp
		text    []byte
	}{{idLast(), end}, {idFirst(), start}} {
		if m := at.pattern.FindSubmatch(at.text); m != nil {
			return bytes.Clone(m[1])
		}
	}
	return nil
}
