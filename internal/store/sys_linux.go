package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// localKinds are the file systems that report every change to inotify: those whose files only this machine changes.
var localKinds = map[int64]bool{
	unix.EXT4_SUPER_MAGIC:      true, // ext2 and ext3 too
	unix.XFS_SUPER_MAGIC:       true,
	unix.BTRFS_SUPER_MAGIC:     true,
	unix.TMPFS_MAGIC:           true,
	unix.RAMFS_MAGIC:           true,
	unix.OVERLAYFS_SUPER_MAGIC: true,
	unix.F2FS_SUPER_MAGIC:      true,
	unix.MSDOS_SUPER_MAGIC:     true,
	unix.EXFAT_SUPER_MAGIC:     true,
	unix.NILFS_SUPER_MAGIC:     true,
	unix.REISERFS_SUPER_MAGIC:  true,
	unix.ECRYPTFS_SUPER_MAGIC:  true,
	0x2fc12fc1:                 true, // zfs
	0xca451a4e:                 true, // bcachefs
	0x3153464a:                 true, // jfs
	0x7366746e:                 true, // ntfs3
}

// watchable reports whether the file system of a folder makes an event for every change.
func watchable(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && localKinds[int64(st.Type)]
}

// lease asks for a read lease on f, open for reading only. It blocks programs that open the file for writing, so holders are quick.
func lease(f *os.File) leaseState {
	switch _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK); err {
	case nil:
		return leaseHeld
	case unix.EAGAIN:
		return leaseBusy
	default:
		return leaseUnknown
	}
}

func release(f *os.File) { unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) }

// holder names the process that has f locked, "" when the system does not name it.
func holder(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	locks, _ := os.ReadFile("/proc/locks")
	for line := range strings.Lines(string(locks)) { // 1: FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF
		w := strings.Fields(line)
		if len(w) < 6 || w[1] != "FLOCK" || !strings.HasSuffix(w[5], fmt.Sprintf(":%d", stat.Ino)) {
			continue
		}
		if name, err := os.ReadFile("/proc/" + w[4] + "/comm"); err == nil {
			return "process " + w[4] + " (" + strings.TrimSpace(string(name)) + ")"
		}
	}
	return ""
}

// movesShow reports whether Ctime changes when a file is renamed.
const movesShow = true

func statOf(fi fs.FileInfo) Stat {
	st := fi.Sys().(*syscall.Stat_t)
	return Stat{Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Ino: st.Ino}
}

// exchange puts the file tmp in the place of name and keeps the former file as old, in one step.
func (t *tree) exchange(from *dir, tmp, old string, to *dir, name string) error {
	// A file that a crash left under the second name may be the user's text.
	if err := renameat2(from, tmp, from, old, unix.RENAME_NOREPLACE); err != nil {
		if missing(err) {
			return exchangeByLink(t, from, tmp, old, to, name)
		}
		return err
	}
	err := renameat2(from, old, to, name, unix.RENAME_EXCHANGE)
	if err == nil {
		return nil
	}
	if back := renameat2(from, old, from, tmp, unix.RENAME_NOREPLACE); back != nil {
		return errors.Join(err, back)
	}
	if missing(err) {
		return exchangeByLink(t, from, tmp, old, to, name)
	}
	return err
}

// place puts the file tmp at a free name. It returns fs.ErrExist if the name is taken.
func (t *tree) place(from *dir, tmp string, to *dir, name string) error {
	err := renameat2(from, tmp, to, name, unix.RENAME_NOREPLACE)
	if missing(err) {
		return placeByLink(t, from, tmp, to, name)
	}
	return err
}

// move renames a file from one open folder to another, replacing any file there.
func (t *tree) move(from *dir, name string, to *dir, as string) error {
	return renameat2(from, name, to, as, 0)
}

// renameat2Call is the call; tests stand in for file systems that lack it.
var renameat2Call = unix.Renameat2

func renameat2(from *dir, name string, to *dir, as string, flags uint) error {
	err := renameat2Call(int(from.file.Fd()), name, int(to.file.Fd()), as, flags)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from.rel + "/" + name, New: to.rel + "/" + as, Err: err}
	}
	return nil
}

// missing reports whether the file system lacks the call.
func missing(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP)
}
