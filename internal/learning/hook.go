package learning

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/allow"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The command that config.yaml names as hooks.on-learning is told of every event of a learning: it gets the event as
// JSON on its standard input, one start an event, in the order of the events, in the folder that holds the store. It
// is run only where it was trusted on this machine (sdd trust), never by the process in which the event happened:
// that one starts a runner and goes on. The events themselves are the queue; .sdd/.local/learning/hook says how far the
// runner has come. What the command does with learnings is not told to it again.

const (
	hookSection = "hooks"
	hookKey     = "on-learning"
	hookState   = "hook"
	hookTask    = "on-learning"          // the name of the lock
	hookPause   = 200 * time.Millisecond // between two starts of a runner
	hookLimit   = 10 * time.Second       // for which one run may last
	hookBatch   = 100                    // events that are read at once
	mostSaid    = 500                    // bytes of what a failing command says
	hookMark    = "SDD_HOOK"             // set for the command, so that what it does is known
	viaHook     = "via"                  // the key of an event's detail that says so
)

// HookEvent is what the command reads.
type HookEvent struct {
	Event
	Learning *Idea `json:"learning,omitempty"` // as it is now; none when its file is gone
}

// Hook is what is known of the hook of a store.
type Hook struct {
	Command allow.Command
	Trusted bool
	Failed  *HookFailure // the last run, when it failed
}

// HookFailure is a run of the command that did not end well.
type HookFailure struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"`
	Idea  string    `json:"idea"`
	Error string    `json:"error"`
}

// state is what the runner has done.
type runnerState struct {
	Command string       `json:"command"` // hash
	At      string       `json:"at"`      // cursor: the events up to there are told
	Failed  *HookFailure `json:"failed,omitempty"`
}

// HookCommand returns the command that the section hooks of config.yaml names; false when there is none. A command that
// cannot be read is a Broken fault.
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
		return allow.Command{}, false, fault.New(fault.Broken, "%s.%s: %q is no command: a quote is not closed, or there is nothing", hookSection, hookKey, record.Brief(text)).For(hookSection+"."+hookKey).
			With("name a program and its arguments, such as scripts/told.sh --quiet").At(configFile, 0)
	}
	return allow.Command{Command: words[0], Args: words[1:]}, true, nil
}

