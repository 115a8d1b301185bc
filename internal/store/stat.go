package store

import "os"

// Stat is what tells one state of a file from another without reading it.
type Stat struct {
	Size  int64
	Mtime int64 // times in nanoseconds since 1970
	Ctime int64
	Ino   uint64
}

func statFile(name string) (Stat, bool) {
	fi, err := os.Stat(name)
	if err != nil {
		return Stat{}, false
	}
	return statOf(fi), true
}
