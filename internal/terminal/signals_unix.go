//go:build unix

package terminal

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// followSize calls tell whenever the terminal has another size, until ctx ends.
func followSize(ctx context.Context, tell func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		defer signal.Stop(changed)
		for {
			select {
			case <-changed:
				tell()
			case <-ctx.Done():
				return
			}
		}
	}()
}

// stopProcess stops this process as Ctrl-Z does, and returns when it goes on.
func stopProcess() { _ = syscall.Kill(0, syscall.SIGTSTP) }
