package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sdd/internal/codesearch/rag"
)

// fakeServer answers as sdd mcp does, and keeps where and with what it was started.
const fakeServer = `#!/bin/sh
case "$*" in version*) echo '{"version": "9", "commit": "abc"}'; exit ;; esac
{ echo "$*"; pwd; env; } >"$(dirname "$0")/started"
read a
echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"sdd","version":"9"}}}'
read b
read c
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{},{}],"nextCursor":"n"}}'
read d
echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{}]}}'
`

func (m *machine) script(path, text string) string {
	m.t.Helper()
	if _, err := exec.LookPath("sh"); err != nil || runtime.GOOS == "windows" {
		m.t.Skip("no shell is here")
	}
	m.file(path, text)
	if err := os.Chmod(path, 0o755); err != nil {
		m.t.Fatal(err)
	}
	return path
}

func (m *machine) doctor() Checkup {
	c := Checkup{Findings: []Finding{}}
	c.clients(context.Background(), m.Surroundings, m.root, "9 (abc)")
	return c
}

func TestDoctorStartsTheServerAsClientsDo(t *testing.T) {
	m := newMachine(t, "linux")
	m.Program = m.script(m.inHome("bin", "sdd"), fakeServer)
	m.LookPath = func(p string) (string, error) {
		if p == "sdd" {
			return m.Program, nil
		}
		return exec.LookPath(p)
	}
	m.Getenv = os.Getenv
	t.Setenv("SECRET_OF_MINE", "x")
	for _, v := range []string{"XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME"} {
		t.Setenv(v, "")
	}
	for _, c := range clients {
		for _, scope := range []Scope{UserScope, ProjectScope} {
			if c.file(m.Surroundings, scope, m.root) == "" {
				continue
			}
			m.apply(Request{Clients: []string{c.id}, Scope: scope})
			got := m.doctor()
			if len(got.Clients) == 0 || got.Clients[0].Tools != 3 || got.Clients[0].Protocol != "2025-11-25" || got.Clients[0].Problem != "" {
				t.Errorf("%s, %s: %+v", c.id, scope, got)
			}
			started := strings.SplitN(m.text(m.inHome("bin", "started")), "\n", 3)
			wantArgs, wantDir := "mcp", m.root
			if scope == UserScope && (c.pinned || c.variable != "") {
				wantArgs, wantDir = "--dir "+m.root+" mcp", m.Home
			}
			if started[0] != wantArgs || started[1] != wantDir {
				t.Errorf("%s, %s: started with %q in %s", c.id, scope, started[0], started[1])
			}
			if hands := strings.Contains(started[2], "SECRET_OF_MINE"); hands != (passedOn[c.id] == nil) {
				t.Errorf("%s: hands on its variables: %v", c.id, hands)
			}
			trust := c.id == "codex" && scope == ProjectScope
			if len(got.Findings) > 0 != trust {
				t.Errorf("%s, %s: %+v", c.id, scope, got.Findings)
			}
			m.apply(Request{Remove: true})
		}
	}
	if got := m.doctor(); len(got.Clients) != 0 || len(got.Findings) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestDoctorSaysWhyAClientSeesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		script string // of sdd, "" when it is not there
		file   string // of the project or, with ~, of the user
		text   string
		code   string
		says   string
		line   int
	}{
		"gone":            {"", "~/.cursor/mcp.json", `{"mcpServers": {"sdd": {"command": "HOME/bin/sdd", "args": ["mcp"]}}}`, "client_start", "no such file", 1},
		"not on the PATH": {"", ".mcp.json", "{\"mcpServers\": {\n\"sdd\": {\"command\": \"sdd\", \"args\": [\"mcp\"]}}}", "client_start", `"sdd" is not on the PATH`, 2},
		"ends":            {"#!/bin/sh\necho 'it is: broken' >&2\nexit 3\n", "~/.cursor/mcp.json", `{"mcpServers": {"sdd": {"command": "HOME/bin/sdd", "args": ["mcp"]}}}`, "client_start", "ended before it answered, and said: it is: broken", 1},
		"talks":           {"#!/bin/sh\necho Welcome\nread x\n", "~/.cursor/mcp.json", `{"mcpServers": {"sdd": {"command": "HOME/bin/sdd", "args": ["mcp"]}}}`, "client_start", `sent what is not MCP: "Welcome"`, 1},
		"refuses": {"#!/bin/sh\nread x\necho '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no\"}}'\n", "~/.cursor/mcp.json", `{"mcpServers": {"sdd": {"command": "HOME/bin/sdd", "args": ["mcp"]}}}`,
			"client_start", "invalid params: no", 1},
		"foreign":           {fakeServer, ".mcp.json", `{"mcpServers": {"sdd": {"command": "HOME/bin/sdd", "args": ["mcp"]}}}`, "client_not_started", "was not started", 1},
		"foreign variables": {fakeServer, ".mcp.json", `{"mcpServers": {"sdd": {"command": "sdd", "args": ["mcp"], "env": {"PATH": "."}}}}`, "client_not_started", "was not started", 1},
		"foreign arguments": {fakeServer, ".mcp.json", `{"mcpServers": {"sdd": {"command": "sdd", "args": ["edit", "x", "mcp"]}}}`, "client_not_started", "was not started", 1},
		"two names": {fakeServer, "~/.cursor/mcp.json", `{"mcpServers": {"sdd": {"command": "HOME/bin/sdd", "args": ["mcp"]},` + "\n" + `"notes": {"command": "HOME/bin/sdd", "args": ["mcp"]}}}`,
			"client_double", `Cursor has 2 entries: "notes" in ~/.cursor/mcp.json, "sdd" in ~/.cursor/mcp.json`, 1},
		"two, one of claude": {fakeServer, "~/.claude.json", `{"mcpServers": {"memory": {"command": "HOME/bin/sdd", "args": ["mcp"]}}, "projects": {"ROOT": {"mcpServers": {"sdd": {"command": "HOME/bin/sdd", "args": ["mcp"]}}}}}`,
			"client_double", `Claude Code has 2 entries: "memory" in ~/.claude.json, "sdd" in ~/.claude.json`, 1},
		"another version": {strings.Replace(fakeServer, `"9", "commit"`, `"8", "commit"`, 1), "~/.cursor/mcp.json", `{"mcpServers": {"sdd": {"command": "HOME/bin/sdd", "args": ["mcp"]}}}`,
			"client_version", "version 8 (abc); this is 9 (abc)", 1},
		"temporary": {"", "~/.cursor/mcp.json", `{"mcpServers": {"sdd": {"command": "/home/ann/.cache/go-build/3f/` + strings.Repeat("0a", 32) + `-d/sdd", "args": ["mcp"]}}}`,
			"client_temporary", "a temporary program", 1},
		"broken file": {fakeServer, "~/.cursor/mcp.json", "{\n\"mcpServers\": }", "client_file", "invalid character '}' at start of value", 2},
		"rejected":    {fakeServer, "~/.claude.json", `{"projects": {"ROOT": {"disabledMcpjsonServers": ["sdd"]}}}`, "client_trust", "somebody rejected it", 3},
		"not trusted": {fakeServer, "~/.gemini/trustedFolders.json", `{"ROOT": "DO_NOT_TRUST"}`, "client_trust", "does not trust this folder", 3},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "linux")
			m.Program = m.inHome("opt", "sdd")
			if c.script != "" {
				m.script(m.inHome("bin", "sdd"), c.script)
			}
			m.LookPath = func(p string) (string, error) {
				if p == "sdd" && c.script != "" {
					return m.inHome("bin", "sdd"), nil
				}
				return exec.LookPath(p)
			}
			if c.code == "client_trust" {
				m.apply(Request{Clients: []string{"claude-code", "gemini-cli"}, Scope: ProjectScope})
			}
			path := filepath.Join(m.root, c.file)
			if below, ok := strings.CutPrefix(c.file, "~/"); ok {
				path = m.inHome(below)
			}
			m.file(path, strings.NewReplacer("HOME", m.Home, "ROOT", m.root).Replace(c.text))
			got := m.doctor()
			i := slices.IndexFunc(got.Findings, func(f Finding) bool { return f.Code == c.code })
			if i < 0 || !strings.Contains(got.Findings[i].Text, c.says) || got.Findings[i].Line != c.line || got.Findings[i].Fix == "" {
				data, _ := json.MarshalIndent(got, "", "  ")
				t.Errorf("%s", data)
			}
		})
	}
}

func TestExpand(t *testing.T) {
	m := newMachine(t, "linux")
	m.Getenv = func(name string) string { return map[string]string{"A": "1"}[name] }
	for text, want := range map[string]string{
		"${A} ${env:A} ${B:-2} ${B} $A": "1 1 2 ${B} $A", "${workspaceFolder}/x": m.root + "/x", "${userHome}": m.Home, "${": "${",
	} {
		if got := (configured{}).expand(m.Surroundings, m.root, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLongAnswersAreNotKept(t *testing.T) {
	m := newMachine(t, "linux")
	script := m.script(m.inHome("sdd"), "#!/bin/sh\nyes | tr -d '\\n'\n")
	_, err := probe(context.Background(), rag.Server{Command: script}, m.Home)
	if err == nil || !strings.Contains(fmt.Sprint(err), "more than") {
		t.Error(err)
	}
}

// TestServersThatHang: doctor waits neither for a silent server nor for a process that the server started.
func TestServersThatHang(t *testing.T) {
	m := newMachine(t, "linux")
	script := m.script(m.inHome("sdd"), "#!/bin/sh\nsleep 60\n")
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := probe(ctx, rag.Server{Command: script}, m.Home)
	if err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Error(err)
	}
}
