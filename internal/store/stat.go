package store

import "os"

// Stat identifies one state of a file without reading it. Times are in nanoseconds since 1970.
type Stat struct {
	Size, Mtime, Ctime int64
	Ino                uint64
}

// Still reports whether the file at path is in the state st. A zero st is none.
func (s *Store) Still(path string, st Stat) bool {
	if st == (Stat{}) {
		return false
	}
	fi, err := os.Lstat(s.abs(path))
	return err == nil && statOf(fi) == st
}

func statFile(name string) (Stat, bool) {
	fi, err := os.Stat(name)
	if err != nil {
		return Stat{}, false
	}
	return statOf(fi), true
}
