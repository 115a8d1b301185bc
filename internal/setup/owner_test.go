package setup

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rewritten is a client's file as the client writes it anew: the same values and one more, in a form of its own.
func rewritten(t *testing.T, text string) string {
	t.Helper()
	if !strings.HasPrefix(text, "{") {
		return "# more\n" + strings.NewReplacer(`["`, `[ "`, " = ", "=").Replace(text)
	}
	all := map[string]any{}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	all["more"] = 1
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// kept returns the files of the notes.
func (m *machine) kept() []string {
	out := []string{}
	filepath.WalkDir(m.own(), func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, strings.SplitN(e.Name(), "-", 2)[0])
		}
		return nil
	})
	slices.Sort(out)
	return out
}

// TestOwnEntryByAnyName: the note identifies an entry under any name of the program, even if the client wrote
// its file anew: setup brings it up to date, and it goes.
func TestOwnEntryByAnyName(t *testing.T) {
	for _, c := range clients {
		for _, uninstall := range []bool{false, true} {
			m := newMachine(t, "linux")
			m.Program = "/opt/b/sdd-linux-amd64"
			path := m.Surroundings.at(c.user)
			if c.id == "codex" {
				m.file(path, "n = 1\n")
			} else {
				m.file(path, `{"n":1}`)
			}
			state := c.id + " user "
			m.want(m.apply(Request{Clients: []string{c.id}}), state+"added")
			m.file(path, rewritten(t, m.text(path)))
			m.Program = "/opt/c/notes"
			m.want(m.apply(Request{Clients: []string{c.id}}), state+"updated")
			if text := m.text(path); strings.Contains(text, "linux-amd64") || strings.Count(text, "/opt/c/notes") != 1 {
				t.Fatalf("%s: %s", c.id, text)
			}
			m.want(m.apply(Request{Clients: []string{c.id}}), state+"unchanged")
			m.file(path, rewritten(t, m.text(path)))
			m.Program = "/elsewhere/sdd"
			if uninstall {
				done, err := m.Uninstall(t.Context(), m.root, false, false, false)
				if err != nil || len(done.Changes.Changes) != 1 || done.Changes.Changes[0].State != Removed {
					t.Fatalf("%s: %v, %+v", c.id, err, done)
				}
			} else {
				m.want(m.apply(Request{Remove: true}), state+"removed")
			}
			if text := m.text(path); strings.Contains(text, "notes") || strings.Contains(text, "sdd") || !strings.Contains(text, "more") {
				t.Errorf("%s: %s", c.id, text)
			}
			if _, err := os.Stat(m.own()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v is left", c.id, m.kept())
			}
		}
	}
}

// TestChangedEntryIsLeft: a changed entry stays, and every call reports it, without a backup; restored, it
// is setup's own again; taken out, nothing is left.
func TestChangedEntryIsLeft(t *testing.T) {
	for _, to := range []string{`"docker"`, `"/my/sdd"`} {
		m := newMachine(t, "linux")
		path := m.inHome(".cursor", "mcp.json")
		m.file(path, `{"n":1}`)
		before := snapshot(t, m.Home, false)
		m.apply(Request{Clients: []string{"cursor"}})
		own := m.text(path)
		m.file(path, strings.Replace(own, `"/opt/sdd/bin/sdd"`, to, 1))
		there := m.text(path)
		for range 2 {
			m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user by_hand")
			m.want(m.apply(Request{Clients: []string{"cursor"}, Remove: true, DryRun: true}), "cursor user by_hand")
			m.want(m.apply(Request{Clients: []string{"cursor"}, Remove: true}), "cursor user by_hand")
			m.want(m.apply(Request{Remove: true}), "cursor user by_hand")
			m.want(m.kept(), "note.json")
		}
		dry, err := m.Uninstall(t.Context(), m.root, true, false, false)
		if err != nil {
			t.Fatal(err)
		}
		done, err := m.Uninstall(t.Context(), m.root, false, false, false)
		if diff := cmp.Diff(dry.Left, done.Left); err != nil || diff != "" || !strings.Contains(done.Left[0], "what sdd setup wrote to") {
			t.Fatalf("%v, %v", err, done.Left)
		}
		m.want(m.kept(), "note.json")
		if m.text(path) != there {
			t.Error(m.text(path))
		}
		m.file(path, own)
		m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user unchanged")
		m.want(m.apply(Request{Remove: true}), "cursor user removed")
		m.file(path, `{"n":1}`)
		if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
			t.Error(diff)
		}
		m.apply(Request{Clients: []string{"cursor"}})
		m.file(path, there)
		m.apply(Request{Remove: true})
		m.file(path, `{"n":1}`)
		m.want(m.apply(Request{Remove: true}))
		if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
			t.Error(diff)
		}
	}
	// For a file of two clients, the call reports both and keeps both notes.
	m := newMachine(t, "linux")
	path := filepath.Join(m.root, ".mcp.json")
	m.apply(Request{Clients: []string{"claude-code", "copilot-cli"}, Scope: ProjectScope})
	own := m.text(path)
	m.file(path, strings.Replace(own, `"sdd",`, `"docker",`, 1))
	for range 2 {
		m.want(m.apply(Request{Remove: true}), "claude-code project by_hand", "copilot-cli project by_hand")
	}
	m.file(path, own)
	m.want(m.apply(Request{Remove: true}), "claude-code project removed", "copilot-cli project removed")
	if _, err := os.Stat(path); err == nil {
		t.Error(m.text(path))
	}
}

