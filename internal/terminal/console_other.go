//go:build !windows

package terminal

import "os"

// prepareConsole does nothing: only Windows must enable escape sequences.
func prepareConsole(*os.File) (restore func()) { return func() {} }
