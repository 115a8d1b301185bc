package setup

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"

	"sdd/internal/frontmatter"
	"sdd/internal/longtest"
	"sdd/internal/prompt"
)

// five are the states of a client's commands, all the same.
func five(client string, scope Scope, state ChangeState) []string {
	return slices.Repeat([]string{fmt.Sprintf("%s %s %s", client, scope, state)}, len(prompt.All()))
}

// TestCommandsAndRemoveAreTheIdentity: for every client that has commands, in both scopes: they come in, again nothing changes,
// and removing them gives back every byte, name and mode, folders too.
func TestCommandsAndRemoveAreTheIdentity(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, c := range clients {
			for _, scope := range []Scope{UserScope, ProjectScope} {
				for _, content := range []string{"none", "folder", "entry"} {
					if system != "linux" && content != "none" {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%s", system, c.id, scope, content), func(t *testing.T) {
						t.Parallel()
						m := newMachine(t, system)
						files := m.commandPieces(c, scope, m.root)
						if c.commands == nil {
							m.want(m.apply(Request{Clients: []string{c.id}, Scope: scope, Commands: true})[1:], fmt.Sprintf("%s %s unsupported", c.id, scope))
							return
						}
						if content == "folder" {
							m.file(filepath.Join(filepath.Dir(files[0].path), "other.md"), "")
						}
						before := snapshot(t, m.Home, false)
						m.file(m.inHome("marker"), "")
						if content == "entry" {
							m.apply(Request{Clients: []string{c.id}, Scope: scope})
						}
						there := snapshot(t, m.Home, true)
						r := Request{Clients: []string{c.id}, Scope: scope, Commands: true, DryRun: true}
						m.want(m.apply(r)[1:], five(c.id, scope, Added)...)
						if diff := cmp.Diff(there, snapshot(t, m.Home, true)); diff != "" {
							t.Fatal("a dry run wrote: " + diff)
						}
						r.DryRun = false
						m.want(m.apply(r)[1:], five(c.id, scope, Added)...)
						for _, f := range files {
							if m.text(f.path) != f.text {
								t.Errorf("%s holds something else", f.path)
							}
							if scope == ProjectScope && strings.Contains(f.text, m.Home) {
								t.Errorf("a path of this machine is in %s", f.path)
							}
						}
						there = snapshot(t, m.Home, true)
						m.want(m.apply(r)[1:], five(c.id, scope, Unchanged)...)
						if diff := cmp.Diff(there, snapshot(t, m.Home, true)); diff != "" {
							t.Fatal("again it changed: " + diff)
						}
						m.want(m.apply(Request{Clients: []string{c.id}, Scope: scope, Commands: true, Remove: true}), five(c.id, scope, Removed)...)
						m.apply(Request{Clients: []string{c.id}, Scope: scope, Remove: true})
						os.Remove(m.inHome("marker"))
						if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
							t.Fatal(diff)
						}
					})
				}
			}
		}
	}
}

// TestEverythingInAnyOrder: entries, commands and the block for agents go in and out in any order, and nothing is left.
func TestEverythingInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := uint64(8); seed < longtest.Of[uint64](9, 10); seed++ {
		m := newMachine(t, "linux")
		r := rand.New(rand.NewPCG(seed, 7))
		if r.IntN(2) == 0 {
			m.file(m.inHome(".claude", "settings.json"), "{}")
			m.file(filepath.Join(m.root, ".cursor", "commands", "mine.md"), "mine")
			m.file(filepath.Join(m.root, ".mcp.json"), fmt.Sprintf(otherJSON, "mcpServers"))
		}
		before := snapshot(t, m.Home, false)
		var in []Request
		for _, c := range clients {
			for _, scope := range []Scope{UserScope, ProjectScope} {
				in = append(in, Request{Clients: []string{c.id}, Scope: scope, Commands: r.IntN(3) > 0})
			}
		}
		in = append(in, Request{Instructions: true})
		r.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		for _, request := range in {
			m.apply(request)
		}
		out := slices.Clone(in)
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		for _, request := range out {
			request.Remove = true
			if request.Commands && r.IntN(2) == 0 {
				m.apply(request) // the commands first
			}
			request.Commands = false
			m.apply(request)
		}
		if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		for _, request := range in {
			m.apply(request)
		}
		m.apply(Request{Remove: true})
		if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
			t.Fatalf("seed %d, all at once: %s", seed, diff)
		}
	}
}

// TestCommandsOfOthersStay: setup reports a file that the user wrote or changed, and never changes or removes it.
func TestCommandsOfOthersStay(t *testing.T) {
	m := newMachine(t, "linux")
	dir := m.inHome(".gemini", "commands")
	theirs := filepath.Join(dir, "sdd-brief.toml")
	m.file(theirs, "prompt = 'mine'")
	before := snapshot(t, m.Home, false)
	r := Request{Clients: []string{"gemini-cli"}, Commands: true}
	m.want(m.apply(r)[1:], append([]string{"gemini-cli user by_hand"}, five("gemini-cli", UserScope, Added)[1:]...)...)
	changed := filepath.Join(dir, "sdd-phase.toml")
	m.file(changed, m.text(changed)+"# mine\n")
	m.want(m.apply(r)[1:], "gemini-cli user by_hand", "gemini-cli user unchanged", "gemini-cli user unchanged", "gemini-cli user by_hand", "gemini-cli user unchanged")
	text := m.text(changed)
	m.apply(Request{Remove: true})
	if m.text(theirs) != "prompt = 'mine'" || m.text(changed) != text {
		t.Error("a file of somebody was touched")
	}
	os.Remove(changed)
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
}

