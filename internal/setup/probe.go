package setup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// probed is what a client learns of a server.
type probed struct {
	Protocol string
	Name     string
	Version  string
	Tools    int
	Time     time.Duration // from the start to the list of tools
}

const (
	probePatience = 10 * time.Second // the shortest time that a client allows a server
	probeProtocol = "2025-11-25"
	maxAnswer     = 8 << 20 // bytes of a line
	maxPages      = 50      // of the list of tools
	maxComplaint  = 300     // bytes of what a server wrote to its error stream
)

// probe starts a server as a client does, lists its tools and ends it. Its error names the step that failed, and the server's last lines
// on its error stream.
func probe(ctx context.Context, cmd func(context.Context) *exec.Cmd) (probed, error) {
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	start := time.Now()
	c := cmd(ctx)
	c.WaitDelay = time.Second
	complaint := &lastBytes{}
	c.Stderr = complaint
	in, err := c.StdinPipe()
	if err != nil {
		return probed{}, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return probed{}, err
	}
	if err := c.Start(); err != nil {
		var bad *exec.Error
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return probed{}, fmt.Errorf("it cannot be started: %s", plainError(err))
	}
	// A process that the program started may keep the pipe open.
	defer context.AfterFunc(ctx, func() { out.Close() })()
	p, err := converse(pipes{in, bufio.NewReaderSize(out, 1<<16)})
	p.Time = time.Since(start)
	in.Close()
	if err != nil {
		cancel()
	}
	ended := c.Wait() // within the rest of the time: a server ends with its input
	switch {
	case err == nil:
		return p, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("%w within %d seconds", err, probePatience/time.Second)
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("it ended without an answer")
		if exit := (*exec.ExitError)(nil); errors.As(ended, &exit) && exit.ExitCode() > 0 {
			err = fmt.Errorf("it ended with exit code %d", exit.ExitCode())
		}
	}
	if text := complaint.text(); text != "" {
		err = fmt.Errorf("%w, and said: %s", err, text)
	}
	return p, err
}

// line is a connection to a server.
type line interface {
	call(id int, method string, params map[string]any, result any) error
	tell(method string) error
	speaks(version string) // sets the agreed version
}

// pipes is a server that was started.
type pipes struct {
	in  io.Writer
	out *bufio.Reader
}

// converse sends the calls that a client needs to list the tools.
func converse(to line) (probed, error) {
	var p probed
	var hello struct {
		ProtocolVersion string
		ServerInfo      struct{ Name, Version string }
	}
	err := to.call(1, "initialize", map[string]any{
		"protocolVersion": probeProtocol, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "sdd doctor", "version": "1"},
	}, &hello)
	if err != nil {
		return p, err
	}
	p.Protocol, p.Name, p.Version = hello.ProtocolVersion, hello.ServerInfo.Name, hello.ServerInfo.Version
	to.speaks(p.Protocol)
	if err := to.tell("notifications/initialized"); err != nil {
		return p, err
	}
	params := map[string]any{}
	for page := range maxPages {
		var list struct {
			Tools      []json.RawMessage
			NextCursor string
		}
		if err := to.call(2+page, "tools/list", params, &list); err != nil {
			return p, err
		}
		p.Tools += len(list.Tools)
		if list.NextCursor == "" {
			break
		}
		params = map[string]any{"cursor": list.NextCursor}
	}
	return p, nil
}

func (p pipes) send(message map[string]any) error {
	data, err := json.Marshal(message)
	if err == nil {
		_, err = p.in.Write(append(data, '\n'))
	}
	if err != nil {
		return io.EOF // it ended: probe reports how
	}
	return nil
}

func (p pipes) tell(method string) error {
	return p.send(map[string]any{"jsonrpc": "2.0", "method": method})
}

func (p pipes) speaks(string) {}

// call sends a request and waits for its answer. It ignores other messages.
func (p pipes) call(id int, method string, params map[string]any, result any) error {
	if err := p.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		line, err := answerLine(p.out)
		if err != nil {
			return fmt.Errorf("it does not answer %s: %w", method, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if done, err := answer(line, " to its standard output", id, method, result); done || err != nil {
			return err
		}
	}
}

// answer reads a message; done is false for one that is not the answer.
func answer(message []byte, where string, id int, method string, result any) (done bool, err error) {
	var m struct {
		JSONRPC string
		ID      json.RawMessage
		Result  json.RawMessage
		Error   *struct{ Message string }
	}
	if err := json.Unmarshal(message, &m); err != nil || m.JSONRPC != "2.0" {
		return false, fmt.Errorf("it writes something else than MCP%s: %s", where, cutText(string(message)))
	}
	if string(m.ID) != fmt.Sprint(id) {
		return false, nil
	}
	if m.Error != nil {
		return true, fmt.Errorf("it answers %s with an error: %s", method, cutText(m.Error.Message))
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return true, fmt.Errorf("its answer to %s cannot be read", method)
	}
	return true, nil
}

// answerLine reads a line of at most maxAnswer bytes.
func answerLine(out *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := out.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxAnswer:
			return nil, errors.New("the answer is too large")
		case err == nil || errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull): // the pipe was closed
			return nil, io.EOF
		}
	}
}

// cutText is a text of another program in one short line.
func cutText(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxComplaint {
		s = strings.ToValidUTF8(s[:maxComplaint], "") + "…"
	}
	return s
}

// lastBytes keeps the end of what is written to it.
type lastBytes struct{ b []byte }

func (l *lastBytes) Write(p []byte) (int, error) {
	l.b = append(l.b, p...)
	if n := len(l.b) - 4*maxComplaint; n > 0 {
		l.b = append(l.b[:0], l.b[n:]...)
	}
	return len(p), nil
}

// text is the last two lines that are not blank.
func (l *lastBytes) text() string {
	var lines []string
	for line := range strings.Lines(string(l.b)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return cutText(strings.Join(lines[max(len(lines)-2, 0):], "; "))
}
