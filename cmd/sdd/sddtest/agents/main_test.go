package agents

import (
	"math"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sdd/cmd/sdd/sddtest"
)

type clone = sddtest.Clone

var newClone, newStore, build, candidateFile = sddtest.NewClone, sddtest.NewStore, sddtest.Build, sddtest.CandidateFile

func TestMain(m *testing.M) { sddtest.Main(m, nil) }

// over speaks to a server that is started, and waits for its end however long it takes.
func over(cmd *exec.Cmd) mcp.Transport {
	return &mcp.CommandTransport{Command: cmd, TerminateDuration: math.MaxInt64}
}
