package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"sdd/internal/agenthook"
	"sdd/internal/allow"
)

// AgentHook is the result of doctor for the hooks of a client in one file.
type AgentHook struct {
	Client  string `json:"client"`
	Scope   Scope  `json:"scope"`
	File    string `json:"file"`
	Command string `json:"command"`
	Millis  int64  `json:"ms"` // from its start to its end
	Problem string `json:"problem"`
}

const (
	slowHook      = 2 * time.Second // a client waits that long at each start
	mostHookBytes = 1 << 20
)

// agentHooks runs each hook that calls this program, with a sample of what its client writes to it when a session begins.
func (c *Checkup) agentHooks(ctx context.Context, s Surroundings, root string) {
	for _, k := range agenthook.Clients {
		var files []string
		for _, scope := range []Scope{UserScope, ProjectScope} {
			st, ok := c.open(s, s.hookPiece(k, scope, root), "hook_file", k.Name+" cannot read its hooks: ", "mend it")
			if !ok {
				continue
			}
			for _, line := range hookCommands(k, st.file.src) {
				c.replay(ctx, s, k, st.Change, line, root)
				files = append(files, st.Shown)
			}
		}
		if len(files) > 1 {
			c.find("hook_double", files[0], 0, fmt.Sprintf("%s calls sdd twice for each event: %s", k.Name, strings.Join(files, ", ")),
				"sdd setup --remove --hooks "+k.ID+" --user takes out your own")
		}
	}
}

// replay runs one hook of a file, a project's only if it is this program: a cloned repository must not choose what runs here.
func (c *Checkup) replay(ctx context.Context, s Surroundings, k *agenthook.Client, at Change, line, root string) {
	hook := AgentHook{Client: k.ID, Scope: at.Scope, File: at.File, Command: line}
	defer func() { c.Hooks = append(c.Hooks, hook) }()
	bad := func(code, text, fix string) {
		hook.Problem = text
		c.find(code, at.Shown, 0, k.Name+": the hook "+text, fix)
	}
	program, _ := programOfHook(line, k.ID)
	again := "sdd setup --hooks " + k.ID + " --" + string(at.Scope) + " writes it anew, if sdd setup wrote it; else mend it by hand"
	if at.Scope == ProjectScope {
		if program != driverName && program != driverName+".exe" {
			bad("hook_not_started", "was not run: the project's file names another program than sdd",
				"look at it, and run it by hand if you trust it")
			return
		}
		again = "put sdd on the PATH that " + k.Name + " has, or set up your own file: sdd setup --hooks " + k.ID
	}
	found, err := s.LookPath(program)
	if err != nil {
		bad("hook_program", fmt.Sprintf("calls %s, which is gone", program), again)
		return
	}
	took, out, err := runHook(ctx, found, k, root)
	hook.Millis = took.Milliseconds()
	unread := agenthook.Check(k, out)
	switch {
	case err != nil:
		bad("hook_fails", "fails: "+err.Error(), again)
	case unread != nil:
		bad("hook_answer", unread.Error(), again)
	case took > slowHook:
		bad("hook_slow", fmt.Sprintf("takes %d ms", hook.Millis), "sdd setup --remove --hooks "+k.ID+" takes it out")
	default:
		c.ok("%s: its hook answers in %d ms (%s, %s)", k.Name, hook.Millis, at.Scope, at.Shown)
	}
}

func runHook(ctx context.Context, program string, k *agenthook.Client, dir string) (took time.Duration, out []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, hookSeconds*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "hook", k.ID)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Stdin = bytes.NewReader(agenthook.Sample(k, dir))
	stdout, complaint := &allow.LastBytes{Most: mostHookBytes}, &allow.LastBytes{Most: 4 * maxComplaint}
	cmd.Stdout, cmd.Stderr = stdout, complaint
	start := time.Now()
	err = cmd.Run()
	took = time.Since(start)
	switch exit := (*exec.ExitError)(nil); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("it did not end within %d seconds", hookSeconds)
	case errors.As(err, &exit):
		err = fmt.Errorf("it ended with exit code %d", exit.ExitCode())
	case err != nil:
		err = errors.New("it cannot be started: " + plainError(err))
	}
	return took, stdout.Bytes, andSaid(err, complaint)
}
