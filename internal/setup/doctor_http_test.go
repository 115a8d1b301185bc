package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sdd/internal/allow"
	"sdd/internal/store"
)

// fakeHTTP answers as sdd mcp --http does, in JSON or as a stream of events, and keeps what it was sent.
type fakeHTTP struct {
	*httptest.Server
	mu      sync.Mutex
	headers []http.Header
	token   string // "" asks for none
	stream  bool
	open    bool // lets pages of other sites in
}

func newFakeHTTP(t *testing.T) *fakeHTTP {
	f := &fakeHTTP{}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// asked returns the headers of the requests since the last call.
func (f *fakeHTTP) asked() []http.Header {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.headers
	f.headers = nil
	return out
}

func (f *fakeHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.headers = append(f.headers, r.Header)
	f.mu.Unlock()
	switch {
	case r.URL.Path != "/mcp":
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"error": {"message": "there is no endpoint"}}`)
		return
	case r.Header.Get("Origin") != "" && !f.open:
		w.WriteHeader(http.StatusForbidden)
		return
	case f.token != "" && r.Header.Get("Authorization") != "Bearer "+f.token:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case r.Method == http.MethodDelete:
		return
	}
	var m struct {
		ID     int
		Method string
		Params struct{ Cursor string }
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil || m.Method != "initialize" && r.Header.Get("Mcp-Session-Id") != "s1" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	result := `{"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "sdd", "version": "9"}}`
	switch {
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "s1")
	case m.ID == 0:
		w.WriteHeader(http.StatusAccepted)
		return
	case m.Params.Cursor == "":
		result = `{"tools": [{}, {}], "nextCursor": "n"}`
	default:
		result = `{"tools": [{}]}`
	}
	answer := fmt.Sprintf(`{"jsonrpc": "2.0", "id": %d, "result": %s}`, m.ID, result)
	if f.stream {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, ": hello\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\ndata: %s\n\n", answer)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	io.WriteString(w, answer)
}

// TestDoctorAsksAddresses: every client's way to write an address and what is sent there is read as the client reads it.
func TestDoctorAsksAddresses(t *testing.T) {
	f := newFakeHTTP(t)
	f.token = "a-token-that-is-long-enough"
	for name, c := range map[string]struct{ file, text string }{
		"claude-code": {".claude.json", `{"mcpServers": {"sdd": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer ${SDD_MCP_TOKEN}"}}}}`},
		"cursor":      {".cursor/mcp.json", `{"mcpServers": {"sdd": {"url": "URL", "headers": {"Authorization": "Bearer ${env:SDD_MCP_TOKEN}"}}}}`},
		"vscode":      {".config/Code/User/mcp.json", `{"servers": {"sdd-shop": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer SECRET"}}}}`},
		"copilot-cli": {".copilot/mcp-config.json", `{"mcpServers": {"sdd": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer SECRET"}, "tools": ["*"]}}}`},
		"codex":       {".codex/config.toml", "[mcp_servers.sdd]\nurl = \"URL\"\nbearer_token_env_var = \"SDD_MCP_TOKEN\"\nhttp_headers = { X-A = \"b\" }\n"},
		"codex, own":  {".codex/config.toml", "[mcp_servers.sdd]\nurl = \"URL\"\n[mcp_servers.sdd.env_http_headers]\nAuthorization = \"WITH_BEARER\"\n"},
		"gemini-cli":  {".gemini/settings.json", `{"mcpServers": {"sdd": {"httpUrl": "URL", "headers": {"Authorization": "Bearer $SDD_MCP_TOKEN"}}}}`},
		"opencode":    {".config/opencode/opencode.json", `{"mcp": {"sdd": {"type": "remote", "url": "URL", "headers": {"Authorization": "Bearer {env:SDD_MCP_TOKEN}"}}}}`},
		"zed":         {".config/zed/settings.json", `{"context_servers": {"sdd": {"url": "URL", "headers": {"Authorization": "Bearer SECRET"}}}}`},
		"windsurf":    {".codeium/windsurf/mcp_config.json", `{"mcpServers": {"sdd": {"serverUrl": "URL", "headers": {"Authorization": "Bearer SECRET"}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			f.stream = !f.stream
			m := newMachine(t, "linux")
			m.Getenv = func(name string) string {
				return map[string]string{"SDD_MCP_TOKEN": f.token, "WITH_BEARER": "Bearer " + f.token}[name]
			}
			m.file(m.inHome(c.file), strings.NewReplacer("URL", f.URL+"/mcp", "SECRET", f.token).Replace(c.text))
			got := m.doctor()
			client, _, _ := strings.Cut(name, ",")
			if len(got.Clients) != 1 || len(got.Findings) != 0 || got.Clients[0].Client != client || got.Clients[0].Tools != 3 || got.Clients[0].Command != f.URL+"/mcp" {
				t.Errorf("%+v", got)
			}
			if len(got.Checked) != 1 || !strings.Contains(got.Checked[0], ": 3 tools over MCP 2025-11-25 in ") || strings.Contains(fmt.Sprint(got), f.token) {
				t.Errorf("%q", got.Checked)
			}
			asked := f.asked()
			if last := asked[len(asked)-1]; len(asked) != 5 || last.Get("Mcp-Protocol-Version") != "2025-11-25" {
				t.Errorf("%d requests, the last with %v", len(asked), last)
			}
		})
	}
}

// TestDoctorAsksNobodyElse: what a project's file names is not asked elsewhere, nor sent what is not its business.
func TestDoctorAsksNobodyElse(t *testing.T) {
	f := newFakeHTTP(t)
	elsewhere := newFakeHTTP(t)
	redirect := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/mcp", http.StatusTemporaryRedirect))
	t.Cleanup(redirect.Close)
	for name, c := range map[string]struct {
		url, header string
		user, trust bool
		asked       bool // the server was
		code, says  string
	}{
		"on this machine":         {f.URL + "/mcp", "x", false, false, true, "", ""},
		"the token of such":       {f.URL + "/mcp", "Bearer ${SDD_MCP_TOKEN}", false, false, true, "", ""},
		"a secret":                {f.URL + "/mcp", "Bearer ${env:OTHER_SECRET}", false, false, false, "client_not_asked", "it was not asked"},
		"a secret, allowed":       {f.URL + "/mcp", "Bearer ${env:OTHER_SECRET}", false, true, true, "", ""},
		"a secret in the address": {f.URL + "/mcp?x=${OTHER_SECRET}", "", false, false, false, "client_not_asked", "it was not asked"},
		"elsewhere":               {"http://sdd.invalid/mcp", "", false, false, false, "client_not_asked", "http://sdd.invalid/mcp: it was not asked"},
		"elsewhere, allowed":      {"http://sdd.invalid/mcp", "", false, true, false, "client_address", ""},
		"elsewhere, mine":         {"http://sdd.invalid/mcp", "", true, false, false, "client_address", ""},
		"no path":                 {f.URL + "/x", "", false, false, true, "client_address", "404 Not Found: there is no endpoint"},
		"only the client knows":   {f.URL + "/mcp", "Bearer ${input:token}", false, false, false, "", ""},
		"sent on":                 {redirect.URL + "/mcp", "Bearer ${SDD_MCP_TOKEN}", false, false, false, "client_address", "307 Temporary Redirect"},
		"no address":              {"http://[::1/", "", true, false, false, "client_address", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "linux")
			t.Setenv("XDG_CONFIG_HOME", m.inHome(".config"))
			t.Setenv("HOME", m.Home)
			t.Setenv("AppData", m.Home)
			m.file(filepath.Join(m.root, store.Folder, "config.yaml"), "")
			path := filepath.Join(m.root, ".mcp.json")
			if c.user {
				path = m.inHome(".claude.json")
			}
			m.file(path, fmt.Sprintf(`{"mcpServers": {"sdd": {"type": "http", "url": %q, "headers": {"X-A": %q}}}}`, c.url, c.header))
			if c.trust {
				if err := allow.Open(store.Local(m.root)).Trust(allow.Of("", nil, nil, c.url)); err != nil {
					t.Fatal(err)
				}
			}
			got := Checkup{Findings: []Finding{}}
			m.Surroundings.Getenv = func(name string) string { return map[string]string{"SDD_MCP_TOKEN": "t", "OTHER_SECRET": "s"}[name] }
			for _, k := range clients[:1] {
				for _, e := range append(got.entries(m.Surroundings, k, UserScope, m.root), got.entries(m.Surroundings, k, ProjectScope, m.root)...) {
					p, err := e.try(t.Context(), m.Surroundings, m.root)
					got.report(t.Context(), m.Surroundings, e, p, err, m.root, "9 (abc)")
				}
			}
			if asked := f.asked(); len(asked) > 0 != c.asked {
				t.Errorf("%d requests", len(asked))
			}
			if asked := elsewhere.asked(); len(asked) > 0 {
				t.Error("a redirect was followed")
			}
			switch {
			case len(got.Clients) != 1:
				t.Errorf("%+v", got)
			case c.code == "" && len(got.Findings) > 0, c.code != "" && (len(got.Findings) != 1 || got.Findings[0].Code != c.code || !strings.Contains(got.Findings[0].Text, c.says) || got.Findings[0].Fix == ""):
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestDoctorAsksAServer: one that is named, with and without a token.
func TestDoctorAsksAServer(t *testing.T) {
	ask := func(to Served) (codes, said string) {
		c := Checkup{}
		c.server(context.Background(), to, "9 (abc)")
		for _, f := range c.Findings {
			codes += f.Code + " "
		}
		return strings.TrimSpace(codes), fmt.Sprint(c)
	}
	f := newFakeHTTP(t)
	at := f.URL + "/mcp"
	if codes, said := ask(Served{URL: at}); codes != "" || !strings.Contains(said, "sdd 9, 3 tools") || !strings.Contains(said, "refuses web pages") {
		t.Error(codes, said)
	}
	if codes, said := ask(Served{URL: at, Token: "t"}); codes != "server_open" {
		t.Error(codes, said)
	}
	f.token = "a-token-that-is-long-enough"
	if codes, said := ask(Served{URL: at}); codes != "server" || !strings.Contains(said, "--token-file") {
		t.Error(codes, said)
	}
	if codes, said := ask(Served{URL: at, Token: f.token}); codes != "" || !strings.Contains(said, "refuses who has no token") || strings.Contains(said, f.token) {
		t.Error(codes, said)
	}
	f.open = true
	if codes, said := ask(Served{URL: strings.Replace(at, "http://", "http://user:pass@", 1) + "?key=secret", Token: f.token}); codes != "server_origin" || strings.Contains(said, "pass") || strings.Contains(said, "secret") {
		t.Error(codes, said)
	}
	f.Close()
	if codes, said := ask(Served{URL: at}); codes != "server" || !strings.Contains(said, "nothing answers") {
		t.Error(codes, said)
	}
}

func TestLoopback(t *testing.T) {
	for url, want := range map[string]bool{
		"http://127.0.0.1:3411/mcp": true, "http://[::1]/mcp": true, "http://localhost:1/": true, "https://[::ffff:127.0.0.1]/": true,
		"http://127.0.0.1.example.org/": false, "http://10.0.0.1/": false, "http://localhost@example.org/": false, "": false, "http://[::1": false,
	} {
		if got := (remote{url: url}).loopback(); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}
