package screens

import (
	"os/exec"
	"testing"

	"sdd/cmd/sdd/sddtest"
)

type clone = sddtest.Clone

const (
	topic  = sddtest.Topic
	tokens = ".sdd/inbox/fact-00000000000a-tokens.md"
	logs   = ".sdd/inbox/fact-00000000000b-logs.md"
)

var newStore, newClone, candidateFile = sddtest.NewStore, sddtest.NewClone, sddtest.CandidateFile

// program is the path of sdd: none of these tests needs the real main.
func program(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("sdd")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMain(m *testing.M) { sddtest.Main(m) }
