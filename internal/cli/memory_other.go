//go:build !linux

package cli

// inMemory returns a folder whose files are in memory, "" when there is none.
func inMemory() string { return "" }
