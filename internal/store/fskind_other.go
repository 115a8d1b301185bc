//go:build !linux && !darwin && !windows

package store

// watchable reports whether the file system of a folder makes an event for every change.
func watchable(string) bool { return false }
