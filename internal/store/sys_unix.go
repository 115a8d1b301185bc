//go:build unix

package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// mayWrite asks the system whether this user may make, rename and remove files in d, without making any.
func mayWrite(d *dir) error {
	if err := unix.Faccessat(int(d.file.Fd()), ".", unix.W_OK|unix.X_OK, 0); err != nil {
		return &fs.PathError{Op: "access", Path: d.rel, Err: err}
	}
	return nil
}

var (
	diskFull  = []error{unix.ENOSPC, unix.EDQUOT}
	readOnly  = []error{unix.EROFS}
	otherDisk = []error{unix.EXDEV}
	tooBig    = []error{unix.EFBIG}
	tooLong   = []error{unix.ENAMETOOLONG}
	noHandles = []error{unix.EMFILE, unix.ENFILE}
	noLinks   = []error{unix.EPERM, unix.ENOTSUP, unix.EOPNOTSUPP, unix.ENOSYS, unix.EMLINK, unix.EINVAL}
)

// ErrLocked is the error of Flock when another open file holds the lock.
var ErrLocked = error(unix.EWOULDBLOCK)

// Flock locks f until it is closed or the process ends, also against other goroutines. Without block it does not wait.
func Flock(f *os.File, block bool) error {
	how := unix.LOCK_EX
	if !block {
		how |= unix.LOCK_NB
	}
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

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

func ownedByMe(fi fs.FileInfo) bool { return int(fi.Sys().(*syscall.Stat_t).Uid) == os.Getuid() }

// OpenFile opens a file in d and follows no link, in place of the one of os.Root, which makes five more system calls.
func (d *dir) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	for {
		fd, err := unix.Openat(int(d.file.Fd()), name, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(perm))
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), name), nil
		case !errors.Is(err, unix.EINTR):
			return nil, &fs.PathError{Op: "open", Path: d.rel + "/" + name, Err: err}
		}
	}
}

type listed struct {
	name string
	kind fs.FileMode
	st   Stat
	ok   bool
}

// list calls f for the visible entries of an open folder. Two goroutines read their states, since system calls take the time.
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
