package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/codesearch/rag"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/longtest"
)

// machine is a home folder with a project in it.
type machine struct {
	Surroundings
	t    *testing.T
	root string
}

func newMachine(t *testing.T, system string) *machine {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, root: filepath.Join(home, "work", "shop")}
	m.Surroundings = Surroundings{OS: system, Home: home, Program: "/opt/sdd/bin/sdd",
		Getenv:   func(string) string { return "" },
		LookPath: func(p string) (string, error) { return "", &exec.Error{Name: p, Err: exec.ErrNotFound} },
	}
	if err := os.MkdirAll(m.root, 0o755); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *machine) file(path, text string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) text(path string) string {
	m.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

// apply does a request and returns its changes as "client scope state".
func (m *machine) apply(r Request) []string {
	m.t.Helper()
	r.Root = m.root
	done, err := m.Apply(r)
	if err != nil {
		m.t.Fatal(err)
	}
	var out []string
	for _, c := range done.Changes {
		out = append(out, fmt.Sprintf("%s %s %s", c.For, c.Scope, c.State))
	}
	return out
}

func (m *machine) want(got []string, want ...string) {
	m.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		m.t.Fatal(diff)
	}
}

// snapshot is every name below a folder with its mode and bytes, and its time where times are asked for.
func snapshot(t *testing.T, dir string, times bool) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		about := info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			if err != nil {
				return err
			}
			about += " " + to
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			about += " " + string(data)
		}
		if times {
			about += " " + info.ModTime().String()
		}
		out[strings.TrimPrefix(p, dir)] = about
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	otherJSON = "\ufeff// servers\r\n{\r\n\t\"%s\": {\r\n\t\t\"other\": { \"command\": \"x\", \"args\": [ ] }, // needed\r\n\t},\r\n\t\"theme\": \"dark\", /* at night */\r\n}\r\n"
	otherTOML = "# my settings\r\nmodel = \"o9\" # best\r\n\r\n[mcp_servers.other]\r\ncommand = 'x'\r\n"
)

// TestSetUpAndRemoveAreTheIdentity: for every client, scope, system, with its file there and not: one entry comes in, again nothing
// changes, not even a time, and removing it gives back every byte, name and mode.
func TestSetUpAndRemoveAreTheIdentity(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, c := range clients {
			for _, scope := range []Scope{UserScope, ProjectScope} {
				for _, content := range []string{"none", "folder", "empty", "others"} {
					if system != "linux" && (content == "folder" || content == "empty" || content == "none" && !longtest.Set()) {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%s", system, c.id, scope, content), func(t *testing.T) {
						m := newMachine(t, system)
						path := c.file(m.Surroundings, scope, m.root)
						if path == "" {
							m.want(m.apply(Request{Clients: []string{c.id}, Scope: scope}), c.id+" project unsupported")
							return
						}
						switch {
						case content == "folder":
							m.file(filepath.Join(filepath.Dir(path), "other"), "")
						case content == "empty":
							m.file(path, "")
						case content == "others" && c.id == "codex":
							m.file(path, otherTOML)
						case content == "others":
							m.file(path, fmt.Sprintf(otherJSON, c.keys[0]))
						}
						before := snapshot(t, m.Home, false)
						state := fmt.Sprintf("%s %s ", c.id, scope)
						dry := m.apply(Request{Clients: []string{c.id}, Scope: scope, DryRun: true})
						m.want(dry, state+"added")
						if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
							t.Fatal("a dry run wrote: " + diff)
						}
						m.want(m.apply(Request{Clients: []string{c.id}, Scope: scope}), state+"added")
						src := []byte(m.text(path))
						p, _ := c.place(m.Surroundings, scope, src)
						entry, _, ok, err := p.get(src)
						srv, _ := rag.Entry("", entry)
						program, args := c.command(m.Surroundings, scope, m.root)
						if err != nil || !ok || srv.Command != program || !slices.Equal(srv.Args, args) || args[len(args)-1] != "mcp" {
							t.Fatalf("the entry is %+v, %v\n%s", entry, err, src)
						}
						if scope == ProjectScope && strings.Contains(string(src), m.Home) {
							t.Fatalf("a path of this machine is in a file of the project:\n%s", src)
						}
						if content == "others" && !strings.Contains(string(src), "other") {
							t.Fatalf("the other server is gone:\n%s", src)
						}
						there := snapshot(t, m.Home, true)
						m.want(m.apply(Request{Clients: []string{c.id}, Scope: scope}), state+"unchanged")
						if diff := cmp.Diff(there, snapshot(t, m.Home, true)); diff != "" {
							t.Fatal("again it changed: " + diff)
						}
						m.want(m.apply(Request{Clients: []string{c.id}, Scope: scope, Remove: true}), state+"removed")
						if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
							t.Fatal(diff)
						}
					})
				}
			}
		}
	}
}

