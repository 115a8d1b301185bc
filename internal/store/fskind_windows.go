package store

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// watchable reports whether the file system of a folder makes an event for every change.
func watchable(dir string) bool {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	return err == nil && windows.GetDriveType(root) == windows.DRIVE_FIXED
}
