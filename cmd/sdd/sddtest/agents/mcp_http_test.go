package agents

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// Two stores behind one port: a client of one hears of what is edited by hand there, and sees nothing of the other.
func TestMCPOverHTTP(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	for _, name := range []string{"api", "web"} {
		file := filepath.Join(dir, name, ".sdd", "explore", "login-of-"+name+".md")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("---\ntitle: Login of "+name+"\n---\n\n## Goals\n\n- short\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const token = "a-token-that-is-long-enough"
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "mcp", "--http", ":0", "--token-file", "token", "--store", "api=api", "--store", "web=web")
	cmd.Dir = dir
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var urls []string
	for lines := bufio.NewScanner(out); len(urls) < 2 && lines.Scan(); {
		urls = append(urls, lines.Text())
	}
	if len(urls) < 2 || !strings.HasSuffix(urls[0], "/mcp/api") || !strings.HasSuffix(urls[1], "/mcp/web") || !strings.HasPrefix(urls[0], "http://127.0.0.1:") {
		t.Fatalf("%q", urls)
	}
	if r, err := http.Post(urls[0], "application/json", strings.NewReader("{}")); err != nil || r.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(r.Header.Get("WWW-Authenticate"), "Bearer ") {
		t.Errorf("without a token: %v, %v", r, err)
	}

	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		updated := make(chan string, 100)
		c := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, &mcp.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
		})
		s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: urls[0], HTTPClient: &http.Client{Transport: bearer(token)}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		type found struct {
			Results []struct{ ID string }
		}
		got, _ := call[found](t, s, "sdd_search", map[string]any{"query": "login"})
		if len(got.Results) != 1 || got.Results[0].ID != "explore/login-of-api" {
			t.Errorf("%s: %+v", version, got)
		}
		const uri = "sdd://explore/login-of-api"
		if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "api", ".sdd", "explore", "login-of-api.md")
		for notified := false; !notified; { // since 2026-07-28 Subscribe does not wait for the server
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, append(text, "- more\n"...), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := s.ListTools(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			select {
			case got := <-updated:
				notified = got == uri
			default:
			}
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
	doctor := exec.Command(bin, "doctor", "--dir", "web", "--http", urls[1], "--token-file", "token", "--json")
	doctor.Dir, doctor.Env = dir, append(os.Environ(), "HOME="+dir)
	said, err := doctor.Output()
	if code := doctor.ProcessState.ExitCode(); code != 0 && code != 5 || !strings.Contains(string(said), ", 10 tools over MCP 2025-11-25 in ") ||
		!strings.Contains(string(said), "refuses who has no token") || !strings.Contains(string(said), "refuses web pages") {
		t.Errorf("%v: %s", err, said)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, log.String())
	}
	for _, secret := range []string{token, "login", "e2e"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log:\n%s", secret, log.String())
		}
	}
	if !strings.Contains(log.String(), " 127.0.0.1 POST /mcp/api tools/call 200 ") {
		t.Error(log.String())
	}
}
