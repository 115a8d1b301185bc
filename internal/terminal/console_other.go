//go:build !windows

package terminal

import "os"

// prepareConsole has nothing to do where terminals take sequences as they come.
func prepareConsole(*os.File) (restore func()) { return func() {} }
