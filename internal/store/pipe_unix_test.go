//go:build unix

package store

import "syscall"

func makePipe(path string) bool { return syscall.Mkfifo(path, 0o644) == nil }
