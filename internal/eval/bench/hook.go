package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"

	"sdd/internal/eval/must"
)

// hook measures `sdd hook` from the start of its process to the end, as a client waits for it, in a git repository. A file is
// edited anew each time in a session of its own.
func (b *bench) hook(c *corpus) {
	commitAll(c.root)
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
		run := func(n int) error {
			f.event["session_id"], f.event["cwd"] = fmt.Sprint("s", n), c.root
			cmd := exec.Command(b.sdd, "hook", "claude-code")
			cmd.Stdin = bytes.NewReader(must.Get(json.Marshal(f.event)))
			return cmd.Run()
		}
		must.Check(run(-1)) // writes the cache
		took, floor := inTurn(b.starts, run, b.version)
		r := timed(f.name, c.size, took).against("sdd version", ms(median(floor)))
		b.add(r.must(r.P95 <= f.most, "p95 ≤ %.0f ms", f.most))
	}
}
