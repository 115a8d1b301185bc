package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"sdd/internal/longtest"
	"sdd/internal/mcp/transport"
)

// TestMain makes tests wait for the locks of a store for as long as they may run.
func TestMain(m *testing.M) {
	longtest.Patient()
	os.Exit(m.Run())
}

// link is a client at the other end of a pair of pipes.
type link struct {
	t     testing.TB
	in    *io.PipeWriter
	lines chan string // what the server wrote; closed at its end
	done  chan error  // what Stdio returned
	stop  context.CancelFunc
}

// connect serves one client by srv. The streams are closed when the test ends.
func connect(t testing.TB, srv *transport.Server) *link {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	l := &link{t: t, in: inW, lines: make(chan string, 1<<16), done: make(chan error, 1), stop: stop}
	go func() {
		err := srv.Stdio(ctx, inR, outW)
		inR.Close()
		outW.Close()
		l.done <- err
	}()
	go func() {
		defer close(l.lines)
		r := bufio.NewReader(outR)
		for {
			s, err := r.ReadString('\n')
			if s != "" {
				l.lines <- strings.TrimSuffix(s, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		inW.Close()
		outR.Close()
	})
	return l
}

func (l *link) send(lines ...string) {
	for _, s := range lines {
		if _, err := io.WriteString(l.in, s+"\n"); err != nil {
			l.t.Errorf("writing to the server: %v", err)
			return
		}
	}
}

// hello does the handshake of that revision and returns the answer.
func (l *link) hello(version string) said {
	l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`, version))
	r := l.next()
	l.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return r
}

// said is one message from the server.
type said struct {
	ID     json.RawMessage  `json:"id"`
	Method string           `json:"method"`
	Params json.RawMessage  `json:"params"`
	Result json.RawMessage  `json:"result"`
	Error  *transport.Error `json:"error"`
}

func (l *link) next() said {
	l.t.Helper()
	s, ok := <-l.lines
	if !ok {
		l.t.Fatal("the server has closed its output")
	}
	return hear(l.t, s)
}

func hear(t testing.TB, s string) said {
	t.Helper()
	var r said
	dec := json.NewDecoder(bytes.NewReader([]byte(s)))
	if err := dec.Decode(&r); err != nil {
		t.Fatalf("not protocol: %v: %q", err, s)
	}
	return r
}

func call(id, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}
