package rag

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"sdd/internal/allow"
	"sdd/internal/fault"
)

// grace is how long a server may take to end by itself when it is no longer needed.
const grace = 300 * time.Millisecond

// process is a server that was started here.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.ReadCloser
	done chan struct{}
	once sync.Once
}

// startProcess starts the server's command in root.
func startProcess(s Server, root string) (*process, error) {
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = root, s.Stderr, time.Second
	if cmd.Env = slices.Clone(s.Environ); s.Environ == nil {
		cmd.Env = os.Environ()
	}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env[len(cmd.Env)-len(s.Env):])
	allow.Group(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, unreachable("the server cannot be started", err)
	}
	outReader, outWriter, err := os.Pipe()
	if err != nil {
		return nil, unreachable("the server cannot be started", err)
	}
	cmd.Stdout = outWriter
	err = cmd.Start()
	outWriter.Close()
	if err != nil {
		outReader.Close()
		f := fault.New(fault.Unavailable, "the server cannot be started: %s", shortQuote(err.Error())).
			With("install it, or correct search_strategy.rag.server.command")
		f.Cause = err
		return nil, f
	}
	p := &process{cmd: cmd, in: in, out: outReader, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		allow.KillGroup(cmd) // end the processes that it left running
		close(p.done)
	}()
	return p, nil
}

// stop closes the server's input, and after grace kills it with all processes that it started.
func (p *process) stop(grace time.Duration) {
	p.once.Do(func() {
		p.in.Close()
		select {
		case <-p.done:
		case <-time.After(grace):
			allow.KillGroup(p.cmd)
			<-p.done
		}
		p.out.Close()
	})
}

// ended reports whether the server's process is gone.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Alive reports whether the connection can still be used, as far as a call is not needed to know.
func (c *Client) Alive() bool { return c.process == nil || !c.process.ended() }