// TestAllAtOnce: every client is found by what it left in the home folder, and one command takes all of it out.
func TestAllAtOnce(t *testing.T) {
	m := newMachine(t, "linux")
	for _, c := range clients {
		if err := os.MkdirAll(m.at(c.signs[0]), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	os.Remove(m.inHome(".claude.json"))
	m.file(m.inHome(".claude.json"), "{\"numStartups\": 3}")
	before := snapshot(t, m.Home, false)
	var want, unchanged, removed []string
	for _, c := range clients {
		want = append(want, c.id+" user added")
		unchanged = append(unchanged, c.id+" user unchanged")
		removed = append(removed, c.id+" user removed")
		if c.project != "" {
			removed = append(removed, c.id+" project removed")
		}
	}
	m.want(m.apply(Request{}), want...)
	m.want(m.apply(Request{}), unchanged...)
	m.apply(Request{Scope: ProjectScope})
	if got := m.text(filepath.Join(m.root, ".mcp.json")); strings.Count(got, "sdd") != 2 {
		t.Errorf("two clients read .mcp.json:\n%s", got)
	}
	m.want(m.apply(Request{Remove: true}), removed...)
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
	m.want(m.apply(Request{Remove: true}))
}

func TestNoClientIsFound(t *testing.T) {
	m := newMachine(t, "linux")
	for want, r := range map[fault.Code]Request{fault.NotFound: {}, fault.Invalid: {Clients: []string{"claude"}}} {
		r.Root = m.root
		if _, err := m.Apply(r); !fault.Is(err, want) || !strings.Contains(fault.Of(err).Hint, "claude-code") {
			t.Errorf("%v: %v", r, err)
		}
	}
	if _, err := m.Apply(Request{Root: m.root, Scope: "global"}); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
}

// TestFilesThatChangedSince: what others wrote since stays, and only the entry goes.
func TestFilesThatChangedSince(t *testing.T) {
	m := newMachine(t, "linux")
	cursor, codex := m.inHome(".cursor", "mcp.json"), m.inHome(".codex", "config.toml")
	m.file(codex, otherTOML)
	m.apply(Request{Clients: []string{"cursor", "codex"}})
	m.file(cursor, strings.Replace(m.text(cursor), "\"sdd\"", "\"later\": {},\n    \"sdd\"", 1))
	m.file(codex, m.text(codex)+"\r\n[mcp_servers.sdd.env]\r\nA = \"b\"\r\n\r\n# later\r\n[later]\r\nx = 1")
	m.apply(Request{Remove: true})
	if got := m.text(cursor); got != "{\n  \"mcpServers\": {\n    \"later\": {}\n  }\n}\n" {
		t.Errorf("%s", got)
	}
	if got, want := m.text(codex), otherTOML+"\r\n# later\r\n[later]\r\nx = 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := os.Stat(m.own()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a backup is left: %v", err)
	}
}

// TestUpdate: an entry of this program follows the program, keeps what others added to it, and its file still gets its bytes back.
func TestUpdate(t *testing.T) {
	m := newMachine(t, "linux")
	path := m.inHome(".cursor", "mcp.json")
	m.file(path, fmt.Sprintf(otherJSON, "mcpServers"))
	before := snapshot(t, m.Home, false)
	m.apply(Request{Clients: []string{"cursor"}})
	m.Program = "/usr/local/bin/sdd"
	m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user updated")
	if got := m.text(path); !strings.Contains(got, `"/usr/local/bin/sdd"`) || strings.Contains(got, "/opt/") {
		t.Errorf("%s", got)
	}
	m.want(m.apply(Request{Remove: true}), "cursor user removed")
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
	m.apply(Request{Clients: []string{"cursor"}})
	m.file(path, strings.Replace(m.text(path), `"mcp"]`, `"mcp"], "disabledTools": ["sdd_learn"]`, 1))
	m.Program = "/opt/sdd/bin/sdd"
	m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user updated")
	if got := m.text(path); !strings.Contains(got, `"/opt/sdd/bin/sdd"`) || !strings.Contains(got, "disabledTools") {
		t.Errorf("%s", got)
	}
	m.apply(Request{Remove: true})
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
}

