package store

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// watchable reports whether the file system of a folder tells of every change.
func watchable(dir string) bool {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	return err == nil && windows.GetDriveType(root) == windows.DRIVE_FIXED
}
