//go:build !linux && !darwin

package store

import "io/fs"

// movesShow says that Ctime tells when a file was renamed.
const movesShow = false

func statOf(fi fs.FileInfo) Stat {
	return Stat{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}
}

// unlinked reports that an open file has been deleted; here an open file cannot be.
func unlinked(fs.FileInfo) bool { return false }
