package learning

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"sdd/internal/allow"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// config.yaml may name a command as hooks.on-learning. It runs once for every event of a learning, in order, in the
// folder of the store, with the event as JSON on its standard input. It runs only if the user trusted it on this machine
// (sdd trust), and never in the process that caused the event: that process starts a runner and goes on. The events are
// the queue; .sdd/.local/learning/hook holds the position of the runner. Changes of learnings by the command do not
// start it again.

const (
	hookSection = "hooks"
	hookKey     = "on-learning"
	hookState   = "hook"
	hookTask    = "on-learning"          // the name of the lock
	hookPause   = 200 * time.Millisecond // between an event and the runner, which serves all events in between
	hookLimit   = 10 * time.Second       // of one run
	hookBatch   = 100                    // events that are read at once
	mostOutput  = 500                    // bytes of a failing command's output
	hookMark    = "SDD_HOOK"             // set for the command, to recognize its changes
	viaHook     = "via"                  // the key of an event's detail for changes by the command
)

// HookEvent is the input of the command.
type HookEvent struct {
	Event
	Learning *Idea `json:"learning,omitempty"` // as it is now; nil when its file is gone
}

// Hook is the hook of a store.
type Hook struct {
	Command allow.Command
	Trusted bool
	Failed  *HookFailure // the last run, when it failed
}

// HookFailure is a run of the command that failed.
type HookFailure struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"`
	Idea  string    `json:"idea"`
	Error string    `json:"error"`
}

// runnerState is the progress of the runner.
type runnerState struct {
	Command string       `json:"command"` // hash
	At      string       `json:"at"`      // cursor: the command has run for the events before it
	Failed  *HookFailure `json:"failed,omitempty"`
}

// HookCommand returns the command in the section hooks of config.yaml; false when there is none. An invalid command is a
// Broken fault.
func HookCommand(section any) (allow.Command, bool, error) {
	keys, ok := section.(map[string]any)
	if !ok || keys[hookKey] == nil {
		return allow.Command{}, false, nil
	}
	text, ok := keys[hookKey].(string)
	if !ok {
		return allow.Command{}, false, misset(hookSection+"."+hookKey, keys[hookKey], "a command")
	}
	words, ok := commandWords(text)
	if !ok || len(words) == 0 {
		return allow.Command{}, false, fault.New(fault.Broken, "%s.%s: %q is no command: a quote is not closed, or there is nothing",
			hookSection, hookKey, record.Brief(text)).For(hookSection+"."+hookKey).
			With("name a program and its arguments, such as scripts/told.sh --quiet").At(configFile, 0)
	}
	return allow.Command{Command: words[0], Args: words[1:]}, true, nil
}

// commandWords splits a command at its blanks. Quotes of both kinds keep blanks in a word. No shell reads the command,
// so it means the same on all systems.
func commandWords(s string) (words []string, ok bool) {
	quote, inWord := rune(0), false
	for _, c := range s {
		switch blank := strings.ContainsRune(" \t\r\n", c); {
		case quote == 0 && blank:
			inWord = false
			continue
		case !inWord:
			words, inWord = append(words, ""), true
		}
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		default:
			words[len(words)-1] += string(c)
		}
	}
	return words, quote == 0 && (len(words) == 0 || words[0] != "")
}

// Hook returns the hook of the store; false when config.yaml names none.
func (l *Learnings) Hook() (Hook, bool, error) {
	cfg, err := l.st.Config()
	if err != nil {
		return Hook{}, false, err
	}
	command, ok, err := HookCommand(cfg.Sections[hookSection])
	if err != nil || !ok {
		return Hook{}, false, err
	}
	h := Hook{Command: command, Trusted: allow.Open(store.Local(l.st.Dir())).Trusted(command)}
	if state, ok := l.hooks.state(); ok && state.Command == command.Hash() {
		h.Failed = state.Failed
	}
	return h, true, nil
}

// Hooked sets the function that events call, soon and not often, when there is a trusted hook to run: start begins a
// process that calls RunHook, and does not wait for it.
func (l *Learnings) Hooked(start func() error) {
	l.hooks.mu.Lock()
	defer l.hooks.mu.Unlock()
	l.hooks.start = start
}

// hooks starts runners of the hook.
type hooks struct {
	l     *Learnings
	limit time.Duration // of one run
	later               // starts a runner

	mu    sync.Mutex
	start func() error
	first string // the cursor before the first event without a runner
}

// happened records a written event; before is the cursor just before it.
func (h *hooks) happened(before string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.start == nil || os.Getenv(hookMark) != "" {
		return
	}
	h.first = cmp.Or(h.first, before)
	h.later.due()
}

