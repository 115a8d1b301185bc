package store

import (
	"os"

	"sdd/internal/journal"
)

// Stat is what tells one state of a file from another without reading it.
type Stat = journal.Stat

func statFile(name string) (Stat, bool) {
	fi, err := os.Stat(name)
	if err != nil {
		return Stat{}, false
	}
	return statOf(fi), true
}
