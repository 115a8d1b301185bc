package learning

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"

	"sdd/internal/allow"
	"sdd/internal/store"
)

// config.yaml may name a command as hooks.on-learning: a program and its arguments, separated by blanks. Each event of a learning
// starts it once, in the folder of the store and with the event as JSON on its standard input, if the user trusts it on this machine
// (sdd trust). sdd does not wait for it: two runs may overlap, and its failures are its own to report. Changes of learnings by the
// command do not start it again.

const hookMark = "SDD_HOOK" // set for the command

// HookEvent is the input of the command.
type HookEvent struct {
	Event
	Learning *Idea `json:"learning,omitempty"` // after the event, nil when its file is gone
}

// HookCommand returns the command in the section hooks of config.yaml; false when there is none.
func HookCommand(section any) (allow.Command, bool) {
	keys, _ := section.(map[string]any)
	text, _ := keys["on-learning"].(string)
	words := strings.Fields(text)
	if len(words) == 0 {
		return allow.Command{}, false
	}
	return allow.Command{Command: words[0], Args: words[1:]}, true
}

// runHook starts the command for an event of i. The event is stored whether or not that succeeds.
func (l *Learnings) runHook(e Event, i *Idea) {
	cfg, err := l.st.Config()
	if err != nil || !i.Learning() || os.Getenv(hookMark) != "" {
		return
	}
	c, ok := HookCommand(cfg.Sections["hooks"])
	if !ok || !allow.Open(store.Local(l.st.Dir())).Trusted(c) {
		return
	}
	in := HookEvent{Event: e, Learning: i}
	if e.Event == eventRemoved {
		in.Learning = nil
	}
	// A file, unlike a pipe, still has the whole event when this process has ended.
	input, err := os.CreateTemp("", "sdd-event-*.json")
	if err != nil {
		return
	}
	defer os.Remove(input.Name())
	defer input.Close()
	if json.NewEncoder(input).Encode(in) != nil {
		return
	}
	if _, err := input.Seek(0, 0); err != nil {
		return
	}
	cmd := exec.Command(c.Command, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin = l.st.Dir(), append(os.Environ(), hookMark+"=1"), input
	allow.Detach(cmd)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // a server must not leave a zombie
	}
}
