//go:build unix

package transport

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// guardStdout returns a separate file for standard output. Until restore, all other output of the process to it goes to standard
// error. It ignores SIGPIPE for the rest of the process, so that a write to a client that is gone returns an error.
func guardStdout() (own *os.File, restore func()) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	stdout := os.Stdout
	fd, err := unix.FcntlInt(stdout.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = unix.Dup2(int(os.Stderr.Fd()), int(stdout.Fd()))
	}
	os.Stdout = os.Stderr
	if err != nil {
		return stdout, func() { os.Stdout = stdout }
	}
	own = os.NewFile(uintptr(fd), stdout.Name())
	return own, func() {
		_ = unix.Dup2(fd, int(stdout.Fd()))
		os.Stdout = stdout
		own.Close()
	}
}
