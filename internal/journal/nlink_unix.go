//go:build unix

package journal

import (
	"io/fs"
	"syscall"
)

// unlinked reports whether an open file has been deleted.
func unlinked(fi fs.FileInfo) bool { return fi.Sys().(*syscall.Stat_t).Nlink == 0 }
