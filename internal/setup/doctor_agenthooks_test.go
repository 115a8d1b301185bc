package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctorReplaysHooks: doctor runs what is installed as the client does, names a program that is gone, fails or answers in another form,
// and runs nothing that a project's file chooses.
func TestDoctorReplaysHooks(t *testing.T) {
	m := newMachine(t, "linux")
	m.LookPath = exec.LookPath
	m.Program = filepath.Join(m.Home, "my bin", "sdd")
	answer := `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"x"}}`
	m.script(m.Program, "#!/bin/sh\ncat >\"$(dirname \"$0\")/$2\"\npwd >\"$(dirname \"$0\")/dir\"\necho '"+answer+"'\n")
	m.apply(Request{Hooks: true, Clients: []string{"claude-code", "cursor", "windsurf", "opencode", "copilot-cli"}})
	theirs := filepath.Join(m.root, ".cursor", "hooks.json")
	m.file(theirs, `{"hooks":{"stop":[{"command":"`+filepath.Join(m.Home, "sdd-evil")+` hook cursor"}]}}`)
	m.script(filepath.Join(m.Home, "sdd-evil"), "#!/bin/sh\ntouch ran\n")

	check := func() *Checkup {
		c := &Checkup{}
		c.agentHooks(t.Context(), m.Surroundings, m.root)
		return c
	}
	finding := func(c *Checkup, client string) string {
		for _, f := range c.Findings {
			if strings.HasPrefix(f.Text, client+": ") {
				return f.Code + " " + f.File
			}
		}
		return ""
	}
	c := check()
	for client, want := range map[string]string{"Claude Code": "", "opencode": "", "Copilot CLI": "hook_answer ~/.copilot/hooks/sdd.json",
		"Windsurf": "hook_answer ~/.codeium/windsurf/hooks.json"} {
		if got := finding(c, client); got != want {
			t.Errorf("%s: %q, want %q", client, got, want)
		}
	}
	var codes []string
	for _, f := range c.Findings {
		codes = append(codes, f.Code+" "+f.File)
	}
	m.want(codes, "hook_answer ~/.cursor/hooks.json", "hook_not_started .cursor/hooks.json", "hook_double ~/.cursor/hooks.json",
		"hook_answer ~/.copilot/hooks/sdd.json",
		"hook_answer ~/.codeium/windsurf/hooks.json")
	if len(c.Checked) != 2 || !strings.HasPrefix(c.Checked[0], "Claude Code: its hook answers in ") {
		t.Errorf("%q", c.Checked)
	}
	if _, err := os.Stat(filepath.Join(m.root, "ran")); err == nil {
		t.Error("the command of a project's file was run")
	}
	if got := m.text(filepath.Join(m.Home, "my bin", "dir")); got != m.root+"\n" {
		t.Errorf("it ran in %q", got)
	}
	if got := m.text(filepath.Join(m.Home, "my bin", "claude-code")); !strings.Contains(got, `"hook_event_name":"SessionStart"`) {
		t.Errorf("it got %q", got)
	}

	if err := os.Remove(theirs); err != nil {
		t.Fatal(err)
	}
	m.script(m.Program, "#!/bin/sh\necho broken >&2\nexit 3\n")
	c = check()
	if finding(c, "Claude Code") != "hook_fails ~/.claude/settings.json" ||
		!strings.Contains(c.Findings[0].Text, "exit code 3, and said: broken") {
		t.Errorf("%+v", c.Findings)
	}
	if err := os.Remove(m.Program); err != nil {
		t.Fatal(err)
	}
	c = check()
	if finding(c, "Claude Code") != "hook_program ~/.claude/settings.json" ||
		!strings.HasPrefix(c.Findings[0].Fix, "sdd setup --hooks claude-code --user ") {
		t.Errorf("%+v", c.Findings)
	}
}