// TestEntriesByHand: setup neither changes nor removes an entry of the user.
func TestEntriesByHand(t *testing.T) {
	for _, entry := range []string{`{"command": "docker", "args": ["run", "x"]}`, `{"command": "/my/sdd", "args": ["mcp", "--read-only"]}`, `"?"`, `{"url": "http://localhost/"}`} {
		m := newMachine(t, "linux")
		m.file(m.inHome(".cursor", "mcp.json"), `{"mcpServers": {`+"\n"+`"sdd": `+entry+`}}`)
		before := snapshot(t, m.Home, true)
		m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user by_hand")
		m.want(m.apply(Request{Clients: []string{"cursor"}, Remove: true}), "cursor user by_hand")
		m.want(m.apply(Request{Remove: true}), "cursor user by_hand")
		if diff := cmp.Diff(before, snapshot(t, m.Home, true)); diff != "" {
			t.Error(diff)
		}
	}
	// One that is just what setup would write was not written by it all the same.
	m := newMachine(t, "linux")
	m.file(filepath.Join(m.root, ".mcp.json"), `{"mcpServers": {"sdd": {"args": ["mcp"], "type": "stdio", "command": "sdd"}}}`)
	before := snapshot(t, m.Home, true)
	m.want(m.apply(Request{Clients: []string{"claude-code"}, Scope: ProjectScope}), "claude-code project unchanged")
	m.want(m.apply(Request{Clients: []string{"claude-code"}, Remove: true}), "claude-code project by_hand")
	if diff := cmp.Diff(before, snapshot(t, m.Home, true)); diff != "" {
		t.Error(diff)
	}
}

