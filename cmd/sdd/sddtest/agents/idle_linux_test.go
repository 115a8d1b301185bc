package agents

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestIdleServer holds a server that is asked nothing to giving back most of its program's pages, and to working as before then.
func TestIdleServer(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	cmd := exec.Command(bin, "mcp")
	cmd.Dir = dir
	s, err := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil).Connect(t.Context(), over(cmd), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pages := func() int { // of files, in KiB
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "RssFile:")
		n, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 2 {
		if _, r := call[saved](t, s, "sdd_explore", map[string]any{"title": "Idle", "goals": "rest"}); r.IsError {
			t.Fatal(text(r))
		}
		worked := pages()
		t.Logf("%d KiB of files are in memory", worked)
		for pages() > worked/2 {
			time.Sleep(20 * time.Millisecond)
		}
	}
	if _, r := call[saved](t, s, "sdd_explore", map[string]any{"title": "Idle", "goals": "work"}); r.IsError {
		t.Fatal(text(r))
	}
}
