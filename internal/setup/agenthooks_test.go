package setup

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/agenthook"
	"sdd/internal/fault"
	"sdd/internal/setup/jsonc"
)

// hookFiles are contents that a file of hooks may have beforehand; absent is none.
func hookFiles(c *agenthook.Client) map[string]string {
	event, element := c.Events[0].Name, `{"command": "notify me"}`
	if c.Form == agenthook.Groups {
		element = `{"matcher": "*", "hooks": [{"type": "command", "command": "notify me"}]}`
	}
	return map[string]string{
		"absent": "absent", "empty": "", "object": "{}\n", "no hooks": "{\n\t\"theme\": \"dark\" // night\n}",
		"foreign": "{\n  // mine\n  \"hooks\": {\n    \"" + event + "\": [\n      // first\n      " + element + ", // last\n    ],\n  },\n  \"x\": 1,\n}\n",
		"crlf":    "\ufeff{\r\n  \"version\": 1,\r\n  \"hooks\": {\r\n    \"Other\": [" + element + "],\r\n    \"" + event + "\": []\r\n  }\r\n}\r\n",
		"flat":    `{"hooks":{"` + event + `":[` + element + `]}}`,
	}
}

// TestHooksSetUpAndRemove: for each client and scope the hooks are added beside foreign ones, twice is once, and removal gives back the
// bytes; so does the removal of what another program changed since.
func TestHooksSetUpAndRemove(t *testing.T) {
	for _, c := range agenthook.Clients {
		for _, scope := range []Scope{UserScope, ProjectScope} {
			for name, text := range hookFiles(c) {
				t.Run(c.ID+"/"+string(scope)+"/"+name, func(t *testing.T) {
					m := newMachine(t, "linux")
					m.Program = m.Home + "/my bin/sdd"
					path := agentHookFile(m.Surroundings, c, scope, m.root)
					owned := c.Form == agenthook.Owned || c.Form == agenthook.Plugin
					if path == "" || owned && name != "absent" {
						return
					}
					if name != "absent" {
						m.file(path, text)
					}
					before := snapshot(t, m.Home, false)
					r := Request{Hooks: true, Clients: []string{c.ID}, Scope: scope}
					user := hooksPrefix + c.ID
					m.want(m.apply(r), user+" "+string(scope)+" added")
					with := m.text(path)
					want := "sdd hook " + c.ID
					if scope == UserScope {
						want = "'" + m.Program + "' hook " + c.ID
					}
					if got := hookCommands(c, []byte(with)); !slices.Equal(got, []string{want}) {
						t.Fatalf("commands %q, want %q in\n%s", got, want, with)
					}
					if strings.Contains(text, "notify me") && !strings.Contains(with, "notify me") {
						t.Fatalf("a foreign hook is gone:\n%s", with)
					}
					m.want(m.apply(r), user+" "+string(scope)+" unchanged")
					r.Remove = true
					m.want(m.apply(r), user+" "+string(scope)+" removed")
					if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
						t.Fatal(diff)
					}
					if owned || name == "absent" || name == "empty" {
						return
					}
					p := hookPlace{c, want} // another program changed the file: nothing but this program's entries goes
					kept := p.kept([]byte(text))
					set, err := p.set([]byte(text), nil)
					if err != nil || !bytes.Equal([]byte(with), set) {
						t.Fatalf("%v\n%s", err, set)
					}
					back, was, err := p.remove(set, kept+1)
					blank := strings.NewReplacer(" ", "", "\r", "", "\n", "", "\t", "")
					if err != nil || !was || string(back) != text && blank.Replace(string(back)) != blank.Replace(text) {
						t.Fatalf("%v, %v\n%s\nwas\n%s", was, err, back, text)
					}
				})
			}
		}
	}
}

// TestHooksBesideServers: Gemini CLI has its servers in the same file; each of the two goes by itself, in either order.
func TestHooksBesideServers(t *testing.T) {
	for _, text := range []string{"absent", "{\n    \"theme\": \"x\"\n}\n"} {
		for _, order := range []string{"servers first", "hooks first", "servers first, of another project", "hooks first, of another project"} {
			m := newMachine(t, "linux")
			path := filepath.Join(m.root, ".gemini", "settings.json")
			if text != "absent" {
				m.file(path, text)
			}
			before := snapshot(t, m.Home, false)
			servers := Request{Clients: []string{"gemini-cli"}, Scope: ProjectScope}
			hooks := servers
			hooks.Hooks = true
			if strings.HasPrefix(order, "servers") {
				m.want(m.apply(servers), "gemini-cli project added")
				m.want(m.apply(hooks), "hooks:gemini-cli project added")
			} else {
				m.want(m.apply(hooks), "hooks:gemini-cli project added")
				m.want(m.apply(servers), "gemini-cli project added")
			}
			hooks.Remove = true
			if strings.HasSuffix(order, "project") { // it takes out the servers before the hooks
				if _, err := m.Uninstall(t.Context(), m.Home, false, false, false); err != nil {
					t.Fatal(err)
				}
			} else {
				m.want(m.apply(hooks), "hooks:gemini-cli project removed")
				if with := m.text(path); !strings.Contains(with, "mcpServers") || strings.Contains(with, "hooks") {
					t.Errorf("%s: without hooks:\n%s", order, with)
				}
				m.want(m.apply(Request{Remove: true}), "gemini-cli project removed")
			}
			if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
				t.Errorf("%s of %q: %s", order, text, diff)
			}
		}
	}
}

