//go:build unix

package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// listed is one entry of a folder.
type listed struct {
	name string
	kind fs.FileMode
	st   Stat
	ok   bool
}

// list calls f for the visible entries of an open folder, one after the other. Two goroutines read their states, since
// most of the time goes into system calls.
func list(d *os.File, f func(name string, kind fs.FileMode, st Stat) error) error {
	fd := int(d.Fd())
	for {
		names, err := d.Readdirnames(1024)
		entries := make([]listed, len(names))
		for i, name := range names {
			entries[i].name = name
		}
		half := len(entries) / 2
		var first sync.WaitGroup
		first.Go(func() { statAll(fd, entries[:half]) })
		statAll(fd, entries[half:])
		first.Wait()
		for _, e := range entries {
			if !e.ok {
				continue
			}
			if err := f(e.name, e.kind, e.st); err != nil {
				return err
			}
		}
		if err == io.EOF || errors.Is(err, fs.ErrNotExist) { // git removes a folder with its last file
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// statAll fills in the states of the entries that are visible and still exist.
func statAll(fd int, entries []listed) {
	for i := range entries {
		e := &entries[i]
		var st unix.Stat_t
		if hidden(e.name) || unix.Fstatat(fd, e.name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		e.ok = true
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			e.kind = 0
		case unix.S_IFDIR:
			e.kind = fs.ModeDir
		case unix.S_IFLNK:
			e.kind = fs.ModeSymlink
		default:
			e.kind = fs.ModeIrregular
		}
		e.st = Stat{Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Ino: st.Ino}
	}
}
