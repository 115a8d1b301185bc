package store

import (
	"io/fs"
	"syscall"
)

// movesShow reports whether Ctime changes when a file is renamed.
const movesShow = true

func statOf(fi fs.FileInfo) Stat {
	st := fi.Sys().(*syscall.Stat_t)
	return Stat{Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Ino: st.Ino}
}
