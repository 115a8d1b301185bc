//go:build unix

package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

var errLocked = error(unix.EWOULDBLOCK)

// flock locks f for its open file description, so that it also excludes other goroutines.
func flock(f *os.File, block bool) error {
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
