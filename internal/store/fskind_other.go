//go:build !linux && !darwin && !windows

package store

// watchable reports whether the file system of a folder tells of every change.
func watchable(string) bool { return false }
