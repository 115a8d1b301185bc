//go:build !linux

// Package memory gives memory back to the system.
package memory

// ReleaseProgram is for systems that tell what a process has mapped.
func ReleaseProgram() {}
