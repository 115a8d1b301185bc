package screens

import (
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

func TestMain(m *testing.M) { sddtest.Main(m, nil) }
