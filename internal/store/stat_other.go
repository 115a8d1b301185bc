//go:build !linux && !darwin

package store

import "io/fs"

// movesShow says that Ctime tells when a file was renamed.
const movesShow = false

func statOf(fi fs.FileInfo) Stat {
	return Stat{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}
}
