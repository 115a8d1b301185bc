package agents

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestStart: no garbage is collected before the first answer. There is next to none then, and looking for it took two
// milliseconds of fifteen. What packages make when they are initialised must stay below the 4 MiB at which Go begins.
func TestStart(t *testing.T) {
	cmd := exec.Command(build(t), "mcp")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GODEBUG=gctrace=1", "GOMAXPROCS=2", "GOGC=")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	s, err := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil).Connect(t.Context(), over(cmd), nil)
	if err != nil {
		t.Fatal(err)
	}
	if tools, err := s.ListTools(t.Context(), nil); err != nil || len(tools.Tools) == 0 {
		t.Errorf("%v, %v", tools, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(trace.String()) {
		if !strings.Contains(line, "(forced)") { // one that comes when nothing is asked for a second
			t.Errorf("collected at the start: %s", line)
		}
	}
}