// TestEntryMendedByHand: a noted entry with the text of setup belongs to setup.
func TestEntryMendedByHand(t *testing.T) {
	m := newMachine(t, "linux")
	before := snapshot(t, m.Home, false)
	path := m.inHome(".cursor", "mcp.json")
	m.apply(Request{Clients: []string{"cursor"}})
	m.file(path, strings.Replace(m.text(path), "/opt/sdd/bin/sdd", "/opt/notes", 1))
	m.Program = "/opt/notes"
	m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user unchanged")
	there := snapshot(t, m.Home, true)
	m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user unchanged")
	if diff := cmp.Diff(there, snapshot(t, m.Home, true)); diff != "" {
		t.Error(diff)
	}
	m.want(m.apply(Request{Remove: true}), "cursor user removed")
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Error(diff)
	}
}

// TestUpdateThatIsCutOff: killed between note and file, the entry of before is still setup's own.
func TestUpdateThatIsCutOff(t *testing.T) {
	m := newMachine(t, "linux")
	before := snapshot(t, m.Home, false)
	path := m.inHome(".cursor", "mcp.json")
	m.Program = "/opt/a"
	m.apply(Request{Clients: []string{"cursor"}})
	first := m.text(path)
	m.Program = "/opt/b"
	m.apply(Request{Clients: []string{"cursor"}})
	m.file(path, first)
	m.want(m.apply(Request{Remove: true}), "cursor user removed")
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Error(diff)
	}
}

// TestNoteOfAnEarlierVersion has no command line: an entry that starts this program by its name is its own, and so is one in a file that
// is as it was written; the next setup notes it.
func TestNoteOfAnEarlierVersion(t *testing.T) {
	for program, state := range map[string]string{"/opt/sdd": "removed", "/opt/notes": "by_hand"} {
		for _, again := range []bool{false, true} {
			m := newMachine(t, "linux")
			m.Program = program
			path := m.inHome(".cursor", "mcp.json")
			m.apply(Request{Clients: []string{"cursor"}})
			n := m.notes().read(path, "")
			n.Starts = nil
			if err := m.notes().keep(n); err != nil {
				t.Fatal(err)
			}
			if again {
				m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user unchanged")
				state = "removed"
			}
			m.file(path, rewritten(t, m.text(path)))
			m.want(m.apply(Request{Remove: true}), "cursor user "+state)
		}
	}
}

// TestDoctorKnowsItsEntries: one that setup wrote is this program's, whatever it is called.
func TestDoctorKnowsItsEntries(t *testing.T) {
	m := newMachine(t, "linux")
	m.Program = m.script(m.inHome("bin", "sdd-linux-amd64"), strings.Replace(fakeServer, `"9", "commit"`, `"8", "commit"`, 1))
	m.Getenv = os.Getenv
	path := m.inHome(".cursor", "mcp.json")
	m.apply(Request{Clients: []string{"cursor"}})
	m.file(path, strings.Replace(m.text(path), `"sdd"`, `"notes": {"command": "`+m.Program+`", "args": ["mcp"]}, "sdd"`, 1))
	codes := func() string {
		out := ""
		for _, f := range m.doctor().Findings {
			out += f.Code + " "
		}
		return out
	}
	if got := codes(); got != "client_double " {
		t.Error(got)
	}
	m.Program = m.script(m.inHome("bin", "sdd"), fakeServer)
	if got := codes(); !strings.Contains(got, "client_version ") {
		t.Error(got)
	}
}

// TestSharedFilesThatGo: that a file stays for another client is said only when that one is not taken out as well.
func TestSharedFilesThatGo(t *testing.T) {
	texts := func(m *machine, r Request) map[string]bool {
		r.Root = m.root
		done, err := m.Apply(r)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		for _, c := range done.Changes {
			out[c.For+": "+string(c.State)+": "+c.Text] = true
		}
		return out
	}
	both := []string{"vscode", "copilot-cli"}
	for _, scope := range []Scope{UserScope, ProjectScope} {
		m := newMachine(t, "linux")
		m.apply(Request{Clients: both, Scope: scope, Commands: true})
		first, last := "vscode: removed: the same file as for copilot-cli", "copilot-cli: removed: "
		for _, r := range []Request{{}, {Clients: both}, {Commands: true}, {Scope: scope}} {
			for _, dry := range []bool{true, false} {
				r.Remove, r.DryRun = true, dry
				got := texts(m, r)
				if !got[first] || !got[last] || got["vscode: removed: it stays as long as it is set up for copilot-cli"] {
					t.Errorf("%+v: %v", r, got)
				}
			}
			m.apply(Request{Clients: both, Scope: scope, Commands: true})
		}
		if got := texts(m, Request{Clients: both[:1], Remove: true}); !got["vscode: removed: it stays as long as it is set up for copilot-cli"] {
			t.Error(got)
		}
		other := m.inHome("work", "other")
		m.apply(Request{Clients: both, Scope: scope, Commands: true})
		done, err := m.Surroundings.Uninstall(t.Context(), other, true, false, false)
		if err != nil || slices.ContainsFunc(done.Changes.Changes, func(c Change) bool { return strings.Contains(c.Text, "stays") }) {
			t.Errorf("%v, %+v", err, done.Changes)
		}
	}
}
