//go:build !linux

package memory

// ReleaseProgram does nothing: the system does not list the mappings of a process.
func ReleaseProgram() {}
