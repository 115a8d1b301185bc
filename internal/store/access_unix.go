//go:build unix

package store

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// mayWrite asks the system whether this user may make, rename and remove files in d, without making any.
func mayWrite(d *dir) error {
	if err := unix.Faccessat(int(d.file.Fd()), ".", unix.W_OK|unix.X_OK, 0); err != nil {
		return &fs.PathError{Op: "access", Path: d.rel, Err: err}
	}
	return nil
}
