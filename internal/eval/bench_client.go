package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"sdd/internal/lines"
)

// server is a running `sdd mcp` with its client, which waits for each answer like an agent.
type server struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader // of out
	stderr bytes.Buffer
	id     int
}

// patience is the time without an answer after which a server counts as hung.
const patience = 2 * time.Minute

// ready starts a server on the store in root and completes the protocol's initialisation.
func (b *bench) ready(root string) (*server, error) {
	s := &server{cmd: exec.Command(b.sdd, "mcp")}
	s.cmd.Dir, s.cmd.Stderr = root, &s.stderr
	in, err1 := s.cmd.StdinPipe()
	out, err2 := s.cmd.StdoutPipe()
	if err := cmp.Or(err1, err2, s.cmd.Start()); err != nil {
		return nil, err
	}
	s.in, s.out, s.lines = in, out, bufio.NewReaderSize(out, 1<<16)
	_, err := s.call("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "sdd-bench", "version": "1"}})
	if err == nil {
		err = s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *server) send(message any) error {
	_, err := s.in.Write(lines.JSON(message, ""))
	return err
}

// call sends a request and waits for its answer. An error has the server's error output.
func (s *server) call(method string, params any) (json.RawMessage, error) {
	s.id++
	message := map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method}
	if params != nil {
		message["params"] = params
	}
	err := s.send(message)
	if pipe, ok := s.out.(*os.File); ok {
		_ = pipe.SetReadDeadline(time.Now().Add(patience)) // some systems have no deadline for pipes
	}
	for err == nil {
		var line []byte
		if line, err = s.lines.ReadBytes('\n'); err != nil {
			break
		}
		var answer struct {
			ID     *int
			Result json.RawMessage
			Error  *struct {
				Code    int
				Message string
			}
		}
		err = json.Unmarshal(line, &answer)
		switch {
		case err != nil || answer.ID == nil || *answer.ID != s.id: // a notification
		case answer.Error != nil:
			return nil, fmt.Errorf("%s: %s (%d)", method, answer.Error.Message, answer.Error.Code)
		default:
			return answer.Result, nil
		}
	}
	if said := strings.TrimSpace(s.stderr.String()); said != "" {
		return nil, fmt.Errorf("%s: %w; the server said %q", method, err, said)
	}
	return nil, fmt.Errorf("%s: %w", method, err)
}

type answer struct {
	IsError           bool
	StructuredContent json.RawMessage
	Content           []struct{ Text string }
}

// tool calls a tool. A refusal by the tool is not an error here.
func (s *server) tool(name string, args map[string]any) (a answer, err error) {
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
		return fmt.Errorf("%s: %v", name, a.Content)
	}
	return json.Unmarshal(a.StructuredContent, v)
}

// close ends the server as a client does, by closing its input, and waits for its end.
func (s *server) close() error {
	s.in.Close()
	late := time.AfterFunc(10*time.Second, func() { _ = s.cmd.Process.Kill() })
	err := s.cmd.Wait()
	if !late.Stop() {
		return errors.New("the server did not end with its input")
	}
	return err
}

// ping is the cheapest request: it costs only the protocol.
func (s *server) ping(int) error {
	_, err := s.call("ping", nil)
	return err
}

type found struct {
	Total   int
	Results []struct{ Title string }
}

// look searches, and fails for a wrong number of matches: the time of a wrong answer is no figure.
func (s *server) look(query string, want int) error {
	var f found
	err := s.must("sdd_search", map[string]any{"query": query, "limit": 10}, &f)
	if err == nil && f.Total != want {
		err = fmt.Errorf("searching %q found %d records, not %d", query, f.Total, want)
	}
	return err
}

// store saves an exploration; a save without a change is an error.
func (s *server) store(arguments map[string]any) error {
	var saved struct{ Action string }
	err := s.must("sdd_explore", arguments, &saved)
	if err == nil && saved.Action != "created" && saved.Action != "updated" {
		err = fmt.Errorf("saving %q: %q", arguments["title"], saved.Action)
	}
	return err
}

// read reads the record with that title, and fails if the server returns another one.
func (s *server) read(title string) error {
	var r struct{ Title string }
	err := s.must("sdd_get", map[string]any{"id": title}, &r)
	if err == nil && r.Title != title {
		err = fmt.Errorf("reading %q returned %q", title, r.Title)
	}
	return err
}

// brief asks for the context; an answer of fewer than 300 tokens or more than 3,000 is an error.
func (s *server) brief(question string) error {
	var out struct {
		TokensUsed int `json:"tokens_used"`
	}
	err := s.must("sdd_context", map[string]any{"query": question}, &out)
	if err == nil && (out.TokensUsed < 300 || out.TokensUsed > 3000) {
		err = fmt.Errorf("the context of %q has %d tokens", question, out.TokensUsed)
	}
	return err
}