// run starts a runner for the events since the last one.
func (h *hooks) run() {
	h.mu.Lock()
	before, start := h.first, h.start
	h.first = ""
	h.mu.Unlock()
	if before != "" && start != nil && h.needed(before) {
		_ = start() // the next event tries again
	}
}

// needed reports whether to start a runner. A runner that has never run for this command begins after the cursor before.
func (h *hooks) needed(before string) bool {
	hook, ok, err := h.l.Hook()
	state, known := h.state()
	if err != nil || !ok || !hook.Trusted {
		if known {
			h.forget() // events before the user trusts it again do not run it
		}
		return false
	}
	if !known || state.Command != hook.Command.Hash() {
		return h.write(runnerState{Command: hook.Command.Hash(), At: before}) == nil
	}
	return true
}

func (h *hooks) state() (s runnerState, ok bool) {
	src, err := h.l.readPrivate(localFolder, hookState, math.MaxInt64)
	return s, err == nil && json.Unmarshal(src, &s) == nil && s.At != ""
}

func (h *hooks) write(s runnerState) error {
	src, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return h.l.writePrivate(localFolder, hookState, src, false)
}

func (h *hooks) forget() {
	if dir, err := h.l.st.Private(localFolder, false); err == nil {
		dir.Remove(hookState)
		dir.Close()
	}
}

// RunHook runs the hook for each event since its last run, and returns when there are no more. Only one process at a
// time runs it. A failed run is recorded for Hook and not repeated.
func (l *Learnings) RunHook(ctx context.Context) error {
	for {
		ran, err := l.st.Alone(ctx, hookTask, l.runForAll)
		if !ran {
			return nil // the process with the lock looks once more before it ends
		}
		if err != nil {
			return err
		}
		state, ok := l.hooks.state()
		if !ok {
			return nil
		}
		if events, _, err := l.Events(ctx, state.At, 1); err != nil || len(events) == 0 {
			return err
		}
	}
}

// runForAll runs the command for each event that is due.
func (l *Learnings) runForAll(ctx context.Context) error {
	for {
		hook, ok, err := l.Hook()
		state, known := l.hooks.state()
		if err != nil || !ok || !hook.Trusted || !known || state.Command != hook.Command.Hash() {
			return err
		}
		events, _, err := l.Events(ctx, state.At, hookBatch)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			state.At = e.ID
			if in, ok := l.forHook(ctx, e); ok {
				state.Failed = nil
				if err := l.runOnce(ctx, hook.Command, in); err != nil {
					state.Failed = &HookFailure{Time: l.now().UTC(), Event: e.Event, Idea: e.Idea, Error: err.Error()}
				}
			}
			if err := l.hooks.write(state); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
}

// forHook returns an event as the command gets it; false for ideas of other colours and for the command's own changes.
func (l *Learnings) forHook(ctx context.Context, e Event) (HookEvent, bool) {
	in := HookEvent{Event: e}
	if e.Detail[viaHook] != "" {
		return in, false
	}
	i, err := l.Get(ctx, e.Idea)
	if err != nil {
		return in, e.Event == eventRemoved || strings.HasPrefix(e.Event, "idea:yellow_")
	}
	in.Learning = &i
	return in, i.Learning()
}

// runOnce runs the command once and returns the failure, with the end of its output.
func (l *Learnings) runOnce(ctx context.Context, c allow.Command, in HookEvent) error {
	input, err := json.Marshal(in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, l.hooks.limit)
	defer cancel()
	output := allow.LastBytes{Most: mostOutput}
	cmd := exec.CommandContext(ctx, c.Command, c.Args...)
	cmd.Dir, cmd.Env = l.st.Dir(), append(os.Environ(), hookMark+"="+hookKey)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(input, '\n')), &output, &output
	allow.Group(cmd)
	cmd.Cancel = func() error { allow.KillGroup(cmd); return nil }
	cmd.WaitDelay = time.Second // for pipes that a process outside the group keeps open
	err = cmd.Run()
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		err = fmt.Errorf("it did not end within %s", l.hooks.limit)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // the command itself ended well
	}
	if text := record.OneLine(strings.ToValidUTF8(string(output.Bytes), "")); err != nil && text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// CheckHooks returns what is wrong with the section hooks of config.yaml, as CheckConfig does.
func CheckHooks(section any) error {
	_, _, err := HookCommand(section)
	return err
}

// configFile is the file name in faults of settings.
const configFile = store.Folder + "/" + config.Name
