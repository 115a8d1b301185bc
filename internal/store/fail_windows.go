package store

import "golang.org/x/sys/windows"

var (
	diskFull  = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL}
	readOnly  = []error{windows.ERROR_WRITE_PROTECT}
	otherDisk = []error{windows.ERROR_NOT_SAME_DEVICE}
	tooBig    = []error{windows.ERROR_FILE_TOO_LARGE}
	tooLong   = []error{windows.ERROR_FILENAME_EXCED_RANGE}
	noHandles = []error{windows.ERROR_TOO_MANY_OPEN_FILES}
	noLinks   = []error{windows.ERROR_INVALID_FUNCTION, windows.ERROR_NOT_SUPPORTED, windows.ERROR_TOO_MANY_LINKS}
)
