//go:build !linux

package mcpserver

// releaseProgram is for systems that tell what a process has mapped.
func releaseProgram() {}
