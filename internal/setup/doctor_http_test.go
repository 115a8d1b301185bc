package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
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

// set changes what the server does.
func (f *fakeHTTP) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
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
	defer f.mu.Unlock()
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

// TestDoctorCallsNoAddressOfAnEntry: doctor names every client's form of an address, without its secrets, and calls none.
func TestDoctorCallsNoAddressOfAnEntry(t *testing.T) {
	f := newFakeHTTP(t)
	for name, c := range map[string]struct{ file, text string }{
		"claude-code": {".claude.json", `{"mcpServers": {"sdd": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer ${SDD_MCP_TOKEN}"}}}}`},
		"vscode":      {".config/Code/User/mcp.json", `{"servers": {"sdd-shop": {"type": "http", "url": "URL"}}}`},
		"codex":       {".codex/config.toml", "[mcp_servers.sdd]\nurl = \"URL\"\nbearer_token_env_var = \"SDD_MCP_TOKEN\"\n"},
		"gemini-cli":  {".gemini/settings.json", `{"mcpServers": {"sdd": {"httpUrl": "URL"}}}`},
		"opencode":    {".config/opencode/opencode.json", `{"mcp": {"sdd": {"type": "remote", "url": "URL"}}}`},
		"windsurf":    {".codeium/windsurf/mcp_config.json", `{"mcpServers": {"sdd": {"serverUrl": "URL"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "linux")
			m.file(m.inHome(c.file), strings.ReplaceAll(c.text, "URL", f.URL+"/mcp?key=secret"))
			got := m.doctor()
			if len(got.Clients) != 1 || len(got.Findings) != 0 || got.Clients[0].Client != name || got.Clients[0].Command != f.URL+"/mcp" {
				t.Errorf("%+v", got)
			}
			if len(got.Checked) != 1 || !strings.Contains(got.Checked[0], "sdd doctor --http "+f.URL+"/mcp checks it") || len(f.asked()) > 0 {
				t.Errorf("%q", got.Checked)
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
	f.set(func() { f.token = "a-token-that-is-long-enough" })
	if codes, said := ask(Served{URL: at}); codes != "server" || !strings.Contains(said, "--token-file") {
		t.Error(codes, said)
	}
	if codes, said := ask(Served{URL: at, Token: f.token}); codes != "" || !strings.Contains(said, "refuses who has no token") || strings.Contains(said, f.token) {
		t.Error(codes, said)
	}
	elsewhere := newFakeHTTP(t)
	redirect := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/mcp", http.StatusTemporaryRedirect))
	t.Cleanup(redirect.Close)
	if codes, said := ask(Served{URL: redirect.URL + "/mcp", Token: f.token}); codes != "server" || !strings.Contains(said, "redirects") || len(elsewhere.asked()) > 0 {
		t.Error(codes, said)
	}
	if codes, said := ask(Served{URL: f.URL + "/x", Token: f.token}); codes != "server" || !strings.Contains(said, "there is no endpoint") {
		t.Error(codes, said)
	}
	f.set(func() { f.stream = true })
	if codes, said := ask(Served{URL: at, Token: f.token}); codes != "" || !strings.Contains(said, "sdd 9, 3 tools") {
		t.Error(codes, said)
	}
	f.set(func() { f.open = true })
	if codes, said := ask(Served{URL: strings.Replace(at, "http://", "http://user:pass@", 1) + "?key=secret", Token: f.token}); codes != "server_origin" || strings.Contains(said, "pass") || strings.Contains(said, "secret") {
		t.Error(codes, said)
	}
	f.Close()
	if codes, said := ask(Served{URL: at}); codes != "server" || !strings.Contains(said, "nothing answers") {
		t.Error(codes, said)
	}
}
