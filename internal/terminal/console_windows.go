package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// prepareConsole makes the console interpret escape sequences.
func prepareConsole(out *os.File) (restore func()) {
	var mode uint32
	h := windows.Handle(out.Fd())
	if windows.GetConsoleMode(h, &mode) != nil {
		return func() {}
	}
	_ = windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING|windows.DISABLE_NEWLINE_AUTO_RETURN)
	return func() { _ = windows.SetConsoleMode(h, mode) }
}
