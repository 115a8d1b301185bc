//go:build !linux

package memory

// ReleaseProgram is for systems that tell what a process has mapped.
func ReleaseProgram() {}
