package store

import (
	"os"

	"golang.org/x/sys/unix"
)

type leaseState int

const (
	leaseHeld leaseState = iota
	leaseBusy            // a program has the file open for writing
	leaseUnknown
)

// lease asks for a read lease on f, which must be open for reading only. While the lease lasts the system blocks a
// program that opens the file for writing, so holders are quick.
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
