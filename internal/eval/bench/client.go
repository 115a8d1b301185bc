package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// server is a running `sdd mcp` with its client. It has one request at a time, like an agent that waits
// for each answer.
type server struct {
	cmd     *exec.Cmd
	in, out *os.File
	lines   *bufio.Reader
	stderr  bytes.Buffer
	id      int
	root    string
}

// patience is the time without an answer after which a server counts as hung.
const patience = 2 * time.Minute

// serve starts a server on the store in root. It answers no request before initialize.
func (b *bench) serve(root string) (*server, error) {
	s := &server{root: root}
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.in, s.out, s.lines = in, out, bufio.NewReaderSize(out, 1<<16)
	s.cmd = exec.Command(b.sdd, "mcp")
	s.cmd.Dir = root
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = childIn, childOut, &s.stderr
	err = s.cmd.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	return s, nil
}

// ready starts a server and completes the protocol's initialisation.
func (b *bench) ready(root string) (*server, error) {
	s, err := b.serve(root)
	if err != nil {
		return nil, err
	}
	if err := s.initialize(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *server) initialize() error {
	_, err := s.call("initialize", map[string]any{
		"protocolVersion": "2025-11-25",
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "sdd-bench", "version": "1"},
	})
	if err != nil {
		return err
	}
	return s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (s *server) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(line, '\n'))
	return err
}

// call sends a request and waits for its answer.
func (s *server) call(method string, params any) (json.RawMessage, error) {
	s.id++
	message := map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if err := s.send(message); err != nil {
		return nil, s.explain(method, err)
	}
	_ = s.out.SetReadDeadline(time.Now().Add(patience)) // some systems have no deadline for pipes
	for {
		line, err := s.lines.ReadBytes('\n')
		if err != nil {
			return nil, s.explain(method, err)
		}
		var answer struct {
			ID     *int
			Result json.RawMessage
			Error  *struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, s.explain(method, err)
		}
		switch {
		case answer.ID == nil || *answer.ID != s.id: // a notification
		case answer.Error != nil:
			return nil, fmt.Errorf("%s: %s (%d)", method, answer.Error.Message, answer.Error.Code)
		default:
			return answer.Result, nil
		}
	}
}

// explain adds the server's error output to an error.
func (s *server) explain(method string, err error) error {
	if said := strings.TrimSpace(s.stderr.String()); said != "" {
		return fmt.Errorf("%s: %w; the server said %q", method, err, said)
	}
	return fmt.Errorf("%s: %w", method, err)
}

// answer is the result of a tool.
type answer struct {
	IsError           bool
	StructuredContent json.RawMessage
	Content           []struct{ Text string }
}

// tool calls a tool. A refusal by the tool is not an error here.
func (s *server) tool(name string, args map[string]any) (answer, error) {
	var a answer
	result, err := s.call("tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(result, &a)
}

// must calls a tool, fails on a refusal, and reads its structured result into v.
func (s *server) must(name string, args map[string]any, v any) error {
	a, err := s.tool(name, args)
	if err != nil {
		return err
	}
	if a.IsError {
		text := ""
		if len(a.Content) > 0 {
			text = a.Content[0].Text
		}
		return fmt.Errorf("%s: %s", name, text)
	}
	return json.Unmarshal(a.StructuredContent, v)
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// close ends the server as a client does, by closing its input, and waits for its end.
func (s *server) close() error {
	s.in.Close()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	defer s.out.Close()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		_ = s.cmd.Process.Kill()
		<-done
		return fmt.Errorf("the server did not end with its input")
	}
}