// TestFilesThatCannotBeRead are left alone, with the line and what to add by hand, and the other clients are done.
func TestFilesThatCannotBeRead(t *testing.T) {
	m := newMachine(t, "linux")
	m.file(m.inHome(".cursor", "mcp.json"), "{\n  \"mcpServers\": {\n    oops\n")
	m.file(m.inHome(".codex", "config.toml"), "a = 1\nb = \n")
	m.file(m.inHome(".gemini", "settings.json"), `{"mcpServers": []}`)
	m.file(filepath.Join(m.xdg(), "zed", "settings.json", "x"), "")
	before := snapshot(t, m.Home, true)
	done, err := m.Apply(Request{Root: m.root, Clients: []string{"cursor", "codex", "gemini-cli", "zed"}})
	if err != nil || !done.Failed() {
		t.Fatal(err)
	}
	for i, want := range []struct {
		line int
		has  string
	}{{3, `      "command": "/opt/sdd/bin/sdd",`}, {2, "[mcp_servers.sdd]"}, {1, `  "mcpServers": {`}, {0, `  "context_servers": {`}} {
		c := done.Changes[i]
		if c.State != Left || c.Line != want.line || !slices.Contains(c.Lines, want.has) || c.Text == "" || c.Fix == "" {
			t.Errorf("%+v", c)
		}
	}
	if diff := cmp.Diff(before, snapshot(t, m.Home, true)); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"mcp_servers = {}\n", "mcp_servers = { other = { command = 'x' } }\n", "mcp_servers.sdd = 1\n", "[[mcp_servers]]\n"} {
		m.file(m.inHome(".codex", "config.toml"), text)
		if got := m.apply(Request{Clients: []string{"codex"}}); got[0] != "codex user left" && got[0] != "codex user by_hand" || m.text(m.inHome(".codex", "config.toml")) != text {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestLinks(t *testing.T) {
	m := newMachine(t, "linux")
	kept := m.inHome("dotfiles", "cursor.json")
	m.file(kept, "{}\n")
	link := m.inHome(".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, link); err != nil {
		t.Skip(err)
	}
	for path, to := range map[string]string{
		m.inHome(".claude.json"):               m.inHome("nowhere"),
		filepath.Join(m.root, "opencode.json"): kept,
		filepath.Join(m.root, ".zed"):          m.inHome("dotfiles"),
		filepath.Join(m.root, ".mcp.json"):     filepath.Join(m.root, "inside.json"),
	} {
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	m.file(filepath.Join(m.root, "inside.json"), "{}")
	before := snapshot(t, m.Home, false)
	m.want(m.apply(Request{Clients: []string{"cursor", "claude-code"}}), "claude-code user left", "cursor user added")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 || !strings.Contains(m.text(kept), "sdd") {
		t.Errorf("the link: %v, %v", info, err)
	}
	m.want(m.apply(Request{Clients: []string{"opencode", "zed", "claude-code"}, Scope: ProjectScope}),
		"claude-code project added", "opencode project left", "zed project left")
	m.apply(Request{Remove: true})
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
}

func TestOpencodeVersions(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcp": {"a": {"type": "local", "command": ["x"]}}}`:              `{"mcp": {"a": {"type": "local", "command": ["x"]}, "sdd": {"type": "local", "command": ["sdd", "mcp"], "enabled": true}}}`,
		`{"mcp": {"servers": {"a": {"type": "local", "command": ["x"]}}}}`: `{"mcp": {"servers": {"a": {"type": "local", "command": ["x"]}, "sdd": {"type": "local", "command": ["sdd", "mcp"]}}}}`,
		`{"mcp": {"servers": {"type": "local", "command": ["x"]}}}`:        `{"mcp": {"servers": {"type": "local", "command": ["x"]}, "sdd": {"type": "local", "command": ["sdd", "mcp"], "enabled": true}}}`,
	} {
		for _, name := range []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.jsonc"} {
			m := newMachine(t, "linux")
			m.file(filepath.Join(m.root, name), text)
			m.apply(Request{Clients: []string{"opencode"}, Scope: ProjectScope})
			if got := m.text(filepath.Join(m.root, name)); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		}
	}
	m := newMachine(t, "linux")
	script := m.inHome("bin", "opencode")
	m.file(script, "#!/bin/sh\necho 2.0.3\n")
	if os.Chmod(script, 0o755) != nil || exec.Command(script).Run() != nil {
		t.Skip("no shell is here")
	}
	m.LookPath = func(string) (string, error) { return script, nil }
	m.apply(Request{Clients: []string{"opencode"}})
	if got := m.text(filepath.Join(m.xdg(), "opencode", "opencode.json")); !strings.Contains(got, `"servers"`) {
		t.Errorf("%s", got)
	}
}

// TestManyAtOnce: processes that set up and remove at once leave a file that is whole, and in the end as it was.
func TestManyAtOnce(t *testing.T) {
	m := newMachine(t, "linux")
	path := m.inHome(".cursor", "mcp.json")
	m.file(path, fmt.Sprintf(otherJSON, "mcpServers"))
	before := snapshot(t, m.Home, false)
	var wait sync.WaitGroup
	for i := range 12 {
		wait.Go(func() {
			done, err := m.Apply(Request{Root: m.root, Clients: []string{"cursor", "claude-code"}, Remove: i%3 == 2})
			if err != nil || done.Failed() {
				t.Errorf("%v: %+v", err, done)
			}
		})
	}
	wait.Wait()
	m.apply(Request{Clients: []string{"cursor", "claude-code"}})
	if got := m.text(path); strings.Count(got, "\"sdd\"") != 1 {
		t.Errorf("%s", got)
	}
	m.apply(Request{Remove: true})
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
}

// TestNothingCanBeKept: where the bytes of before cannot be kept, nothing is written.
func TestNothingCanBeKept(t *testing.T) {
	m := newMachine(t, "linux")
	m.file(m.own(), "not a folder")
	before := snapshot(t, m.Home, false)
	m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user left")
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
	m.Program = ""
	m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user left")
}

// TestTOMLTable: on tables of many shapes the entry comes in, again changes nothing, and its removal gives back the bytes.
func TestTOMLTable(t *testing.T) {
	table := tomlTable{[]string{"mcp_servers", "sdd"}}
	entry := entryForm{}.of(`C:\Program Files\"sdd"`, []string{"--dir", "a b", "mcp"})
	parts := []string{"a = 1\n", "# note\n", "\n", "[x]\n", "b = '''\n[mcp_servers.sdd]\n'''\n", "[mcp_servers.other]\ncommand = \"x\" # [y]\n", "[[list]]\n", "l = [\n  [1],\n]\n",
		"[mcp_servers.other.env]\nA = \"b\"\n", "d = 1979-05-27T07:32:00Z\n", "[\"mcp_servers\" . 'third']\n"}
	tried := 0
	for seed := range longtest.Of[uint64](400, 1500) {
		r := rand.New(rand.NewPCG(seed, 7))
		var src string
		for range r.IntN(7) {
			src += parts[r.IntN(len(parts))]
		}
		if seed%3 == 0 {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		if seed%4 == 0 {
			src = strings.TrimRight(src, "\r\n")
		}
		if _, err := readTOML([]byte(src)); err != nil {
			continue
		}
		set, err := table.set([]byte(src), entry)
		if err != nil {
			if strings.Contains(src, "'''") || strings.Contains(src, "[1]") {
				continue // what looks like a heading is none
			}
			t.Fatalf("%v\n%s", err, src)
		}
		tried++
		if got, _, ok, err := table.get(set); err != nil || !ok || !sameEntry(got, entry) {
			t.Fatalf("%v, %v\n%s", got, err, set)
		}
		if again, err := table.set(set, entry); err != nil || string(again) != string(set) {
			t.Fatalf("again: %v\n%s\nwas\n%s", err, again, set)
		}
		if !strings.HasPrefix(string(set), src) {
			t.Fatalf("bytes changed\n%q\nwas\n%q", set, src)
		}
		back, was, err := table.remove(set, 0)
		if err != nil && strings.Contains(src, "'''") {
			continue
		}
		if err != nil || !was || string(back) != src {
			t.Fatalf("%v\n%q\nwas\n%q", err, back, src)
		}
	}
	if tried < longtest.Of(130, 500) {
		t.Fatalf("only %d were tried", tried)
	}
}

// TestTOMLTableWithoutHeading: a table that is written with dots or in braces has a line, and goes where that leaves all else.
func TestTOMLTableWithoutHeading(t *testing.T) {
	const stays = "?" // it cannot go
	table := tomlTable{[]string{"mcp_servers", "sdd"}}
	for _, c := range []struct {
		src, back string
		line      int
	}{
		{"a = 1\n\nmcp_servers.sdd.command = \"mine\"\n", "a = 1\n\n", 3},
		{"mcp_servers.sdd.command = \"mine\"\nb = 1\nmcp_servers.sdd.args = [\n  \"mcp\",\n]\nc = 2", "b = 1\nc = 2", 1},
		{"\r\n# x\r\n[mcp_servers] # all\r\no = {command = 'x'}\r\nsdd = { command = \"mine\", args = [\r\n'mcp'] }\r\n[z]\r\n", "\r\n# x\r\n[mcp_servers] # all\r\no = {command = 'x'}\r\n[z]\r\n", 5},
		{"[mcp_servers]\nsdd.command = 'mine'\nsdd.args = []\n", "[mcp_servers]\n", 2},
		{"[a]\nmcp_servers.sdd.command = 'no'\nx = \"\"\"\n[mcp_servers]\nsdd.command = 'no'\n\"\"\"\n[mcp_servers]\n\"sdd\" . 'command' = 'mine'", "[a]\nmcp_servers.sdd.command = 'no'\nx = \"\"\"\n[mcp_servers]\nsdd.command = 'no'\n\"\"\"\n[mcp_servers]\n", 8},
		{"mcp_servers = { sdd = { command = 'mine' } }\n", "", 1},
		{"x = 1\nmcp_servers = { other = {}, sdd = { command = 'mine' } }\n", stays, 2},
		{"[[l]]\na = 1\n[l.m]\n[[l]]\n[mcp_servers]\nsdd.command = 'mine'\n", "[[l]]\na = 1\n[l.m]\n[[l]]\n[mcp_servers]\n", 6},
		{"\ufeffmcp_servers.sdd = 1\n[[list]]\n", "\ufeff[[list]]\n", 1},
	} {
		_, line, ok, err := table.get([]byte(c.src))
		if err != nil || !ok || line != c.line {
			t.Errorf("line %d, %v, %v of\n%s", line, ok, err, c.src)
		}
		back, was, err := table.remove([]byte(c.src), 0)
		if c.back == stays {
			if f := fault.Of(err); err == nil || f.Line != c.line {
				t.Errorf("%v, %q", f, back)
			}
		} else if err != nil || !was || string(back) != c.back {
			t.Errorf("%v\n%q, want\n%q", err, back, c.back)
		}
	}
	m := newMachine(t, "linux")
	path := m.inHome(".codex", "config.toml")
	m.file(path, "a = 1\nmcp_servers.sdd.command = \"mine\"\n")
	done, err := m.Apply(Request{Root: m.root, Clients: []string{"codex"}})
	if err != nil || done.Changes[0].State != ByHand || done.Changes[0].Line != 2 {
		t.Errorf("%v, %+v", err, done.Changes)
	}
	// What setup wrote is its own in that form too.
	m.file(path, "[mcp_servers]\n")
	m.apply(Request{Clients: []string{"codex"}})
	m.file(path, "[mcp_servers]\nsdd = {command = '/opt/sdd/bin/sdd', args = ['mcp']}\nother.command = 'x'\n")
	m.want(m.apply(Request{Remove: true}), "codex user removed")
	if got := m.text(path); got != "[mcp_servers]\nother.command = 'x'\n" {
		t.Error(got)
	}
}

// TestUnifiedDiff: what git makes of it is the file as it will be.
func TestUnifiedDiff(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	dir := t.TempDir()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		var a, b strings.Builder
		for i := range r.IntN(30) {
			line := fmt.Sprintf("line %d\n", i%7)
			if r.IntN(8) > 0 {
				a.WriteString(line)
			}
			if r.IntN(8) > 0 {
				b.WriteString(line)
			}
		}
		if seed%3 == 0 {
			b.WriteString("no end")
		}
		if seed%5 == 0 {
			a.WriteString("none here")
		}
		diff := unifiedDiff("f", []byte(a.String()), []byte(b.String()), a.Len() > 0, b.Len() > 0)
		if (diff == "") != (a.String() == b.String()) {
			t.Fatalf("seed %d: %q", seed, diff)
		}
		if diff == "" {
			continue
		}
		os.Remove(filepath.Join(dir, "f"))
		if a.Len() > 0 {
			if err := os.WriteFile(filepath.Join(dir, "f"), []byte(a.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("git", "apply", "-p0", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("seed %d: %v: %s\n%s", seed, err, out, diff)
		}
		got, _ := os.ReadFile(filepath.Join(dir, "f"))
		if string(got) != b.String() {
			t.Fatalf("seed %d: %q, want %q\n%s", seed, got, b.String(), diff)
		}
	}
	secret := "glpat-" + "Zq3xK9vT" + "w7LmR2bYc4Hd" // put together, so that no scanner takes this file for a leak
	if diff := unifiedDiff("f", []byte("k = "+secret+"\nx\n"), []byte("k = "+secret+"\ny\n"), true, true); strings.Contains(diff, secret) {
		t.Errorf("it shows a secret:\n%s", diff)
	}
	long := strings.Repeat("x", 5000)
	if diff := unifiedDiff("f", []byte(long+"a"+long), []byte(long+"bcd"+long), true, true); len(diff) > 1500 || !strings.Contains(diff, "xbcdx") {
		t.Errorf("of a long line:\n%s", diff)
	}
}

func TestInstructions(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		into  []string
	}{
		"none":            {nil, []string{"AGENTS.md"}},
		"CLAUDE.md":       {map[string]string{"CLAUDE.md": "# Rules\n"}, []string{"CLAUDE.md"}},
		"AGENTS.md":       {map[string]string{"AGENTS.md": "# Rules"}, []string{"AGENTS.md"}},
		"both":            {map[string]string{"AGENTS.md": "# Rules\r\nBe kind", "CLAUDE.md": "See `@AGENTS.md`\n```\n@AGENTS.md\n```\n"}, []string{"AGENTS.md", "CLAUDE.md"}},
		"one takes in":    {map[string]string{"AGENTS.md": "# Rules\n\n\n", "CLAUDE.md": "Read @AGENTS.md, first.\n"}, []string{"AGENTS.md"}},
		"empty":           {map[string]string{"AGENTS.md": ""}, []string{"AGENTS.md"}},
		"byte order mark": {map[string]string{"AGENTS.md": "\ufeff"}, []string{"AGENTS.md"}},
	} {
		for _, forget := range []bool{false, true} {
			t.Run(fmt.Sprint(name, forget), func(t *testing.T) {
				m := newMachine(t, "linux")
				for file, text := range c.files {
					m.file(filepath.Join(m.root, file), text)
				}
				before := snapshot(t, m.root, false)
				want := make([]string, len(c.into))
				for i := range want {
					want[i] = "instructions project added"
				}
				m.want(m.apply(Request{Instructions: true}), want...)
				for _, file := range c.into {
					if got := m.text(filepath.Join(m.root, file)); strings.Count(got, "sdd_context") != 1 || !strings.HasPrefix(got, c.files[file]) {
						t.Errorf("%s:\n%s", file, got)
					}
				}
				there := snapshot(t, m.Home, true)
				m.apply(Request{Instructions: true})
				if diff := cmp.Diff(there, snapshot(t, m.Home, true)); diff != "" {
					t.Fatal(diff)
				}
				if forget { // as for another user, who has the file by git
					os.RemoveAll(m.own())
				}
				m.apply(Request{Instructions: true, Remove: true})
				if name == "empty" && forget || name == "byte order mark" && forget {
					return // a file of nothing but the block goes with it
				}
				if diff := cmp.Diff(before, snapshot(t, m.root, false)); diff != "" {
					t.Fatal(diff)
				}
			})
		}
	}
}

func TestInstructionsOfAnotherVersion(t *testing.T) {
	m := newMachine(t, "linux")
	path := filepath.Join(m.root, "AGENTS.md")
	older := instructionsMarks.first + "\nold words\n" + instructionsMarks.last + "\n"
	m.file(path, "# Top\n\n"+older+"\n## Below\n")
	m.want(m.apply(Request{Instructions: true}), "instructions project updated")
	if got, want := m.text(path), "# Top\n\n"+instructionsMarks.first+"\n"+instructionsText+instructionsMarks.last+"\n"+"\n## Below\n"; got != want {
		t.Errorf("%s", got)
	}
	m.apply(Request{Instructions: true, Remove: true})
	if got := m.text(path); got != "# Top\n\n## Below\n" {
		t.Errorf("%q", got)
	}
	// Two, of a merge, go both. One without an end is not guessed at.
	m.file(path, older+"\nx\n\n"+older)
	m.apply(Request{Instructions: true, Remove: true})
	if got := m.text(path); got != "\nx\n" {
		t.Errorf("%q", got)
	}
	m.file(path, "x\n"+instructionsMarks.first+"\nold\n")
	m.want(m.apply(Request{Instructions: true}), "instructions project left")
	m.want(m.apply(Request{Instructions: true, Remove: true})[:1], "instructions project left")
}

// TestUninstallLeavesNothing: after all that can be set up, uninstall gives back every byte of home folder and repository.
func TestUninstallLeavesNothing(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	ctx := context.Background()
	m := newMachine(t, "linux")
	t.Setenv("HOME", m.Home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	run := func(dir string, args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	run(m.root, "init", "-q", ".")
	run(m.root, "config", "user.name", "Ann")
	m.file(filepath.Join(m.root, ".git", "hooks", "pre-commit"), "#!/bin/sh\nmake lint")
	m.file(filepath.Join(m.root, ".git", "info", "attributes"), "*.x binary")
	m.file(filepath.Join(m.root, ".sdd", "explore", "a.md"), "---\ntitle: A\n---\n")
	m.file(filepath.Join(m.root, "CLAUDE.md"), "# Rules")
	m.file(filepath.Join(m.root, ".mcp.json"), `{"mcpServers":{"other":{}}}`)
	m.file(m.inHome(".codex", "config.toml"), otherTOML)
	m.file(m.inHome(".cursor", "mcp.json"), fmt.Sprintf(otherJSON, "mcpServers"))
	other := m.inHome("work", "other")
	if err := os.MkdirAll(other, 0o755); err != nil {
		t.Fatal(err)
	}
	onPath(t)
	m.file(filepath.Join(m.cache(), "other"), "x")
	before := snapshot(t, m.Home, false)

	m.apply(Request{Clients: ClientNames(), Commands: true})
	m.apply(Request{Clients: ClientNames(), Scope: ProjectScope, Instructions: true, Commands: true})
	if _, err := m.Apply(Request{Root: other, Clients: []string{"zed", "cursor"}, Scope: ProjectScope, Commands: true}); err != nil { // one more that this machine set up
		t.Fatal(err)
	}
	if h, err := InstallHooks(ctx, m.root, HookNames); err != nil || len(h.Hooks) != 3 {
		t.Fatal(err)
	}
	repo, err := git.Open(m.root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := SetDrivers(ctx, repo); err != nil {
		t.Fatal(err)
	}
	m.file(filepath.Join(m.root, ".sdd", ".local", "journal", "x"), "x")
	m.file(filepath.Join(m.root, ".sdd", "views", "agents", "ed", "learnings.md"), "x")
	m.file(filepath.Join(m.cache(), "sdd", "docs", "x"), "x")
	m.file(filepath.Join(m.own(), trustKey), "key")

	there := snapshot(t, m.Home, true)
	dry, err := m.Uninstall(ctx, m.root, true, false, false)
	if err != nil || len(dry.Hooks) != 3 || len(dry.Drivers.Settings) != 4 || dry.Drivers.Attributes == "" || len(dry.Removed) != 4 {
		t.Fatalf("%v, %+v", err, dry)
	}
	if diff := cmp.Diff(there, snapshot(t, m.Home, true)); diff != "" {
		t.Fatal("a dry run changed: " + diff)
	}
	done, err := m.Uninstall(ctx, m.root, false, false, false)
	if err != nil || done.Failed() {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
	plain := func(u Uninstalled) string {
		for i := range u.Changes.Changes {
			u.Changes.Changes[i].Changed = false
		}
		data, _ := json.Marshal(u.Changes.Changes)
		return string(data)
	}
	if diff := cmp.Diff(plain(dry), plain(done)); diff != "" {
		t.Error("the dry run said something else: " + diff)
	}
	if _, err := m.Uninstall(ctx, m.root, false, true, false); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(before, func(name, _ string) bool { return strings.HasPrefix(name, "/work/shop/.sdd") })
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
}

// TestAfterAKill: a process that was killed between its note and its file, or with the lock, does not block the next.
func TestAfterAKill(t *testing.T) {
	m := newMachine(t, "linux")
	path := m.inHome(".cursor", "mcp.json")
	m.file(path, "{}")
	before := snapshot(t, m.Home, false)
	m.apply(Request{Clients: []string{"cursor"}})
	m.file(path, "{}")
	m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user added")
	m.file(path, "{ }")
	m.want(m.apply(Request{Clients: []string{"cursor"}, Remove: true}), "cursor user absent")
	if _, err := os.Stat(m.own()); !errors.Is(err, fs.ErrNotExist) || m.text(path) != "{ }" {
		t.Errorf("%v, %q", err, m.text(path))
	}
	m.file(path, "{}")
	m.file(m.notes().lockFile, "") // left a moment ago
	m.want(m.apply(Request{Clients: []string{"cursor"}}), "cursor user added")
	m.want(m.apply(Request{Remove: true}), "cursor user removed")
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
	// What cannot be written is left alone, and nothing is kept of it.
	m.file(m.inHome(".gemini"), "a file")
	before = snapshot(t, m.Home, false)
	m.want(m.apply(Request{Clients: []string{"gemini-cli", "cursor"}}), "cursor user added", "gemini-cli user left")
	m.apply(Request{Remove: true})
	if diff := cmp.Diff(before, snapshot(t, m.Home, false)); diff != "" {
		t.Fatal(diff)
	}
}
