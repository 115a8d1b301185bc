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

	"sdd/internal/allow"
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
	complaint := &allow.LastBytes{Most: 4 * maxComplaint}
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
	lines := bufio.NewReaderSize(out, 1<<16)
	p, err := converse(func(message []byte) (answers, error) {
		if _, err := in.Write(append(message, '\n')); err != nil {
			return nil, io.EOF // it ended: the exit code has the reason
		}
		return func(method string) ([]byte, error) {
			line, err := answerLine(lines)
			if err != nil {
				err = fmt.Errorf("it does not answer %s: %w", method, err)
			}
			return line, err
		}, nil
	}, " to its standard output", nil)
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
	if text := lastLines(complaint.Bytes); text != "" {
		err = fmt.Errorf("%w, and said: %s", err, text)
	}
	return p, err
}

// answers returns the next message of a server after a call of that method.
type answers func(method string) ([]byte, error)

// converse sends the calls that a client needs to list the tools. send passes on a message and returns the answers to it. It calls agreed,
// unless nil, with the protocol's version. where is added to the error about a message that is not MCP.
func converse(send func(message []byte) (answers, error), where string, agreed func(version string)) (probed, error) {
	var p probed
	id := 0
	call := func(method string, params map[string]any, result any) error {
		id++
		message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err != nil {
			return err
		}
		next, err := send(message)
		for done := false; !done && err == nil; {
			var line []byte
			if line, err = next(method); err == nil && len(bytes.TrimSpace(line)) > 0 {
				done, err = answer(line, where, id, method, result)
			}
		}
		return err
	}
	var hello struct {
		ProtocolVersion string
		ServerInfo      struct{ Name, Version string }
	}
	err := call("initialize", map[string]any{
		"protocolVersion": probeProtocol, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "sdd doctor", "version": "1"},
	}, &hello)
	if err != nil {
		return p, err
	}
	p.Protocol, p.Name, p.Version = hello.ProtocolVersion, hello.ServerInfo.Name, hello.ServerInfo.Version
	if agreed != nil {
		agreed(p.Protocol)
	}
	if _, err := send([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)); err != nil {
		return p, err
	}
	params := map[string]any{}
	for range maxPages {
		var list struct {
			Tools      []json.RawMessage
			NextCursor string
		}
		if err := call("tools/list", params, &list); err != nil {
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

// lastLines returns the last two lines that are not blank.
func lastLines(b []byte) string {
	var lines []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return cutText(strings.Join(lines[max(len(lines)-2, 0):], "; "))
}
