package store

import "os"

// Stat identifies one state of a file without reading it. Times are in nanoseconds since 1970.
type Stat struct {
	Size, Mtime, Ctime int64
	Ino                uint64
}

func statFile(name string) (Stat, bool) {
	fi, err := os.Stat(name)
	if err != nil {
		return Stat{}, false
	}
	return statOf(fi), true
}
