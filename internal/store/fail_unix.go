//go:build unix

package store

import "golang.org/x/sys/unix"

var (
	diskFull  = []error{unix.ENOSPC, unix.EDQUOT}
	readOnly  = []error{unix.EROFS}
	otherDisk = []error{unix.EXDEV}
	tooBig    = []error{unix.EFBIG}
	tooLong   = []error{unix.ENAMETOOLONG}
	noHandles = []error{unix.EMFILE, unix.ENFILE}
	noLinks   = []error{unix.EPERM, unix.ENOTSUP, unix.EOPNOTSUPP, unix.ENOSYS, unix.EMLINK, unix.EINVAL}
)
