package bench

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
)

// hook measures `sdd hook` from the start of its process to the end, as a client waits for it, in a git repository. A file is
// edited anew each time in a session of its own.
func (b *bench) hook(c *corpus) error {
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=n", "-c", "user.email=n@example.com", "commit", "-qm", "records"}} {
		if out, err := exec.Command("git", append([]string{"-C", c.root}, args...)...).CombinedOutput(); err != nil && args[0] != "-c" {
			return fmt.Errorf("git %s: %v: %s", args[0], err, out)
		}
	}
	call := func(event map[string]any) func(int) error {
		return func(n int) error {
			event["session_id"], event["cwd"] = fmt.Sprint("s", n), c.root
			in, err := json.Marshal(event)
			if err != nil {
				return err
			}
			cmd := exec.Command(b.sdd, "hook", "claude-code")
			cmd.Stdin = strings.NewReader(string(in))
			return cmd.Run()
		}
	}
	bare := func(int) error { return exec.Command(b.sdd, "version").Run() }
	for _, f := range []struct {
		name  string
		most  float64
		event map[string]any
	}{
		{"hook, session starts", 80, map[string]any{"hook_event_name": "SessionStart", "source": "startup"}},
		{"hook, file edited", 40, map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Edit",
			"tool_input": map[string]string{"file_path": "internal/auth.go", "new_string": "return errors.New(\"no\")"}}},
		{"hook, session ends", 40, map[string]any{"hook_event_name": "SessionEnd", "transcript_path": "/no/such/transcript.jsonl"}},
	} {
		run := call(f.event)
		if err := run(-1); err != nil { // writes the cache
			return err
		}
		took, floor, err := inTurn(b.starts, run, bare)
		if err != nil {
			return err
		}
		r := timed(f.name, c.size, took).against("sdd version", ms(median(floor)))
		b.add(r.must(r.P95 <= f.most, "p95 ≤ %.0f ms", f.most))
	}
	return nil
}
