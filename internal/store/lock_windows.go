package store

import (
	"os"

	"golang.org/x/sys/windows"
)

var errLocked = error(windows.ERROR_LOCK_VIOLATION)

// flock locks f for its handle, so that it also excludes other goroutines.
func flock(f *os.File, block bool) error {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !block {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
}
