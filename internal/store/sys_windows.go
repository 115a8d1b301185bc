package store

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// mayWrite returns nil: on Windows only a write shows whether the user may write.
func mayWrite(*dir) error { return nil }

var (
	diskFull  = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL}
	readOnly  = []error{windows.ERROR_WRITE_PROTECT}
	otherDisk = []error{windows.ERROR_NOT_SAME_DEVICE}
	tooBig    = []error{windows.ERROR_FILE_TOO_LARGE}
	tooLong   = []error{windows.ERROR_FILENAME_EXCED_RANGE}
	noHandles = []error{windows.ERROR_TOO_MANY_OPEN_FILES}
	noLinks   = []error{windows.ERROR_INVALID_FUNCTION, windows.ERROR_NOT_SUPPORTED, windows.ERROR_TOO_MANY_LINKS}
)

// ErrLocked is the error of Flock when another open file holds the lock.
var ErrLocked = error(windows.ERROR_LOCK_VIOLATION)

// Flock locks f until it is closed or the process ends, also against other goroutines. Without block it does not wait.
func Flock(f *os.File, block bool) error {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !block {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
}

// resemble does nothing: a new file inherits what the folder grants.
func resemble(*os.File, fs.FileInfo, fs.FileInfo) error { return nil }

// syncFolder does nothing: the file system orders its own metadata and opens no folder for this.
func syncFolder(*os.File) error { return nil }

// ownedByMe is true: the folder for temporary files is the user's own.
func ownedByMe(fs.FileInfo) bool { return true }

// list calls f for the visible entries of an open folder.
func list(d *os.File, f func(name string, kind fs.FileMode, st Stat) error) error {
	for {
		entries, err := d.ReadDir(1024)
		for _, e := range entries {
			fi, err := e.Info()
			if err != nil || hidden(e.Name()) {
				continue // gone meanwhile, or hidden
			}
			if err := f(e.Name(), fi.Mode().Type(), statOf(fi)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// watchable reports whether the file system of a folder makes an event for every change.
func watchable(dir string) bool {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	return err == nil && windows.GetDriveType(root) == windows.DRIVE_FIXED
}
