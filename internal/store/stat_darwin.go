package store

import (
	"io/fs"
	"syscall"
)

// movesShow says that Ctime tells when a file was renamed.
const movesShow = true

func statOf(fi fs.FileInfo) Stat {
	st := fi.Sys().(*syscall.Stat_t)
	return Stat{Size: st.Size, Mtime: st.Mtimespec.Nano(), Ctime: st.Ctimespec.Nano(), Ino: st.Ino}
}
