package store

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// watchable reports whether the file system of a folder makes an event for every change.
func watchable(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return false
	}
	switch unix.ByteSliceToString(st.Fstypename[:]) {
	case "apfs", "hfs":
		return true
	}
	return false
}

// movesShow reports whether Ctime changes when a file is renamed.
const movesShow = true

func statOf(fi fs.FileInfo) Stat {
	st := fi.Sys().(*syscall.Stat_t)
	return Stat{Size: st.Size, Mtime: st.Mtimespec.Nano(), Ctime: st.Ctimespec.Nano(), Ino: st.Ino}
}
