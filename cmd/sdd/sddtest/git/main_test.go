package git

import (
	"testing"

	"sdd/cmd/sdd/sddtest"
)

type clone = sddtest.Clone

const topic, topicText = sddtest.Topic, sddtest.TopicText

var newClone, newStore = sddtest.NewClone, sddtest.NewStore

func TestMain(m *testing.M) { sddtest.Main(m, nil) }
