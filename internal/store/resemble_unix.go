//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// resemble gives f the mode of the file it will replace, and its owner where the system allows.
func resemble(f *os.File, is, want fs.FileInfo) error {
	a, b := is.Sys().(*syscall.Stat_t), want.Sys().(*syscall.Stat_t)
	if a.Uid != b.Uid || a.Gid != b.Gid {
		if f.Chown(int(b.Uid), int(b.Gid)) != nil && a.Gid != b.Gid {
			f.Chown(-1, int(b.Gid)) // the group alone is often allowed, and often enough
		}
	}
	if is.Mode().Perm() != want.Mode().Perm() {
		return f.Chmod(want.Mode().Perm())
	}
	return nil
}

// syncFolder waits until the names in a folder are on disk.
func syncFolder(f *os.File) error { return f.Sync() }

// ownedByMe reports whether a file belongs to this user.
func ownedByMe(fi fs.FileInfo) bool { return int(fi.Sys().(*syscall.Stat_t).Uid) == os.Getuid() }