func TestHooksOfAnotherPath(t *testing.T) {
	m := newMachine(t, "linux")
	path := m.at("~/.cursor/hooks.json")
	r := Request{Hooks: true, Clients: []string{"cursor"}}
	m.apply(r)
	first := m.text(path)
	m.Program = "/elsewhere/sdd"
	m.want(m.apply(r), "hooks:cursor user updated")
	if want := strings.ReplaceAll(first, "/opt/sdd/bin/sdd", "/elsewhere/sdd"); m.text(path) != want {
		t.Fatalf("%s\nwant\n%s", m.text(path), want)
	}
	changed, err := jsonc.Set([]byte(m.text(path)), "y", "x") // by another program
	if err != nil {
		t.Fatal(err)
	}
	m.file(path, string(changed))
	r.Remove = true
	m.want(m.apply(r), "hooks:cursor user removed")
	if got := m.text(path); got != "{\n  \"x\": \"y\"\n}\n" {
		t.Fatal(got)
	}
}

func TestHooksByHand(t *testing.T) {
	m := newMachine(t, "linux")
	path := filepath.Join(m.root, ".cursor", "hooks.json")
	text := `{"version":1,"hooks":{"stop":[{"command":"sdd hook cursor"}]}}`
	m.file(path, text)
	m.want(m.apply(Request{Hooks: true, Clients: []string{"cursor"}, Scope: ProjectScope}), "hooks:cursor project by_hand")
	m.want(m.apply(Request{Hooks: true, Clients: []string{"cursor"}, Scope: ProjectScope, Remove: true}), "hooks:cursor project by_hand")
	if m.text(path) != text {
		t.Fatal(m.text(path))
	}
	m.file(path, `{"hooks": 3}`)
	m.want(m.apply(Request{Hooks: true, Clients: []string{"cursor"}, Scope: ProjectScope}), "hooks:cursor project left")
}

func TestProgramOfHook(t *testing.T) {
	for line, want := range map[string]string{
		"sdd hook codex": "sdd", "'/a b/sdd' hook codex": "/a b/sdd", `"C:/Program Files/sdd.exe" hook codex`: "C:/Program Files/sdd.exe",
		"sdd hook cursor": "", "other hook codex": "", "sdd hook codex; rm x": "", "sdd  hook codex": "", "": "", "'": "",
	} {
		if got, ok := programOfHook(line, "codex"); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v", line, got, ok)
		}
	}
}

// FuzzHooks: in any file, what set adds reads back as the entry, and remove leaves the hooks of others as they were.
func FuzzHooks(f *testing.F) {
	for i, c := range agenthook.Clients {
		for _, text := range hookFiles(c) {
			f.Add(i, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, i int, src []byte) {
		c := agenthook.Clients[uint(i)%uint(len(agenthook.Clients))]
		p := hookPlace{c, "sdd hook " + c.ID}
		if _, _, there, err := p.get(src); there || err != nil || c.Form != agenthook.Groups && c.Form != agenthook.Flat {
			return
		}
		before, _, _, _ := jsonc.Get(src, "hooks")
		kept := p.kept(src)
		set, err := p.set(src, nil)
		if err != nil {
			if !fault.Is(err, fault.Broken) {
				t.Fatalf("%v of %q", err, src)
			}
			return
		}
		if now, _, _, err := p.get(set); err != nil || !sameEntry(now, p.entry()) {
			t.Fatalf("reads back as %v, %v from %q", now, err, set)
		}
		back, was, err := p.remove(set, kept+1)
		after, _, _, err2 := jsonc.Get(back, "hooks")
		if !was || err != nil || err2 != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("%v, %v, %v: without it %q was %q", was, err, err2, back, src)
		}
	})
}

// TestOwnedHookFiles: the text of a file that is this program's as a whole has each of the client's events.
func TestOwnedHookFiles(t *testing.T) {
	for _, c := range agenthook.Clients {
		if c.Form != agenthook.Owned {
			continue
		}
		text := hookFileText(c, "sdd", "sdd hook "+c.ID)
		for _, e := range c.Events {
			if !strings.Contains(text, `"`+e.Name+`"`) {
				t.Errorf("%s: no hook for %s:\n%s", c.ID, e.Name, text)
			}
		}
	}
}
