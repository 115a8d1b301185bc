//go:build !linux && !darwin

package store

import "io/fs"

// movesShow reports whether Ctime changes when a file is renamed.
const movesShow = false

func statOf(fi fs.FileInfo) Stat {
	return Stat{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}
}
