package store

import (
	"os"

	"sdd/internal/journal"
)

// Stat identifies one state of a file without reading it.
type Stat = journal.Stat

func statFile(name string) (Stat, bool) {
	fi, err := os.Stat(name)
	if err != nil {
		return Stat{}, false
	}
	return statOf(fi), true
}