// TestCommandsThatCannotBeWritten: a folder that is none, or one that a project links to elsewhere, is left alone.
func TestCommandsThatCannotBeWritten(t *testing.T) {
	m := newMachine(t, "linux")
	m.file(m.inHome(".gemini"), "a file")
	if err := os.MkdirAll(m.inHome("elsewhere"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(m.inHome("elsewhere"), filepath.Join(m.root, ".opencode")); err != nil {
		t.Skip("no links here")
	}
	before := snapshot(t, m.Home, false)
	m.want(m.apply(Request{Clients: []string{"gemini-cli"}, Commands: true})[1:], five("gemini-cli", UserScope, Left)...)
	done, err := m.Apply(Request{Root: m.root, Clients: []string{"opencode"}, Scope: ProjectScope, Commands: true})
	if err != nil || !done.Failed() || done.Changes[1].State != Left || !strings.Contains(done.Changes[1].Text, "leads out of the project") || done.Changes[1].Fix == "" {
		t.Errorf("%v, %+v", err, done.Changes)
	}
	m.apply(Request{Remove: true})
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
}

// TestCommandsOfAnotherVersion: what an earlier version wrote is brought up to date, a file that is gone is made again, and what
// another version had besides is taken out.
func TestCommandsOfAnotherVersion(t *testing.T) {
	m := newMachine(t, "linux")
	before := snapshot(t, m.Home, false)
	r := Request{Clients: []string{"opencode"}, Commands: true, Scope: ProjectScope}
	m.apply(r)
	dir := filepath.Join(m.root, ".opencode", "commands")
	old := filepath.Join(dir, "sdd-brief.md")
	n := m.notes().read(old, "")
	m.file(old, "an earlier text")
	n.Sum = sumOf([]byte("an earlier text"))
	if err := m.notes().keep(n); err != nil {
		t.Fatal(err)
	}
	m.LookPath = func(p string) (string, error) { return "", os.ErrNotExist }
	if said := strings.Join(m.doctor().Checked, "\n"); !strings.Contains(said, "opencode: 1 of its commands (project) are of another version (sdd setup opencode --project --commands") {
		t.Error(said)
	}
	os.Remove(filepath.Join(dir, "sdd-explore.md"))
	gone := filepath.Join(dir, "sdd-retired.md")
	m.file(gone, "x")
	if err := m.notes().write(&note{File: gone, Path: gone, Root: m.root, Users: []string{"opencode"}, Made: true, Command: true, Sum: sumOf([]byte("x"))}, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	m.want(m.apply(r)[1:], "opencode project updated", "opencode project added", "opencode project unchanged", "opencode project unchanged", "opencode project unchanged")
	m.apply(Request{Remove: true})
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
}

// TestSharedCommands: two clients that read one file keep it until neither is set up.
func TestSharedCommands(t *testing.T) {
	m := newMachine(t, "linux")
	r := Request{Clients: []string{"vscode", "copilot-cli"}, Commands: true, Scope: ProjectScope, DryRun: true}
	want := slices.Concat([]string{"vscode project added"}, five("vscode", ProjectScope, Added), []string{"copilot-cli project added"}, five("copilot-cli", ProjectScope, Unchanged))
	m.want(m.apply(r), want...)
	r.DryRun = false
	m.want(m.apply(r), want...)
	file := filepath.Join(m.root, ".github", "skills", "sdd-brief", "SKILL.md")
	m.apply(Request{Clients: []string{"vscode"}, Remove: true})
	m.text(file)
	m.apply(Request{Clients: []string{"copilot-cli"}, Remove: true})
	if _, err := os.Stat(filepath.Join(m.root, ".github")); err == nil {
		t.Error("a folder is left")
	}
}

// TestCommandFiles reads every file as its client would: what it hands to the model is the text of the prompt.
func TestCommandFiles(t *testing.T) {
	for _, c := range clients {
		f := c.commands
		if f == nil {
			continue
		}
		for _, p := range prompt.All() {
			name := commandName(p)
			text := f.form(name, p)
			got, about := text, p.Description
			switch {
			case c.id == "gemini-cli":
				var file struct{ Description, Prompt string }
				if _, err := toml.Decode(text, &file); err != nil || strings.Contains(p.File(givenBraces), "'''") {
					t.Fatalf("%s %s: %v", c.id, name, err)
				}
				got, about = file.Prompt, file.Description
			case c.id != "cursor":
				d, err := frontmatter.Parse([]byte(text))
				if err != nil {
					t.Fatalf("%s %s: %v", c.id, name, err)
				}
				_, got, _ = strings.Cut(text, "\n---\n\n")
				about = d.String("description")
				if strings.HasSuffix(fmt.Sprintf(f.file, name), "SKILL.md") && d.String("name") != name {
					t.Errorf("%s: the skill is called %q in a folder %s", c.id, d.String("name"), name)
				}
			}
			given := givenBehind
			for _, g := range []string{givenArguments, givenBraces} {
				if strings.Contains(text, g) {
					given = g
				}
			}
			if got != p.File(given) {
				t.Errorf("%s %s: %s", c.id, name, cmp.Diff(p.File(given), got))
			}
			if !strings.HasPrefix(about, p.Description) || len(about) > 1024 {
				t.Errorf("%s %s is described as %q", c.id, name, about)
			}
			if len(text) > 12_000 {
				t.Errorf("%s %s has %d characters, and Windsurf takes 12,000", c.id, name, len(text))
			}
			// What clients would run or read instead of handing it on.
			for _, run := range []string{"!`", "!{", "@{", "$1", "{title}", "{told}"} {
				if strings.Contains(text, run) {
					t.Errorf("%s %s holds %q", c.id, name, run)
				}
			}
			for word := range strings.FieldsSeq(text) {
				if strings.HasPrefix(word, "@") {
					t.Errorf("%s %s takes in a file: %s", c.id, name, word)
				}
			}
		}
	}
}
