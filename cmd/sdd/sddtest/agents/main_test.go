package agents

import (
	"testing"

	"sdd/cmd/sdd/sddtest"
)

type clone = sddtest.Clone

const topic = sddtest.Topic

var newClone, newStore, build, candidateFile = sddtest.NewClone, sddtest.NewStore, sddtest.Build, sddtest.CandidateFile

func TestMain(m *testing.M) { sddtest.Main(m) }
