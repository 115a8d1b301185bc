package screens

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCountsAgree: the numbers of records are the same in `sdd status`, the resource and tool of an agent, and on every page.
func TestCountsAgree(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	files := uiFiles()
	delete(files, "facts/broken.md") // sdd status fails on it
	for name, text := range files {
		path := filepath.Join(dir, ".sdd", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	type counts struct {
		Records  map[string]int
		Statuses map[string]map[string]int
	}
	var status, resource counts
	out, err := exec.Command(bin, "status", "--json", "--dir", dir).Output()
	if err == nil {
		err = json.Unmarshal(out, &status)
	}
	if err != nil || status.Records["fact"] == 0 || status.Records["candidate"] == 0 {
		t.Fatalf("status: %v\n%s", err, out)
	}

	calls := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"sdd://status"}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sdd_search","arguments":{"type":"decision","limit":1}}}
`
	agent := exec.Command(bin, "mcp", "--dir", dir)
	in, err := agent.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := agent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, calls); err != nil {
		t.Fatal(err)
	}
	lines, found := bufio.NewReader(answers), 0
	for got := 0; got < 2; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var a struct {
			ID     int
			Result struct {
				Contents          []struct{ Text string }
				StructuredContent struct{ Total int }
			}
		}
		if json.Unmarshal([]byte(line), &a) != nil || a.ID < 2 {
			continue
		}
		if got++; a.ID == 3 {
			found = a.Result.StructuredContent.Total
		} else if err := json.Unmarshal([]byte(a.Result.Contents[0].Text), &resource); err != nil {
			t.Fatal(err)
		}
	}
	_ = in.Close()
	if err := agent.Wait(); err != nil {
		t.Error(err)
	}
	if fmt.Sprint(resource) != fmt.Sprint(status) {
		t.Errorf("the resource says %v, the command %v", resource, status)
	}
	if found != status.Records["decision"] {
		t.Errorf("the tool finds %d decisions of %d", found, status.Records["decision"])
	}

	get := pages(t, bin, dir)
	learnings := 0
	for _, n := range status.Statuses["yellow"] {
		learnings += n
	}
	waits := status.Statuses["candidate"]["pending"] + status.Statuses["candidate"]["queued"]
	for _, c := range []struct {
		page, pattern string
		want          int
	}{
		{"/", `href="/facts">Facts</a><span class="value">(\d+)`, status.Records["fact"]},
		{"/", `href="/decisions">Decisions</a><span class="value">(\d+)`, status.Records["decision"]},
		{"/", `href="/explorations">Explorations</a><span class="value">(\d+)`, status.Records["explore"]},
		{"/", `href="/learnings">Learnings</a><span class="value">(\d+)`, learnings},
		{"/", `href="/inbox\?status=candidates"><strong>(\d+)`, waits},
		{"/health", `href="/facts">Facts</a><span class="value">(\d+)`, status.Records["fact"]},
		{"/health", `href="/inbox">Candidates</a><span class="value">(\d+)`, status.Records["candidate"]},
		{"/inbox", `candidates <span class="count">(\d+)`, waits},
		{"/learnings", `outdated <span class="count">(\d+)`, status.Statuses["yellow"]["outdated"]},
		{"/decisions", `all <span class="count">(\d+)`, status.Records["decision"]},
		{"/facts?state=any", `all levels <span class="count">(\d+)`, status.Records["fact"]},
		{"/explorations", `(\d+) explorations?`, status.Records["explore"]},
	} {
		m := regexp.MustCompile(c.pattern).FindStringSubmatch(get(c.page))
		if m == nil || m[1] != fmt.Sprint(c.want) {
			t.Errorf("%s says %q for %s, sdd status %d", c.page, m, c.pattern, c.want)
		}
	}
}

// pages serves the page of a store until the test ends, and returns a function that reads one.
func pages(t *testing.T, bin, dir string) func(path string) string {
	t.Helper()
	cmd := exec.Command(bin, "ui", "--no-open", "--dir", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	base, _, _ := strings.Cut(address, "/?")
	read := func(to string) string {
		r, err := (&http.Client{Jar: jar}).Get(to)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	read(strings.TrimSpace(address))
	return func(path string) string { return read(base + path) }
}