// commandWords splits a command at its spaces. Quotes of both kinds hold words together; no shell reads it, so that it
// means the same everywhere.
func commandWords(s string) (words []string, ok bool) {
	var word strings.Builder
	var quote byte
	in := false
	for n := range len(s) {
		switch c := s[n]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, in = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words, quote == 0 && (len(words) == 0 || words[0] != "")
}

// Hook returns what is known of the hook; false when config.yaml names none.
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

// Hooked makes events call start, soon and never often, where there is a trusted hook to run: start begins a process
// that calls RunHook, and does not wait for it.
func (l *Learnings) Hooked(start func() error) {
	l.hooks.mu.Lock()
	defer l.hooks.mu.Unlock()
	l.hooks.start = start
}

// hooks has the hook run when something happened.
type hooks struct {
	l     *Learnings
	limit time.Duration // for which one run may last

	mu    sync.Mutex
	start func() error
	first string // the cursor before the first event that is not told
	busy  bool
	ended bool
	quick chan struct{} // closed when nobody shall wait any more
	work  sync.WaitGroup
}

// happened is told of an event that was written down; before is the cursor that has it next.
func (h *hooks) happened(before string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.start == nil || h.ended || os.Getenv(hookMark) != "" {
		return
	}
	if h.first == "" {
		h.first = before
	}
	if h.busy {
		return
	}
	h.busy = true
	if h.quick == nil {
		h.quick = make(chan struct{})
	}
	h.work.Go(h.run)
}

// run starts a runner until there is nothing new.
func (h *hooks) run() {
	for {
		h.mu.Lock()
		before, start := h.first, h.start
		if h.first = ""; before == "" {
			h.busy = false
			h.mu.Unlock()
			return
		}
		h.mu.Unlock()
		if h.due(before) {
			_ = start() // the next event tries again
		}
		select {
		case <-h.quick:
		case <-time.After(hookPause):
		}
	}
}

// due reports whether a runner is needed. One that has never run for this command begins with the event after before.
func (h *hooks) due(before string) bool {
	hook, ok, err := h.l.Hook()
	state, known := h.state()
	if err != nil || !ok || !hook.Trusted {
		if known {
			h.forget() // what happens until it is trusted again is not told
		}
		return false
	}
	if !known || state.Command != hook.Command.Hash() {
		return h.write(runnerState{Command: hook.Command.Hash(), At: before}) == nil
	}
	return true
}

// flush starts what is due and waits until it is started.
func (h *hooks) flush() {
	h.mu.Lock()
	if h.quick != nil && !h.ended {
		close(h.quick)
	}
	h.ended = true
	h.mu.Unlock()
	h.work.Wait()
}

func (h *hooks) state() (s runnerState, ok bool) {
	dir, err := h.l.st.Private(localFolder, false)
	if err != nil {
		return s, false
	}
	defer dir.Close()
	src, err := dir.ReadFile(hookState)
	return s, err == nil && json.Unmarshal(src, &s) == nil && s.At != ""
}

func (h *hooks) write(s runnerState) error {
	dir, err := h.l.st.Private(localFolder, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	src, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return store.WriteWhole(dir, hookState, src, false)
}

func (h *hooks) forget() {
	if dir, err := h.l.st.Private(localFolder, false); err == nil {
		dir.Remove(hookState)
		dir.Close()
	}
}

// RunHook tells the hook of the events that it has not been told of, and returns when there are no more; one process
// at a time does. A run that fails is noted for Hook and not tried again.
func (l *Learnings) RunHook(ctx context.Context) error {
	for {
		release, ok := l.st.Single(hookTask)
		if !ok {
			return nil // who is at it looks once more before it ends
		}
		err := l.tellHook(ctx)
		release()
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

// tellHook runs the command for each event that is due.
func (l *Learnings) tellHook(ctx context.Context) error {
	for {
		hook, ok, err := l.Hook()
		state, known := l.hooks.state()
		if err != nil || !ok || !hook.Trusted || !known || state.Command != hook.Command.Hash() {
			return err
		}
		events, next, err := l.Events(ctx, state.At, hookBatch)
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
		if state.At != next {
			state.At = next
			if err := l.hooks.write(state); err != nil {
				return err
			}
		}
	}
}

// forHook is an event as the command gets it; false when it is not for it: of another colour, or its own doing.
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

// runOnce runs the command once and returns what went wrong, with the last that it said.
func (l *Learnings) runOnce(ctx context.Context, c allow.Command, in HookEvent) error {
	input, err := json.Marshal(in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, l.hooks.limit)
	defer cancel()
	var said tail
	cmd := exec.CommandContext(ctx, c.Command, c.Args...)
	cmd.Dir, cmd.Env = l.st.Dir(), append(os.Environ(), hookMark+"="+hookKey)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(input, '\n')), &said, &said
	allow.Group(cmd)
	cmd.Cancel = func() error { allow.KillGroup(cmd); return nil }
	cmd.WaitDelay = time.Second // for pipes that a process which got away holds open
	err = cmd.Run()
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		err = fmt.Errorf("it did not end within %s", l.hooks.limit)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // the command itself ended well
	}
	if text := record.OneLine(strings.ToValidUTF8(string(said), "")); err != nil && text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// tail keeps the end of what is written to it.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	if over := len(*t) - mostSaid; over > 0 {
		*t = slices.Delete(*t, 0, over)
	}
	return len(p), nil
}

// CheckHooks returns what is wrong with the section hooks of config.yaml, as CheckConfig does.
func CheckHooks(section any) error {
	_, _, err := HookCommand(section)
	return err
}

// configFile is the file that faults of settings name.
const configFile = store.Folder + "/" + config.Name
